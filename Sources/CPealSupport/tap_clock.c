#include "tap_clock.h"

#include <string.h>

bool peal_tap_clock_counts_ticks;

/* The readings of both clocks when the first tap was opened. */
static uint64_t first_ticks, first_time;
static uint64_t known_rate; /* the bits of a double */

/* Reads both clocks at once, as nearly as possible: the reading of ticks that took the least time is kept. */
static void read_both(uint64_t *ticks, uint64_t *time)
{
    enum { READINGS = 5 };
    uint64_t least = UINT64_MAX;
    for (unsigned reading = 0; reading < READINGS; reading++) {
        const uint64_t before = peal_processor_ticks();
        const uint64_t now = peal_clock_system();
        const uint64_t between = peal_processor_ticks() - before;
        if (between < least) {
            least = between;
            *ticks = before + between / 2;
            *time = now;
        }
    }
}

void peal_tap_clock_begin(void)
{
    enum { BASELINE = 200000 };
    if (first_time != 0)
        return;
    uint64_t time = 0;
    read_both(&first_ticks, &time);
    /* The rate is needed at once, for the durations that a function gets. */
    while (peal_clock_system() < time + BASELINE)
        peal_processor_pause();
    first_time = time;
    peal_tap_clock_counts_ticks = peal_processor_ticks_are_steady();
    (void)peal_tap_clock_rate();
}

double peal_tap_clock_rate(void)
{
    if (!peal_tap_clock_counts_ticks)
        return 1;
    uint64_t ticks = 0, time = 0;
    read_both(&ticks, &time);
    const double rate = (double)(time - first_time) / (double)(ticks - first_ticks);
    uint64_t bits;
    memcpy(&bits, &rate, sizeof bits);
    __atomic_store_n(&known_rate, bits, __ATOMIC_RELAXED);
    return rate;
}

double peal_tap_clock_known_rate(void)
{
    if (!peal_tap_clock_counts_ticks)
        return 1;
    const uint64_t bits = __atomic_load_n(&known_rate, __ATOMIC_RELAXED);
    double rate;
    memcpy(&rate, &bits, sizeof rate);
    return rate;
}

uint64_t peal_tap_clock_time(uint64_t ticks, double rate)
{
    if (!peal_tap_clock_counts_ticks)
        return ticks;
    return first_time + (uint64_t)(int64_t)((double)(int64_t)(ticks - first_ticks) * rate);
}
