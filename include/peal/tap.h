/* SPDX-License-Identifier: Apache-2.0
 *
 * tap.h - watches a program: broadcasts, calls, queues and the lives of objects, while it runs.
 *
 *     struct peal_tap_options options = PEAL_TAP_OPTIONS;
 *     options.filter = "Chat.*,-Chat.tick";
 *     peal_tap_create(center, &options, &tap);
 *     ...
 *     peal_tap_read(tap, records, 1024, &count, &lost);
 *     peal_tap_destroy(tap);
 *
 * A tap is no observer. It changes no result, no count of calls and no order. Each event is one record of 64 bytes.
 * There are two kinds of taps:
 *
 *     with a function      The function gets each record at once, on the thread of the event, with the arguments.
 *     without a function   Records go to a ring of each thread, without a lock. peal_tap_read empties the rings.
 *
 * A tap sees the methods that its filter names. Broadcasts of other methods cost what they cost without taps. A tap
 * sees broadcasts that begin after it was opened, each with all its calls, including the calls that queues make later.
 *
 * docs/taps.md is the guide. docs/limits.md lists the calls that taps do not see.
 */
#ifndef PEAL_TAP_H
#define PEAL_TAP_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* A tap. */
typedef struct peal_tap {
    uint64_t id;
} peal_tap;

/* The events. The members of struct peal_tap_record that an event does not mention are zero, but `event`, `thread` and
 * `time` are always set. */
enum peal_tap_event {
    /* A broadcast begins. method; object: 0. The arguments are those of the broadcaster. */
    PEAL_TAP_BROADCAST_BEGIN = 1 << 0,
    /* The broadcast ends: it has made its calls, and enqueued those for queues. duration; count: the number of called
     * observers, with those on queues, as peal_send counts them; status: the status that the broadcast returns. */
    PEAL_TAP_BROADCAST_END = 1 << 1,
    /* The call of an observer begins. method; object: the observation. On a queue also queue; duration: how long the
     * call waited there. */
    PEAL_TAP_CALL_BEGIN = 1 << 2,
    /* The call has returned. The same members; duration: how long it ran. */
    PEAL_TAP_CALL_END = 1 << 3,
    /* Calls of a broadcast wait on a queue. method, queue; object: the queue; count: the number of calls. */
    PEAL_TAP_ENQUEUED = 1 << 4,
    /* Calls of a broadcast are released and will not run: the queue was full, refused them or has ended. The same
     * members. */
    PEAL_TAP_DROPPED = 1 << 5,
    /* An observer was registered, or its registration has ended. object: the observation. */
    PEAL_TAP_REGISTERED = 1 << 6,
    PEAL_TAP_REMOVED = 1 << 7,
    /* Another object was created, or has ended. object: its handle, see peal_handle_kind. Not reported are methods,
     * invocations, references and instances of services. */
    PEAL_TAP_CREATED = 1 << 8,
    PEAL_TAP_ENDED = 1 << 9,
    /* A property was set to another value. object: the property. Reported if the filter includes the property's method
     * "changed", as "property.*" does. */
    PEAL_TAP_PROPERTY_SET = 1 << 10,
    /* A timer calls its function, or broadcasts its method. object: the timer. duration: how late it is. */
    PEAL_TAP_TIMER_FIRED = 1 << 11,
    /* A function of peal has failed on this thread. status. A tap's function reads the sentence by
     * peal_last_message. */
    PEAL_TAP_FAILED = 1 << 12,
    /* Records are missing in this place of the thread's ring, because it was full. count: how many. Not selected by
     * `events`, and passed to no function. */
    PEAL_TAP_LOST = 1 << 13
};

