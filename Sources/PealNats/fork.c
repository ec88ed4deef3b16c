/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

#include <pthread.h>

uint32_t fork_generation;

bool fork_may_use_libnats(void)
{
    static uint64_t user; /* atomic: 1 + the generation of the first process that has used libnats; 0: none has */
    const uint64_t self = (uint64_t)fork_generation + 1;
    uint64_t none = 0;

    return __atomic_compare_exchange_n(&user, &none, self, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == self;
}

static void count_fork(void) { fork_generation++; }

__attribute__((constructor)) static void prepare_for_fork(void) { (void)pthread_atfork(NULL, NULL, count_fork); }
