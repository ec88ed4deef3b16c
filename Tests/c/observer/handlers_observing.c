/* SPDX-License-Identifier: Apache-2.0
 *
 * An observer with a handler behaves as an observer with a table does.
 */
#include "center.h"
#include "journal.h"
#include "lane.h"
#include "latch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT(METHOD) METHOD(required, void, on_root, (int n))
PEAL_PROTOCOL(root, "Root", ROOT);
#define LEFT_ADOPTS(ADOPT) ADOPT(root, "Root")
#define LEFT(METHOD) METHOD(optional, void, on_left, (int n))
PEAL_PROTOCOL_ADOPTING(left, "Left", LEFT_ADOPTS, LEFT);
#define RIGHT_ADOPTS(ADOPT) ADOPT(root, "Root")
#define RIGHT(METHOD) METHOD(optional, void, on_right, (int n))
PEAL_PROTOCOL_ADOPTING(right, "Right", RIGHT_ADOPTS, RIGHT);
#define CROWN_ADOPTS(ADOPT) ADOPT(left, "Left") ADOPT(right, "Right")
#define CROWN(METHOD)                                          \
    METHOD(required, void, on_crown, (int n))                  \
    METHOD(optional, int, count, (int n), sum)                 \
    METHOD(optional, void, on_text, (const char *text, int n)) \
    METHOD(optional, void, finish, (int n, peal_completion done))
PEAL_PROTOCOL_ADOPTING(crown, "Crown", CROWN_ADOPTS, CROWN);

/* In the order of peal_protocol_list_methods. */
enum { ON_LEFT, ON_ROOT, ON_RIGHT, ON_CROWN, COUNT, ON_TEXT, FINISH };
static const char *const short_names[] = { "left", "root", "right", "crown", "count", "text", "finish" };

static peal_center center;
static struct root_protocol root;
static struct left_protocol left;
static struct right_protocol right;
static struct crown_protocol crown;
static peal_method listed[7];

struct ear {
    char name[4];
    void (*during)(struct ear *ear, int n); /* its call */
    peal_observation observation;
    int calls;
    int destroyed;
};

/* Stores a result of the method's type, whatever the order of the names. */
static void hear(void *target, const struct peal_call *call)
{
    struct ear *ear = target;
    int n = 0;

    __atomic_fetch_add(&ear->calls, 1, __ATOMIC_RELAXED);
    CHECK(call->index < CHECK_COUNT_OF(listed) && call->method.id == listed[call->index].id);
    if (call->index == ON_TEXT) {
        journal_write("%s.%s%d", ear->name, *(const char *const *)call->arguments[0], *(const int *)call->arguments[1]);
        return;
    }
    n = *(const int *)call->arguments[0];
    journal_write("%s.%s%d", ear->name, short_names[call->index], n);
    if (call->index == COUNT)
        *(int *)call->result = n;
    if (call->index == FINISH)
        CHECK_OK(peal_complete(*(const peal_completion *)call->arguments[1], n));
    if (ear->during != NULL)
        ear->during(ear, n);
}

static void hear_too(void *target, const struct peal_call *call)
{
    journal_write("%s:%d", ((struct ear *)target)->name, *(const int *)call->arguments[0]);
}

static void destroy_ear(void *target) { __atomic_fetch_add(&((struct ear *)target)->destroyed, 1, __ATOMIC_RELAXED); }

static struct ear a, b, c;

static void begin(void)
{
    static const struct ear names[] = { { .name = "a" }, { .name = "b" }, { .name = "c" } };

    a = names[0], b = names[1], c = names[2];
    journal_clear();
    center = open_center();
    CHECK_OK(root_define(center, &root));
    CHECK_OK(left_define(center, &left));
    CHECK_OK(right_define(center, &right));
    CHECK_OK(crown_define(center, &crown));
    CHECK_OK(peal_protocol_list_methods(crown.protocol, listed, CHECK_COUNT_OF(listed), NULL));
}

