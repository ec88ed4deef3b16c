/* SPDX-License-Identifier: Apache-2.0
 *
 * ticks.h - a clock that costs a few instructions: the processor's counter, or CLOCK_MONOTONIC where the counter's rate is
 * not constant.
 */
#ifndef PEAL_WIRE_TICKS_H
#define PEAL_WIRE_TICKS_H

#include <stdint.h>
#include <time.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

static inline uint64_t nanoseconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns true if the counter has a constant rate and does not stop. */
static inline _Bool has_constant_counter(void)
{
#if defined __x86_64__
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#elif defined __aarch64__
    return 1;
#else
    return 0;
#endif
}

static inline uint64_t read_counter(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

#endif
