/* SPDX-License-Identifier: Apache-2.0
 *
 * ruler.h - detects whether the calling thread has its processor's core to itself.
 *
 * Two processors of a virtual machine's host may share one core. While another program computes on the other processor,
 * code with several instructions for each cycle takes 1.4 to 1.6 times as long. The virtual machine cannot see this as
 * load or stolen time. A chain of additions takes the same time as before, but independent additions take longer.
 */
#ifndef BENCHMARKS_RULER_H
#define BENCHMARKS_RULER_H

#include <stdbool.h>

/* Returns true if the core is shared. Takes about 60 microseconds. */
bool core_is_shared(void);

#endif