/* One event. The record fills a cache line and never grows. */
struct peal_tap_record {
    uint32_t event;     /* enum peal_tap_event: one bit */
    uint32_t thread;    /* the thread of the event, as gettid returns it */
    uint64_t time;      /* CLOCK_MONOTONIC, in nanoseconds. In rings it may be wrong by a microsecond */
    uint64_t broadcast; /* the number of the broadcast, from 1: the same in its records on all threads. 0: none */
    uint64_t method;    /* the id of a handle, or 0 */
    uint64_t object;    /* the id of a handle, or 0 */
    uint64_t queue;     /* the id of a handle, or 0 */
    uint64_t duration;  /* in nanoseconds */
    uint32_t count;
    int32_t status;     /* peal_status */
};

/* The kinds of handles. */
enum peal_handle_kind {
    PEAL_HANDLE_TAP = 0, /* the kind of the id zero too */
    PEAL_HANDLE_CENTER = 1,
    PEAL_HANDLE_PROTOCOL = 2,
    PEAL_HANDLE_METHOD = 3,
    PEAL_HANDLE_OBSERVATION = 4,
    PEAL_HANDLE_INVOCATION = 5,
    PEAL_HANDLE_QUEUE = 6,
    PEAL_HANDLE_REFERENCE = 7,
    PEAL_HANDLE_OWNER = 8,
    PEAL_HANDLE_COMPLETION = 9,
    PEAL_HANDLE_SERVICE = 10,
    PEAL_HANDLE_USE = 11,
    PEAL_HANDLE_MODULE = 12,
    PEAL_HANDLE_PROXY = 13,
    PEAL_HANDLE_TIMER = 14,
    PEAL_HANDLE_PROPERTY = 15
};

/* Returns the kind of object that an id names, such as the `object` of a record: its four highest bits. */
PEAL_UNUSED static inline enum peal_handle_kind peal_handle_kind(uint64_t id)
{
    return (enum peal_handle_kind)(id >> 60);
}

/* Gets one record at the event, on its thread. It may call every function of peal. Events that it causes on its
 * thread are reported to no tap. It must return, so it throws no exception and calls no longjmp. Several
 * threads may run it at once.
 *
 * record: *borrowed during the call*.
 * arguments: one pointer for each parameter of the method; for events of broadcasts and calls alone, else NULL. NULL
 *   too for a method without parameters.
 * result: PEAL_TAP_CALL_END: the observer's result, NULL for void. PEAL_TAP_BROADCAST_END: the broadcaster's memory for
 *   the result, NULL if it wants none. Else NULL. */
typedef void (*peal_tap_function)(
    void *context, const struct peal_tap_record *record, void *const *arguments, const void *result);

/* Flags of struct peal_tap_options. */
enum peal_tap_flags {
    /* The tap counts calls and makes no records: see peal_method_get_counts. It has no function, and its `events` are
     * 0. */
    PEAL_TAP_COUNT = 1 << 0
};

/* A tap to open. Begin with PEAL_TAP_OPTIONS or zeros and the size. */
struct peal_tap_options {
    size_t size;     /* sizeof(struct peal_tap_options) */
    uint32_t events; /* bits of enum peal_tap_event; 0: all */
    uint32_t flags;  /* enum peal_tap_flags */
    const char *filter; /* *copied*; NULL: all methods. Patterns, separated by commas: "Chat.*,-Chat.tick". A pattern
                           names a protocol, or a method as Protocol.method; `*` matches any characters, including none;
                           `-` before a pattern excludes what it names. Characters in double quotes and a character
                           after a backslash have no meaning but themselves: "\"command echo\"", "a\\-b". A blank, a
                           minus sign or a comma in a name must be written so. Without a pattern that includes, all methods
                           are included that no pattern excludes. Events without a method pass each filter, and
                           go to the taps of all centers */
    peal_tap_function function; /* NULL: records go to rings */
    void *context;              /* *borrowed until the destroy callback*; the function's first argument */
    void (*destroy)(void *context); /* called once, after the last call of the function; may be NULL */
    size_t capacity; /* records in the ring of each thread, at most 1,048,576; 0: 4,096. Rounded up to a power of 2 */
};

