/* SPDX-License-Identifier: Apache-2.0
 *
 * A weak target is released right after its call, before the next observer's turn, in every kind of
 * broadcast.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD)                                                                                  \
    METHOD(required, void, on_nothing, (void))                                                        \
    METHOD(required, void, on_one, (int n))                                                           \
    METHOD(required, void, on_four, (int a, long b, void *c, int d))                                  \
    METHOD(required, void, on_real, (double x))                                                       \
    METHOD(required, void, on_many, (long a, long b, long c, long d, long e, long f, long g, long h)) \
    METHOD(required, int, count, (int n), sum)                                                        \
    METHOD(required, bool, take, (int n), first_true)
PEAL_PROTOCOL(bell, "Bell", BELL);

/* An object that exists until its last reference is released. It counts its references without a lock. */
struct object {
    int shares;
    int calls;
    void (*does)(struct object *object); /* called in its call */
    void (*ends)(struct object *object); /* called when the last reference is released */
    peal_observation observation;
};

enum { FIRST, SECOND, THIRD, OBJECTS };

static struct bell_protocol bell;
static struct object objects[OBJECTS];

static bool retain(void *reference)
{
    struct object *object = reference;
    int shares = __atomic_load_n(&object->shares, __ATOMIC_RELAXED);

    while (shares > 0)
        if (__atomic_compare_exchange_n(
                &object->shares, &shares, shares + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return true;
    return false;
}

static void release(void *reference, void *target)
{
    struct object *object = reference;

    CHECK_POINTER(target, reference);
    if (__atomic_sub_fetch(&object->shares, 1, __ATOMIC_ACQ_REL) == 0 && object->ends != NULL)
        object->ends(object);
}

static const struct peal_weak_type weak_object = { retain, release };

static int shares_of(int index) { return __atomic_load_n(&objects[index].shares, __ATOMIC_ACQUIRE); }

static void see(void *self)
{
    struct object *object = self;

    object->calls++;
    if (object->does != NULL)
        object->does(object);
}

/* ---- The observers ----------------------------------------------------------------------------- */

static void on_nothing(void *self) { see(self); }
static void on_one(void *self, int n)
{
    (void)n;
    see(self);
}
static void on_four(void *self, int a, long b, void *c, int d)
{
    (void)a, (void)b, (void)c, (void)d;
    see(self);
}
static void on_real(void *self, double x)
{
    (void)x;
    see(self);
}
static void on_many(void *self, long a, long b, long c, long d, long e, long f, long g, long h)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    see(self);
}
static int count(void *self, int n)
{
    see(self);
    return n;
}
static bool take(void *self, int n)
{
    (void)n;
    see(self);
    return false;
}
static void handle(void *target, const struct peal_call *call)
{
    (void)call;
    see(target);
}

static const struct bell table = { PEAL_TABLE(bell), on_nothing, on_one, on_four, on_real, on_many, count, take };

/* ---- Ways to call ------------------------------------------------------------------------------ */

static peal_queue queue;

static void send(peal_method method, void *const *arguments, size_t argument_count, uint32_t flags)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;

    options.flags = flags;
    CHECK_OK(peal_send_with(method, arguments, argument_count, &options, NULL, NULL));
}

