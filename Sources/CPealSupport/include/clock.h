/* Time, and pauses of a thread.
 *
 * Not Swift: its standard library has no clock whose values the kernel's waits accept.
 */
#ifndef CPEAL_CLOCK_H
#define CPEAL_CLOCK_H

#include <stdint.h>

/* The time now, and `milliseconds` from now; UINT32_MAX: never. CLOCK_MONOTONIC, in nanoseconds. */
uint64_t peal_clock_now(void);
uint64_t peal_clock_deadline(uint32_t milliseconds);
/* Sleeps for a short time, for a thread that polls. */
void peal_clock_pause(uint64_t nanoseconds);

#endif
