/* SPDX-License-Identifier: Apache-2.0
 *
 * NULL for every pointer, a wrong size for every sized struct, and calls in a wrong state. handles.c tests handles;
 * signatures.c and types.c test texts.
 */
#include "center.h"
#include "destroyed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELL(METHOD)                         \
    METHOD(required, void, on_ring, (int n)) \
    METHOD(optional, int, poll, (int n), collect)
PEAL_PROTOCOL(bell, "Bell", BELL);

PEAL_TYPE(pair_text, struct pair { int64_t a, b; });
PEAL_TYPE(large_text, struct large { char bytes[200]; });

#define STRUCTS(METHOD)                                     \
    METHOD(optional, void, on_pair, (struct pair p, int n)) \
    METHOD(optional, void, on_large, (int n, struct large l))
PEAL_PROTOCOL(structs, "Structs", STRUCTS);

static int rung;

static void ring(void *self, int n)
{
    (void)self;
    (void)n;
    rung++;
}

static int poll_it(void *self, int n)
{
    (void)self;
    rung++;
    return n;
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring, .poll = poll_it };

static peal_center center;
static struct bell_protocol bell;
static peal_observation observation;
static int target;

static void open_bell(void)
{
    center = open_center();
    rung = destroyed = 0;
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, &target, &table, NULL, &observation));
}

