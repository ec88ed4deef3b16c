/* SPDX-License-Identifier: Apache-2.0
 *
 * base.h - compiler macros that every other header uses. Include <peal/peal.h> instead.
 *
 * Needs gcc or clang (or a compiler that has their attributes and __atomic built-ins), in C99 or
 * later, or in C++11 or later.
 */
#ifndef PEAL_BASE_H
#define PEAL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PEAL_BEGIN_DECLARATIONS extern "C" {
#define PEAL_END_DECLARATIONS }
#else
#define PEAL_BEGIN_DECLARATIONS
#define PEAL_END_DECLARATIONS
#endif

#ifdef __has_attribute
#define PEAL_HAS_ATTRIBUTE_(name) __has_attribute(name)
#else
#define PEAL_HAS_ATTRIBUTE_(name) 0
#endif

/* Marks the functions that libpeal.so exports. With the attribute `noplt`, a call loads the function's address
 * and avoids a stub of the linker. The stub's cost is measurable in a broadcast. In peal-dl.h the same
 * declarations declare function pointers. */
#ifdef PEAL_DL
#define PEAL_API extern __attribute__((visibility("hidden")))
#elif PEAL_HAS_ATTRIBUTE_(noplt)
#define PEAL_API __attribute__((visibility("default"), noplt))
#else
#define PEAL_API __attribute__((visibility("default")))
#endif
/* Marks a function that is rarely called: the compiler moves its calls out of the frequent path. */
#ifdef PEAL_DL
#define PEAL_COLD
#else
#define PEAL_COLD __attribute__((cold))
#endif
/* Marks a definition in a header that a program need not use. */
#define PEAL_UNUSED __attribute__((unused))
/* Marks a function whose status must be read. */
#define PEAL_CHECK __attribute__((warn_unused_result))
/* Calls `function` with the variable's address when the variable goes out of scope. */
#define PEAL_CLEANUP(function) __attribute__((cleanup(function)))

/* Bounds of a buffer parameter, spelled as clang's -fbounds-safety spells them. A compiler without
 * these attributes ignores them; peal reads them in the prototype's text. */
#ifndef __counted_by
#define __counted_by(count)
#endif
#ifndef __sized_by
#define __sized_by(size)
#endif
#ifndef __counted_by_or_null
#define __counted_by_or_null(count)
#endif
#ifndef __sized_by_or_null
#define __sized_by_or_null(size)
#endif

/* Promises about null pointers, which gcc does not know. The same holds for them. */
#ifndef __clang__
#ifndef _Nonnull
#define _Nonnull
#endif
#ifndef _Nullable
#define _Nullable
#endif
#endif

/* A pointer to any function: C allows conversions between types of function pointers. */
typedef void (*peal_function)(void);

/* The number of arguments of a macro, from 1 to 72. */
#define PEAL_COUNT(...)                                                                                              \
    PEAL_COUNT_(__VA_ARGS__, 72, 71, 70, 69, 68, 67, 66, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, \
        50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,  \
        23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PEAL_COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21,    \
    _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39, _40, _41, _42, _43, _44, \
    _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58, _59, _60, _61, _62, _63, _64, _65, _66, _67, \
    _68, _69, _70, _71, _72, count, ...)                                                                               \
    count

#endif
