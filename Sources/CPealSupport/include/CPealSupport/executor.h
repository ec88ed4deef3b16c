/* Runs functions on threads of the library, at once or at a given time.
 *
 * Not Swift: its standard library makes no threads.
 *
 * A pool of threads takes works from one list, in order. A thread is made when work waits that no thread is about to
 * take. It is made at once while fewer threads are busy than there are processors. Otherwise it is made when no work
 * was taken for 2 ms, since the busy threads may be blocked. Threads that stay idle end, except for the last. One more
 * thread, the clock, makes timed works ready when they are due, watches for blocked threads, and takes requests of
 * signal handlers. It runs no works itself, so no work delays another's time.
 *
 * A work identifies the function to run. It is stored in the memory of its user, so the functions that accept one
 * neither allocate nor fail. The library's threads block all signals except those that the processor raises.
 */
#ifndef CPEAL_EXECUTOR_H
#define CPEAL_EXECUTOR_H

#include "CPealSupport/heap.h"
#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stdint.h>

enum { PEAL_THREAD_NAME = 16 }; /* bytes of a thread's name, with the NUL, as the kernel keeps it */

/* Zero is a work that is not waiting. Its memory may be used again or freed once its function has begun, or once it was
 * cancelled. The executor guards all members. */
struct peal_work {
    struct peal_work *_Nullable next;
    /* The pointer that leads here in the list of ready works; NULL: not in the list. */
    struct peal_work *_Nullable *_Nullable previous;
    void (*_Nullable function)(void *_Nullable context);
    void *_Nullable context;
    /* The thread name during the work; NULL: "peal:worker". It never changes, and stays until the function begins. */
    const char *_Nullable name;
};

/* A work that may wait for a time, the key of its node. */
struct peal_timed_work {
    struct peal_work work; /* the first member */
    struct peal_heap_node time;
};

/* A work that a signal handler may request. */
struct peal_requested_work {
    struct peal_work work; /* the first member */
    uint32_t is_requested; /* atomic */
    struct peal_requested_work *_Nullable next_request;
};

/* Makes the clock and a thread of the pool unless they exist, so that every accepted work will run. Returns false, and
 * changes nothing, if the system refuses a thread. The caller must hold no lock. */
bool peal_executor_start(void);

/* Has `function(context)` run on a thread of the pool. A ready work still runs only once. The caller must hold no lock
 * of the library, since a thread may be made. */
void peal_executor_run(
    struct peal_work *_Nonnull work, void (*_Nonnull function)(void *_Nullable context), void *_Nullable context);
/* The same after 10 ms, for work that could not be done when it ran. The work must not be waiting. */
void peal_executor_run_later(
    struct peal_work *_Nonnull work, void (*_Nonnull function)(void *_Nullable context), void *_Nullable context);
/* Has `function(context)` run at `due` (CLOCK_MONOTONIC, in nanoseconds). A work that is ready, or waits for an earlier
 * time, is not changed. The caller may hold locks. */
void peal_executor_run_at(struct peal_timed_work *_Nonnull work, int64_t due,
    void (*_Nonnull function)(void *_Nullable context), void *_Nullable context);
/* Removes a work, which may have begun. The caller may hold locks. */
void peal_executor_cancel(struct peal_timed_work *_Nonnull work);

/* Requests a run of a work. Its function and context must have been set before, and its memory is never freed. A signal
 * handler may call no other function of the library. */
void peal_executor_request(struct peal_requested_work *_Nonnull work);

/* Returns true if work is ready that no thread has taken. */
bool peal_executor_has_work(void);

/* Runs works on the calling thread, the driver, until none is ready and no thread of the pool has one. So tests decide
 * when calls are made (manual_clock.h). Returns false if this is not so at the time `limit` of CLOCK_MONOTONIC. The
 * caller must hold no lock, and be neither a driver nor a thread of the pool. */
bool peal_executor_settle(uint64_t limit);
bool peal_executor_is_driver(void);
bool peal_executor_is_worker(void);
/* Called by a thread of the pool that begins a wait of the manual clock. */
void peal_executor_note_wait(void);
/* Returns the time of the first timed work; UINT64_MAX: there is none. */
uint64_t peal_executor_next(void);
/* Wakes the clock's thread, which reads the time again. */
void peal_executor_wake_clock(void);

/* In the child of a fork: there are no threads, and the waiting works are the parent's. */
void peal_executor_forked(void);

#endif
