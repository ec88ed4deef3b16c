/* SPDX-License-Identifier: Apache-2.0
 *
 * observers.c - the functions of the observers: one store, or nothing. They have a source of their own, so that the
 * compiler cannot inline them.
 */
#include "bench.h"

#define TARGET ((struct target *)self)->stored

static void store_p(void *self) { TARGET.number = 1; }

static void store_p_i(void *self, int i) { TARGET.number = i; }

static void store_p_p_i(void *self, void *a, int i)
{
    (void)a;
    TARGET.number = i;
}

static int store_i_p(void *self)
{
    TARGET.number = 1;
    return 1;
}

static void store_p_d_d(void *self, double x, double y)
{
    (void)x;
    TARGET.real = y;
}

static void store_p8(void *self, void *a, void *b, void *c, void *d, void *e, void *f, void *g)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    TARGET.pointer = g;
}

static void store_p_dd(void *self, struct pair pair) { TARGET.real = pair.y; }

static void empty_p(void *self) { (void)self; }

static void empty_p_i(void *self, int i) { (void)self, (void)i; }

static void empty_p_p_i(void *self, void *a, int i) { (void)self, (void)a, (void)i; }

static int empty_i_p(void *self)
{
    (void)self;
    return 1;
}

static void empty_p_d_d(void *self, double x, double y) { (void)self, (void)x, (void)y; }

static void empty_p8(void *self, void *a, void *b, void *c, void *d, void *e, void *f, void *g)
{
    (void)self, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
}

static void empty_p_dd(void *self, struct pair pair) { (void)self, (void)pair; }

const struct bench store_table = {
    PEAL_TABLE(bench),
    .p = store_p,
    .p_i = store_p_i,
    .p_p_i = store_p_p_i,
    .i_p = store_i_p,
    .p_d_d = store_p_d_d,
    .p8 = store_p8,
    .p_dd = store_p_dd,
};
const struct bench empty_table = {
    PEAL_TABLE(bench),
    .p = empty_p,
    .p_i = empty_p_i,
    .p_p_i = empty_p_p_i,
    .i_p = empty_i_p,
    .p_d_d = empty_p_d_d,
    .p8 = empty_p8,
    .p_dd = empty_p_dd,
};

peal_status bench_do_nothing(
    peal_method method, void *const *arguments, size_t argument_count, void *out_result, size_t *out_calls)
{
    (void)method, (void)arguments, (void)argument_count, (void)out_result, (void)out_calls;
    return PEAL_OK;
}
