/* SPDX-License-Identifier: Apache-2.0
 *
 * proxies.c - nanoseconds of a call through a proxy, compared with the same broadcast by array; of a call of a bare
 * function, compared with a closure of libffi that makes the same call; and of a broadcast to handlers, compared with
 * one to a function for each method.
 *
 *     bench-proxies [--rounds N] [--sample-us N] [--gate]
 *
 * The contenders take turns. Figures are medians over the rounds in which the core was not shared (ruler.h). With
 * --gate it exits with 1 if a call through a proxy takes 3 ns more than the array, a call of a bare function 5 ns more
 * than the closure, or a call of a handler with integers alone 5 ns more than the function.
 */
#include "bench.h"
#include "ruler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 1024, CONTENDERS_MOST = 3 };

PEAL_TYPE(box_declaration, struct box { long a, b, c; });

#define ROOM(METHOD)                                                                            \
    METHOD(required, void, p, (void))                                                           \
    METHOD(required, void, p_p_i, (void *a, int i))                                             \
    METHOD(required, void, p_d_d, (double x, double y))                                         \
    METHOD(required, void, p8, (void *a, void *b, void *c, void *d, void *e, void *f, void *g)) \
    METHOD(required, bool, asks, (void *a, int i), first_true)                                  \
    METHOD(required, double, adds, (double x), sum)                                             \
    METHOD(required, void, p_box, (struct box box))                                             \
    METHOD(required, int, compares, (const void *left, const void *right), last)
PEAL_PROTOCOL(room, "Room", ROOM);
/* The same protocol, observed by handlers. */
#define OBSERVED(METHOD)                                                                        \
    METHOD(optional, void, p, (void))                                                           \
    METHOD(optional, void, p_p_i, (void *a, int i))                                             \
    METHOD(optional, void, p_d_d, (double x, double y))                                         \
    METHOD(optional, void, p8, (void *a, void *b, void *c, void *d, void *e, void *f, void *g)) \
    METHOD(optional, bool, asks, (void *a, int i), first_true)                                  \
    METHOD(optional, double, adds, (double x), sum)                                             \
    METHOD(optional, void, p_box, (struct box box))
PEAL_PROTOCOL(observed, "Observed", OBSERVED);

/* The compiler must not compute the arguments at compile time. */
static int something;
static void *volatile some_pointer = &something;
static volatile int some_number = 7;
static volatile double some_real = 1.5;
/* The value is made once, because the copy of memory that was just written in smaller pieces takes about 5 ns. That is
 * a cost of callers that pass a struct by value, and not of the callee. */
struct box some_box = { 1, 2, 3 };

static void receive_p(void *self) { ((struct target *)self)->stored.number = 1; }
static void receive_p_p_i(void *self, void *a, int i)
{
    (void)i;
    ((struct target *)self)->stored.pointer = a;
}
static void receive_p_d_d(void *self, double x, double y)
{
    (void)y;
    ((struct target *)self)->stored.real = x;
}
static void receive_p8(void *self, void *a, void *b, void *c, void *d, void *e, void *f, void *g)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    ((struct target *)self)->stored.pointer = g;
}
static bool receive_asks(void *self, void *a, int i)
{
    ((struct target *)self)->stored.pointer = a;
    return i == 0;
}
static double receive_adds(void *self, double x)
{
    ((struct target *)self)->stored.real = x;
    return x;
}
static void receive_p_box(void *self, struct box box) { ((struct target *)self)->stored.number = box.b; }
static int receive_compares(void *self, const void *left, const void *right)
{
    ((struct target *)self)->stored.number = 1;
    return left < right;
}
static const struct room table = { PEAL_TABLE(room), receive_p, receive_p_p_i, receive_p_d_d, receive_p8, receive_asks,
    receive_adds, receive_p_box, receive_compares };

/* The handlers store the same values as the functions. */
#define HANDLER(name, statement)                                      \
    static void take_##name(void *self, const struct peal_call *call) \
    {                                                                 \
        struct target *target = self;                                 \
        (void)call;                                                   \
        statement;                                                    \
    }
HANDLER(p, target->stored.number = 1)
HANDLER(p_p_i, target->stored.pointer = *(void *const *)call->arguments[0])
HANDLER(p_d_d, target->stored.real = *(const double *)call->arguments[0])
HANDLER(p8, target->stored.pointer = *(void *const *)call->arguments[6])
HANDLER(asks, target->stored.pointer = *(void *const *)call->arguments[0])
HANDLER(adds, *(double *)call->result = target->stored.real = *(const double *)call->arguments[0])
HANDLER(p_box, target->stored.number = ((const struct box *)call->arguments[0])->b)

