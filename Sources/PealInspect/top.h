/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream "top": the calls of each observer in the last second, and the depths of queues.
 */
#ifndef PEAL_INSPECT_TOP_H
#define PEAL_INSPECT_TOP_H

#include "json.h"

#include <peal/peal.h>

struct top;

/* Returns NULL without memory. */
struct top *top_make(void);
void top_free(struct top *top);

/* Counts the end of a call. */
void top_add(struct top *top, const struct peal_tap_record *record);

/* Adds the lines of a period once it is over: after 25 ms the first time, then each second. */
void top_collect(struct top *top, struct text *output, uint64_t lost);

#endif
