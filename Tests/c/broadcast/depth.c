/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define WELL(METHOD)                      \
    METHOD(optional, void, fall, (int n)) \
    METHOD(optional, int, fall_other, (double n), last)
PEAL_PROTOCOL(well, "Well", WELL);

static struct well_protocol well;
static int target;
static int depth;
static int deepest;
static int refusals;
static peal_status (*go_deeper)(void);

static void enter(void)
{
    depth++;
    if (depth > deepest)
        deepest = depth;
    /* Bounds the recursion, so that the test fails rather than overflows the stack if the library has no limit. */
    if (depth <= 4 * PEAL_DEPTH_LIMIT && go_deeper() == PEAL_ERROR_DEPTH)
        refusals++;
    depth--;
}

static void fall(void *self, int n)
{
    (void)self;
    (void)n;
    enter();
}

static int fall_other(void *self, double n)
{
    (void)self;
    enter();
    return (int)n;
}

static const struct well table = { PEAL_TABLE(well), .fall = fall, .fall_other = fall_other };

static peal_center open_well(peal_status (*next)(void))
{
    const peal_center center = open_center();

    depth = deepest = refusals = 0;
    go_deeper = next;
    CHECK_OK(well_define(center, &well));
    CHECK_OK(well_observe(&well, &target, &table, NULL, NULL));
    return center;
}

static peal_status deeper_variadic(void) { return peal_broadcast(well.fall, 1); }

static peal_status deeper_by_array(void)
{
    int n = 1;
    void *const arguments[] = { &n };

    return peal_send(well.fall, arguments, 1, NULL, NULL);
}

static peal_status deeper_by_ffi(void)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    int n = 1;
    void *const arguments[] = { &n };

    options.flags = PEAL_SEND_FFI_CALL;
    return peal_send_with(well.fall, arguments, 1, &options, NULL, NULL);
}

static peal_status deeper_typed(void)
{
    const int refusals_before = refusals;

    peal_clear_failure();
    PEAL_BROADCAST(well, &well, fall, 1);
    /* The last status may be that of a deeper broadcast, which has counted it already. */
    return refusals == refusals_before ? peal_last_status() : PEAL_OK;
}

static peal_status deeper_in_turn(void)
{
    return depth % 2 == 0 ? peal_broadcast(well.fall, 1) : peal_broadcast(well.fall_other, 1.0);
}

static peal_status deeper_mixed(void)
{
    switch (depth % 3) {
    case 0: return deeper_typed();
    case 1: return deeper_by_array();
    default: return deeper_variadic();
    }
}

static void check_fall(peal_status (*next)(void))
{
    const peal_center center = open_well(next);

    for (int round = 0; round < 3; round++) {
        deepest = refusals = 0;
        peal_clear_failure();
        CHECK_OK(peal_broadcast(well.fall, 1));
        CHECK_EQUAL(deepest, PEAL_DEPTH_LIMIT);
        CHECK_EQUAL(refusals, 1);
    }
    go_deeper = NULL;
    close_center(center);
}

CLAIM("B5", "variadic recursion without end is refused at the limit of depth, and the program goes on")
{
    check_fall(deeper_variadic);
}

CLAIM("B5", "recursion by array without end is refused at the limit of depth") { check_fall(deeper_by_array); }

CLAIM("B5", "recursion through ffi_call without end is refused at the limit of depth") { check_fall(deeper_by_ffi); }

CLAIM("B5", "typed recursion without end is refused at the limit of depth") { check_fall(deeper_typed); }

CLAIM("B5", "nested broadcasts of two methods that call each other are counted together") { check_fall(deeper_in_turn); }

CLAIM("B5", "nested broadcasts by array, variadic and typed are counted together") { check_fall(deeper_mixed); }

static peal_status say_and_go_deeper(void)
{
    const peal_status status = peal_broadcast(well.fall, 1);

    if (status == PEAL_ERROR_DEPTH) {
        CHECK_STATUS(peal_last_status(), PEAL_ERROR_DEPTH);
        CHECK_CONTAINS(peal_last_message(), "fall");
        CHECK_CONTAINS(peal_last_message(), "Well");
    }
    return status;
}

CLAIM("B8", "the sentence about the limit of depth names the protocol and the method") { check_fall(say_and_go_deeper); }

static int loops;

static void nest_loops(int level)
{
    loops++;
    PEAL_EACH(well, &well, fall, each)
        nest_loops(level + 1);
}

CLAIM("B5", "open typed loops count as nested broadcasts, and a loop beyond the limit visits no observer")
{
    const peal_center center = open_well(NULL);

    loops = 0;
    peal_clear_failure();
    nest_loops(0);
    CHECK_EQUAL(loops, PEAL_DEPTH_LIMIT + 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_DEPTH);
    loops = 0;
    nest_loops(0);
    CHECK_EQUAL(loops, PEAL_DEPTH_LIMIT + 1);
    close_center(center);
}

static peal_observation self_removing;
static int ends;

static void count_end(void *ignored)
{
    (void)ignored;
    ends++;
}

static void fall_and_remove(void *self, int n)
{
    (void)self;
    (void)n;
    if (++depth == PEAL_DEPTH_LIMIT)
        CHECK_OK(peal_observation_remove(self_removing));
    else
        CHECK_OK(peal_broadcast(well.fall, 1));
    CHECK_EQUAL(ends, 0);
}

CLAIM("O8", "an observer removed at the greatest depth is destroyed once all its calls have returned")
{
    static const struct well removing = { PEAL_TABLE(well), .fall = fall_and_remove };
    const peal_center center = open_center();
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    REQUIRE_OK(well_define(center, &well));
    options.destroy = count_end;
    depth = ends = 0;
    REQUIRE_OK(well_observe(&well, &target, &removing, &options, &self_removing));
    CHECK_OK(peal_broadcast(well.fall, 1));
    CHECK_EQUAL(depth, PEAL_DEPTH_LIMIT);
    CHECK_EQUAL(ends, 1);
    close_center(center);
}

static struct latch at_bottom = LATCH_INITIALIZER;
static struct latch other_done = LATCH_INITIALIZER;

static void *broadcast_elsewhere(void *context)
{
    size_t calls = 0;
    double n = 2;
    void *const arguments[] = { &n };

    (void)context;
    latch_wait(&at_bottom);
    CHECK_OK(peal_send(well.fall_other, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 1);
    latch_open(&other_done);
    return NULL;
}

static void fall_and_wait(void *self, int n)
{
    (void)self;
    if (n < PEAL_DEPTH_LIMIT) {
        CHECK_OK(peal_broadcast(well.fall, n + 1));
    } else {
        latch_open(&at_bottom);
        latch_wait(&other_done);
    }
}

static int hear_other(void *self, double n)
{
    (void)self;
    return (int)n;
}

CLAIM("B5", "the depth of nested broadcasts is counted for each thread alone")
{
    static const struct well waiting = { PEAL_TABLE(well), .fall = fall_and_wait, .fall_other = hear_other };
    const peal_center center = open_center();
    pthread_t thread;

    REQUIRE_OK(well_define(center, &well));
    REQUIRE_OK(well_observe(&well, &target, &waiting, NULL, NULL));
    thread = thread_start(broadcast_elsewhere, NULL);
    CHECK_OK(peal_broadcast(well.fall, 1));
    thread_join(thread);
    close_center(center);
}
