/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.c - the seven shapes.
 */
#include "bench.h"

#include <stdlib.h>

const char *const form_names[FORMS] = { "plain", "typed", "array", "variadic", "ffi-plain", "ffi-call" };

/* The compiler must not compute the arguments at compile time. */
static int something;
static void *volatile some_pointer = &something;
static volatile int some_number = 7;
static volatile double some_real = 1.5;

#define ID p
#define LOCALS
#define CALL(entry) ((void (*)(void *))(entry)->function)((entry)->target)
#define ARGUMENTS
#define VARIADIC
#define POINTERS
#define COUNT 0
#define FFI_RESULT &ffi_type_void
#define FFI_TYPES
#include "shape.inc"

#define ID p_i
#define LOCALS int i = some_number;
#define CALL(entry) ((void (*)(void *, int))(entry)->function)((entry)->target, i)
#define ARGUMENTS , i
#define VARIADIC , i
#define POINTERS &i,
#define COUNT 1
#define FFI_RESULT &ffi_type_void
#define FFI_TYPES &ffi_type_sint,
#include "shape.inc"

#define ID p_p_i
#define LOCALS              \
    void *a = some_pointer; \
    int i = some_number;
#define CALL(entry) ((void (*)(void *, void *, int))(entry)->function)((entry)->target, a, i)
#define ARGUMENTS , a, i
#define VARIADIC , a, i
#define POINTERS &a, &i,
#define COUNT 2
#define FFI_RESULT &ffi_type_void
#define FFI_TYPES &ffi_type_pointer, &ffi_type_sint,
#include "shape.inc"

#define ID i_p
#define LOCALS
#define CALL(entry) ((int (*)(void *))(entry)->function)((entry)->target)
#define ARGUMENTS
#define VARIADIC
#define POINTERS
#define COUNT 0
#define FFI_RESULT &ffi_type_sint
#define FFI_TYPES
#include "shape.inc"

#define ID p_d_d
#define LOCALS double x = some_real, y = some_real;
#define CALL(entry) ((void (*)(void *, double, double))(entry)->function)((entry)->target, x, y)
#define ARGUMENTS , x, y
#define VARIADIC , x, y
#define POINTERS &x, &y,
#define COUNT 2
#define FFI_RESULT &ffi_type_void
#define FFI_TYPES &ffi_type_double, &ffi_type_double,
#include "shape.inc"

#define ID p8
#define LOCALS                                                                                           \
    void *a = some_pointer, *b = some_pointer, *c = some_pointer, *d = some_pointer, *e_ = some_pointer, \
         *f = some_pointer, *g = some_pointer;
#define CALL(entry)                                                                                \
    ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))(entry)->function)( \
        (entry)->target, a, b, c, d, e_, f, g)
#define ARGUMENTS , a, b, c, d, e_, f, g
#define VARIADIC , a, b, c, d, e_, f, g
#define POINTERS &a, &b, &c, &d, &e_, &f, &g,
#define COUNT 7
#define FFI_RESULT &ffi_type_void
#define FFI_TYPES                                                                                                     \
    &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, \
        &ffi_type_pointer,
#include "shape.inc"

static ffi_type *pair_members[] = { &ffi_type_double, &ffi_type_double, NULL };
static ffi_type pair_type = { 0, 0, FFI_TYPE_STRUCT, pair_members };

#define ID p_dd
#define LOCALS struct pair pair = { some_real, some_real };
#define CALL(entry) ((void (*)(void *, struct pair))(entry)->function)((entry)->target, pair)
#define ARGUMENTS , pair
#define VARIADIC , &pair
#define POINTERS &pair,
#define COUNT 1
#define FFI_RESULT &ffi_type_void
#define FFI_TYPES &pair_type,
#include "shape.inc"

#define RUNS(id)                                                                                            \
    {                                                                                                       \
        { plain_0_##id, plain_1_##id, plain_2_##id, plain_3_##id, plain_4_##id, plain_5_##id, plain_6_##id, \
            plain_7_##id },                                                                                 \
        { typed_0_##id, typed_1_##id, typed_2_##id, typed_3_##id, typed_4_##id, typed_5_##id, typed_6_##id, \
            typed_7_##id },                                                                                 \
        { array_##id },                                                                                     \
        { variadic_##id },                                                                                  \
        { ffi_plain_##id },                                                                                 \
        { ffi_call_##id },                                                                                  \
    }
#define SHAPE(name, id) \
    { name, offsetof(struct bench, id), offsetof(struct bench_protocol, id), prepare_##id, RUNS(id) }

const struct shape shapes[SHAPES] = {
    SHAPE("v(p)", p),
    SHAPE("v(p,i)", p_i),
    SHAPE("v(p,p,i)", p_p_i),
    SHAPE("i(p)", i_p),
    SHAPE("v(p,d,d)", p_d_d),
    SHAPE("v(p8)", p8),
    SHAPE("v(p,{d,d})", p_dd),
};

run_function shape_run(const struct shape *shape, enum form form, size_t place)
{
    const run_function run = shape->runs[form][place % PLACEMENTS];
    return run ? run : shape->runs[form][0];
}
