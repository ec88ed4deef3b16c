/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams that record calls of the program, make recorded calls again, or list them. They last until their connection
 * ends, or until all recorded calls were read.
 */
#ifndef PEAL_INSPECT_RECORDING_H
#define PEAL_INSPECT_RECORDING_H

#include "json.h"
#include "request.h"

#include <sys/types.h>

struct recording;

/* Returns true for the name of a request: "record", "replay", "calls". */
bool recording_is_kind(const char *name);

/* Begins a stream:
 *
 *     record FILE [PROTOCOL]...    records these protocols, or all of the default center
 *     replay FILE [SPEED]          makes the calls; the speed is a factor, 0 for full speed
 *     calls FILE                   lists the calls
 *
 * output: gets the first lines, and an error on failure, when NULL is returned. */
struct recording *recording_open(const struct request *request, struct text *output);

/* Continues, and adds lines. Makes no more calls once the program has another user than this one. Returns false when all calls
 * were read. */
bool recording_continue(struct recording *recording, uid_t user, struct text *output);

/* Ends a recording or a replay before its last call, and adds a line with its final numbers. Returns false for a list,
 * which goes on. */
bool recording_finish(struct recording *recording, struct text *output);

/* Returns the time until it must be continued, in milliseconds. */
int recording_period(const struct recording *recording);

void recording_close(struct recording *recording);

#endif
