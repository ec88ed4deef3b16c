/* Time, and pauses of a thread.
 *
 * Not Swift: its standard library has no clock whose values the kernel's waits accept.
 */
#ifndef CPEAL_CLOCK_H
#define CPEAL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "CPealSupport/machine.h"

/* Return the time now, and the time `milliseconds` from now (UINT32_MAX: never), in nanoseconds: CLOCK_MONOTONIC, or the
 * time of the manual clock (manual_clock.h). */
uint64_t peal_clock_now(void);
uint64_t peal_clock_deadline(uint32_t milliseconds);
/* CLOCK_MONOTONIC, for what concerns the threads of the library and not the program's times. */
uint64_t peal_clock_system(void);

/* The time of the manual clock; 0: there is none. */
extern uint64_t peal_clock_manual_time __attribute__((visibility("hidden")));
/* Makes the clock manual, or the system's for 0. */
void peal_clock_set_manual_time(uint64_t time);
static inline bool peal_clock_is_manual(void)
{
    return __builtin_expect(__atomic_load_n(&peal_clock_manual_time, __ATOMIC_ACQUIRE) != 0, 0);
}
/* Sleeps for a short time, for a thread that polls. */
void peal_clock_pause(uint64_t nanoseconds);

/* Pauses a thread whose exchange on a word failed because another thread wrote that word. The pause lasts some
 * microseconds, so the other thread can keep the cache line for several operations. Its length varies. Otherwise two
 * threads would try again at the same time. (Anderson's backoff.) */
static inline void peal_back_off(void)
{
    enum { LEAST = 16, TICK_BITS = 4, VARYING = 63 };
    const unsigned pauses = LEAST + (unsigned)(peal_processor_ticks() >> TICK_BITS & VARYING);
    for (unsigned pause = 0; pause < pauses; pause++)
        peal_processor_pause();
}

#endif
