/* SPDX-License-Identifier: Apache-2.0
 *
 * queue.h - queues, which run calls later, one after the other.
 *
 * An observer that is registered with a queue (struct peal_observe_options) is not called by the
 * broadcast itself. The broadcast copies the arguments, once for all its queued observers, and enqueues
 * one item on each queue. The queue calls its observers, in order of priority and registration. The
 * declared types decide what is copied (types.h). Observers must not write to the copy, because they share it.
 *
 * Each queue runs one call at a time, in the order of the broadcasts. The kinds of queues differ in the
 * thread that runs them:
 *     PEAL_QUEUE_SERIAL    threads of the library; the order of one queue is kept
 *     PEAL_QUEUE_PUMPED    the program, when it calls peal_queue_pump; a file descriptor is readable
 *                          while calls wait (poll, epoll, GLib, libuv)
 *     PEAL_QUEUE_EXECUTOR  an executor of the program, through a function that submits work
 *     peal_queue_main()    the program's main thread: by libdispatch's main queue, or pumped
 *
 * Results of queued observers are dropped, and the policy of a method does not use them: they have
 * not run when the broadcast ends. completion.h gathers them.
 */
#ifndef PEAL_QUEUE_H
#define PEAL_QUEUE_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* The kinds of queues; the head of this file describes them. */
typedef enum peal_queue_kind {
    PEAL_QUEUE_SERIAL = 0,
    PEAL_QUEUE_PUMPED = 1,
    PEAL_QUEUE_EXECUTOR = 2,
    PEAL_QUEUE_MAIN = 3 /* the queue of peal_queue_main; no queue of this kind can be created */
} peal_queue_kind;

/* The effect of a broadcast on a full bounded queue. Calls that are dropped or rejected are
 * counted. */
typedef enum peal_overflow {
    PEAL_OVERFLOW_REJECT = 0,      /* refuses the new calls: PEAL_REJECTED */
    PEAL_OVERFLOW_DROP_OLDEST = 1, /* drops the call that has waited longest */
    PEAL_OVERFLOW_DROP_NEWEST = 2, /* drops the new calls; the broadcast is PEAL_OK */
    PEAL_OVERFLOW_KEEP_LATEST = 3, /* drops the oldest broadcast of the same method; without one, the
                                      oldest of all */
    PEAL_OVERFLOW_WAIT = 4         /* waits for room up to `wait` milliseconds, then refuses the new
                                      calls; in a call of the same queue, refuses them at once. A waiting
                                      thread is woken once half of the queue is free, or its run has ended */
} peal_overflow;

/* Options of a queue. Begin with PEAL_QUEUE_OPTIONS or zeros and the size. */
struct peal_queue_options {
    size_t size;            /* sizeof(struct peal_queue_options) */
    peal_queue_kind kind;
    peal_overflow overflow; /* when `capacity` is reached */
    size_t capacity;        /* the greatest number of waiting broadcasts, each counted once for any number
                               of observers; 0: no bound */
    uint32_t wait;          /* for PEAL_OVERFLOW_WAIT, in milliseconds */
    peal_owner owner;       /* zero: the thread's, if any */
    /* For PEAL_QUEUE_EXECUTOR: arranges one call of peal_queue_run(queue), soon, on any thread. False: this
     * is not possible; the waiting calls are rejected, and counted. Not called again before that run has
     * begun, nor after `destroy`. Runs with no lock held, on the thread that enqueues:
     * the broadcasting one, or for timers and completions a thread of the library. */
    bool (*submit)(void *context, peal_queue queue);
    void *context;                  /* for `submit` */
    void (*destroy)(void *context); /* called once, when the queue has ended and no thread is in its calls or
                                       in `submit`; may be NULL */
    /* *Copied.* For PEAL_QUEUE_SERIAL: the name of the thread while it runs the queue, as debuggers, top and
     * perf show it: "peal:" and as many whole characters of UTF-8 as fit in ten bytes. NULL: "peal:worker". An
     * empty name is PEAL_ERROR_ARGUMENT, and so is one that is not UTF-8 or has control characters, and a name for
     * a queue of another kind, whose threads belong to the program. */
    const char *name;
    /* *Copied.* UTF-8 without control characters, by which people recognise the queue (peal_queue_get_info). NULL or
     * empty: none. */
    const char *label;
};

#define PEAL_QUEUE_OPTIONS PEAL_QUEUE_OPTIONS_OF_(PEAL_QUEUE_SERIAL)
/* The same for a pumped queue: struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS; */
#define PEAL_PUMPED_QUEUE_OPTIONS PEAL_QUEUE_OPTIONS_OF_(PEAL_QUEUE_PUMPED)
#define PEAL_QUEUE_OPTIONS_OF_(kind) \
    { sizeof(struct peal_queue_options), kind, PEAL_OVERFLOW_REJECT, 0, 0, { 0 }, NULL, NULL, NULL, NULL, NULL }