static void by_array_nothing(void) { CHECK_OK(peal_send(bell.on_nothing, NULL, 0, NULL, NULL)); }
static void by_array_one(void)
{
    int n = 1;
    void *const arguments[] = { &n };

    CHECK_OK(peal_send(bell.on_one, arguments, 1, NULL, NULL));
}
static void by_array_four(void)
{
    int a = 1, d = 4;
    long b = 2;
    void *c = NULL;
    void *const arguments[] = { &a, &b, &c, &d };

    CHECK_OK(peal_send(bell.on_four, arguments, 4, NULL, NULL));
}
static void by_array_real(void)
{
    double x = 1;
    void *const arguments[] = { &x };

    CHECK_OK(peal_send(bell.on_real, arguments, 1, NULL, NULL));
}
static void by_array_many(void)
{
    long n = 1;
    void *const arguments[] = { &n, &n, &n, &n, &n, &n, &n, &n };

    CHECK_OK(peal_send(bell.on_many, arguments, 8, NULL, NULL));
}
static void by_ffi(void)
{
    int n = 1;
    void *const arguments[] = { &n };

    send(bell.on_one, arguments, 1, PEAL_SEND_FFI_CALL);
}
static void variadic(void) { CHECK_OK(peal_broadcast(bell.on_one, 1)); }
static void ask_sum(void)
{
    int sum = 0;

    CHECK_OK(peal_ask(bell.count, &sum, 1));
}
static void ask_first(void)
{
    bool taken = true;

    CHECK_OK(peal_ask(bell.take, &taken, 1));
    CHECK(!taken);
}
static void collect_with(uint32_t flags)
{
    int n = 1, values[OBJECTS];
    struct peal_collection collection = { sizeof collection, values, OBJECTS, 0 };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *const arguments[] = { &n };

    options.policy = PEAL_POLICY_COLLECT;
    options.flags = flags;
    CHECK_OK(peal_send_with(bell.count, arguments, 1, &options, &collection, NULL));
}
static void collect(void) { collect_with(0); }
static void collect_by_ffi(void) { collect_with(PEAL_SEND_FFI_CALL); }
static void ignore_done(void *context, const struct peal_completion_info *report) { (void)context, (void)report; }
static void gather(void)
{
    int n = 1;
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    void *const arguments[] = { &n };

    options.queue = peal_queue_main();
    options.done = ignore_done;
    CHECK_OK(peal_gather(bell.count, arguments, 1, &options, NULL));
}
static void typed(void) { PEAL_BROADCAST(bell, &bell, on_one, 1); }
static void loop(void)
{
    PEAL_EACH(bell, &bell, on_one, each)
        each.table->on_one(each.target, 1);
}
static void loop_with_results(void)
{
    PEAL_EACH(bell, &bell, count, each)
        (void)each.table->count(each.target, 1);
}
static void by_proxy_of(int which)
{
    peal_proxy proxy;
    void *self;
    const void *proxied;
    const struct bell *functions;

    CHECK_OK(peal_proxy_create(bell.protocol, NULL, &proxy, &self, &proxied));
    functions = proxied;
    if (which == 0)
        functions->on_one(self, 1);
    else if (which == 1)
        functions->on_real(self, 1);
    else
        functions->on_many(self, 1, 2, 3, 4, 5, 6, 7, 8);
    CHECK_OK(peal_proxy_destroy(proxy));
}
static void by_proxy_integers(void) { by_proxy_of(0); }
static void by_proxy_numbers(void) { by_proxy_of(1); }
static void by_proxy_frame(void) { by_proxy_of(2); }
static void by_invocation(void)
{
    peal_invocation invocation;
    int n = 1;
    void *const arguments[] = { &n };

    CHECK_OK(peal_invocation_create_with(bell.on_one, arguments, 1, &invocation));
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, NULL, NULL));
    CHECK_OK(peal_invocation_destroy(invocation));
}
static void by_queue(void)
{
    CHECK_OK(peal_broadcast(bell.on_one, 1));
    (void)pump_all(queue);
}
static void by_queue_many(void)
{
    by_array_many();
    (void)pump_all(queue);
}

