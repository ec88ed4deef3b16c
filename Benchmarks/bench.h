/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.h - the measured broadcasts: seven shapes, each in six forms.
 */
#ifndef BENCHMARKS_BENCH_H
#define BENCHMARKS_BENCH_H

#include <ffi.h>
#include <peal/peal.h>

/* The address of a loop changes its time by up to 60 %: the same loop takes 1.0 to 1.6 ns for each
 * observer. Therefore loops that the caller's compiler makes exist at this many addresses, and rounds use them
 * in turn. */
enum { PLACEMENTS = 8 };

enum form {
    FORM_PLAIN,     /* a loop over {function, target} */
    FORM_TYPED,     /* PEAL_BROADCAST */
    FORM_ARRAY,     /* peal_send */
    FORM_VARIADIC,  /* peal_broadcast */
    FORM_FFI_PLAIN, /* a loop with ffi_call and a prepared interface */
    FORM_FFI_CALL,  /* peal_send_with, PEAL_SEND_FFI_CALL */
    FORMS
};
extern const char *const form_names[FORMS];

PEAL_TYPE(pair_declaration, struct pair { double x, y; });

/* `self` is the first `p` in the name of each shape. */
#define BENCH(METHOD)                                                                           \
    METHOD(required, void, p, (void))                                                           \
    METHOD(required, void, p_i, (int i))                                                        \
    METHOD(required, void, p_p_i, (void *a, int i))                                             \
    METHOD(required, int, i_p, (void))                                                          \
    METHOD(required, void, p_d_d, (double x, double y))                                         \
    METHOD(required, void, p8, (void *a, void *b, void *c, void *d, void *e, void *f, void *g)) \
    METHOD(required, void, p_dd, (struct pair pair))
PEAL_PROTOCOL(bench, "Bench", BENCH);

struct target {
    union {
        void *pointer;
        long number;
        double real;
    } stored;
};

struct plain_entry {
    peal_function function;
    void *target;
};

/* The data of the contenders for one shape and one number of observers. */
struct field {
    const struct plain_entry *entries;
    const struct plain_entry *end;
    const struct bench_protocol *handles;
    peal_method method;
    ffi_cif *interface;
};

typedef void (*run_function)(const struct field *field, size_t iterations);

struct shape {
    const char *name;
    size_t table_offset;  /* of the observer's function in struct bench */
    size_t handle_offset; /* of the method in struct bench_protocol */
    void (*prepare)(ffi_cif *interface);
    run_function runs[FORMS][PLACEMENTS]; /* loops within the library have one placement */
};

enum { SHAPES = 7 };
extern const struct shape shapes[SHAPES];
run_function shape_run(const struct shape *shape, enum form form, size_t place);
/* Has the signature of peal_send and does nothing, to measure the cost of the caller. */
peal_status bench_do_nothing(
    peal_method method, void *const *arguments, size_t argument_count, void *out_result, size_t *out_calls);

extern const struct bench store_table; /* observers that store one value */
extern const struct bench empty_table; /* observers that store nothing, for two threads */

/* A center with the protocol and `count` observers of a table. */
struct stage {
    peal_center center;
    struct bench_protocol handles;
    const struct bench *table;
    struct target *targets;
    struct plain_entry *entries;
    size_t count;
    struct field field;
    ffi_cif interface;
};

void stage_begin(struct stage *stage, const struct bench *table, size_t count);
void stage_end(struct stage *stage);
/* Returns the field of a shape, which is valid until the next call. */
const struct field *stage_field(struct stage *stage, const struct shape *shape);

/* Runs each form of a shape once. Ends the program if an observer of `store_table` was not called. */
void stage_prove(struct stage *stage, const struct shape *shape);

/* Ends the program with peal's last message if the status is a failure. */
void check(const char *what, peal_status status);

/* Fills the processors that this program may use, two at most. Returns their number. */
int processors(int out_processors[2]);
/* Keeps the calling thread on one processor. */
void pin(int processor);
/* Starts a thread that sleeps, because glibc omits lock prefixes in programs with one thread. */
void park_second_thread(void);
double now_ns(void);

#endif
