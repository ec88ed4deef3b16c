/* Runs functions on threads of the library, at once or at a given time.
 *
 * Not Swift: its standard library makes no threads.
 *
 * A pool of threads takes works from one list, in order. A thread is made when work waits that no thread is about to
 * take: at once until there are as many busy threads as processors; from then on when no work was taken for 2 ms, since
 * the busy threads may be blocked. Threads that stay idle end, but for the last. One more thread, the clock, makes
 * timed works ready when they are due, watches for blocked threads, and takes requests of signal handlers. It runs no
 * works itself, so no work delays another's time.
 *
 * A work identifies the function to run. It is stored in the memory of its user: neither function that accepts one
 * allocates or fails. The library's threads block all signals but those that the processor raises.
 */
#ifndef CPEAL_EXECUTOR_H
#define CPEAL_EXECUTOR_H

#include "heap.h"
#include "nullability.h"

#include <stdbool.h>
#include <stdint.h>

enum { PEAL_THREAD_NAME = 16 }; /* bytes of a thread's name, with the NUL, as the kernel keeps it */

/* Zero is a work that waits for nothing. Its memory may be used again or freed once its function has begun, or once it
 * was cancelled. All members are guarded by the executor. */
struct peal_work {
    struct peal_heap_node time; /* first: while it waits for its time, which is the key */
    struct peal_work *_Nullable next;
    struct peal_work *_Nullable previous;
    void (*_Nullable function)(void *_Nullable context);
    void *_Nullable context;
    /* The thread name during the work; NULL: "peal:worker". It never changes, and stays until the function begins. */
    const char *_Nullable name;
    bool is_ready; /* in the list */
    /* While a signal handler's request waits; atomic. */
    uint32_t is_requested;
    struct peal_work *_Nullable next_request;
};

/* Makes sure that there are a clock and a thread of the pool, so that every work that is accepted will run. False when
 * the system gives no thread: then nothing has changed. No lock may be held. */
bool peal_executor_start(void);

/* Has `function(context)` run on a thread of the pool. A work that waits for its time runs now; one that is ready
 * already runs once. No lock of the library may be held, since a thread may be made. */
void peal_executor_run(
    struct peal_work *_Nonnull work, void (*_Nonnull function)(void *_Nullable context), void *_Nullable context);
/* The same at `due` (CLOCK_MONOTONIC, in nanoseconds). A work that waits for an earlier time, or is ready, stays so. Locks
 * may be held. */
void peal_executor_run_at(
    struct peal_work *_Nonnull work, int64_t due, void (*_Nonnull function)(void *_Nullable context),
    void *_Nullable context);
/* Removes a work. It may have begun. Locks may be held. */
void peal_executor_cancel(struct peal_work *_Nonnull work);

/* Has a work run whose function and context were set before, and whose memory stays for as long as the process. The only
 * function of the library that a signal handler may call. */
void peal_executor_request(struct peal_work *_Nonnull work);

/* How a thread that has run out of work waits before it sleeps: so many looks, with a pause of about a microsecond after
 * each. Rare looks leave the line that is looked at with those who write it. */
enum { PEAL_EXECUTOR_LOOKS = 16 };
void peal_executor_pause(void);
/* Returns true if work is ready that no thread has taken. */
bool peal_executor_has_work(void);

/* In the child of a fork: there are no threads, and what waited is the parent's. */
void peal_executor_forked(void);

#endif
