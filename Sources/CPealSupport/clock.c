#include "CPealSupport/clock.h"

#include <stddef.h>
#include <time.h>

uint64_t peal_clock_manual_time;

uint64_t peal_clock_system(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t manual_now(void)
{
    const uint64_t time = __atomic_load_n(&peal_clock_manual_time, __ATOMIC_ACQUIRE);
    return time != 0 ? time : peal_clock_system();
}

/* Atomic. A call through it costs less than a test of the manual time. */
static uint64_t (*read_clock)(void) = peal_clock_system;

uint64_t peal_clock_now(void) { return __atomic_load_n(&read_clock, __ATOMIC_RELAXED)(); }

void peal_clock_set_manual_time(uint64_t time)
{
    __atomic_store_n(&peal_clock_manual_time, time, __ATOMIC_RELEASE);
    __atomic_store_n(&read_clock, time != 0 ? manual_now : peal_clock_system, __ATOMIC_RELEASE);
}

uint64_t peal_clock_deadline(uint32_t milliseconds)
{
    return milliseconds == UINT32_MAX ? UINT64_MAX : peal_clock_now() + milliseconds * 1000000ull;
}

void peal_clock_pause(uint64_t nanoseconds)
{
    const struct timespec pause = { 0, (long)nanoseconds };
    nanosleep(&pause, NULL);
}
