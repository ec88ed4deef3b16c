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
 * buffer: records that wait in memory for a client that reads slowly; 0 for 131,072. More are lost.
 * message: filled with a sentence on failure, when NULL is returned. */
struct watch *watch_open(const char *kind, const char *filter, size_t buffer, char *message, size_t capacity);

/* Reads the records of what has happened since, and adds lines of them.
 *
 * can_send: false to add no lines. */
void watch_collect(struct watch *watch, struct text *output, bool can_send);

/* Returns true for a stream of records, such as "events". Its first line states that it has begun. */
bool watch_has_records(const struct watch *watch);

/* Reads all records until now. Later collections add lines of the records that were read until then. */
void watch_finish(struct watch *watch);
bool watch_is_finished(const struct watch *watch);

/* Returns true if all records that were read have lines. */
bool watch_is_empty(const struct watch *watch);

/* Adds the last line of a stream of records: how many were lost. The gaps among the records need not have all of them,
 * because a thread reports a gap when it has a record after it. */
void watch_add_total(const struct watch *watch, struct text *output);

/* Returns the time between two collections, in milliseconds. */
int watch_period(const struct watch *watch);

void watch_close(struct watch *watch);

#endif
