/* SPDX-License-Identifier: Apache-2.0
 *
 * ruler.h - detects whether the calling thread has its processor's core to itself.
 *
 * Two processors of a virtual machine's host may be one core. While another program computes on its other half, code with
 * several instructions a cycle takes 1.4 to 1.6 times as long, and nothing in this machine shows it: no load, no
 * stolen time. A chain of additions takes as long as ever then, additions that do not wait for each other take longer.
 */
#ifndef BENCHMARKS_RULER_H
#define BENCHMARKS_RULER_H

#include <stdbool.h>

/* Takes some 60 microseconds. */
bool core_is_shared(void);

#endif