/* Creates a queue. Serial queues and executors belong to the process that creates them: in the child of a
 * fork they accept no calls. Pumped queues are copied with their waiting calls.
 *
 * options: *copied*; NULL for an unbounded serial queue.
 * out_queue: filled, zero on failure; *owned*: end it with peal_queue_destroy.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_HANDLE for a stale owner; PEAL_ERROR_LIMIT at a
 * million queues, and when the system gives no thread for a serial queue; PEAL_ERROR_MEMORY. On failure
 * `destroy` runs, if the size is right.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_queue_create(const struct peal_queue_options *options, peal_queue *out_queue);

/* Returns the queue of the program's main thread, always the same one. Its calls run when the program runs
 * libdispatch's main queue (dispatch_main, a run loop), or when the main thread pumps the queue. The queue is
 * unbounded and cannot be ended.
 *
 * Returns zero when memory is refused.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_queue peal_queue_main(void);

/* Ends a queue: removes its observers, ends its timers, and drops its waiting calls. A running call is not
 * waited for; destroy callbacks that would have run on the queue run on this thread, or at the end of that
 * call.
 *
 * queue: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE for the main queue.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_destroy(peal_queue queue);

/* Runs the waiting calls on the calling thread: for pumped queues, and on the main thread for the main
 * queue. A paused queue runs no call. The descriptor stays readable while calls remain, so a
 * loop that is woken by edges (EPOLLET) must pump until the queue is empty: with a large `limit`.
 *
 * limit: the greatest number of broadcasts to run, those included that arrive meanwhile; 0: the number
 *   that waits at the beginning. Destroy callbacks count as one each, but not as calls.
 * out_calls: filled with the number of calls that were made; may be NULL. Firings of timers (timer.h) do
 *   not count.
 * Returns PEAL_OK; PEAL_ERROR_STATE for a queue of another kind, on the wrong thread, or while it is
 * being pumped, by its own call or by another thread; PEAL_ERROR_DEPTH; PEAL_ERROR_HANDLE.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API peal_status peal_queue_pump(peal_queue queue, size_t limit, size_t *out_calls);

/* Returns a file descriptor that is readable while calls or destroy callbacks wait and the queue is not
 * paused: for poll and similar functions. It is created by the first call. The child of a fork has a descriptor of
 * its own at this number. A set of epoll from before the fork still refers to the parent's.
 *
 * queue: a pumped queue, or the main queue.
 * out_descriptor: filled; *borrowed*: do not read from it or close it: the queue closes it.
 *   Stop watching it before peal_queue_destroy.
 * Returns PEAL_OK; PEAL_ERROR_STATE for a queue of another kind; PEAL_ERROR_LIMIT when the process
 * has no descriptor left; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_descriptor(peal_queue queue, int *out_descriptor);

/* Runs the waiting calls on the calling thread. An executor calls this once for each `submit`.
 *
 * Returns PEAL_OK; PEAL_ERROR_STATE when every `submit` has had its run, because the executor calls twice: this
 * is harmless. PEAL_ERROR_STATE also for a queue of another kind, for a queue that is being run, and for a queue
 * of the parent in the child of a fork. PEAL_ERROR_HANDLE when the queue has ended meanwhile: an executor may
 * ignore this status.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_run(peal_queue queue);

/* Pauses a queue: no further call begins. Pauses are counted: as many resumes are needed.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_LIMIT past a hundred million.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_pause(peal_queue queue);

/* Removes one pause.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE when it is not paused.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_resume(peal_queue queue);

/* Waits until all calls that were enqueued before this call have been delivered or dropped.
 *
 * timeout: in milliseconds; PEAL_FOREVER for no limit: another thread must then pump, or resume.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT, whose sentence names the call that runs on the queue;
 * PEAL_ERROR_WOULD_DEADLOCK from one of its own calls, and for a wait without a limit that would close a circle: a call of
 * the queue waits, directly or not, for a call that this thread is inside of. PEAL_ERROR_HANDLE; PEAL_ERROR_MEMORY.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_queue_flush(peal_queue queue, uint32_t timeout);

/* Returns true if the calling thread is inside one of the queue's calls.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API bool peal_queue_is_current(peal_queue queue);

/* Counts of a queue's calls. Each observer's call counts: a broadcast to three observers makes three. The
 * total is delivered + dropped + rejected + waiting, and the running call. */
struct peal_queue_info {
    size_t size;        /* sizeof(struct peal_queue_info) */
    uint64_t waiting;   /* calls on the queue that have not begun; firings of timers do not count here */
    uint64_t delivered; /* calls made */
    uint64_t dropped;   /* calls not made: the observer was removed or blocked, its target was dead,
                           the queue was full or has ended */
    uint64_t rejected;  /* calls refused with PEAL_REJECTED */
    peal_queue_kind kind;
    peal_overflow overflow;
    size_t capacity;    /* 0: no bound */
    peal_owner owner;   /* zero without one */
    char label[64];     /* of the options, cut to fit; empty without one */
};

/* Reads a queue's options, and its counts atomically.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_queue_get_info(peal_queue queue, struct peal_queue_info *out_info);

PEAL_END_DECLARATIONS

#endif