/* Each method has its own handler, which need not test which method was called. */
static const struct {
    const char *method;
    peal_handler handler;
} takers[] = { { "p", take_p }, { "p_p_i", take_p_p_i }, { "p_d_d", take_p_d_d }, { "p8", take_p8 },
    { "asks", take_asks }, { "adds", take_adds }, { "p_box", take_p_box } };

static struct room_protocol room;
static struct observed_protocol observed;
static struct room_proxy proxy;
static struct room_proxy one; /* of a target */
static struct target targets[16];
/* The pointers are volatile, so that the compiler cannot inline the calls. */
static int (*volatile raw_compares)(const void *left, const void *right);
static int (*volatile bare_compares)(const void *left, const void *right);
static double (*volatile raw_adds)(double x);
static double (*volatile bare_adds)(double x);
static void (*volatile raw_p_p_i)(void *a, int i);
static void (*volatile bare_p_p_i)(void *a, int i);
static void (*volatile raw_p_d_d)(double x, double y);
static void (*volatile bare_p_d_d)(double x, double y);

#define SEND(name, method, result, ...) /* what makes `given` */                        \
    static void name(size_t count)                                                      \
    {                                                                                   \
        while (count--) {                                                               \
            __VA_ARGS__;                                                                \
            (void)peal_send(method, given, sizeof given / sizeof *given, result, NULL); \
        }                                                                               \
    }
