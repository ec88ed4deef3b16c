/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

static void ring(void *self, int n) { journal_write("%s%d", self != NULL ? (char *)self : "-", n); }
static void ring_twice(void *self, int n) { journal_write("%s%d%d", self ? (char *)self : "-", n, n); }
static void destroyed(void *target) { journal_write("~%s", target != NULL ? (char *)target : "-"); }

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };
/* The table of a protocol with one method. */
static const struct {
    size_t size;
    void (*on_ring)(void *, int);
} small_table = { sizeof small_table, ring }, empty_table = { sizeof empty_table, NULL };
static const struct bell other_table = { PEAL_TABLE(bell), .on_ring = ring_twice };

static char a[] = "A";
static char b[] = "B";

static struct bell_protocol open_bell(peal_center *center)
{
    struct bell_protocol handles;

    memset(&handles, 0, sizeof handles);
    *center = open_center();
    CHECK_OK(bell_define(*center, &handles));
    journal_clear();
    return handles;
}

static struct peal_observe_options options_of(uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.destroy = destroyed;
    return options;
}

CLAIM("O3", "the same target on the same protocol is refused and the first registration stays")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    peal_observation first = { 0 };
    peal_observation second = { 5 };

    REQUIRE_OK(bell_observe(&bell, a, &table, NULL, &first));
    CHECK_FAILURE(bell_observe(&bell, a, &table, NULL, &second), PEAL_ERROR_DUPLICATE);
    CHECK_CONTAINS(peal_last_message(), "Bell");
    CHECK_EQUAL(second.id, 0);
    CHECK(peal_observation_is_active(first));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1");
    CHECK_EQUAL(count_observers(bell.protocol), 1);
    close_center(center);
}

CLAIM("O3", "a duplicate is refused whatever its table, its priority and its bindings")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const struct peal_binding binding = { "on_ring", (peal_function)ring_twice, NULL };

    options.priority = 9;
    REQUIRE_OK(bell_observe(&bell, a, &table, NULL, NULL));
    CHECK_FAILURE(bell_observe(&bell, a, &other_table, &options, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_FAILURE(peal_observe_bindings(bell.protocol, a, &binding, 1, NULL, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1");
    close_center(center);
}

CLAIM("O3", "a target may register again once it was removed")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    peal_observation first = { 0 };

    for (int round = 0; round < 3; round++) {
        REQUIRE_OK(bell_observe(&bell, a, &table, NULL, &first));
        CHECK_OK(peal_observation_remove(first));
    }
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    close_center(center);
}

CLAIM("O3", "the same target on another protocol or in another center is no duplicate")
{
    peal_center here;
    peal_center there;
    const struct bell_protocol bell = open_bell(&here);
    const struct bell_protocol other = open_bell(&there);
    static const char *const texts[] = { "optional void on_ring(int n)", NULL };
    const peal_protocol third = protocol_of(here, "Third", texts);

    CHECK_OK(bell_observe(&bell, a, &table, NULL, NULL));
    CHECK_OK(bell_observe(&other, a, &table, NULL, NULL));
    CHECK_OK(peal_observe(third, a, &small_table, NULL, NULL));
    close_center(here);
    close_center(there);
}

CLAIM("O3", "REPLACE removes the old registration and appends the new one")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    struct peal_observe_options options = options_of(0);
    peal_observation first = { 0 };
    peal_observation second = { 0 };

    REQUIRE_OK(bell_observe(&bell, a, &table, &options, &first));
    REQUIRE_OK(bell_observe(&bell, b, &table, NULL, NULL));
    options = options_of(PEAL_OBSERVE_REPLACE);
    CHECK_OK(bell_observe(&bell, a, &other_table, &options, &second));
    CHECK_JOURNAL("~A");
    CHECK(second.id != first.id);
    CHECK(!peal_observation_is_active(first));
    CHECK(peal_observation_is_active(second));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("B1 A11");
    CHECK_EQUAL(count_observers(bell.protocol), 2);
    close_center(center);
}

CLAIM("O3", "REPLACE without an old registration registers the observer")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    const struct peal_observe_options options = options_of(PEAL_OBSERVE_REPLACE);

    CHECK_OK(bell_observe(&bell, a, &table, &options, NULL));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1");
    close_center(center);
}

