/* SPDX-License-Identifier: Apache-2.0
 *
 * broadcast.h - one call that reaches every observer of a method.
 *
 * Three ways in, one meaning:
 *     PEAL_BROADCAST(chat, &handles, on_message, room, text);  typed: the compiler makes each call
 *     peal_broadcast(method, room, text);                      variadic: for names read at run time
 *     peal_send(method, arguments, 2, NULL, NULL);             by array: any type; the primitive
 *
 * A broadcast calls the observers that were registered when it began, one after the other, on the
 * calling thread. It allocates nothing and takes no lock; any number of threads may broadcast one
 * method at once. These may allocate or lock for a moment: a thread's first broadcast, which claims
 * a slot for the thread; one that calls a ONCE observer, which also removes it; one that another
 * thread or a callback removed an observer from, which may run its destroy callback when it ends;
 * one that is deferred, whose arguments are copied; one that keeps results of more than 1 KiB; one
 * that creates a service which observes lazily, or waits for its creation; and one that fails, for
 * its sentence. A callback may register, remove, block and broadcast. It must
 * return: leaving it by longjmp or an exception is undefined.
 */
#ifndef PEAL_BROADCAST_H
#define PEAL_BROADCAST_H

#include <stdarg.h>

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* How deep broadcasts may nest on one thread. */
#define PEAL_DEPTH_LIMIT 128
/* How many parameters a method may have, `self` not counted. */
#define PEAL_PARAMETER_LIMIT 64

/* What becomes of the results of a broadcast. protocol.h tells what each needs. */
typedef enum peal_policy {
    PEAL_POLICY_METHOD = 0, /* the one that the method was declared with */
    PEAL_POLICY_ALL = 1,
    PEAL_POLICY_FIRST_TRUE = 2,
    PEAL_POLICY_FIRST_NONZERO = 3,
    PEAL_POLICY_LAST = 4,
    PEAL_POLICY_SUM = 5,
    PEAL_POLICY_MIN = 6,
    PEAL_POLICY_MAX = 7,
    PEAL_POLICY_ANY = 8,
    PEAL_POLICY_EVERY = 9,
    PEAL_POLICY_COLLECT = 10,
    PEAL_POLICY_CHAIN = 11,
    PEAL_POLICY_FOLD = 12
} peal_policy;

/* Where PEAL_POLICY_COLLECT puts results: give its address as `out_result`. */
struct peal_collection {
    size_t size;     /* sizeof(struct peal_collection) */
    void *values;    /* room for `capacity` results, one after the other */
    size_t capacity; /* how many results fit; more are called, but not kept */
    size_t count;    /* filled: how many were kept */
};

/* Folds one result into `accumulator`. Return false to stop the broadcast.
 *
 * context: as given in the options.
 * accumulator: what was given as `out_result`.
 * result: *borrowed during the call*; of the method's result type. */
typedef bool (*peal_fold)(void *context, void *accumulator, const void *result);

enum peal_send_flags {
    /* Call through ffi_call, also where a register frame would do: to compare, and to measure. */
    PEAL_SEND_FFI_CALL = 1 << 0
};

/* What is special about one broadcast. Begin with PEAL_SEND_OPTIONS or zeros and the size. Another
 * size and unknown flags are PEAL_ERROR_ARGUMENT. */
struct peal_send_options {
    size_t size;              /* sizeof(struct peal_send_options) */
    uint32_t flags;           /* enum peal_send_flags */
    peal_policy policy;       /* instead of the method's, unless PEAL_POLICY_METHOD */
    const void *default_result; /* *borrowed*: the result when nobody is called; may be NULL */
    peal_fold fold;           /* for PEAL_POLICY_FOLD; for CHAIN to look and stop; may be NULL */
    void *fold_context;       /* *borrowed during the call* */
};

/* An initialiser: struct peal_send_options options = PEAL_SEND_OPTIONS; */
#define PEAL_SEND_OPTIONS \
    { sizeof(struct peal_send_options), 0, PEAL_POLICY_METHOD, NULL, NULL, NULL }

