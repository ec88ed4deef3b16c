/* SPDX-License-Identifier: Apache-2.0
 *
 * floor.h - the least work with which a shared library can call a list of observers of v(p,p,i).
 */
#ifndef BENCHMARKS_FLOOR_H
#define BENCHMARKS_FLOOR_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"

#define FLOOR_API __attribute__((visibility("default"), noplt))

typedef void (*floor_function)(const struct plain_entry *entries, size_t count, void *a, int i);

/* Does nothing, to measure a call into the library. */
FLOOR_API void floor_nothing(const struct plain_entry *entries, size_t count, void *a, int i);
/* Runs the plain loop in the library. */
FLOOR_API void floor_loop(const struct plain_entry *entries, size_t count, void *a, int i);

/* Calls functions with a result, and gives each result to a fold function of the program. */
FLOOR_API int floor_fold(const struct plain_entry *entries, size_t count, int i, peal_fold fold);

/* Publishes the list for the least safe broadcast by array. That finds the list by a handle, protects it by a hazard
 * pointer, proves that the handle is not stale, tests each gate, releases the list and tests for a writer's request.
 * It has one shape, and neither counts calls nor reports failures. */
FLOOR_API void floor_publish(const struct plain_entry *entries, size_t count);
FLOOR_API int floor_send(uint64_t number, void *const *arguments, size_t argument_count);

#endif
