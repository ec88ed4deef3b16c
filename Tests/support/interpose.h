/* SPDX-License-Identifier: Apache-2.0
 *
 * interpose.h - malloc, calloc, free, mutexes and syscall of the test program, instead of libc's. The
 * dynamic linker binds every library in the process to the definitions of the executable.
 *
 * It cannot be used under sanitizers, which replace the same functions.
 */
#ifndef PEAL_TEST_INTERPOSE_H
#define PEAL_TEST_INTERPOSE_H

#include "check.h"

#include <stdint.h>

PEAL_BEGIN_DECLARATIONS

/* The counts of the calling thread since interpose_watch(). */
struct interpose_counts {
    unsigned long allocations; /* malloc, calloc, realloc and similar functions; mmap of memory */
    unsigned long frees;
    unsigned long locks;       /* mutexes, read-write locks, semaphores, conditions; sleeps on futexes */
    unsigned long syscalls;    /* through syscall(2): futex, membarrier */
};

/* Counts the calls of the calling thread until interpose_stop(), which returns the counts. */
void interpose_watch(void);
struct interpose_counts interpose_stop(void);

/* Sets a function that is called when a watched thread is about to sleep on a futex. */
void interpose_before_sleep(void (*before_sleep)(void));

/* Refuses the n-th allocation that the library makes on the calling thread from now on, by calloc, by
 * realloc of NULL, by mmap, or by mprotect of reserved pages. Counts from 1; 0 refuses none. */
void interpose_refuse(unsigned long nth);
/* Returns the number of allocations that have been refused since. */
unsigned long interpose_refused(void);
/* Turns on or off the refusal of all such allocations on all other threads. */
void interpose_refuse_elsewhere(bool refuses);

/* Refuses the n-th allocation and all later ones on the calling thread from now on, by any caller and any function; 0
 * ends that. Returns the number of allocations refused since the last call. */
unsigned long interpose_starve(unsigned long nth);
/* Turns on or off the refusal of all allocations on all threads. */
void interpose_starve_all(bool starves);

/* The resources that the system refuses to the whole process. */
enum interpose_limit {
    INTERPOSE_NO_LIMIT = 0,
    INTERPOSE_THREADS = 1 << 0, /* pthread_create fails with EAGAIN */
    INTERPOSE_EVENTS = 1 << 1   /* epoll_create1, eventfd and timerfd_create fail with EMFILE */
};
/* limits: enum interpose_limit.
 * threads: number of threads that may still be created. */
void interpose_limit(unsigned limits, unsigned threads);

/* Records the last memory of this size that the library allocates by calloc on the calling thread from now on. */
void interpose_note(size_t size);
void *interpose_noted(void);
/* Stops the calling thread whenever the library has woken a thread that sleeps on this futex, until another thread
 * calls interpose_release(). */
void interpose_hold_after_wake(const uint32_t *futex);
/* Turns on or off the overwriting of memory that any thread frees, so that a later use ends the program. */
void interpose_poison(bool poisons);
/* Stops the calling thread in the library's next calloc, or realloc of NULL, until another thread calls
 * interpose_release(). */
void interpose_hold_next(void);
/* Waits until a thread is stopped. Returns false if none is within five seconds. */
bool interpose_wait_held(void);
void interpose_release(void);

PEAL_END_DECLARATIONS

#endif