/* Broadcasts a method.
 *
 * method: what to call, on all observers of its protocol that implement it.
 * arguments: *borrowed during the call*; one pointer a parameter, each to a value of the
 *   parameter's type. NULL is fine for a method without parameters. The pointers themselves are
 *   looked at only when there is somebody to call or a result to fill.
 * argument_count: how many there are; must be the method's number of parameters.
 * out_result: filled as the method's policy says with one value of the result type, or for COLLECT
 *   through a struct peal_collection; NULL drops the result. ALL fills it with zeros. A
 *   method that returns void has none: anything but NULL is PEAL_ERROR_POLICY. With nobody to call: false for ANY and FIRST_TRUE, true for EVERY, the argument itself for CHAIN, no values
 *   for COLLECT, what was there for FOLD, else zero. Not to be read after a failure.
 * out_calls: filled with the number of observers called, or whose call was put on a queue; may be
 *   NULL. Not to be read after a failure.
 * Returns PEAL_OK; PEAL_DEFERRED (nothing was called yet, the result is that of nobody called);
 * PEAL_TRUNCATED; PEAL_REJECTED when a full queue refused its calls, and the others were made.
 * Errors: PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT_COUNT, PEAL_ERROR_ARGUMENT (also
 * for a method whose policy is FOLD: peal_send has no function to fold with), PEAL_ERROR_POLICY for a
 * result of a method that returns void, PEAL_ERROR_DEPTH,
 * PEAL_ERROR_RECURSION, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT when 65,536 calls wait deferred; then
 * nobody was called.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_send(
    peal_method method, void *const *arguments, size_t argument_count, void *out_result,
    size_t *out_calls);

/* Broadcasts a method with another policy, a default result or a fold.
 *
 * options: *borrowed during the call*; NULL for none.
 * The rest is as for peal_send. Also returns PEAL_ERROR_POLICY when the policy does not fit or is
 * none, PEAL_ERROR_ARGUMENT for PEAL_POLICY_FOLD without a function. `default_result` is not used
 * under FOLD and COLLECT, nor once somebody was called.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_send_with(
    peal_method method, void *const *arguments, size_t argument_count,
    const struct peal_send_options *options, void *out_result, size_t *out_calls);

/* peal_broadcast(method, ...) broadcasts a method with its arguments written out, and drops the
 * result. peal_ask(method, out_result, ...) keeps it.
 *
 * Arguments are those of the prototype, except that a struct goes by a pointer to it. Their number
 * is checked; their types cannot be: a pointer must be a pointer, an int64_t must be 64 bits wide.
 * The statuses are those of peal_send.
 * Thread rule: any thread, also from a callback. Since 0.1. */
#define peal_broadcast(...) \
    peal_broadcast_counted(PEAL_COUNT(__VA_ARGS__) - 1, __VA_ARGS__)
#define peal_ask(method, ...) \
    peal_ask_counted(PEAL_COUNT(__VA_ARGS__) - 1, method, __VA_ARGS__)

/* The functions behind the macros, for callers that have no preprocessor.
 *
 * argument_count: how many arguments follow `method` or `out_result`.
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API peal_status peal_broadcast_counted(size_t argument_count, peal_method method, ...);
PEAL_API peal_status peal_ask_counted(
    size_t argument_count, peal_method method, void *out_result, ...);
/* The same with a va_list. */
PEAL_API peal_status peal_ask_list(
    size_t argument_count, peal_method method, void *out_result, va_list arguments);

/* ---- Typed iteration ------------------------------------------------------------------------- */

/* Calls a method on every observer, each call made and checked by the caller's own compiler.
 *
 *     PEAL_BROADCAST(chat, &handles, on_message, room, text);
 *
 * tag: the table struct's tag. handles: `const struct chat_protocol *`. Then the method's name and
 * its arguments, which are evaluated once for each observer, and once for all that have queues.
 * Results are dropped. A full queue that refuses is no failure: peal_send tells, and the counts.
 * It is a statement. Where it fails nobody is called, and peal_last_status() tells why. A method
 * that defers or rejects recursion is better broadcast by peal_send: inside itself this fails with
 * PEAL_ERROR_RECURSION.
 * Thread rule: any thread, also from a callback. Since 0.1. */
