/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.c - the operations around a broadcast: results, names, calls as objects, bare functions, weak targets, texts
 * and batches.
 */
#include "operations.h"

#define POLLED(METHOD)                                               \
    METHOD(required, int, last_of, (void *a, int i))                 \
    METHOD(required, bool, first_of, (void *a, int i), first_true)   \
    METHOD(required, bool, any_of, (void *a, int i), any)            \
    METHOD(required, int, sum_of, (void *a, int i), sum)             \
    METHOD(required, double, real_sum_of, (double x, double y), sum) \
    METHOD(required, int, collected, (void *a, int i), collect)      \
    METHOD(required, int, folded, (void *a, int i), fold)            \
    METHOD(required, int, last_of_eight, (void *a, void *b, void *c, void *d, void *e, void *f, int i))
PEAL_PROTOCOL(polled, "Polled", POLLED);
#define HANDLED(METHOD)                                            \
    METHOD(required, int, last_of, (void *a, int i))               \
    METHOD(required, bool, first_of, (void *a, int i), first_true) \
    METHOD(required, int, sum_of, (void *a, int i), sum)           \
    METHOD(required, int, folded, (void *a, int i), fold)
PEAL_PROTOCOL(handled, "Handled", HANDLED);
#define MOVED(METHOD) METHOD(required, void, moved, (double x, double y))
PEAL_PROTOCOL(moved, "Moved", MOVED);
PEAL_TEXT_PROPERTY(title, "title");
PEAL_PROPERTY(width, "width", int32_t);
PEAL_PROPERTY(height, "height", int32_t);

static peal_center center;
static struct polled_protocol polled;
static struct handled_protocol handled;
static struct moved_protocol moved;
static struct moved_protocol weakly;
static struct title_property title;
static struct width_property width;
static struct height_property height;
static peal_invocation ready;
static peal_proxy bare;
static void (*move_all)(double x, double y);

static void note(void *self, int i) { ((struct target *)self)->stored.number = i; }
static int answer(void *self, void *a, int i)
{
    (void)a;
    note(self, i);
    return i;
}
static bool refuse(void *self, void *a, int i)
{
    (void)a;
    note(self, i);
    return false;
}
enum { FIRST_OF = 1 };
static void answer_call(void *self, const struct peal_call *call)
{
    const int i = *(const int *)call->arguments[1];
    note(self, i);
    if (call->index == FIRST_OF)
        *(bool *)call->result = false;
    else
        *(int *)call->result = i;
}
static double answer_real(void *self, double x, double y)
{
    ((struct target *)self)->stored.real = y;
    return x;
}
static int answer_eight(void *self, void *a, void *b, void *c, void *d, void *e, void *f, int i)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    note(self, i);
    return i;
}
static void move(void *self, double x, double y)
{
    (void)x;
    ((struct target *)self)->stored.real = y;
}
static void retitle(void *self, const struct peal_change *change)
{
    ((struct target *)self)->stored.number = (long)change->value_size;
}
static void resize(void *self, int32_t old_value, int32_t new_value) { note(self, new_value - old_value); }

static const struct polled polled_table = { PEAL_TABLE(polled), .last_of = answer, .first_of = refuse, .any_of = refuse,
    .sum_of = answer, .real_sum_of = answer_real, .collected = answer, .folded = answer,
    .last_of_eight = answer_eight };
static const struct moved moved_table = { PEAL_TABLE(moved), move };
static const struct title_observer title_table = { PEAL_OBSERVER(title), .recorded = retitle };
static const struct width_observer width_table = { PEAL_OBSERVER(width), .changed_values = resize };
static const struct height_observer height_table = { PEAL_OBSERVER(height), .changed_values = resize };

/* ---- Results ----------------------------------------------------------------------------------- */

