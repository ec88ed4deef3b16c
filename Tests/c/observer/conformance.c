/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLAYER(METHOD)                           \
    METHOD(required, void, on_play, (int32_t n)) \
    METHOD(optional, void, on_pause, (void))     \
    METHOD(required, void, on_stop, (int32_t n)) \
    METHOD(optional, bool, may_skip, (double at), first_true)
PEAL_PROTOCOL(player, "Player", PLAYER);

static void play(void *self, int32_t n) { journal_write("%s.play(%d)", (char *)self, (int)n); }
static void play_other(void *self, int32_t n) { journal_write("%s.other(%d)", (char *)self, (int)n); }
static void pause_it(void *self) { journal_write("%s.pause", (char *)self); }
static void stop(void *self, int32_t n) { journal_write("%s.stop(%d)", (char *)self, (int)n); }
static bool skip(void *self, double at) { return self != NULL && at > 1; }

static const struct player full = { PEAL_TABLE(player), .on_play = play, .on_pause = pause_it, .on_stop = stop,
    .may_skip = skip };
static const struct player minimal = { PEAL_TABLE(player), .on_play = play, .on_stop = stop };

static char a[] = "A";
static char b[] = "B";

static struct player_protocol open_player(peal_center *center)
{
    struct player_protocol handles;

    memset(&handles, 0, sizeof handles);
    *center = open_center();
    CHECK_OK(player_define(*center, &handles));
    journal_clear();
    return handles;
}

CLAIM("O1", "a table that has every required method is registered")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    peal_observation observation = { 0 };

    CHECK_OK(player_observe(&handles, a, &minimal, NULL, &observation));
    CHECK(observation.id != 0);
    CHECK(peal_observation_is_active(observation));
    close_center(center);
}

CLAIM("O1", "a table without a required method is refused, and each missing method is named")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    struct player table = minimal;
    peal_observation observation = { 7 };

    table.on_stop = NULL;
    CHECK_FAILURE(player_observe(&handles, a, &table, NULL, &observation), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Player");
    CHECK_CONTAINS(peal_last_message(), "on_stop");
    CHECK(strstr(peal_last_message(), "on_play") == NULL);
    CHECK_EQUAL(observation.id, 0);
    table.on_play = NULL;
    CHECK_FAILURE(player_observe(&handles, a, &table, NULL, &observation), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "on_play");
    CHECK_CONTAINS(peal_last_message(), "on_stop");
    CHECK(strstr(peal_last_message(), "on_pause") == NULL);
    close_center(center);
}

CLAIM("O1", "a refused registration has no lasting effect")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    struct player table = minimal;

    table.on_stop = NULL;
    CHECK_FAILURE(player_observe(&handles, a, &table, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_EQUAL(count_observers(handles.protocol), 0);
    CHECK_EQUAL(count_listed(handles.on_play), 0);
    CHECK_OK(peal_broadcast(handles.on_play, 1));
    CHECK_JOURNAL("");
    CHECK_OK(player_observe(&handles, a, &minimal, NULL, NULL));
    close_center(center);
}

CLAIM("O1", "a table is read no further than its size")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    static const size_t sizes[] = { 0, 1, 7, 8, 9, 15, 16, 23, 24, 31 };

    for (size_t i = 0; i < CHECK_COUNT_OF(sizes); i++) {
        /* The memory is as large as the table's size states, so that the address sanitizer finds a read beyond it. */
        const size_t room = sizes[i] > sizeof(size_t) ? sizes[i] : sizeof(size_t);
        char *table = malloc(room);

        REQUIRE(table != NULL);
        memcpy(table, &full, room);
        memcpy(table, &sizes[i], sizeof sizes[i]);
        CHECK_FAILURE(peal_observe(handles.protocol, a, table, NULL, NULL), PEAL_ERROR_CONFORMANCE);
        free(table);
    }
    CHECK_EQUAL(count_observers(handles.protocol), 0);
    close_center(center);
}

CLAIM("O1", "a table that ends after the last required method is registered without the optional ones")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    const size_t size = offsetof(struct player, may_skip);
    char *table = malloc(size);

    REQUIRE(table != NULL);
    memcpy(table, &full, size);
    memcpy(table, &size, sizeof size);
    CHECK_OK(peal_observe(handles.protocol, a, table, NULL, NULL));
    free(table);
    CHECK_EQUAL(count_listed(handles.on_pause), 1);
    CHECK_EQUAL(count_listed(handles.may_skip), 0);
    close_center(center);
}