CLAIM("O3", "a REPLACE that fails leaves the old registration in force")
{
    peal_center center;
    static const char *const texts[] = { "required void on_ring(int n)", NULL };
    const struct bell_protocol unused = open_bell(&center);
    const peal_protocol strict = protocol_of(center, "Strict", texts);
    struct peal_observe_options options = options_of(PEAL_OBSERVE_REPLACE);
    peal_observation first = { 0 };

    (void)unused;
    REQUIRE_OK(peal_observe(strict, a, &small_table, NULL, &first));
    CHECK_FAILURE(peal_observe(strict, a, &empty_table, &options, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_JOURNAL("~A");
    CHECK(peal_observation_is_active(first));
    CHECK_OK(peal_broadcast(find_method(strict, "on_ring"), 1));
    CHECK_JOURNAL("A1");
    close_center(center);
}

CLAIM("O3", "ALLOW_DUPLICATE registers the target again and calls it once for each registration")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    const struct peal_observe_options options = options_of(PEAL_OBSERVE_ALLOW_DUPLICATE);
    peal_observation first = { 0 };
    peal_observation second = { 0 };

    REQUIRE_OK(bell_observe(&bell, a, &table, NULL, &first));
    REQUIRE_OK(bell_observe(&bell, b, &table, NULL, NULL));
    REQUIRE_OK(bell_observe(&bell, a, &other_table, &options, &second));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("A1 B1 A11");
    CHECK_OK(peal_observation_remove(first));
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("B2 A22");
    CHECK_OK(peal_observation_remove(second));
    CHECK_JOURNAL("~A");
    close_center(center);
}

CLAIM("O3", "a registration without ALLOW_DUPLICATE is refused also beside an allowed duplicate")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    const struct peal_observe_options options = options_of(PEAL_OBSERVE_ALLOW_DUPLICATE);
    peal_observation first = { 0 };

    REQUIRE_OK(bell_observe(&bell, a, &table, &options, &first));
    CHECK_FAILURE(bell_observe(&bell, a, &table, NULL, NULL), PEAL_ERROR_DUPLICATE);
    REQUIRE_OK(bell_observe(&bell, a, &table, &options, NULL));
    CHECK_OK(peal_observation_remove(first));
    CHECK_FAILURE(bell_observe(&bell, a, &table, NULL, NULL), PEAL_ERROR_DUPLICATE);
    close_center(center);
}

CLAIM("O3", "the destroy callback of a refused duplicate runs once, that of the first registration does not")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    struct peal_observe_options options = options_of(0);

    REQUIRE_OK(bell_observe(&bell, a, &table, NULL, NULL));
    CHECK_FAILURE(bell_observe(&bell, a, &table, &options, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_JOURNAL("~A");
    close_center(center);
    CHECK_JOURNAL("");
}

CLAIM("O3", "observers with a NULL target are distinguished by their functions")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    static const struct bell same_functions = { PEAL_TABLE(bell), .on_ring = ring };

    CHECK_OK(bell_observe(&bell, NULL, &table, NULL, NULL));
    CHECK_OK(bell_observe(&bell, NULL, &other_table, NULL, NULL));
    CHECK_FAILURE(bell_observe(&bell, NULL, &same_functions, NULL, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("-1 -11");
    close_center(center);
}

CLAIM("O3", "REPLACE with a NULL target replaces the observer with a NULL target and the same functions")
{
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    const struct peal_observe_options options = options_of(PEAL_OBSERVE_REPLACE);

    REQUIRE_OK(bell_observe(&bell, NULL, &table, NULL, NULL));
    REQUIRE_OK(bell_observe(&bell, NULL, &other_table, NULL, NULL));
    CHECK_OK(bell_observe(&bell, NULL, &table, &options, NULL));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("-11 -1");
    close_center(center);
}

CLAIM("O3", "duplicates are found among thousands")
{
    enum { COUNT = 3000 };
    peal_center center;
    const struct bell_protocol bell = open_bell(&center);
    static char targets[COUNT];

    for (int i = 0; i < COUNT; i++)
        REQUIRE_OK(bell_observe(&bell, &targets[i], &table, NULL, NULL));
    for (int i = 0; i < COUNT; i += 97)
        CHECK_FAILURE(bell_observe(&bell, &targets[i], &table, NULL, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_EQUAL(count_observers(bell.protocol), COUNT);
    close_center(center);
}
