/* Time in ticks of the processor, which cost a third of a reading of the clock. Taps note ticks, and timers start by them.
 * Ticks are the system's time, also while the clock is manual.
 *
 * Not Swift: an instruction.
 */
#ifndef CPEAL_TICKS_H
#define CPEAL_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "CPealSupport/clock.h"
#include "CPealSupport/machine.h"

/* True if ticks are those of the processor; otherwise they are nanoseconds. Set with the first readings of both clocks. */
extern bool peal_ticks_are_counted __attribute__((visibility("hidden")));

/* Reads both clocks once, and measures the rate. Call it before the first event. */
void peal_ticks_begin(void);

static inline uint64_t peal_ticks_now(void)
{
    return peal_ticks_are_counted ? peal_processor_ticks() : peal_clock_system();
}

/* The nanoseconds of one tick, measured since the first readings; and the latest measurement. */
double peal_ticks_measure(void);
double peal_ticks_rate(void);
/* Converts a time and a duration. Times lie between two readings of both clocks, so an error of the rate does not grow
 * with time. */
uint64_t peal_ticks_time(uint64_t ticks, double rate);
static inline uint64_t peal_ticks_duration(uint64_t ticks, double rate) { return (uint64_t)((double)ticks * rate); }

/* Returns the time of the clock now, or a time up to PEAL_TICKS_AHEAD nanoseconds later, but none that is earlier: the
 * calling thread's last reading of the clock, if that is recent, and the ticks since then. A reading costs twice as
 * much. It is made each time where the kernel does not derive its own clock from the ticks. */
uint64_t peal_ticks_clock(void);
enum { PEAL_TICKS_AHEAD = 6000 };

#endif