CLAIM("O1", "an observer's table may be changed or freed once the registration has returned")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    struct player *table = malloc(sizeof *table);

    REQUIRE(table != NULL);
    *table = full;
    REQUIRE_OK(player_observe(&handles, a, table, NULL, NULL));
    memset(table, 0xee, sizeof *table);
    free(table);
    CHECK_OK(peal_broadcast(handles.on_play, 1));
    PEAL_BROADCAST(player, &handles, on_stop, 2);
    CHECK_JOURNAL("A.play(1) A.stop(2)");
    close_center(center);
}

CLAIM("O1", "the options of a registration may be changed once it has returned")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.priority = 3;
    REQUIRE_OK(player_observe(&handles, a, &full, NULL, NULL));
    REQUIRE_OK(player_observe(&handles, b, &full, &options, NULL));
    memset(&options, 0xee, sizeof options);
    CHECK_OK(peal_broadcast(handles.on_pause));
    CHECK_JOURNAL("B.pause A.pause");
    close_center(center);
}

CLAIM("O2", "an observer is listed under exactly the methods that it implements")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);

    REQUIRE_OK(player_observe(&handles, a, &full, NULL, NULL));
    REQUIRE_OK(player_observe(&handles, b, &minimal, NULL, NULL));
    CHECK_EQUAL(count_listed(handles.on_play), 2);
    CHECK_EQUAL(count_listed(handles.on_stop), 2);
    CHECK_EQUAL(count_listed(handles.on_pause), 1);
    CHECK_EQUAL(count_listed(handles.may_skip), 1);
    CHECK_EQUAL(count_observers(handles.protocol), 2);
    CHECK_OK(peal_broadcast(handles.on_pause));
    CHECK_JOURNAL("A.pause");
    close_center(center);
}

CLAIM("O2", "an observer that implements nothing is counted and listed nowhere")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "optional void on_x(void)", NULL };
    const peal_protocol protocol = protocol_of(center, "Optional", texts);
    const size_t table[2] = { sizeof table, 0 };
    const size_t only_size = sizeof only_size;

    CHECK_OK(peal_observe(protocol, a, table, NULL, NULL));
    CHECK_OK(peal_observe(protocol, b, &only_size, NULL, NULL));
    CHECK_EQUAL(count_observers(protocol), 2);
    CHECK_EQUAL(count_listed(find_method(protocol, "on_x")), 0);
    close_center(center);
}

CLAIM("O1", "bindings register an observer's functions by the names of the methods")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    const struct peal_binding bindings[] = {
        { "on_stop", (peal_function)stop, NULL },
        { "on_play", (peal_function)play, "void f(int32_t n)" },
    };

    REQUIRE_OK(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL));
    CHECK_OK(peal_broadcast(handles.on_play, 1));
    PEAL_BROADCAST(player, &handles, on_stop, 2);
    CHECK_JOURNAL("A.play(1) A.stop(2)");
    CHECK_EQUAL(count_listed(handles.on_pause), 0);
    close_center(center);
}

CLAIM("O1", "bindings without a required method are refused, and the method is named")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    const struct peal_binding bindings[] = {
        { "on_play", (peal_function)play, NULL },
        { "on_stop", NULL, NULL },
    };

    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "on_stop");
    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, NULL, 0, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    close_center(center);
}

CLAIM("O1", "a binding of an unknown method is refused, and the method is named")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    const struct peal_binding bindings[] = {
        { "on_play", (peal_function)play, NULL },
        { "on_stop", (peal_function)stop, NULL },
        { "on_dance", (peal_function)stop, NULL },
    };

    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 3, NULL, NULL), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "on_dance");
    CHECK_EQUAL(count_observers(handles.protocol), 0);
    close_center(center);
}

CLAIM("O1", "bindings with a method twice are refused, and the method is named")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    const struct peal_binding bindings[] = {
        { "on_play", (peal_function)play, NULL },
        { "on_stop", (peal_function)stop, NULL },
        { "on_play", (peal_function)play_other, NULL },
    };
    const struct peal_binding dotted[] = {
        { "on_play", (peal_function)play, NULL },
        { "on_stop", (peal_function)stop, NULL },
        { "Player.on_play", (peal_function)play, NULL },
    };

    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 3, NULL, NULL), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "on_play");
    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, dotted, 3, NULL, NULL), PEAL_ERROR_CONFLICT);
    close_center(center);
}