CLAIM("F1", "NULL for a pointer that must be given is PEAL_ERROR_ARGUMENT, in every function")
{
    static const struct peal_objc_method untyped[] = { { "x", NULL }, { NULL, NULL } };
    static const struct peal_binding unnamed = { NULL, (peal_function)ring, NULL };
    peal_protocol protocol = { 0 };
    peal_method method = { 0 };

    open_bell();
    CHECK_FAILURE(peal_center_create(NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_type_declare(center, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_type_layout(center, NULL, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_define(center, NULL, &protocol, &method, 1), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_define_objc(center, NULL, NULL, NULL, &protocol), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_define_objc(center, "X", untyped, NULL, &protocol), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_find(center, NULL, &protocol), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_find(center, "Bell", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_find(bell.protocol, NULL, &method), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_find(bell.protocol, "on_ring", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observe(bell.protocol, &rung, NULL, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observe_bindings(bell.protocol, &rung, NULL, 1, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_observe_bindings(bell.protocol, &rung, &unnamed, 1, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_send(bell.on_ring, NULL, 1, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_version(bell.protocol, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_count_observers(bell.protocol, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_count_observers(bell.on_ring, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_call_path(bell.on_ring, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(rung, 0);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    close_center(center);
}

CLAIM("F1", "a NULL buffer with a capacity is PEAL_ERROR_ARGUMENT")
{
    open_bell();
    CHECK_FAILURE(peal_protocol_name(bell.protocol, NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_name(bell.on_ring, NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_method_declaration(bell.on_ring, NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_protocol_list_methods(bell.protocol, NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    close_center(center);
}

CLAIM("F1", "NULL for a pointer that may be left out is accepted")
{
    int n = 1;
    void *const arguments[] = { &n };

    open_bell();
    CHECK_OK(peal_protocol_define(center, &bell_description, NULL, NULL, 0));
    CHECK_OK(peal_protocol_define(center, &bell_description, NULL, NULL, 9));
    CHECK_OK(bell_observe(&bell, &rung, &table, NULL, NULL));
    CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL));
    CHECK_OK(peal_send_with(bell.on_ring, arguments, 1, NULL, NULL, NULL));
    CHECK_OK(peal_ask(bell.on_ring, NULL, 1));
    CHECK_OK(peal_protocol_name(bell.protocol, (char[8]){ 0 }, 8, NULL));
    CHECK_OK(peal_type_layout(center, "int", NULL, NULL));
    CHECK_EQUAL(rung, 6);
    close_center(center);
}

CLAIM("F1", "the list macro's observe function returns the status of an invalid handle when its handles are NULL")
{
    open_bell();
    CHECK_FAILURE(bell_observe(NULL, &rung, &table, NULL, NULL), PEAL_ERROR_HANDLE);
    close_center(center);
}

CLAIM("O11", "the stale handle of a protocol is reported before the functions of an observer that are missing too")
{
    open_bell();
    close_center(center);
    CHECK_FAILURE(peal_observe(bell.protocol, &rung, NULL, NULL, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observe_bindings(bell.protocol, &rung, NULL, 1, NULL, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observe_handler(bell.protocol, &rung, NULL, NULL, 0, NULL, NULL), PEAL_ERROR_HANDLE);
}

/* Returns a copy that is as large as its size field states, so that the address sanitizer finds a read beyond it. */
static void *cut_struct(const void *whole, size_t whole_size, size_t says)
{
    const size_t room = says < sizeof(size_t) ? sizeof(size_t) : says;
    char *cut = calloc(1, room);

    if (cut == NULL)
        check_give_up("no memory", __FILE__, __LINE__);
    memcpy(cut, whole, room < whole_size ? room : whole_size);
    memcpy(cut, &says, sizeof says);
    return cut;
}

CLAIM("F1", "a protocol's description of another size is PEAL_ERROR_ARGUMENT and is read no further than its size")
{
    static const size_t sizes[] = { 0, 1, 8, 16, sizeof(struct peal_protocol_description) - 1 };
    struct peal_protocol_description other = bell_description;

    open_bell();
    other.name = "Other";
    for (size_t i = 0; i < CHECK_COUNT_OF(sizes); i++) {
        void *cut = cut_struct(&other, sizeof other, sizes[i]);
        peal_protocol found;

        CHECK_FAILURE(peal_protocol_define(center, cut, NULL, NULL, 0), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_last_message(), "size");
        CHECK_FAILURE(peal_protocol_find(center, "Other", &found), PEAL_ERROR_NOT_FOUND);
        free(cut);
    }
    other.size = (size_t)-1;
    CHECK_FAILURE(peal_protocol_define(center, &other, NULL, NULL, 0), PEAL_ERROR_ARGUMENT);
    close_center(center);
}

CLAIM("F1", "options of an observer of another size are PEAL_ERROR_ARGUMENT")
{
    static const size_t sizes[] = { 0, 1, 8, sizeof(struct peal_observe_options) - 1 };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(sizes); i++) {
        void *cut = cut_struct(&options, sizeof options, sizes[i]);

        CHECK_FAILURE(bell_observe(&bell, &rung, &table, cut, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_last_message(), "size");
        free(cut);
    }
    options.size = (size_t)-1;
    CHECK_FAILURE(bell_observe(&bell, &rung, &table, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    close_center(center);
}

CLAIM("O8", "the destroy callback of registration options that are too big, of a later version, still runs once")
{
    struct {
        struct peal_observe_options options;
        uint64_t later[4];
    } future;

    open_bell();
    memset(&future, 0, sizeof future);
    future.options.size = sizeof future;
    future.options.destroy = count_destroy;
    future.later[0] = 1;
    CHECK_FAILURE(bell_observe(&bell, &rung, &table, &future.options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("F1", "options of a broadcast of another size are PEAL_ERROR_ARGUMENT")
{
    static const size_t sizes[] = { 0, 1, 8, sizeof(struct peal_send_options) - 1 };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const arguments[] = { &n };

    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(sizes); i++) {
        void *cut = cut_struct(&options, sizeof options, sizes[i]);

        CHECK_FAILURE(peal_send_with(bell.on_ring, arguments, 1, cut, NULL, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_last_message(), "size");
        free(cut);
    }
    options.size = (size_t)-1;
    CHECK_FAILURE(peal_send_with(bell.on_ring, arguments, 1, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(rung, 0);
    close_center(center);
}

CLAIM("F1", "a collection of another size, or without room where it promises some, is PEAL_ERROR_ARGUMENT")
{
    static const size_t sizes[] = { 0, 1, 8, sizeof(struct peal_collection) - 1 };
    int values[2] = { 0, 0 };
    struct peal_collection collection = { sizeof collection, values, 2, 0 };
    int n = 1;
    void *const arguments[] = { &n };

    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(sizes); i++) {
        void *cut = cut_struct(&collection, sizeof collection, sizes[i]);

        CHECK_FAILURE(peal_send(bell.poll, arguments, 1, cut, NULL), PEAL_ERROR_ARGUMENT);
        free(cut);
    }
    collection.size = (size_t)-1;
    CHECK_FAILURE(peal_send(bell.poll, arguments, 1, &collection, NULL), PEAL_ERROR_ARGUMENT);
    collection.size = sizeof collection;
    collection.values = NULL;
    CHECK_FAILURE(peal_send(bell.poll, arguments, 1, &collection, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(rung, 0);
    close_center(center);
}

CLAIM("F1", "unknown flags are PEAL_ERROR_ARGUMENT")
{
    struct peal_observe_options observe_options = PEAL_OBSERVE_OPTIONS;
    struct peal_send_options send_options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const arguments[] = { &n };

    open_bell();
    for (int bit = 8; bit < 32; bit++) {
        observe_options.flags = 1u << bit;
        CHECK_FAILURE(bell_observe(&bell, &rung, &table, &observe_options, NULL), PEAL_ERROR_ARGUMENT);
    }
    for (int bit = 1; bit < 32; bit++) {
        send_options.flags = 1u << bit;
        CHECK_FAILURE(peal_send_with(bell.on_ring, arguments, 1, &send_options, NULL, NULL), PEAL_ERROR_ARGUMENT);
    }
    CHECK_EQUAL(rung, 0);
    close_center(center);
}

static void take_pair(void *self, struct pair p, int n)
{
    (void)self;
    rung += (int)p.a + n;
}

static void take_large(void *self, int n, struct large l)
{
    (void)self;
    rung += l.bytes[0] + n;
}

CLAIM("F1", "a NULL argument pointer is PEAL_ERROR_ARGUMENT on every path, and no observer is called")
{
    static const struct structs taking = { PEAL_TABLE(structs), take_pair, take_large };
    struct structs_protocol structs;
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct pair pair = { 1, 2 };
    struct large large;
    int n = 1;
    void *const no_pair[] = { NULL, &n };
    void *const no_number[] = { &pair, NULL };
    void *const no_large[] = { &n, NULL };
    void *const no_other_number[] = { NULL, &large };

    memset(&large, 0, sizeof large);
    open_bell();
    REQUIRE_OK(peal_type_declare(center, pair_text));
    REQUIRE_OK(peal_type_declare(center, large_text));
    REQUIRE_OK(structs_define(center, &structs));
    REQUIRE_OK(structs_observe(&structs, &target, &taking, NULL, NULL));
    for (int way = 0; way < 2; way++) {
        options.flags = way == 0 ? 0 : PEAL_SEND_FFI_CALL;
        CHECK_FAILURE(peal_send_with(structs.on_pair, no_pair, 2, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_last_message(), "on_pair");
        CHECK_CONTAINS(peal_last_message(), " p ");
        CHECK_FAILURE(peal_send_with(structs.on_pair, no_number, 2, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_FAILURE(peal_send_with(structs.on_large, no_large, 2, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_FAILURE(peal_send_with(structs.on_large, no_other_number, 2, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_FAILURE(peal_send_with(structs.on_large, NULL, 2, &options, NULL, NULL), PEAL_ERROR_ARGUMENT);
    }
    CHECK_FAILURE(peal_broadcast(structs.on_pair, (struct pair *)NULL, 1), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_broadcast(structs.on_large, 1, (struct large *)NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(rung, 0);
    close_center(center);
}

CLAIM("F1", "a name that is empty gives a status")
{
    static const char *const texts[] = { "void on_x(void)", NULL };
    peal_protocol protocol = { 0 };

    open_bell();
    CHECK(try_protocol(center, "", NULL, texts, &protocol) < 0);
    CHECK(peal_last_message()[0] != '\0');
    CHECK(peal_protocol_define_objc(center, "", NULL, NULL, &protocol) < 0);
    CHECK_FAILURE(peal_protocol_find(center, "", &protocol), PEAL_ERROR_NOT_FOUND);
    close_center(center);
}

CLAIM("F1", "counts larger than any memory give a status")
{
    static const struct peal_binding binding = { "on_ring", (peal_function)ring, NULL };
    int n = 1;
    void *const arguments[] = { &n };
    peal_method methods[2];

    open_bell();
    CHECK(peal_observe_bindings(bell.protocol, &rung, &binding, (size_t)-1, NULL, NULL) < 0);
    CHECK(peal_observe_bindings(bell.protocol, &rung, &binding, SIZE_MAX / 2, NULL, NULL) < 0);
    CHECK_FAILURE(peal_send(bell.on_ring, arguments, (size_t)-1, NULL, NULL), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_broadcast_counted((size_t)-1, bell.on_ring, 1), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_ask_counted(SIZE_MAX / 2, bell.on_ring, NULL, 1), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_FAILURE(peal_broadcast_counted(65, bell.on_ring, 1), PEAL_ERROR_ARGUMENT_COUNT);
    CHECK_OK(peal_protocol_define(center, &bell_description, NULL, methods, 2));
    CHECK(peal_protocol_list_methods(bell.protocol, methods, SIZE_MAX, NULL) <= 0);
    CHECK_EQUAL(rung, 0);
    close_center(center);
}

/* What a C program writes for "no bound", and the values around those that change their sign. */
static const size_t huge[] = { (size_t)1 << 62, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 1, SIZE_MAX };

CLAIM("F1", "the ring of a tap with more records than it may have is refused, however large the number")
{
    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(huge); i++) {
        struct peal_tap_options options = PEAL_TAP_OPTIONS;
        peal_tap tap = { 1 };

        options.capacity = huge[i];
        CHECK_FAILURE(peal_tap_create(center, &options, &tap), PEAL_ERROR_ARGUMENT);
        CHECK_EQUAL(tap.id, 0);
    }
    close_center(center);
}

CLAIM("F1", "room for more results or methods than memory can have is enough for all of them")
{
    int n = 5;
    void *const arguments[] = { &n };

    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(huge); i++) {
        int values[2] = { 0, 0 };
        struct peal_collection collection = { sizeof collection, values, huge[i], 9 };
        struct peal_send_options options = PEAL_SEND_OPTIONS;
        peal_method methods[2] = { { 0 }, { 0 } };

        CHECK_OK(peal_send(bell.poll, arguments, 1, &collection, NULL));
        CHECK_EQUAL(collection.count, 1);
        CHECK_EQUAL(values[0], 5);
        options.flags = PEAL_SEND_FFI_CALL;
        values[0] = 0;
        CHECK_OK(peal_send_with(bell.poll, arguments, 1, &options, &collection, NULL));
        CHECK_EQUAL(collection.count, 1);
        CHECK_EQUAL(values[0], 5);
        CHECK_OK(peal_protocol_define(center, &bell_description, NULL, methods, huge[i]));
        CHECK_EQUAL(methods[1].id, bell.poll.id);
    }
    close_center(center);
}

static size_t wanted_tokens;
static peal_status deferred;

static void defer_huge(void *self, const struct peal_call *call)
{
    peal_completion token = { 0 };

    (void)self;
    deferred = peal_call_defer_several(call, wanted_tokens, &token);
    CHECK_EQUAL(token.id, 0);
}

CLAIM("F1", "sizes, counts and indices that nothing has are refused, and the sentence has the number, or the largest one")
{
    int n = 5;
    void *const arguments[] = { &n };

    open_bell();
    CHECK_OK(peal_observe_handler(bell.protocol, &deferred, defer_huge, NULL, 0, NULL, NULL));
    for (size_t i = 0; i < CHECK_COUNT_OF(huge); i++) {
        struct peal_protocol_description description = bell_description;
        peal_invocation invocation;
        char name[8], given[32];

        snprintf(given, sizeof given, "%zu", huge[i] <= SIZE_MAX / 2 ? huge[i] : SIZE_MAX / 2);
        CHECK_FAILURE(peal_send(bell.on_ring, arguments, huge[i], NULL, NULL), PEAL_ERROR_ARGUMENT_COUNT);
        CHECK_CONTAINS(peal_last_message(), given);
        CHECK_FAILURE(peal_method_parameter_name(bell.on_ring, huge[i], name, sizeof name, NULL), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_last_message(), given);
        CHECK_OK(peal_invocation_create_with(bell.on_ring, arguments, 1, &invocation));
        CHECK(peal_invocation_set_argument(invocation, huge[i], &n, sizeof n) < 0);
        CHECK_CONTAINS(peal_last_message(), given);
        CHECK(peal_invocation_set_argument(invocation, 0, &n, huge[i]) < 0);
        CHECK_CONTAINS(peal_last_message(), given);
        CHECK_OK(peal_invocation_destroy(invocation));
        description.table_size = huge[i];
        CHECK(peal_protocol_define(center, &description, NULL, NULL, 0) < 0);
        CHECK_CONTAINS(peal_last_message(), given);
        wanted_tokens = huge[i];
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK(deferred < 0);
    }
    close_center(center);
}

CLAIM("Q5", "the bound of a queue may be any size, and one that no memory reaches refuses no call")
{
    for (size_t i = 0; i < CHECK_COUNT_OF(huge); i++) {
        struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
        struct peal_queue_info info = { .size = sizeof info };
        peal_queue queue;

        options.capacity = huge[i];
        REQUIRE_OK(peal_queue_create(&options, &queue));
        CHECK_OK(peal_queue_get_info(queue, &info));
        CHECK(info.capacity >= SIZE_MAX / 4);
        CHECK_OK(peal_queue_destroy(queue));
    }
}

CLAIM("F1", "the end of a loop over entries that was not begun is harmless")
{
    open_bell();
    for (int i = 0; i < 10; i++)
        peal_entries_end();
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    PEAL_BROADCAST(bell, &bell, on_ring, 1);
    CHECK_EQUAL(rung, 2);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(rung, 2);
    close_center(center);
}

CLAIM("F1", "a loop over entries admits no entry where there is none")
{
    const struct peal_admission admission = peal_entry_admit(NULL, NULL);

    CHECK(admission.entry == NULL);
    CHECK(admission.next == NULL);
}

static void end_too_often(void *self, int n)
{
    (void)self;
    (void)n;
    rung++;
    peal_entries_end();
    peal_entries_end();
}

CLAIM("F1", "an additional end of a loop inside a callback does not crash the enclosing broadcast")
{
    static const struct bell ending = { PEAL_TABLE(bell), .on_ring = end_too_often };

    open_bell();
    CHECK_OK(bell_observe(&bell, &rung, &ending, NULL, NULL));
    CHECK_OK(bell_observe(&bell, &destroyed, &table, NULL, NULL));
    (void)peal_broadcast(bell.on_ring, 1);
    (void)peal_broadcast(bell.on_ring, 1);
    CHECK(rung >= 4);
    close_center(center);
}

CLAIM("F1", "a list of entries that is read by hand has the entries that the loop macro visits")
{
    struct peal_entries entries;
    int visited = 0;

    open_bell();
    entries = peal_entries_begin(bell.on_ring);
    REQUIRE(entries.hazard != NULL);
    for (; entries.next != entries.hazard->end; entries.next++) {
        CHECK_POINTER(entries.next->target, &target);
        CHECK_POINTER(peal_entry_admit(entries.next, entries.hazard).entry, entries.next);
        CHECK(entries.next->function == (peal_function)ring);
        ((void (*)(void *, int))entries.next->function)(entries.next->target, 1);
        visited++;
    }
    peal_entries_end();
    CHECK_EQUAL(visited, 1);
    CHECK_EQUAL(rung, 1);
    CHECK_OK(peal_observation_remove(observation));
    peal_clear_failure();
    entries = peal_entries_begin(bell.on_ring);
    CHECK(entries.next == NULL && entries.hazard == NULL);
    CHECK_OK(peal_last_status());
    close_center(center);
}

CLAIM("F1", "ten thousand wrong calls leave the center as it was")
{
    const uint64_t wrong[] = { 0, 1, UINT64_MAX };

    open_bell();
    for (int i = 0; i < CHECK_ROUNDS(10000); i++) {
        const peal_method method = { wrong[i % 3] };
        const peal_observation old = { wrong[i % 3] };

        (void)peal_broadcast(method, 1);
        (void)peal_observation_remove(old);
        (void)peal_broadcast(bell.on_ring);
        (void)bell_observe(&bell, &target, &table, NULL, NULL);
    }
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(rung, 1);
    close_center(center);
}
