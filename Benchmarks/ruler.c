/* SPDX-License-Identifier: Apache-2.0 */
#include "ruler.h"

#include "bench.h"

#include <stddef.h>

enum { STEPS = 20000 };

/* The compiler must neither fold the additions nor compute their values. */
#define ADD(number)                      \
    __asm__ volatile("" : "+r"(number)); \
    number++
#define ADD_TO_ALL \
    ADD(a);        \
    ADD(b);        \
    ADD(c);        \
    ADD(d)
#define ADD_FOUR_TIMES \
    ADD(a);            \
    ADD(a);            \
    ADD(a);            \
    ADD(a)

static double side_by_side(void)
{
    size_t a = 1, b = 2, c = 3, d = 4;
    const double begin = now_ns();
    for (size_t i = 0; i < STEPS; i++) {
        ADD_TO_ALL;
        ADD_TO_ALL;
    }
    return now_ns() - begin;
}

static double one_by_one(void)
{
    size_t a = 1;
    const double begin = now_ns();
    for (size_t i = 0; i < STEPS; i++) {
        ADD_FOUR_TIMES;
        ADD_FOUR_TIMES;
    }
    return now_ns() - begin;
}

bool core_is_shared(void)
{
    /* Eight additions take two cycles in parallel and eight in a chain. With the loop the ratio is above a quarter. */
    return side_by_side() > 0.34 * one_by_one();
}