CLAIM("O1", "a binding whose prototype is not the method's is refused, and the method is named")
{
    static const char *const wrong[] = {
        "void f(int64_t n)",
        "void f(uint32_t n)",
        "int f(int32_t n)",
        "void f(void)",
        "void f(int32_t n, int32_t m)",
        "void f(int32_t *n)",
        "void f(float n)",
    };
    peal_center center;
    const struct player_protocol handles = open_player(&center);

    for (size_t i = 0; i < CHECK_COUNT_OF(wrong); i++) {
        const struct peal_binding bindings[] = {
            { "on_play", (peal_function)play, wrong[i] },
            { "on_stop", (peal_function)stop, NULL },
        };

        check_case(wrong[i]);
        CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL), PEAL_ERROR_CONFLICT);
        CHECK_CONTAINS(peal_last_message(), "on_play");
    }
    CHECK_EQUAL(count_observers(handles.protocol), 0);
    close_center(center);
}

CLAIM("O1", "bindings are read again at each registration: equal functions with other names or prototypes are no equal bindings")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    char name[] = "on_play", prototype[] = "void f(int32_t n)";
    struct peal_binding bindings[] = {
        { name, (peal_function)play, prototype },
        { "on_stop", (peal_function)stop, NULL },
    };
    peal_observation observation;

    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, &observation));
        CHECK_OK(peal_observation_remove(observation));
    }
    /* The same memory is overwritten with another prototype, and then with another name. */
    memcpy(prototype, "void f(uint8_t n)", sizeof prototype);
    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL), PEAL_ERROR_CONFLICT);
    memcpy(prototype, "void f(int32_t n)", sizeof prototype);
    memcpy(name, "on_p1ay", sizeof name);
    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL), PEAL_ERROR_NOT_FOUND);
    memcpy(name, "on_play", sizeof name);
    /* Fewer bindings, a binding without a name, and exchanged functions. */
    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 1, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    bindings[1].method = NULL;
    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL), PEAL_ERROR_ARGUMENT);
    bindings[1].method = "on_stop";
    bindings[0].function = (peal_function)play_other;
    REQUIRE_OK(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL));
    bindings[0].function = (peal_function)play;
    bindings[0].prototype = NULL;
    REQUIRE_OK(peal_observe_bindings(handles.protocol, b, bindings, 2, NULL, NULL));
    journal_clear();
    CHECK_OK(peal_broadcast(handles.on_play, 1));
    CHECK_JOURNAL("A.other(1) B.play(1)");
    close_center(center);
}

CLAIM("O1", "a binding's prototype is compared with the method's by the types alone, not by the names")
{
    static const char *const right[] = {
        "void on_play(int32_t n)",
        "void something_else(int32_t other)",
        "void f(int)",
        "void f(const int32_t n)",
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(right); i++) {
        peal_center center;
        const struct player_protocol handles = open_player(&center);
        const struct peal_binding bindings[] = {
            { "on_play", (peal_function)play, right[i] },
            { "on_stop", (peal_function)stop, NULL },
        };

        check_case(right[i]);
        CHECK_OK(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL));
        close_center(center);
    }
}

CLAIM("O1", "a binding's malformed prototype is refused, and the column is named")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    const struct peal_binding bindings[] = {
        { "on_play", (peal_function)play, "void f(int32_t n" },
        { "on_stop", (peal_function)stop, NULL },
    };

    CHECK_FAILURE(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_last_message(), "column");
    close_center(center);
}

CLAIM("O1", "the names and bindings of a registration may be changed once it has returned")
{
    peal_center center;
    const struct player_protocol handles = open_player(&center);
    char name[] = "on_play";
    struct peal_binding bindings[] = {
        { name, (peal_function)play, NULL },
        { "on_stop", (peal_function)stop, NULL },
    };

    REQUIRE_OK(peal_observe_bindings(handles.protocol, a, bindings, 2, NULL, NULL));
    memset(name, '#', sizeof name);
    memset(bindings, 0xee, sizeof bindings);
    CHECK_OK(peal_broadcast(handles.on_play, 1));
    CHECK_JOURNAL("A.play(1)");
    close_center(center);
}