/* Registers for all methods of Crown. */
static void observe(struct ear *ear, uint32_t flags, int32_t priority)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.priority = priority;
    options.destroy = destroy_ear;
    check_must(peal_observe_handler(crown.protocol, ear, hear, NULL, 0, &options, &ear->observation), "a handler");
}

/* ---- What it implements --------------------------------------------------------------------------- */

CLAIM("O15", "a handler conforms to all that its protocol adopts; a method of a diamond is one")
{
    peal_method crown_root;

    begin();
    observe(&a, 0, 0);
    CHECK_EQUAL(count_listed(root.on_root), 1);
    REQUIRE_OK(peal_method_find(crown.protocol, "on_root", &crown_root));
    CHECK_OK(peal_broadcast(root.on_root, 1));
    CHECK_OK(peal_broadcast(crown_root, 2));
    CHECK_OK(peal_broadcast(left.on_left, 3));
    CHECK_OK(peal_broadcast(right.on_right, 4));
    CHECK_OK(peal_broadcast(crown.on_crown, 5));
    CHECK_JOURNAL("a.root1 a.root2 a.left3 a.right4 a.crown5");
    close_center(center);
    CHECK_EQUAL(a.destroyed, 1);
}

CLAIM("O15", "required methods must be among a handler's names, adopted ones too; optional methods may be omitted")
{
    static const char *const too_few[] = { "on_crown", "count" };
    static const char *const enough[] = { "on_left", "Root.on_root", "on_right", "on_crown" };

    begin();
    CHECK_FAILURE(peal_observe_handler(crown.protocol, &a, hear, too_few, 2, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "the handler for Crown lacks");
    CHECK_CONTAINS(peal_last_message(), "Root.on_root");
    CHECK_OK(peal_observe_handler(crown.protocol, &a, hear, enough, 4, NULL, NULL));
    CHECK_EQUAL(count_listed(crown.count), 0);
    CHECK_EQUAL(count_listed(root.on_root), 1);
    CHECK_OK(peal_broadcast(crown.on_crown, 6));
    CHECK_JOURNAL("a.crown6");
    close_center(center);
}

CLAIM("P6", "a method that the protocol grows by later is not implemented by a handler")
{
    static const char *const first[] = { "optional void one(int n)", NULL };
    static const char *const grown[] = { "optional void one(int n)", "optional void two(int n), since(2)", NULL };
    peal_protocol protocol;

    begin();
    protocol = protocol_of(center, "Growing", first);
    CHECK_OK(peal_observe_handler(protocol, &a, hear_too, NULL, 0, NULL, NULL));
    protocol = protocol_of(center, "Growing", grown);
    CHECK_OK(peal_observe_handler(protocol, &b, hear_too, NULL, 0, NULL, NULL));
    CHECK_OK(peal_broadcast(find_method(protocol, "two"), 2));
    CHECK_OK(peal_broadcast(find_method(protocol, "one"), 1));
    CHECK_JOURNAL("b:2 a:1 b:1");
    close_center(center);
}

static void note_index(void *target, const struct peal_call *call)
{
    journal_write("%s%u:%d", ((struct ear *)target)->name, (unsigned)call->index, *(const int *)call->arguments[0]);
}

CLAIM("O15", "the names of a handler are read as they are at its registration, also if earlier ones are known")
{
    static const char *const first[] = { "optional void one(int n)", "optional void two(int n)", NULL };
    static const char *const grown[] = { "optional void one(int n)", "optional void two(int n)",
        "required void three(int n), since(2)", NULL };
    char one[] = "one", two[] = "two", again[] = "one";
    const char *names[] = { one, two };
    const char *const others[] = { again };
    peal_protocol protocol;

    begin();
    protocol = protocol_of(center, "Growing", first);
    CHECK_OK(peal_observe_handler(protocol, &a, note_index, names, 2, NULL, NULL));
    CHECK_OK(peal_observe_handler(protocol, &b, note_index, names, 2, NULL, NULL));
    /* The same memory has other names, and other memory has the same name. */
    memcpy(one, "two", sizeof one);
    memcpy(two, "one", sizeof two);
    CHECK_OK(peal_observe_handler(protocol, &c, note_index, names, 2, NULL, NULL));
    CHECK_OK(peal_observe_handler(protocol, &a, hear_too, others, 1, NULL, NULL));
    CHECK_OK(peal_observe_handler(protocol, &b, hear_too, others, 1, NULL, NULL));
    CHECK_OK(peal_broadcast(find_method(protocol, "one"), 1));
    CHECK_OK(peal_broadcast(find_method(protocol, "two"), 2));
    CHECK_JOURNAL("a0:1 b0:1 c1:1 a:1 b:1 a1:2 b1:2 c0:2");
    /* Names that were known lack a method that the protocol requires now. */
    CHECK_EQUAL(protocol_of(center, "Growing", grown).id, protocol.id);
    CHECK_FAILURE(peal_observe_handler(protocol, &c, hear_too, others, 1, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Growing.three");
    close_center(center);
}

CLAIM("O15", "a handler may have up to 256 methods: a larger protocol is refused, unless names select some of it")
{
    enum { MOST = 256 };
    static char texts[MOST + 1][40];
    static const char *methods[MOST + 2];
    static const char *names[MOST + 1];
    peal_protocol protocol;

    begin();
    for (int i = 0; i <= MOST; i++) {
        snprintf(texts[i], sizeof texts[i], "optional void m%d(int n)", i);
        methods[i] = texts[i];
    }
    protocol = protocol_of(center, "Wide", methods);
    CHECK_FAILURE(peal_observe_handler(protocol, &a, hear_too, NULL, 0, NULL, NULL), PEAL_ERROR_LIMIT);
    CHECK_CONTAINS(peal_last_message(), "256");
    for (int i = 0; i < MOST; i++) {
        static char found[MOST][8];

        snprintf(found[i], sizeof found[i], "m%d", MOST - i);
        names[i] = found[i];
    }
    CHECK_OK(peal_observe_handler(protocol, &a, hear_too, names, MOST, NULL, NULL));
    CHECK_OK(peal_broadcast(find_method(protocol, "m1"), 255));
    CHECK_OK(peal_broadcast(find_method(protocol, "m0"), 1));
    CHECK_JOURNAL("a:255");
    close_center(center);
}

/* ---- Registrations -------------------------------------------------------------------------------- */

CLAIM("O15", "a registration is a duplicate when its handler and its target are the same, or its handler and both targets are NULL")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static const char *const names[] = { "on_root", "on_crown" };

    begin();
    options.destroy = destroy_ear;
    CHECK_OK(peal_observe_handler(crown.protocol, &a, hear, NULL, 0, NULL, NULL));
    CHECK_FAILURE(peal_observe_handler(crown.protocol, &a, hear, names, 2, &options, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_EQUAL(a.destroyed, 1);
    CHECK_OK(peal_observe_handler(crown.protocol, &a, hear_too, NULL, 0, NULL, NULL));
    CHECK_OK(peal_observe_handler(crown.protocol, &b, hear, NULL, 0, NULL, NULL));
    options.flags = PEAL_OBSERVE_ALLOW_DUPLICATE;
    options.destroy = NULL;
    CHECK_OK(peal_observe_handler(crown.protocol, &b, hear, NULL, 0, &options, NULL));
    CHECK_OK(peal_broadcast(crown.on_crown, 1));
    CHECK_JOURNAL("a.crown1 a:1 b.crown1 b.crown1");
    close_center(center);
}

static void hear_nobody(void *target, const struct peal_call *call)
{
    CHECK_POINTER(target, NULL);
    journal_write("%d", (int)call->index);
}

CLAIM("O15", "a handler needs no target")
{
    begin();
    CHECK_OK(peal_observe_handler(crown.protocol, NULL, hear_nobody, NULL, 0, NULL, NULL));
    CHECK_FAILURE(peal_observe_handler(crown.protocol, NULL, hear_nobody, NULL, 0, NULL, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_OK(peal_broadcast(crown.on_crown, 1));
    CHECK_JOURNAL("3");
    close_center(center);
}

CLAIM("O15", "priority, ONCE, REPLACE and blocks apply to observers with a handler")
{
    begin();
    observe(&a, PEAL_OBSERVE_ONCE, 0);
    observe(&b, PEAL_OBSERVE_BLOCKED, 0);
    observe(&c, 0, 1);
    CHECK_OK(peal_broadcast(crown.on_crown, 1));
    CHECK_JOURNAL("c.crown1 a.crown1");
    CHECK_EQUAL(a.destroyed, 1);
    CHECK_OK(peal_observation_unblock(b.observation));
    observe(&c, PEAL_OBSERVE_REPLACE, -1);
    CHECK_EQUAL(c.destroyed, 1);
    CHECK_OK(peal_broadcast(crown.on_crown, 2));
    CHECK_JOURNAL("b.crown2 c.crown2");
    close_center(center);
    CHECK(a.destroyed == 1 && b.destroyed == 1 && c.destroyed == 2);
}

CLAIM("O15", "the information about a handler's registration has the target, and a removal by target finds it")
{
    struct peal_observation_info info;
    size_t removed = 0;

    begin();
    observe(&a, 0, 7);
    observe(&b, 0, 0);
    info.size = sizeof info;
    REQUIRE_OK(peal_observation_get_info(a.observation, &info));
    CHECK_POINTER(info.target, &a);
    CHECK_EQUAL(info.priority, 7);
    CHECK_OK(peal_protocol_remove_observations_of(crown.protocol, &a, &removed));
    CHECK_EQUAL(removed, 1);
    CHECK_EQUAL(a.destroyed, 1);
    CHECK_OK(peal_broadcast(crown.on_crown, 1));
    CHECK_JOURNAL("b.crown1");
    close_center(center);
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

static void remove_itself(struct ear *ear, int n)
{
    (void)n;
    CHECK_OK(peal_observation_remove(ear->observation));
    CHECK_EQUAL(ear->destroyed, 0);
}

CLAIM("O6", "a handler may remove its observer in its call; the target is destroyed after it")
{
    int sum = 0;

    begin();
    observe(&a, 0, 0);
    observe(&b, 0, 0);
    a.during = remove_itself;
    CHECK_OK(peal_ask(crown.count, &sum, 5));
    CHECK_EQUAL(sum, 10);
    CHECK_EQUAL(a.destroyed, 1);
    b.during = remove_itself;
    PEAL_BROADCAST(crown, &crown, on_text, "x", 1);
    CHECK_EQUAL(b.destroyed, 0);
    PEAL_BROADCAST(crown, &crown, on_crown, 1);
    CHECK_EQUAL(b.destroyed, 1);
    CHECK_JOURNAL("a.count5 b.count5 b.x1 b.crown1");
    close_center(center);
}

static void nest(struct ear *ear, int n)
{
    (void)ear;
    if (n > 0)
        CHECK_OK(peal_broadcast(crown.on_crown, n - 1));
}

CLAIM("O15", "a handler may broadcast inside its call")
{
    begin();
    observe(&a, 0, 0);
    observe(&b, 0, 0);
    a.during = nest;
    CHECK_OK(peal_broadcast(crown.on_crown, 2));
    CHECK_JOURNAL("a.crown2 a.crown1 a.crown0 b.crown0 b.crown1 b.crown2");
    close_center(center);
}

CLAIM("B1", "PEAL_BROADCAST and PEAL_EACH reach handlers, which answer as functions do")
{
    int sum = 0;

    begin();
    observe(&a, 0, 0);
    observe(&b, 0, 0);
    PEAL_BROADCAST(crown, &crown, on_text, "hi", 3);
    PEAL_BROADCAST(root, &root, on_root, 4);
    PEAL_EACH(crown, &crown, count, each)
        sum += each.table->count(each.target, 21);
    CHECK_EQUAL(sum, 42);
    PEAL_EACH(root, &root, on_root, each)
        each.table->on_root(each.target, 5);
    CHECK_JOURNAL("a.hi3 b.hi3 a.root4 b.root4 a.count21 b.count21 a.root5 b.root5");
    close_center(center);
}

CLAIM("B9", "an invocation calls one handler, or all")
{
    peal_invocation invocation;
    int sum = 0;

    begin();
    observe(&a, 0, 0);
    observe(&b, 0, 0);
    REQUIRE_OK(peal_invocation_of(crown.count, &invocation, 8));
    CHECK_OK(peal_invocation_invoke(invocation, b.observation));
    CHECK_OK(peal_invocation_get_result(invocation, &sum, sizeof sum));
    CHECK_EQUAL(sum, 8);
    CHECK_OK(peal_invocation_broadcast(invocation, NULL, &sum, NULL));
    CHECK_EQUAL(sum, 16);
    CHECK_JOURNAL("b.count8 a.count8 b.count8");
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

static int told;
static void note_done(void *context, const struct peal_completion_info *report)
{
    (void)context;
    CHECK_EQUAL(report->result, 9);
    told++;
}

CLAIM("B4", "a handler gets a token of its own, and answers by it")
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion done;

    begin();
    told = 0;
    options.done = note_done;
    observe(&a, 0, 0);
    observe(&b, 0, 0);
    REQUIRE_OK(peal_completion_create(&options, &done));
    CHECK_OK(peal_broadcast(crown.finish, 9, done));
    CHECK_JOURNAL("a.finish9 b.finish9");
    CHECK_EQUAL(told, 1);
    close_center(center);
}

/* ---- Queues and weak targets ---------------------------------------------------------------------- */

CLAIM("Q1", "on a queue of each kind a handler gets copies of the arguments, and is destroyed there after its last call")
{
    struct lane lane;

    EVERY_KIND(lane)
    {
        struct peal_observe_options options;
        char text[] = "mine";

        begin();
        options = options_on(lane.queue, destroy_ear);
        CHECK_OK(peal_observe_handler(crown.protocol, &a, hear, NULL, 0, &options, &a.observation));
        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(crown.on_text, text, 1));
        PEAL_BROADCAST(crown, &crown, on_crown, 2);
        memcpy(text, "gone", sizeof text);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_JOURNAL("a.mine1 a.crown2");
        CHECK_OK(peal_observation_remove(a.observation));
        lane_settle(&lane);
        CHECK_EQUAL(a.destroyed, 1);
        close_center(center);
    }
}

CLAIM("O15", "a handler with a queue is refused for a method with a bare pointer, and the method is named")
{
    static const char *const methods[] = { "optional void on_thing(int n, void *thing)", NULL };
    struct peal_observe_options options;
    peal_protocol protocol;
    struct lane lane;

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    protocol = protocol_of(center, "Loose", methods);
    options = options_on(lane.queue, NULL);
    CHECK_FAILURE(peal_observe_handler(protocol, &a, hear_too, NULL, 0, &options, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "Loose.on_thing");
    CHECK_OK(peal_observe_handler(protocol, &a, hear_too, NULL, 0, NULL, NULL));
    close_center(center);
    lane_close(&lane);
}

static peal_reference reference;
static void end_object(void *object) { ((struct ear *)object)->destroyed += 10; }

static void let_go(struct ear *ear, int n)
{
    if (n == 2)
        CHECK_OK(peal_reference_release(reference));
    CHECK_EQUAL(ear->destroyed, 0);
}

CLAIM("O9", "the weak target of a handler is kept alive in its call, and not called once it is dead")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    size_t calls = 9;

    begin();
    REQUIRE_OK(peal_reference_create(&a, end_object, &reference));
    options.reference = reference;
    CHECK_OK(peal_observe_handler(crown.protocol, &a, hear, NULL, 0, &options, NULL));
    CHECK_OK(peal_broadcast(crown.on_crown, 1));
    CHECK_EQUAL(peal_reference_count(reference), 1);
    a.during = let_go;
    CHECK_OK(peal_broadcast(crown.on_crown, 2));
    CHECK_EQUAL(a.destroyed, 10);
    CHECK_OK(peal_send(crown.on_crown, (void *[]){ &(int){ 3 } }, 1, NULL, &calls));
    CHECK_EQUAL(calls, 0);
    CHECK_JOURNAL("a.crown1 a.crown2");
    CHECK_EQUAL(count_observers(crown.protocol), 0);
    close_center(center);
}

/* ---- Owners and threads --------------------------------------------------------------------------- */

CLAIM("O12", "a handler belongs to its owner, and ends with it")
{
    peal_owner owner;

    begin();
    REQUIRE_OK(peal_owner_create("plugin", &owner));
    CHECK_OK(peal_owner_enter(owner));
    observe(&a, 0, 0);
    CHECK_OK(peal_owner_leave());
    observe(&b, 0, 0);
    CHECK_OK(peal_owner_retire(owner, LANE_LONG));
    CHECK_EQUAL(a.destroyed, 1);
    CHECK_OK(peal_broadcast(crown.on_crown, 1));
    CHECK_JOURNAL("b.crown1");
    close_center(center);
}

static struct latch inside = LATCH_INITIALIZER;
static struct latch may_leave = LATCH_INITIALIZER;

static void stay(struct ear *ear, int n)
{
    (void)n;
    latch_open(&inside);
    latch_wait(&may_leave);
    CHECK_EQUAL(__atomic_load_n(&ear->destroyed, __ATOMIC_RELAXED), 0);
}

static void *count_for_five(void *context)
{
    CHECK_OK(peal_ask(crown.count, context, 5));
    return NULL;
}

CLAIM("O7", "a handler that another thread removes during its call finishes the call, and its result counts")
{
    pthread_t thread;
    int sum = 0;

    begin();
    observe(&a, 0, 0);
    a.during = stay;
    thread = thread_start(count_for_five, &sum);
    latch_wait(&inside);
    CHECK_STATUS(peal_observation_remove_with(a.observation, PEAL_REMOVE_WAIT, LANE_SHORT), PEAL_NOT_WAITED);
    CHECK_EQUAL(a.destroyed, 0);
    latch_open(&may_leave);
    thread_join(thread);
    CHECK_EQUAL(sum, 5);
    CHECK_EQUAL(__atomic_load_n(&a.destroyed, __ATOMIC_RELAXED), 1);
    close_center(center);
}

enum { THREADS = 4 };
static bool is_over;
static int broadcasts;

static void *broadcast_on(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        int sum = 0;

        CHECK_OK(peal_ask(crown.count, &sum, 2));
        CHECK(sum == 2 || sum == 4);
        __atomic_fetch_add(&broadcasts, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void hear_quietly(void *target, const struct peal_call *call)
{
    CHECK_EQUAL(((struct ear *)target)->destroyed, 0);
    if (call->index == COUNT)
        *(int *)call->result = *(const int *)call->arguments[0];
}

static void free_ear(void *target)
{
    struct ear *ear = target;

    ear->destroyed++;
    __atomic_fetch_add(&a.destroyed, 1, __ATOMIC_RELAXED);
    free(ear);
}

CLAIM("F3", "while threads broadcast, handlers that are registered and removed are not called too late, and are destroyed once each")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const int rounds = CHECK_ROUNDS(2000);
    pthread_t threads[THREADS];

    begin();
    is_over = false;
    broadcasts = 0;
    options.destroy = free_ear;
    CHECK_OK(peal_observe_handler(crown.protocol, &b, hear_quietly, NULL, 0, NULL, NULL));
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(broadcast_on, NULL);
    for (int i = 0; i < rounds; i++) {
        peal_observation observation = { 0 };
        struct ear *ear = calloc(1, sizeof *ear);

        CHECK_OK(peal_observe_handler(crown.protocol, ear, hear_quietly, NULL, 0, &options, &observation));
        CHECK_OK(peal_observation_remove(observation));
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    close_center(center);
    CHECK_EQUAL(__atomic_load_n(&a.destroyed, __ATOMIC_RELAXED), rounds);
    CHECK(broadcasts > 0);
}
