/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of what happens in the program. Each stream has a tap of its own, so two clients do not disturb each other.
 */
#ifndef PEAL_INSPECT_WATCH_H
#define PEAL_INSPECT_WATCH_H

#include "json.h"

/* Returns true for the name of a stream: "monitor", "events", "slices", "top". */
bool watch_is_kind(const char *name);

/* Begins a stream.
 *
 * filter: "Chat.*,-Chat.tick"; NULL for all methods.
 * message: filled with a sentence on failure, when NULL is returned. */
struct watch *watch_open(const char *kind, const char *filter, char *message, size_t capacity);

/* Adds the lines of what has happened since. */
void watch_collect(struct watch *watch, struct text *output);

/* Returns the time between two collections, in milliseconds. */
int watch_period(const struct watch *watch);

void watch_close(struct watch *watch);

#endif
