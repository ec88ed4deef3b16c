/* SPDX-License-Identifier: Apache-2.0
 *
 * interpose.h - a program's own malloc, calloc, free, mutexes and syscall, in place of libc's. The
 * dynamic linker binds every library in the process to the definitions of the executable.
 *
 * Not under sanitizers, which do the same.
 */
#ifndef PEAL_TEST_INTERPOSE_H
#define PEAL_TEST_INTERPOSE_H

#include "check.h"

#include <stdint.h>

PEAL_BEGIN_DECLARATIONS

/* The counts of the calling thread since interpose_watch(). */
struct interpose_counts {
    unsigned long allocations; /* malloc, calloc, realloc and similar functions */
    unsigned long frees;
    unsigned long locks;       /* mutexes, read-write locks, semaphores, conditions; sleeps on futexes */
    unsigned long syscalls;    /* through syscall(2): futex, membarrier */
};

/* Counts for the calling thread until interpose_stop(), which returns the counts. */
void interpose_watch(void);
struct interpose_counts interpose_stop(void);

/* Has a function called whenever a thread that is watched is about to sleep on a futex. */
void interpose_before_sleep(void (*before_sleep)(void));

/* Refuses the n-th allocation that the library makes on the calling thread from now on, by calloc or by
 * realloc of nothing, counted from 1; 0 refuses none. */
void interpose_refuse(unsigned long nth);
/* How many were refused since. */
unsigned long interpose_refused(void);
/* Refuses all such allocations of all other threads while it is on. */
void interpose_refuse_elsewhere(bool refuses);

/* Refuses the n-th allocation that anything makes on the calling thread from now on, by any function, and all that
 * follow; 0 ends that. Returns how many were refused since the last call. */
unsigned long interpose_starve(unsigned long nth);
/* Refuses all allocations of all threads while it is on. */
void interpose_starve_all(bool starves);

/* The resources that the system refuses to the whole process. */
enum interpose_limit {
    INTERPOSE_NO_LIMIT = 0,
    INTERPOSE_THREADS = 1 << 0, /* pthread_create fails with EAGAIN */
    INTERPOSE_EVENTS = 1 << 1   /* epoll_create1, eventfd and timerfd_create fail with EMFILE */
};
/* limits: enum interpose_limit.
 * threads: how many more threads may be made before they are refused. */
void interpose_limit(unsigned limits, unsigned threads);

/* Notes the memory that the library allocates on the calling thread from now on by a calloc of that size: the last. */
void interpose_note(size_t size);
void *interpose_noted(void);
/* Stops the calling thread each time after the library has woken a thread that sleeps on this futex, until
 * interpose_release() from another thread. */
void interpose_hold_after_wake(const uint32_t *futex);
/* Turns on overwriting of memory when it is freed, by any thread: its use afterwards ends the program. */
void interpose_poison(bool poisons);
/* Stops the next calloc that the library makes on the calling thread until interpose_release(), from another thread. */
void interpose_hold_next(void);
/* Waits until a thread is stopped there; false when none is within five seconds. */
bool interpose_wait_held(void);
void interpose_release(void);

PEAL_END_DECLARATIONS

#endif
