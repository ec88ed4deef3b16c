#include "clock.h"

#include <stddef.h>
#include <time.h>

uint64_t peal_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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
