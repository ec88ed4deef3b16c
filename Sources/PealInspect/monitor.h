/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream "monitor": a line for each event, with the arguments as text.
 */
#ifndef PEAL_INSPECT_MONITOR_H
#define PEAL_INSPECT_MONITOR_H

#include "json.h"

#include <peal/peal.h>

struct monitor;

/* Makes a monitor, and sets the function of the options, whose destroy callback frees the monitor. */
struct monitor *monitor_make(struct peal_tap_options *options);

/* Adds no more lines. */
void monitor_finish(struct monitor *monitor);

/* Moves the lines since the last collection. */
void monitor_collect(struct monitor *monitor, struct text *output);

#endif