static const struct way {
    const char *name;
    void (*call)(void);
    bool is_queued;
} ways[] = {
    { "by array, no arguments", by_array_nothing, false },
    { "by array, one integer", by_array_one, false },
    { "by array, four integers", by_array_four, false },
    { "by array, registers", by_array_real, false },
    { "by array, stack", by_array_many, false },
    { "by ffi_call", by_ffi, false },
    { "variadic", variadic, false },
    { "sum", ask_sum, false },
    { "first_true", ask_first, false },
    { "collect", collect, false },
    { "collect by ffi_call", collect_by_ffi, false },
    { "gather", gather, false },
    { "PEAL_BROADCAST", typed, false },
    { "PEAL_EACH", loop, false },
    { "PEAL_EACH with results", loop_with_results, false },
    { "proxy, integers", by_proxy_integers, false },
    { "proxy, numbers", by_proxy_numbers, false },
    { "proxy, frame", by_proxy_frame, false },
    { "invocation", by_invocation, false },
    { "queue", by_queue, true },
    { "queue, stack", by_queue_many, true },
};

/* Registers three observers with tables or handlers. The second one has a weak target if `is_second_weak`. */
static peal_center open_bell(const struct way *way, bool has_handlers, bool is_second_weak)
{
    const peal_center center = open_center();
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;

    check_case(way->name);
    memset(objects, 0, sizeof objects);
    memset(&queue, 0, sizeof queue);
    CHECK_OK(bell_define(center, &bell));
    if (way->is_queued)
        check_must(peal_queue_create(&pumped, &queue), "a queue");
    for (int i = 0; i < OBJECTS; i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

        options.queue = queue;
        options.flags = PEAL_OBSERVE_BORROWED;
        if (i != SECOND || is_second_weak) {
            options.weak = &weak_object;
            options.weak_reference = &objects[i];
        }
        objects[i].shares = 1;
        if (has_handlers)
            CHECK_OK(
                peal_observe_handler(bell.protocol, &objects[i], handle, NULL, 0, &options, &objects[i].observation));
        else
            CHECK_OK(bell_observe(&bell, &objects[i], &table, &options, &objects[i].observation));
    }
    return center;
}

static void close_bell(peal_center center)
{
    if (queue.id != 0)
        CHECK_OK(peal_queue_destroy(queue));
    close_center(center);
    check_case(NULL);
}

#define EVERY_WAY(way, variant)                                                  \
    for (const struct way *way = ways; way < ways + CHECK_COUNT_OF(ways); way++) \
        for (int variant = 0; variant < 4; variant++)

/* ---- Claims ------------------------------------------------------------------------------------ */

static void check_first_is_released(struct object *object)
{
    (void)object;
    CHECK_EQUAL(shares_of(FIRST), 1);
}

static void check_retained(struct object *object) { CHECK_EQUAL(object->shares, 2); }

CLAIM("O9", "a weak target is released before the next observer's turn, in every kind of broadcast")
{
    EVERY_WAY(way, variant) {
        const peal_center center = open_bell(way, variant & 1, variant & 2);

        objects[FIRST].does = check_retained;
        objects[SECOND].does = check_first_is_released;
        objects[THIRD].does = check_retained;
        way->call();
        for (int i = 0; i < OBJECTS; i++) {
            CHECK_EQUAL(objects[i].calls, 1);
            CHECK_EQUAL(shares_of(i), 1);
        }
        close_bell(center);
    }
}

static void drop_own_share(struct object *object)
{
    CHECK_EQUAL(__atomic_sub_fetch(&object->shares, 1, __ATOMIC_ACQ_REL), 1);
}

static void remove_second(struct object *object)
{
    CHECK_POINTER(object, &objects[FIRST]);
    CHECK_OK(peal_observation_remove(objects[SECOND].observation));
}

CLAIM("O9", "a weak target that dies after its own call may remove a later observer in time, in every kind of broadcast")
{
    EVERY_WAY(way, variant) {
        const peal_center center = open_bell(way, variant & 1, variant & 2);

        objects[FIRST].does = drop_own_share;
        objects[FIRST].ends = remove_second;
        way->call();
        CHECK_EQUAL(objects[FIRST].calls, 1);
        CHECK_EQUAL(objects[FIRST].shares, 0);
        CHECK_EQUAL(objects[SECOND].calls, 0);
        CHECK_EQUAL(objects[THIRD].calls, 1);
        close_bell(center);
    }
}