static inline void query(peal_method method, void *result, size_t turns)
{
    void *a = &turns;
    int i = 7;
    while (turns-- > 0) {
        void *const arguments[] = { &a, &i };
        check("query", peal_send(method, arguments, 2, result, NULL));
    }
}
static void run_last(size_t turns)
{
    int result;
    query(polled.last_of, &result, turns);
}
static void run_first(size_t turns)
{
    bool result;
    query(polled.first_of, &result, turns);
}
static void run_any(size_t turns)
{
    bool result;
    query(polled.any_of, &result, turns);
}
static void run_sum(size_t turns)
{
    int result;
    query(polled.sum_of, &result, turns);
}
static void run_ask(size_t turns)
{
    int result;
    while (turns-- > 0)
        check("query", peal_ask(polled.last_of, &result, &turns, 7));
}
static void run_real_sum(size_t turns)
{
    double x = 1, y = 2, result;
    while (turns-- > 0) {
        void *const arguments[] = { &x, &y };
        check("query", peal_send(polled.real_sum_of, arguments, 2, &result, NULL));
    }
}
static void run_eight(size_t turns)
{
    void *a = &turns;
    int i = 7, result;
    while (turns-- > 0) {
        void *const arguments[] = { &a, &a, &a, &a, &a, &a, &i };
        check("query", peal_send(polled.last_of_eight, arguments, 7, &result, NULL));
    }
}
static void run_collect(size_t turns)
{
    int values[16];
    struct peal_collection collection = { sizeof collection, values, 16, 0 };
    query(polled.collected, &collection, turns);
}
static bool add(void *context, void *accumulator, const void *result)
{
    (void)context;
    *(int *)accumulator += *(const int *)result;
    return true;
}
static inline void fold(peal_method method, size_t turns)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *a = &turns;
    int i = 7, result = 0;
    options.fold = add;
    while (turns-- > 0) {
        void *const arguments[] = { &a, &i };
        check("fold", peal_send_with(method, arguments, 2, &options, &result, NULL));
    }
}
static void run_fold(size_t turns) { fold(polled.folded, turns); }
/* Broadcasts with a policy that the call names. */
static void run_given(size_t turns)
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    void *a = &turns;
    int i = 7, result = 0;
    options.policy = PEAL_POLICY_MAX;
    while (turns-- > 0) {
        void *const arguments[] = { &a, &i };
        check("max", peal_send_with(polled.last_of, arguments, 2, &options, &result, NULL));
    }
}

/* ---- Results of handlers ----------------------------------------------------------------------- */

static void run_handled_last(size_t turns)
{
    int result;
    query(handled.last_of, &result, turns);
}
static void run_handled_first(size_t turns)
{
    bool result;
    query(handled.first_of, &result, turns);
}
static void run_handled_sum(size_t turns)
{
    int result;
    query(handled.sum_of, &result, turns);
}
static void run_handled_fold(size_t turns) { fold(handled.folded, turns); }

/* ---- Names ------------------------------------------------------------------------------------- */

static void run_find_protocol(size_t turns)
{
    peal_protocol found;
    while (turns-- > 0)
        check("find", peal_protocol_find(center, "Polled", &found));
}
/* Each run finds another method with a name of the same length: strcmp takes longer for a text at the end of a page. */
static void run_find_method(size_t turns)
{
    static const char *const names[] = { "any_of", "sum_of", "folded" };
    static size_t runs;
    const char *name = names[runs++ % 3];
    peal_method found;
    while (turns-- > 0)
        check("find", peal_method_find(polled.protocol, name, &found));
}
static void run_names(size_t turns)
{
    double x = 1, y = 2;
    void *const arguments[] = { &x, &y };
    while (turns-- > 0) {
        peal_protocol protocol;
        peal_method method;
        check("find", peal_protocol_find(center, "Moved", &protocol));
        check("find", peal_method_find(protocol, "moved", &method));
        check("send", peal_send(method, arguments, 2, NULL, NULL));
    }
}

/* ---- Calls as objects, bare functions, weak targets ------------------------------------------------- */

static void run_invocation(size_t turns)
{
    const double x = 1, y = 2;
    while (turns-- > 0) {
        peal_invocation invocation;
        check("create", peal_invocation_create(moved.moved, &invocation));
        check("set", peal_invocation_set_argument(invocation, 0, &x, sizeof x));
        check("set", peal_invocation_set_argument(invocation, 1, &y, sizeof y));
        check("broadcast", peal_invocation_broadcast(invocation, NULL, NULL, NULL));
        check("destroy", peal_invocation_destroy(invocation));
    }
}
static void run_ready(size_t turns)
{
    while (turns-- > 0)
        check("broadcast", peal_invocation_broadcast(ready, NULL, NULL, NULL));
}
static void run_bare(size_t turns)
{
    while (turns-- > 0)
        move_all(1, (double)turns);
}
static void run_weak(size_t turns)
{
    double x = 1, y = 2;
    void *const arguments[] = { &x, &y };
    while (turns-- > 0)
        check("send", peal_send(weakly.moved, arguments, 2, NULL, NULL));
}
static void run_weak_typed(size_t turns)
{
    while (turns-- > 0)
        PEAL_BROADCAST(moved, &weakly, moved, 1.0, 2.0);
}
static void run_strong(size_t turns)
{
    double x = 1, y = 2;
    void *const arguments[] = { &x, &y };
    while (turns-- > 0)
        check("send", peal_send(moved.moved, arguments, 2, NULL, NULL));
}
static bool retain_target(void *reference)
{
    (void)reference;
    return true;
}
static void release_target(void *reference, void *target) { (void)reference, (void)target; }
static const struct peal_weak_type weak_type = { retain_target, release_target };

