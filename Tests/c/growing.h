/* SPDX-License-Identifier: Apache-2.0
 *
 * growing.h - what the programs share that growing.sh runs. It has callgrind count the instructions between count_begin
 * and count_end, for a number of objects and for four times as many. A program prints how many operations it counts, and
 * a line each time: OPERATION NUMBER.
 */
#ifndef GROWING_H
#define GROWING_H

#include "center.h"

#include <stdio.h>

enum { FEW = 500, MANY = 4 * FEW };

/* Their bodies differ: equal ones would be made one. */
__attribute__((noinline)) static void count_begin(void) { __asm__ volatile("nop" : : : "memory"); }
__attribute__((noinline)) static void count_end(void) { __asm__ volatile("nop\n\tnop" : : : "memory"); }

#endif
