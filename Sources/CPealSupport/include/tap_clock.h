/* Time for taps: ticks of the processor, which cost a third of a reading of the clock. It is the system's time, also while
 * the clock is manual.
 *
 * Not Swift: an instruction.
 */
#ifndef CPEAL_TAP_CLOCK_H
#define CPEAL_TAP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "machine.h"

/* True if ticks are those of the processor; otherwise they are nanoseconds. Set by peal_tap_clock_begin. */
extern bool peal_tap_clock_counts_ticks __attribute__((visibility("hidden")));

/* Reads both clocks once. Call it before the first event, under a lock. */
void peal_tap_clock_begin(void);

static inline uint64_t peal_tap_clock_ticks(void)
{
    return peal_tap_clock_counts_ticks ? peal_processor_ticks() : peal_clock_system();
}

/* The nanoseconds of one tick, measured since peal_tap_clock_begin; and the latest measurement. */
double peal_tap_clock_rate(void);
double peal_tap_clock_known_rate(void);
/* Converts a time and a duration. Times lie between two readings of both clocks, so an error of the rate does not grow
 * with time. */
uint64_t peal_tap_clock_time(uint64_t ticks, double rate);
static inline uint64_t peal_tap_clock_duration(uint64_t ticks, double rate) { return (uint64_t)((double)ticks * rate); }

#endif