#define ARRAY(name, method, arguments_of, result)         \
    SEND(array_##name, room.method, result, arguments_of) \
    SEND(handler_##name, observed.method, result, arguments_of)
#define CALL(name, call)           \
    static void name(size_t count) \
    {                              \
        while (count--)            \
            (void)(call);          \
    }

static void array_p(size_t count)
{
    while (count--)
        (void)peal_send(room.p, NULL, 0, NULL, NULL);
}
static void handler_p(size_t count)
{
    while (count--)
        (void)peal_send(observed.p, NULL, 0, NULL, NULL);
}
static bool accepted;
static double sum;
#define POINTER             \
    void *a = some_pointer; \
    int i = some_number;    \
    void *given[] = { &a, &i }
#define REALS                            \
    double x = some_real, y = some_real; \
    void *given[] = { &x, &y }
#define REAL              \
    double x = some_real; \
    void *given[] = { &x }
#define POINTERS                                                                                        \
    void *a = some_pointer, *b = some_pointer, *c = some_pointer, *d = some_pointer, *e = some_pointer, \
         *f = some_pointer, *g = some_pointer;                                                          \
    void *given[] = { &a, &b, &c, &d, &e, &f, &g }
#define BOX                    \
    struct box box = some_box; \
    void *given[] = { &box }
ARRAY(p_p_i, p_p_i, POINTER, NULL)
ARRAY(p_d_d, p_d_d, REALS, NULL)
ARRAY(p8, p8, POINTERS, NULL)
ARRAY(asks, asks, POINTER, &accepted)
ARRAY(adds, adds, REAL, &sum)
ARRAY(p_box, p_box, BOX, NULL)

CALL(proxy_p, proxy.table->p(proxy.self))
CALL(proxy_p_p_i, proxy.table->p_p_i(proxy.self, some_pointer, some_number))
CALL(proxy_p_d_d, proxy.table->p_d_d(proxy.self, some_real, some_real))
CALL(proxy_p8, proxy.table->p8(proxy.self, some_pointer, some_pointer, some_pointer, some_pointer, some_pointer,
                   some_pointer, some_pointer))
CALL(proxy_asks, proxy.table->asks(proxy.self, some_pointer, some_number))
CALL(proxy_adds, proxy.table->adds(proxy.self, some_real))
static void proxy_p_box(size_t count)
{
    while (count--) {
        proxy.table->p_box(proxy.self, some_box);
    }
}

static const struct room *volatile direct_table = &table;
CALL(direct_p_p_i, direct_table->p_p_i(&targets[0], some_pointer, some_number))
CALL(one_p_p_i, one.table->p_p_i(one.self, some_pointer, some_number))
CALL(direct_adds, direct_table->adds(&targets[0], some_real))
CALL(one_adds, one.table->adds(one.self, some_real))

CALL(raw_closure_p_p_i, raw_p_p_i(some_pointer, some_number))
CALL(bare_closure_p_p_i, bare_p_p_i(some_pointer, some_number))
CALL(raw_closure_p_d_d, raw_p_d_d(some_real, some_real))
CALL(bare_closure_p_d_d, bare_p_d_d(some_real, some_real))
CALL(raw_closure_compares, raw_compares(some_pointer, some_pointer))
CALL(bare_closure_compares, bare_compares(some_pointer, some_pointer))
CALL(raw_closure_adds, raw_adds(some_real))
CALL(bare_closure_adds, bare_adds(some_real))

static void handle_p_p_i(ffi_cif *interface, void *result, void **arguments, void *context)
{
    (void)interface, (void)result;
    receive_p_p_i(context, *(void **)arguments[0], *(int *)arguments[1]);
}
static void handle_p_d_d(ffi_cif *interface, void *result, void **arguments, void *context)
{
    (void)interface, (void)result;
    receive_p_d_d(context, *(double *)arguments[0], *(double *)arguments[1]);
}
static void handle_compares(ffi_cif *interface, void *result, void **arguments, void *context)
{
    (void)interface;
    *(ffi_sarg *)result = receive_compares(context, *(const void **)arguments[0], *(const void **)arguments[1]);
}
static void handle_adds(ffi_cif *interface, void *result, void **arguments, void *context)
{
    (void)interface;
    *(double *)result = receive_adds(context, *(double *)arguments[0]);
}

typedef void (*handler)(ffi_cif *interface, void *result, void **arguments, void *context);
static void *raw_closure(ffi_cif *interface, ffi_type *result, ffi_type **types, unsigned count, handler handle)
{
    void *code = NULL;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);
    if (!closure || ffi_prep_cif(interface, FFI_DEFAULT_ABI, count, result, types) != FFI_OK
        || ffi_prep_closure_loc(closure, interface, handle, &targets[0], code) != FFI_OK)
        exit(2);
    return code;
}

struct contest {
    const char *title;
    void (*first)(size_t count);  /* the reference */
    void (*second)(size_t count);
    double gate; /* permitted ns of the second in addition to the first; 0: no gate */
};

static const struct contest broadcasts[] = {
    { "v(p): array, proxy", array_p, proxy_p, 3 },
    { "v(p,p,i): array, proxy", array_p_p_i, proxy_p_p_i, 3 },
    { "v(p,d,d): array, proxy", array_p_d_d, proxy_p_d_d, 3 },
    { "v(p8): array, proxy", array_p8, proxy_p8, 3 },
    { "v(p,struct of 24): array, proxy", array_p_box, proxy_p_box, 3 },
    { "bool(p,p,i) first_true: array, proxy", array_asks, proxy_asks, 3 },
    { "double(p,d) sum: array, proxy", array_adds, proxy_adds, 3 },
};
static const struct contest handlers[] = {
    { "v(p): function, handler", array_p, handler_p, 5 },
    { "v(p,p,i): function, handler", array_p_p_i, handler_p_p_i, 5 },
    { "v(p,d,d): function, handler", array_p_d_d, handler_p_d_d, 0 },
    { "v(p8): function, handler", array_p8, handler_p8, 0 },
    { "v(p,struct of 24): function, handler", array_p_box, handler_p_box, 0 },
    { "bool(p,p,i) first_true: function, handler", array_asks, handler_asks, 5 },
    { "double(p,d) sum: function, handler", array_adds, handler_adds, 0 },
};
static const struct contest others[] = {
    { "v(p,p,i): direct call, proxy of a target", direct_p_p_i, one_p_p_i, 0 },
    { "double(p,d): direct call, proxy of a target", direct_adds, one_adds, 0 },
    { "v(p,i): libffi closure, bare function", raw_closure_p_p_i, bare_closure_p_p_i, 5 },
    { "v(d,d): libffi closure, bare function", raw_closure_p_d_d, bare_closure_p_d_d, 5 },
    { "int(p,p) last: libffi closure, bare function", raw_closure_compares, bare_closure_compares, 5 },
    { "double(d) sum: libffi closure, bare function", raw_closure_adds, bare_closure_adds, 5 },
};

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static double sample(void (*run)(size_t count), double budget)
{
    size_t count = 64;
    for (;;) {
        const double begin = now_ns();
        run(count);
        const double took = now_ns() - begin;
        if (took >= budget)
            return took / (double)count;
        count *= 2;
    }
}

static size_t rounds = 64;
static double budget = 100e3;
static bool missed;

/* calls: number of calls in each measurement, for the gate. Rounds in which the core was shared are repeated. If most
 * rounds are disturbed, all rounds are used, and the line reports this. */
static void hold(const struct contest *contest, size_t observers, size_t calls)
{
    static double first[ROUNDS_MOST], second[ROUNDS_MOST];
    size_t count = 0, shared = 0;
    while (count < rounds) {
        bool is_shared = core_is_shared();
        first[count] = sample(contest->first, budget);
        second[count] = sample(contest->second, budget);
        is_shared |= core_is_shared();
        if (is_shared && shared < 8 * rounds)
            shared++;
        else
            count++;
    }
    const double a = median(first, rounds), b = median(second, rounds);
    const bool is_missed = contest->gate > 0 && b > a + contest->gate * (double)calls;
    missed |= is_missed;
    printf("%-46s %4zu | %7.1f %7.1f | %+6.1f%s%s\n", contest->title, observers, a, b, b - a, is_missed ? " !" : "",
        shared < 8 * rounds ? "" : " (on shared cores)");
}

int main(int argc, char **argv)
{
    bool gates = false;
    peal_center center;
    peal_proxy closure;
    peal_function bare;
    ffi_cif interfaces[4];
    ffi_type *pointers[] = { &ffi_type_pointer, &ffi_type_pointer };
    ffi_type *mixed[] = { &ffi_type_pointer, &ffi_type_sint };
    ffi_type *reals[] = { &ffi_type_double, &ffi_type_double };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
            rounds = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--sample-us") && i + 1 < argc)
            budget = 1e3 * strtod(argv[++i], NULL);
        else if (!strcmp(argv[i], "--gate"))
            gates = true;
        else
            return 2;
    }
    if (rounds == 0 || rounds > ROUNDS_MOST)
        return 2;
    park_second_thread();
    int where[2];
    if (processors(where) > 0)
        pin(where[0]);
    check("center", peal_center_create(&center));
    check("type", peal_type_declare(center, box_declaration));
    check("protocol", room_define(center, &room));
    check("protocol", observed_define(center, &observed));
    check("proxy", room_proxy_create(&room, NULL, &proxy));
    check("proxy of a target", room_proxy_create_for(&room, &targets[0], &table, NULL, &one));
    raw_compares = (int (*)(const void *, const void *))raw_closure(
        &interfaces[0], &ffi_type_sint, pointers, 2, handle_compares);
    raw_adds = (double (*)(double))raw_closure(&interfaces[1], &ffi_type_double, reals, 1, handle_adds);
    raw_p_p_i = (void (*)(void *, int))raw_closure(&interfaces[2], &ffi_type_void, mixed, 2, handle_p_p_i);
    raw_p_d_d = (void (*)(double, double))raw_closure(&interfaces[3], &ffi_type_void, reals, 2, handle_p_d_d);
    check("bare", peal_closure_create(room.p_p_i, NULL, &closure, &bare));
    bare_p_p_i = (void (*)(void *, int))bare;
    check("bare", peal_closure_create(room.p_d_d, NULL, &closure, &bare));
    bare_p_d_d = (void (*)(double, double))bare;
    check("bare", peal_closure_create(room.compares, NULL, &closure, &bare));
    bare_compares = (int (*)(const void *, const void *))bare;
    check("bare", peal_closure_create(room.adds, NULL, &closure, &bare));
    bare_adds = (double (*)(double))bare;
    printf("ns a call, medians of %zu; observers |   first  second | difference\n", rounds);
    for (size_t observers = 0; observers < 16;) {
        const size_t more = observers == 0 ? 1 : 16;
        for (; observers < more; observers++) {
            struct target *target = &targets[observers];
            check("observe", room_observe(&room, target, &table, NULL, NULL));
            for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
                check("handler", peal_observe_handler(
                                     observed.protocol, target, takers[i].handler, &takers[i].method, 1, NULL, NULL));
        }
        for (size_t i = 0; i < sizeof broadcasts / sizeof *broadcasts; i++)
            hold(&broadcasts[i], observers, 1);
        for (size_t i = 0; observers > 0 && i < sizeof handlers / sizeof *handlers; i++)
            hold(&handlers[i], observers, observers);
        for (size_t i = 0; observers == 1 && i < sizeof others / sizeof *others; i++)
            hold(&others[i], observers, 1);
    }
    return gates && missed ? 1 : 0;
}