#define PEAL_BROADCAST(tag, handles, ...)                                                       \
    do {                                                                                        \
        PEAL_EACH_OF_(                                                                          \
            tag, peal_entries_begin_all((handles)->PEAL_NAME_OF_(__VA_ARGS__, ~)), peal_each_)  \
            ((__typeof__(((struct tag *)NULL)->PEAL_NAME_OF_(__VA_ARGS__, ~)))                  \
                 peal_each_.function)                                                           \
                PEAL_WITH_TARGET_(__VA_ARGS__);                                                 \
    } while (0)

/* Visits every observer of a method that is called at once, for callers that look at results:
 *
 *     bool keep = true;
 *     PEAL_EACH(log_sink, &handles, wants_line, each)
 *         if (!each.table->wants_line(each.target, line)) { keep = false; break; }
 *
 * `each` has `table` (typed) and `target`, which is for the table's functions: what it is of an observer
 * with a handler is peal's business. `break`, `continue` and `return` are fine. Observers with
 * queues are not visited, since they cannot answer in time: PEAL_BROADCAST and peal_send reach them,
 * and peal_gather brings their answers (completion.h).
 * Thread rule: any thread, also from a callback. Since 0.1. */
#define PEAL_EACH(tag, handles, method, each)                                    \
    PEAL_EACH_OF_(tag, peal_entries_begin((handles)->method), each)