static void *remove_first(void *context)
{
    (void)context;
    CHECK_OK(peal_observation_remove_with(objects[FIRST].observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    return NULL;
}

static void join_removal(struct object *object)
{
    (void)object;
    thread_join(thread_start(remove_first, NULL));
}

CLAIM("O7", "a waiting removal of an observer with a weak target does not wait for later calls, in every kind of broadcast")
{
    EVERY_WAY(way, variant) {
        const peal_center center = open_bell(way, variant & 1, variant & 2);

        objects[SECOND].does = join_removal;
        way->call();
        CHECK_EQUAL(objects[SECOND].calls, 1);
        CHECK_EQUAL(objects[THIRD].calls, 1);
        close_bell(center);
    }
}

CLAIM("O9", "a typed loop that is left at an observer with a weak target releases the target")
{
    const peal_center center = open_bell(&ways[0], false, true);

    PEAL_EACH(bell, &bell, on_one, each) {
        each.table->on_one(each.target, 1);
        CHECK_EQUAL(shares_of(FIRST), 2);
        break;
    }
    CHECK_EQUAL(objects[FIRST].calls, 1);
    CHECK_EQUAL(objects[SECOND].calls, 0);
    CHECK_EQUAL(shares_of(FIRST), 1);
    close_bell(center);
}

/* ---- Mixed lists --------------------------------------------------------------------------------- */

enum kind { STRONG, WEAK, DEAD, BLOCKED, REMOVED, KINDS };
enum { MIXED = 4 };

static struct object mixed[MIXED];
static char order[MIXED + 1];

static void note_order(struct object *object)
{
    const size_t length = strlen(order);

    for (int i = 0; i < MIXED; i++)
        if (i != object - mixed)
            CHECK(__atomic_load_n(&mixed[i].shares, __ATOMIC_ACQUIRE) <= 1);
    order[length] = (char)('0' + (object - mixed));
    order[length + 1] = 0;
}

static void register_mixed(const enum kind *kinds, char *expected)
{
    peal_observation removed;

    for (int i = 0; i < MIXED; i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        mixed[i] = (struct object){ .shares = 1, .does = note_order };
        options.flags = kinds[i] == BLOCKED ? PEAL_OBSERVE_BLOCKED : 0;
        if (kinds[i] == WEAK || kinds[i] == DEAD) {
            options.weak = &weak_object;
            options.weak_reference = &mixed[i];
        }
        CHECK_OK(bell_observe(&bell, &mixed[i], &table, &options, &removed));
        if (kinds[i] == DEAD)
            mixed[i].shares = 0;
        if (kinds[i] == REMOVED)
            CHECK_OK(peal_observation_remove(removed));
        if (kinds[i] == STRONG || kinds[i] == WEAK)
            *expected++ = (char)('0' + i);
    }
    *expected = 0;
}

CLAIM("O9", "weak observers among others are called in order, by a typed loop and by array")
{
    for (int combination = 0; combination < KINDS * KINDS * KINDS * KINDS * 2; combination++) {
        const peal_center center = open_center();
        enum kind kinds[MIXED];
        char expected[MIXED + 1];
        int n = 1;
        void *const arguments[] = { &n };
        int rest = combination / 2;

        for (int i = 0; i < MIXED; i++, rest /= KINDS)
            kinds[i] = (enum kind)(rest % KINDS);
        REQUIRE_OK(bell_define(center, &bell));
        register_mixed(kinds, expected);
        order[0] = 0;
        if (combination % 2 == 0)
            PEAL_BROADCAST(bell, &bell, on_one, 1);
        else
            CHECK_OK(peal_send(bell.on_one, arguments, 1, NULL, NULL));
        CHECK_TEXT(order, expected);
        for (int i = 0; i < MIXED; i++)
            CHECK_EQUAL(mixed[i].shares, kinds[i] == DEAD ? 0 : 1);
        close_center(center);
    }
}