/* ---- Properties --------------------------------------------------------------------------------- */

static void run_text(size_t turns)
{
    static const char *const texts[] = { "the first title", "the second title" };
    while (turns-- > 0)
        check("set", title_set(title, texts[turns & 1]));
}
static void run_batch(size_t turns)
{
    for (; turns-- > 0;) {
        check("batch", peal_batch_begin());
        check("set", width_set(width, (int32_t)turns));
        check("set", height_set(height, (int32_t)turns));
        check("batch", peal_batch_end());
    }
}

const struct operation calls[CALLS] = {
    { "result", "last", true, run_last },
    { "result", "first_true", true, run_first },
    { "result", "any", true, run_any },
    { "result", "sum", true, run_sum },
    { "result", "real-sum", true, run_real_sum },
    { "result", "eight", true, run_eight },
    { "result", "ask", true, run_ask },
    { "result", "collect", true, run_collect },
    { "result", "fold", true, run_fold },
    { "result", "given", true, run_given },
    { "handler", "last", true, run_handled_last },
    { "handler", "first_true", true, run_handled_first },
    { "handler", "sum", true, run_handled_sum },
    { "handler", "fold", true, run_handled_fold },
    { "name", "protocol", false, run_find_protocol },
    { "name", "method", false, run_find_method },
    { "name", "broadcast", true, run_names },
    { "invocation", "whole", true, run_invocation },
    { "invocation", "ready", true, run_ready },
    { "bare", "two-doubles", true, run_bare },
    { "target", "weak", true, run_weak },
    { "target", "weak-typed", true, run_weak_typed },
    { "target", "strong", true, run_strong },
    { "property", "text", true, run_text },
    { "property", "batch", true, run_batch },
};

/* A center of its own, because the protocol has the same name as another one. */
static peal_center weak_center;

static void make_observers(const struct stage *stage)
{
    struct peal_observe_options weak = PEAL_OBSERVE_OPTIONS;
    weak.weak = &weak_type;
    for (size_t i = 0; i < stage->count; i++) {
        struct target *target = &stage->targets[i];
        check("observe", polled_observe(&polled, target, &polled_table, NULL, NULL));
        check("observe", peal_observe_handler(handled.protocol, target, answer_call, NULL, 0, NULL, NULL));
        check("observe", moved_observe(&moved, target, &moved_table, NULL, NULL));
        weak.weak_reference = target;
        check("observe", moved_observe(&weakly, target, &moved_table, &weak, NULL));
        check("observe", title_observe(title, target, &title_table, 0, NULL, NULL));
        check("observe", width_observe(width, target, &width_table, 0, NULL, NULL));
        check("observe", height_observe(height, target, &height_table, 0, NULL, NULL));
    }
}

void calls_begin(const struct stage *stage)
{
    const double x = 1, y = 2;
    peal_function function;
    check("center", peal_center_create(&center));
    check("center", peal_center_create(&weak_center));
    check("protocol", polled_define(center, &polled));
    check("protocol", handled_define(center, &handled));
    check("protocol", moved_define(center, &moved));
    check("protocol", moved_define(weak_center, &weakly));
    check("property", title_define(center, "", NULL, &title));
    check("property", width_define(center, 0, NULL, &width));
    check("property", height_define(center, 0, NULL, &height));
    make_observers(stage);
    check("create", peal_invocation_create(moved.moved, &ready));
    check("set", peal_invocation_set_argument(ready, 0, &x, sizeof x));
    check("set", peal_invocation_set_argument(ready, 1, &y, sizeof y));
    check("closure", peal_closure_create(moved.moved, NULL, &bare, &function));
    move_all = (void (*)(double, double))function;
}

void calls_end(void)
{
    check("closure", peal_proxy_destroy(bare));
    check("destroy", peal_invocation_destroy(ready));
    check("center", peal_center_destroy(weak_center));
    check("center", peal_center_destroy(center));
}