#define PEAL_EACH_OF_(tag, entries, each)                                        \
    for (struct tag##_cursor each PEAL_CLEANUP(tag##_cursor_end) =               \
             tag##_cursor_begin(entries);                                        \
         tag##_cursor_next(&each);)

/* One observer in a method's list. Read it only between begin and end. */
struct peal_entry {
    peal_function function; /* the observer's function for this method */
    void *target;           /* its first argument */
    const uint32_t *gate;   /* zero while the observer may be called at once */
    const void *table;      /* peal's copy of the observer's table; NULL in the entry for queues */
};

/* Keeps a method's list for the thread that reads it. */
struct peal_hold {
    uintptr_t list;               /* what is kept; zero when it is let go */
    const struct peal_entry *end; /* behind the last entry */
    const uint32_t *current;      /* the gate of the observer that is called */
    uint32_t attention;           /* not zero: when the list is let go there is more to do */
};

/* A method's observers, in order: from `next` to `hold->end`. */
struct peal_entries {
    const struct peal_entry *next;
    struct peal_hold *hold;
};

/* Holds a method's list for reading, until peal_entries_end on the same thread. Both are NULL, and
 * must not be ended, when nobody observes or on failure, which peal_last_status() tells.
 *
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API struct peal_entries peal_entries_begin(peal_method method);

/* The same with one entry in front that stands for all observers with queues, if there are any: a call
 * of its function, with its target and the method's arguments, puts the call on their queues. It
 * returns zero. Where that fails, out of memory say, peal_last_status() tells when the list is let go.
 *
 * Thread rule: any thread, also from a callback. Since 0.1. */
PEAL_API struct peal_entries peal_entries_begin_all(peal_method method);

/* Whether an observer whose gate is not zero is to be called: false when it is removed or blocked, its
 * weak target is dead, or it keeps the place of a service that observes lazily. True for ONCE, which is removed by this: call it. Who reads a list by hand
 * first stores the gate's address in `hold->current`, as PEAL_EACH does: a removal that waits looks
 * there for the calls that run.
 *
 * Thread rule: between begin and end. Since 0.1. */
PEAL_API PEAL_COLD bool peal_entry_admit(const struct peal_entry *entry);

/* Lets the list go. The innermost list of the thread is ended; lists nest.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API void peal_entries_end(void);

/* What is left to do for a list that was let go, when its hold asks for attention.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API PEAL_COLD void peal_entries_ended(struct peal_hold *hold);

/* Lets a list go, as peal_entries_end, by the hold that came with it; most often without a call. Once a
 * list. The order is that of a promise: who waits for the list looks at `list` after setting
 * `attention`.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_UNUSED static inline void peal_entries_let_go(struct peal_hold *hold)
{
    __atomic_store_n(&hold->list, (uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&hold->attention, __ATOMIC_RELAXED) != 0, 0))
        peal_entries_ended(hold);
}

/* The typed cursor of PEAL_EACH. */
#define PEAL_CURSOR_(tag)                                                                           \
    struct tag##_cursor {                                                                           \
        const struct tag *table;                                                                    \
        void *target;                                                                               \
        peal_function function;                                                                     \
        const struct peal_entry *next;                                                              \
        const struct peal_entry *end;                                                               \
        struct peal_hold *hold;                                                                     \
    };                                                                                              \
    PEAL_UNUSED static inline struct tag##_cursor tag##_cursor_begin(struct peal_entries entries_)  \
    {                                                                                               \
        struct tag##_cursor cursor_;                                                                \
        cursor_.table = NULL;                                                                       \
        cursor_.target = NULL;                                                                      \
        cursor_.function = NULL;                                                                    \
        cursor_.next = entries_.next;                                                               \
        cursor_.end = entries_.hold != NULL ? entries_.hold->end : NULL;                            \
        cursor_.hold = entries_.hold;                                                               \
        return cursor_;                                                                             \
    }                                                                                               \
    PEAL_UNUSED static inline bool tag##_cursor_next(struct tag##_cursor *cursor_)                  \
    {                                                                                               \
        while (cursor_->next != cursor_->end) {                                                     \
            const struct peal_entry *entry_ = cursor_->next++;                                      \
            const uint32_t *gate_ = entry_->gate;                                                   \
            /* Told first, then looked at: who removes the observer can see the call. */            \
            __atomic_store_n(&cursor_->hold->current, gate_, __ATOMIC_RELEASE);                     \
            __atomic_signal_fence(__ATOMIC_SEQ_CST);                                                \
            if (__builtin_expect(__atomic_load_n(gate_, __ATOMIC_RELAXED) == 0, 1)                  \
                || peal_entry_admit(entry_)) {                                                      \
                cursor_->table = (const struct tag *)entry_->table;                                 \
                cursor_->target = entry_->target;                                                   \
                cursor_->function = entry_->function;                                               \
                return true;                                                                        \
            }                                                                                       \
        }                                                                                           \
        return false;                                                                               \
    }                                                                                               \
    PEAL_UNUSED static inline void tag##_cursor_end(struct tag##_cursor *cursor_)                   \
    {                                                                                               \
        if (cursor_->hold != NULL)                                                                  \
            peal_entries_let_go(cursor_->hold);                                                     \
    }