/* An initialiser: all events, into rings. */
#define PEAL_TAP_OPTIONS { sizeof(struct peal_tap_options), 0, 0, NULL, NULL, NULL, NULL, 0 }

/* Creates a tap.
 *
 * center: whose methods it sees; zero: those of all centers, including later ones.
 * options: *copied*. `destroy` runs exactly once, even when this fails (then before this returns, where the size is
 *   right).
 * out_tap: filled, zero on failure; *owned*: end it with peal_tap_destroy.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT for a filter that is malformed, with the column; for unknown events and flags;
 * PEAL_ERROR_HANDLE for a stale center; PEAL_ERROR_LIMIT when 16 taps are open; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_tap_create(
    peal_center center, const struct peal_tap_options *options, peal_tap *out_tap);

/* Moves records out of the rings of a tap. The records of each thread are in order; the threads follow one another, so
 * sort the records by time where that matters. A thread gets its ring at its first event. A full ring overwrites
 * nothing: new records are lost, and a record PEAL_TAP_LOST is in their place.
 *
 * records: filled with up to `capacity` records.
 * out_count: filled with their number. Fewer than `capacity`: the rings were empty.
 * out_lost: filled with the number of records that were lost since the tap was opened; may be NULL.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT; PEAL_ERROR_STATE for a tap with a function or with
 * PEAL_TAP_COUNT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_tap_read(
    peal_tap tap, struct peal_tap_record *records, size_t capacity, size_t *out_count, uint64_t *out_lost);

/* Destroys a tap. No call of its function starts afterwards. The function waits for those that run, and then runs
 * `destroy`. Records that were not read are lost.
 *
 * A call inside the function of a tap, this one or another, does not wait: `destroy` then runs after the last call.
 *
 * tap: *consumed*.
 * Returns PEAL_OK; PEAL_NOT_WAITED: destroyed, but its function may still run. PEAL_ERROR_HANDLE.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_tap_destroy(peal_tap tap);

/* The state of a tap. */
struct peal_tap_info {
    size_t size;       /* sizeof(struct peal_tap_info), set by the caller */
    peal_center center; /* zero: all */
    uint32_t events;   /* as given; all bits for 0 */
    uint32_t flags;
    bool has_function;
    size_t capacity;   /* of each ring; 0 with a function */
    size_t rings;      /* threads that have had events */
    uint64_t records;  /* written to rings */
    uint64_t lost;     /* as peal_tap_read counts them */
};

/* Reads the state of a tap.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_tap_get_info(peal_tap tap, struct peal_tap_info *out_info);

/* ---- Counts ------------------------------------------------------------------------------------ */

/* Counts of the calls that taps with PEAL_TAP_COUNT have seen, since the first of them was opened. Times are in
 * nanoseconds. */
struct peal_counts {
    size_t size;            /* sizeof(struct peal_counts), set by the caller */
    uint64_t calls;         /* calls of observers that have returned */
    uint64_t total;         /* the time in these calls */
    uint64_t longest;       /* the longest call */
    uint64_t last;          /* when the last call began, by CLOCK_MONOTONIC; 0: there was none */
    uint64_t queued;        /* the calls among them that a queue has made */
    uint64_t waited;        /* the time that these waited on their queues */
    uint64_t longest_wait;
};

/* Reads the counts of a method, or of an observation: zeros if no tap has counted its calls. Counts of calls that run
 * on other threads meanwhile may be missing.
 *
 * out_counts: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_get_counts(peal_method method, struct peal_counts *out_counts);
PEAL_API peal_status peal_observation_get_counts(peal_observation observation, struct peal_counts *out_counts);

/* For PEAL_CLEANUP: destroys a tap with the scope of its variable. */
PEAL_UNUSED static inline void peal_tap_cleanup(peal_tap *tap)
{
    if (tap->id != 0)
        (void)peal_tap_destroy(*tap);
}

PEAL_END_DECLARATIONS

#endif
