/* SPDX-License-Identifier: Apache-2.0
 *
 * growing.h - shared by the programs that growing.sh runs under callgrind, which counts the instructions between
 * count_begin and count_end. Each operation runs for a number of objects and for four times as many. A program prints
 * the number of its operations, and then a line for each run: OPERATION NUMBER.
 */
#ifndef GROWING_H
#define GROWING_H

#include "center.h"

#include <stdio.h>

enum { FEW = 500, MANY = 4 * FEW };

/* The bodies differ, because the compiler would merge equal ones. */
__attribute__((noinline)) static void count_begin(void) { __asm__ volatile("nop" : : : "memory"); }
__attribute__((noinline)) static void count_end(void) { __asm__ volatile("nop\n\tnop" : : : "memory"); }

#endif