#define PEAL_NAME_OF_(...) PEAL_NAME_OF_FIRST_(__VA_ARGS__)
#define PEAL_NAME_OF_FIRST_(name, ...) name
/* (name, a, b) becomes (peal_each_.target, a, b); (name) becomes (peal_each_.target). */
#define PEAL_WITH_TARGET_(...) PEAL_TARGET_CHOICE_(PEAL_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PEAL_TARGET_CHOICE_(count) PEAL_TARGET_CHOSEN_(count)
#define PEAL_TARGET_CHOSEN_(count) PEAL_TARGET_##count
#define PEAL_TARGET_1(name) (peal_each_.target)
#define PEAL_TARGET_MORE_(name, ...) (peal_each_.target, __VA_ARGS__)
#define PEAL_TARGET_2 PEAL_TARGET_MORE_
#define PEAL_TARGET_3 PEAL_TARGET_MORE_
#define PEAL_TARGET_4 PEAL_TARGET_MORE_
#define PEAL_TARGET_5 PEAL_TARGET_MORE_
#define PEAL_TARGET_6 PEAL_TARGET_MORE_
#define PEAL_TARGET_7 PEAL_TARGET_MORE_
#define PEAL_TARGET_8 PEAL_TARGET_MORE_
#define PEAL_TARGET_9 PEAL_TARGET_MORE_
#define PEAL_TARGET_10 PEAL_TARGET_MORE_
#define PEAL_TARGET_11 PEAL_TARGET_MORE_
#define PEAL_TARGET_12 PEAL_TARGET_MORE_
#define PEAL_TARGET_13 PEAL_TARGET_MORE_
#define PEAL_TARGET_14 PEAL_TARGET_MORE_
#define PEAL_TARGET_15 PEAL_TARGET_MORE_
#define PEAL_TARGET_16 PEAL_TARGET_MORE_
#define PEAL_TARGET_17 PEAL_TARGET_MORE_
#define PEAL_TARGET_18 PEAL_TARGET_MORE_
#define PEAL_TARGET_19 PEAL_TARGET_MORE_
#define PEAL_TARGET_20 PEAL_TARGET_MORE_
#define PEAL_TARGET_21 PEAL_TARGET_MORE_
#define PEAL_TARGET_22 PEAL_TARGET_MORE_
#define PEAL_TARGET_23 PEAL_TARGET_MORE_
#define PEAL_TARGET_24 PEAL_TARGET_MORE_
#define PEAL_TARGET_25 PEAL_TARGET_MORE_
#define PEAL_TARGET_26 PEAL_TARGET_MORE_
#define PEAL_TARGET_27 PEAL_TARGET_MORE_
#define PEAL_TARGET_28 PEAL_TARGET_MORE_
#define PEAL_TARGET_29 PEAL_TARGET_MORE_
#define PEAL_TARGET_30 PEAL_TARGET_MORE_
#define PEAL_TARGET_31 PEAL_TARGET_MORE_
#define PEAL_TARGET_32 PEAL_TARGET_MORE_
#define PEAL_TARGET_33 PEAL_TARGET_MORE_
#define PEAL_TARGET_34 PEAL_TARGET_MORE_
#define PEAL_TARGET_35 PEAL_TARGET_MORE_
#define PEAL_TARGET_36 PEAL_TARGET_MORE_
#define PEAL_TARGET_37 PEAL_TARGET_MORE_
#define PEAL_TARGET_38 PEAL_TARGET_MORE_
#define PEAL_TARGET_39 PEAL_TARGET_MORE_
#define PEAL_TARGET_40 PEAL_TARGET_MORE_
#define PEAL_TARGET_41 PEAL_TARGET_MORE_
#define PEAL_TARGET_42 PEAL_TARGET_MORE_
#define PEAL_TARGET_43 PEAL_TARGET_MORE_
#define PEAL_TARGET_44 PEAL_TARGET_MORE_
#define PEAL_TARGET_45 PEAL_TARGET_MORE_
#define PEAL_TARGET_46 PEAL_TARGET_MORE_
#define PEAL_TARGET_47 PEAL_TARGET_MORE_
#define PEAL_TARGET_48 PEAL_TARGET_MORE_
#define PEAL_TARGET_49 PEAL_TARGET_MORE_
#define PEAL_TARGET_50 PEAL_TARGET_MORE_
#define PEAL_TARGET_51 PEAL_TARGET_MORE_
#define PEAL_TARGET_52 PEAL_TARGET_MORE_
#define PEAL_TARGET_53 PEAL_TARGET_MORE_
#define PEAL_TARGET_54 PEAL_TARGET_MORE_
#define PEAL_TARGET_55 PEAL_TARGET_MORE_
#define PEAL_TARGET_56 PEAL_TARGET_MORE_
#define PEAL_TARGET_57 PEAL_TARGET_MORE_
#define PEAL_TARGET_58 PEAL_TARGET_MORE_
#define PEAL_TARGET_59 PEAL_TARGET_MORE_
#define PEAL_TARGET_60 PEAL_TARGET_MORE_
#define PEAL_TARGET_61 PEAL_TARGET_MORE_
#define PEAL_TARGET_62 PEAL_TARGET_MORE_
#define PEAL_TARGET_63 PEAL_TARGET_MORE_
#define PEAL_TARGET_64 PEAL_TARGET_MORE_
#define PEAL_TARGET_65 PEAL_TARGET_MORE_

PEAL_END_DECLARATIONS

#endif
