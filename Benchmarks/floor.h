/* SPDX-License-Identifier: Apache-2.0
 *
 * floor.h - the least that a shared library can do to call a list of observers of v(p,p,i).
 */
#ifndef BENCHMARKS_FLOOR_H
#define BENCHMARKS_FLOOR_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"

#define FLOOR_API __attribute__((visibility("default"), noplt))

typedef void (*floor_function)(const struct plain_entry *entries, size_t count, void *a, int i);

/* A call into the library and back. */
FLOOR_API void floor_nothing(const struct plain_entry *entries, size_t count, void *a, int i);
/* The plain loop, in the library. */
FLOOR_API void floor_loop(const struct plain_entry *entries, size_t count, void *a, int i);

/* The further work of a safe broadcast by array: find the list by a number, protect it by a hazard pointer, prove
 * that the number is not stale, test each gate, release the list and test for a request of a writer. No other
 * shapes, no counts, no failures. */
FLOOR_API void floor_publish(const struct plain_entry *entries, size_t count);
FLOOR_API int floor_send(uint64_t number, void *const *arguments, size_t argument_count);

#endif
