/* SPDX-License-Identifier: Apache-2.0
 *
 * many.h - a protocol of nine methods, to measure the cost of each method after the first one.
 */
#ifndef PEAL_BENCHMARKS_MANY_H
#define PEAL_BENCHMARKS_MANY_H

#include <peal/peal.h>

#define MANY(METHOD)                   \
    METHOD(required, void, a, (int i)) \
    METHOD(required, void, b, (int i)) \
    METHOD(required, void, c, (int i)) \
    METHOD(required, void, d, (int i)) \
    METHOD(required, void, e, (int i)) \
    METHOD(required, void, f, (int i)) \
    METHOD(required, void, g, (int i)) \
    METHOD(required, void, h, (int i)) \
    METHOD(required, void, j, (int i))
PEAL_PROTOCOL(many, "Many", MANY);
enum { METHODS_OF_MANY = 9 };

#endif
