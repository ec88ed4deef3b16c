/* SPDX-License-Identifier: Apache-2.0
 *
 * broadcast.h - one call that reaches every observer of a method.
 *
 * Three functions with the same meaning:
 *     PEAL_BROADCAST(chat, &handles, on_message, room, text);  typed: the compiler makes each call
 *     peal_broadcast(method, room, text);                      variadic: for names read at run time
 *     peal_send(method, arguments, 2, NULL, NULL);             by array: any type; the primitive
 *
 * A broadcast calls the observers that were registered when it began, one after the other, on the
 * calling thread. It allocates no memory and takes no lock. Any number of threads may broadcast one
 * method at once. These broadcasts may allocate or lock briefly:
 *
 * - a thread's first broadcast, which claims a slot for the thread, and its first one that is nested very deep;
 * - a broadcast that calls a ONCE observer, because it also removes it;
 * - a broadcast that calls an observer while another thread removes it, because it may run the destroy
 *   callback when it ends;
 * - a deferred broadcast, whose arguments are copied;
 * - a broadcast of a sticky method, whose arguments are kept;
 * - a broadcast to observers with queues, whose arguments are copied and whose calls are enqueued;
 * - the first broadcast after a change that left a long list of observers out of order;
 * - a broadcast that keeps results of more than 1 KiB;
 * - a broadcast that creates a lazily observing service, or waits for its creation;
 * - a broadcast that fails, for its sentence.
 *
 * A callback may register, remove, block and broadcast. It must return: leaving it by longjmp or an
 * exception is undefined.
 */
#ifndef PEAL_BROADCAST_H
#define PEAL_BROADCAST_H

#include <stdarg.h>

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* The greatest depth of nested broadcasts on one thread. The stack of a thread must have room for that many calls of
 * the program's functions. The 121st level allocates memory for all others, once for each thread. */
#define PEAL_DEPTH_LIMIT 1024
/* The greatest number of parameters of a method, without `self`. */
#define PEAL_PARAMETER_LIMIT 64

/* The rule that makes one result of the observers' results. protocol.h has the requirements of each policy. */
typedef enum peal_policy {
    PEAL_POLICY_METHOD = 0, /* the policy in the method's declaration */
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

/* The results of PEAL_POLICY_COLLECT: pass its address as `out_result`. */
struct peal_collection {
    size_t size;     /* sizeof(struct peal_collection) */
    void *values;    /* memory for `capacity` results, one after the other */
    size_t capacity; /* how many results fit; further observers are called, but their results are dropped */
    size_t count;    /* filled: how many were stored */
};

/* Folds one result into `accumulator`. Return false to stop the broadcast.
 *
 * context: the `fold_context` of the options.
 * accumulator: the `out_result` of the broadcast.
 * result: *borrowed during the call*; of the method's result type. */
typedef bool (*peal_fold)(void *context, void *accumulator, const void *result);

/* Flags of struct peal_send_options. */
enum peal_send_flags {
    /* Calls through ffi_call, even where a register frame is possible: for comparison and measurement. */
    PEAL_SEND_FFI_CALL = 1 << 0
};

/* Options of one broadcast. Begin with PEAL_SEND_OPTIONS or zeros and the size. Another size and unknown
 * flags are PEAL_ERROR_ARGUMENT. */
struct peal_send_options {
    size_t size;              /* sizeof(struct peal_send_options) */
    uint32_t flags;           /* enum peal_send_flags */
    peal_policy policy;       /* instead of the method's, unless PEAL_POLICY_METHOD */
    const void *default_result; /* *borrowed*: the result when no observer is called; may be NULL */
    peal_fold fold;           /* for PEAL_POLICY_FOLD; for CHAIN to inspect and stop; may be NULL */
    void *fold_context;       /* *borrowed during the call* */
    peal_observation except;  /* an observer that this broadcast does not call, neither here nor on a queue; zero, or
                                 the handle of a registration that has ended: none */
    uint64_t origin;          /* a number by which observers recognise where the call comes from (call.h); 0: none */
    peal_reference memory;    /* *borrowed during the call*: a counted object (reference.h) that keeps alive what the
                                 arguments point to: texts, buffers, objects and structs of registered types. They
                                 must not change until the object is destroyed. Calls on queues and deferred calls
                                 retain it, and copy the argument values alone. Zero: none */
};

/* An initialiser: struct peal_send_options options = PEAL_SEND_OPTIONS; */
#define PEAL_SEND_OPTIONS { sizeof(struct peal_send_options), 0, PEAL_POLICY_METHOD, NULL, NULL, NULL, { 0 }, 0, { 0 } }

/* Broadcasts a method.
 *
 * method: called on all observers of its protocol that implement it.
 * arguments: *borrowed during the call*; one pointer per parameter, each to a value of the
 *   parameter's type. NULL is fine for a method without parameters. The pointers themselves are
 *   read only when there is an observer to call or a result to fill. A null pointer for a parameter that is declared
 *   _Nonnull is then PEAL_ERROR_ARGUMENT. A typed broadcast leaves that to the caller's compiler.
 * argument_count: the number of arguments; must be the method's number of parameters.
 * out_result: filled according to the method's policy with one value of the result type, or for COLLECT
 *   through a struct peal_collection; NULL drops the result. ALL fills it with zeros. A method that
 *   returns void has no result: any pointer but NULL is PEAL_ERROR_POLICY. When no observer is called:
 *   false for ANY and FIRST_TRUE, true for EVERY, the argument itself for CHAIN, no values for COLLECT,
 *   the unchanged accumulator for FOLD, else zero. Not to be read after a failure.
 * out_calls: filled with the number of observers that were called or whose call was put on a queue; may be
 *   NULL. Not to be read after a failure.
 * Returns PEAL_OK; PEAL_DEFERRED (no observer has been called yet, and the result is that of a broadcast
 * without observers); PEAL_TRUNCATED; PEAL_REJECTED when a full queue refused its calls, and the others
 * were made.
 * Errors: PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT_COUNT, PEAL_ERROR_ARGUMENT (also
 * for a method whose policy is FOLD: peal_send has no function to fold with), PEAL_ERROR_POLICY for a
 * result of a method that returns void, PEAL_ERROR_DEPTH,
 * PEAL_ERROR_RECURSION, PEAL_ERROR_MEMORY, PEAL_ERROR_LIMIT when 65,536 calls wait deferred. After an
 * error no observer was called.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_send(
    peal_method method, void *const *arguments, size_t argument_count, void *out_result, size_t *out_calls);

/* Broadcasts a method with another policy, a default result or a fold.
 *
 * options: *borrowed during the call*; NULL for none.
 * The rest is as for peal_send. Also returns PEAL_ERROR_POLICY when the policy is invalid or does not fit
 * the method, PEAL_ERROR_ARGUMENT for PEAL_POLICY_FOLD without a function. `default_result` is not used
 * under FOLD and COLLECT, nor when an observer was called. The observer of `except` is not counted in `out_calls`. If
 * it shares a queue with other observers of the method, the queue counts its call as dropped. Also
 * returns PEAL_ERROR_HANDLE when the object of `memory` is dead.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_send_with(peal_method method, void *const *arguments, size_t argument_count,
    const struct peal_send_options *options, void *out_result, size_t *out_calls);

/* peal_broadcast(method, ...) broadcasts a method with its arguments written out, and drops the
 * result. peal_ask(method, out_result, ...) stores the result in `out_result`.
 *
 * Arguments are those of the prototype, except that a struct is passed by a pointer to it. Their number
 * is checked. Their types cannot be checked: a pointer must be a pointer, an int64_t must be 64 bits wide.
 * The statuses are those of peal_send.
 * Thread rule: any thread; it may wait. Since 0.1. */
#define peal_broadcast(...) peal_broadcast_counted(PEAL_COUNT(__VA_ARGS__) - 1, __VA_ARGS__)
#define peal_ask(method, ...) peal_ask_counted(PEAL_COUNT(__VA_ARGS__) - 1, method, __VA_ARGS__)

/* The functions that the macros call, for callers without a preprocessor.
 *
 * argument_count: how many arguments follow `method` or `out_result`.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_broadcast_counted(size_t argument_count, peal_method method, ...);
PEAL_API peal_status peal_ask_counted(size_t argument_count, peal_method method, void *out_result, ...);
/* The same as peal_ask_counted, with a va_list. */
PEAL_API peal_status peal_ask_list(size_t argument_count, peal_method method, void *out_result, va_list arguments);

/* ---- Last calls ------------------------------------------------------------------------------- */

/* Removes last calls of a sticky method. Later observers do not get them. The next broadcast is kept again.
 *
 * A method with the option `sticky` keeps its last call, with a copy of the arguments. An observer that is registered
 * later gets that call once: on its queue, or else inside the function that registers it. It never gets the call after a
 * newer one. A method with the option `sticky(name)` keeps the last call for each value of that parameter.
 *
 * Without a queue, the observer's function runs on the registering thread before the registration returns. Do not
 * register under a lock that this function acquires. While the last call runs there, a broadcast of another thread does
 * not call the observer: the registering thread makes the newest call afterwards.
 *
 * key: *borrowed during the call*; the address of a value of the named parameter, as in the arguments of peal_send. For
 *   `const char *name` pass &name, not name. NULL removes all last calls of the method.
 * Returns PEAL_OK, even if there is no such call; PEAL_ERROR_STATE when the method is not sticky, or when a
 * key is passed and the method has none; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_clear_last_call(peal_method method, const void *key);

/* ---- Typed iteration ------------------------------------------------------------------------- */

/* Calls a method on every observer. The caller's own compiler checks and makes each call.
 *
 *     PEAL_BROADCAST(chat, &handles, on_message, room, text);
 *
 * tag: the table struct's tag. handles: `const struct chat_protocol *`. Then the method's name and
 * its arguments. Each argument is evaluated exactly once, before the first call, even when the
 * method has no observers. An argument of another type than the parameter's does not compile.
 * In C, a compound literal with a comma needs parentheses: ((struct point){ 1, 2 }).
 * Results are dropped. A call that a full queue refuses is no failure of this macro, but the queue counts
 * it. (peal_send returns PEAL_REJECTED.) The macro is a statement. On failure no observer is called, and
 * peal_last_status() returns the status. Broadcast a method that defers or rejects recursion by peal_send:
 * a recursive PEAL_BROADCAST of it fails with PEAL_ERROR_RECURSION.
 * Thread rule: any thread; it may wait. Since 0.1. */
#ifdef __cplusplus
#define PEAL_BROADCAST(tag, handles, ...)                                                           \
    peal_broadcast_typed_(static_cast<PEAL_MEMBER_TYPE_(tag, PEAL_NAME_OF_(__VA_ARGS__, ~))>(NULL), \
        (handles)->PEAL_NAME_OF_(__VA_ARGS__, ~) PEAL_MAP_(PEAL_ARGUMENT_, __VA_ARGS__))
#else
/* The call under `if (0)` has the arguments as written, so that the compiler checks them. The other call
 * passes the copies, which have the types of the arguments, and without warnings of conversions: the
 * compiler reports no mistake twice. */
/* clang-format off */
#define PEAL_BROADCAST(tag, handles, ...)                                                       \
    do {                                                                                        \
        PEAL_MAP_(PEAL_COPY_, __VA_ARGS__)                                                      \
        const peal_method peal_method_ = (handles)->PEAL_NAME_OF_(__VA_ARGS__, ~);              \
        for (struct peal_cursor_ peal_each_ PEAL_CLEANUP(peal_cursor_end_)                      \
                 = peal_cursor_begin_(peal_entries_begin_all(peal_method_));                    \
             peal_cursor_next_(&peal_each_, PEAL_GATE_RETAINS_);) {                             \
            PEAL_STRICT_BEGIN_                                                                  \
            if (0)                                                                              \
                ((PEAL_MEMBER_TYPE_(tag, PEAL_NAME_OF_(__VA_ARGS__, ~))) peal_each_.function)(  \
                    peal_each_.target PEAL_MAP_(PEAL_ARGUMENT_, __VA_ARGS__));                  \
            PEAL_STRICT_END_                                                                    \
            PEAL_LENIENT_BEGIN_                                                                 \
            ((PEAL_MEMBER_TYPE_(tag, PEAL_NAME_OF_(__VA_ARGS__, ~))) peal_each_.function)(      \
                peal_each_.target PEAL_MAP_(PEAL_ARGUMENT_COPY_, __VA_ARGS__));                 \
            PEAL_LENIENT_END_                                                                   \
        }                                                                                       \
    } while (0)
/* clang-format on */
#endif

/* Visits every observer of a method, except observers with queues, for callers that read results:
 *
 *     bool keep = true;
 *     PEAL_EACH(log_sink, &handles, wants_line, each)
 *         if (!each.table->wants_line(each.target, line)) { keep = false; break; }
 *
 * `each.table` is a typed table with the observer's function for this method. Its other functions are NULL.
 * `each.target` is the first argument of that function; the target of an observer with a handler is opaque.
 * Both are valid until the next visit. `break`, `continue` and `return` are fine. Observers with queues are
 * not visited, because they cannot answer in time: PEAL_BROADCAST and peal_send reach them, and peal_gather
 * gathers their answers (completion.h).
 * Thread rule: any thread; it may wait. Since 0.1. */
#define PEAL_EACH(tag, handles, method, each)                           \
    for (struct tag##_cursor each PEAL_CLEANUP(tag##_cursor_end) =      \
             tag##_cursor_begin(peal_entries_begin((handles)->method)); \
        tag##_cursor_next(&each)                                        \
        && ((void)(each.table->method = (PEAL_MEMBER_TYPE_(tag, method))each.cursor.function), true);)

/* One observer in a method's list. Read it only between begin and end. This struct never grows, and neither do the next
 * three. */
struct peal_entry {
    peal_function function; /* the observer's function for this method */
    void *target;           /* its first argument */
    const uint32_t *gate;   /* zero while the observer may be called at once; see PEAL_GATE_RETAINS_ too */
};

/* A hazard slot: protects a method's list for the thread that reads it. */
struct peal_hazard {
    uintptr_t list;               /* the protected list; zero when it is released */
    const struct peal_entry *end; /* past the last entry */
    const uint32_t *current;      /* the gate of the observer that is called */
    uint32_t attention;           /* nonzero: the releasing thread must call peal_entries_ended */
};

/* A method's observers, in order: from `next` to `hazard->end`. */
struct peal_entries {
    const struct peal_entry *next;
    struct peal_hazard *hazard;
};

/* Protects a method's list for reading, until peal_entries_end on the same thread. When the method has no
 * observers, and on failure, both members are NULL and the list must not be ended. After a failure
 * peal_last_status() returns the status.
 *
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API struct peal_entries peal_entries_begin(peal_method method);

/* Protects a list as peal_entries_begin does. If the method has observers with queues, one more entry in
 * front represents all of them. A call of that entry's function, with its target and the method's arguments,
 * enqueues the call on their queues and returns zero. When enqueueing fails, for example without memory,
 * peal_last_status() returns the status once the list is released.
 *
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API struct peal_entries peal_entries_begin_all(peal_method method);

/* The decision about an entry whose gate is not zero. */
struct peal_admission {
    const struct peal_entry *entry; /* the observer to call now; NULL: none */
    const struct peal_entry *next;  /* where the loop continues */
};

/* Decides about an observer whose gate is not zero. The observer is not to be called when it is removed or
 * blocked, or when its weak target is dead. The placeholder of a lazily observing service is not called either. This
 * function removes a ONCE observer, and the caller calls it. This function retains a weak target. The loop
 * then continues at an entry outside of the list, whose gate is not zero either: for that entry this
 * function releases the target. peal_entries_next has such a loop.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API PEAL_COLD struct peal_admission peal_entry_admit(const struct peal_entry *entry, struct peal_hazard *hazard);

/* A bit of the gate of an observer with PEAL_OBSERVE_RETAINS: the only one while the observer may be called at once. */
enum { PEAL_GATE_RETAINS_ = 0x02000000 };

/* As peal_entries_next. Returns an observer at once also if `open` is the only bit of its gate. */
PEAL_UNUSED static inline const struct peal_entry *peal_entries_next_(
    const struct peal_entry **next, const struct peal_entry *end, struct peal_hazard *hazard, uint32_t open)
{
    while (*next != end) {
        const struct peal_entry *entry = (*next)++;
        const uint32_t *gate = entry->gate;
        uint32_t state;
        /* This thread stores `current`, then loads the gate. A removing thread closes the gate, passes the writer's
         * fence, then loads `current`. So this thread sees the closed gate, or the removing thread sees the call.
         * The acquire load makes all actions of a thread before it unblocked the observer happen before the call. */
        __atomic_store_n(&hazard->current, gate, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        state = __atomic_load_n(gate, __ATOMIC_ACQUIRE);
        /* One test, without a branch that usually is taken. */
        if (__builtin_expect((state & ~open) != 0, 0)) {
            const struct peal_admission admission = peal_entry_admit(entry, hazard);
            *next = admission.next;
            entry = admission.entry;
        }
        if (__builtin_expect(entry != NULL, 1))
            return entry;
    }
    return NULL;
}

/* Returns the next observer to call of a protected list; NULL at the end of the list.
 *
 * next: begins as peal_entries.next, and is advanced. `hazard`: as begun; not NULL unless the list is empty.
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_UNUSED static inline const struct peal_entry *peal_entries_next(
    const struct peal_entry **next, const struct peal_entry *end, struct peal_hazard *hazard)
{
    return peal_entries_next_(next, end, hazard, 0);
}

/* Releases the list. The innermost list of the thread is ended; lists nest.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API void peal_entries_end(void);

/* Does the remaining work for a released list, when its `attention` is not zero.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_API PEAL_COLD void peal_entries_ended(struct peal_hazard *hazard);

/* Releases a list as peal_entries_end does, by its hazard slot, and usually without a call. Call it exactly
 * once for each list. The order matters: a thread that waits for the list sets `attention` before it loads
 * `list`, and this thread clears `list` before it loads `attention`.
 *
 * Thread rule: the thread of the begin. Since 0.1. */
PEAL_UNUSED static inline void peal_entries_release(struct peal_hazard *hazard)
{
    __atomic_store_n(&hazard->list, (uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&hazard->attention, __ATOMIC_RELAXED) != 0, 0))
        peal_entries_ended(hazard);
}

/* A loop over a list: the visited entry, and the entries that follow. */
struct peal_cursor_ {
    peal_function function;
    void *target;
    const struct peal_entry *next;
    const struct peal_entry *end;
    struct peal_hazard *hazard;
};

PEAL_UNUSED static inline struct peal_cursor_ peal_cursor_begin_(struct peal_entries entries)
{
    struct peal_cursor_ cursor;
    cursor.function = NULL;
    cursor.target = NULL;
    cursor.next = entries.next;
    cursor.end = entries.hazard != NULL ? entries.hazard->end : NULL;
    cursor.hazard = entries.hazard;
    return cursor;
}
PEAL_UNUSED static inline bool peal_cursor_next_(struct peal_cursor_ *cursor, uint32_t open)
{
    const struct peal_entry *entry = peal_entries_next_(&cursor->next, cursor->end, cursor->hazard, open);
    if (entry == NULL)
        return false;
    cursor->function = entry->function;
    cursor->target = entry->target;
    return true;
}
PEAL_UNUSED static inline void peal_cursor_end_(struct peal_cursor_ *cursor)
{
    if (cursor->hazard != NULL)
        peal_entries_release(cursor->hazard);
}

#ifdef __cplusplus
#define PEAL_ZEROS_ \
    {               \
    }
#else
#define PEAL_ZEROS_ { 0 }
#endif

/* The typed cursor of PEAL_EACH. */
#define PEAL_CURSOR_(tag)                                                                          \
    struct tag##_cursor {                                                                          \
        struct tag table[1];                                                                       \
        void *target;                                                                              \
        struct peal_cursor_ cursor;                                                                \
    };                                                                                             \
    PEAL_UNUSED static inline struct tag##_cursor tag##_cursor_begin(struct peal_entries entries_) \
    {                                                                                              \
        struct tag##_cursor cursor_ = PEAL_ZEROS_;                                                 \
        cursor_.cursor = peal_cursor_begin_(entries_);                                             \
        cursor_.table->size = sizeof cursor_.table;                                                \
        return cursor_;                                                                            \
    }                                                                                              \
    PEAL_UNUSED static inline bool tag##_cursor_next(struct tag##_cursor *cursor_)                 \
    {                                                                                              \
        if (!peal_cursor_next_(&cursor_->cursor, 0))                                               \
            return false;                                                                          \
        cursor_->target = cursor_->cursor.target;                                                  \
        return true;                                                                               \
    }                                                                                              \
    PEAL_UNUSED static inline void tag##_cursor_end(struct tag##_cursor *cursor_)                  \
    {                                                                                              \
        peal_cursor_end_(&cursor_->cursor);                                                        \
    }

/* The type of a method's function in its table. */
#define PEAL_MEMBER_TYPE_(tag, name) __typeof__(((struct tag *)NULL)->name)

/* How PEAL_BROADCAST passes its arguments. */
#define PEAL_ARGUMENT_(number, argument) , argument
#define PEAL_ARGUMENT_COPY_(number, argument) , peal_argument_##number##_
/* The comma makes a pointer of an array, and a plain integer of a bit-field. */
#define PEAL_COPY_(number, argument) \
    __extension__ __auto_type peal_argument_##number##_ PEAL_UNUSED = ((void)0, (argument));

/* Between these two macros a wrong argument is an error, even where the compiler's default is a warning. */
#define PEAL_STRICT_BEGIN_                                                              \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wint-conversion\"") \
        _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")
#define PEAL_STRICT_END_ _Pragma("GCC diagnostic pop")
/* Between these two macros the compiler does not warn of conversions. */
#define PEAL_LENIENT_BEGIN_                                                                                        \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")                                \
        _Pragma("GCC diagnostic ignored \"-Wconversion\"") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") \
            _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"")                                               \
                _Pragma("GCC diagnostic ignored \"-Wpointer-sign\"")                                               \
                    _Pragma("GCC diagnostic ignored \"-Wint-conversion\"")                                         \
                        _Pragma("GCC diagnostic ignored \"-Wincompatible-pointer-types\"") PEAL_LENIENT_QUALIFIERS_
#define PEAL_LENIENT_END_ _Pragma("GCC diagnostic pop")
#ifdef __clang__
#define PEAL_LENIENT_QUALIFIERS_
#else
#define PEAL_LENIENT_QUALIFIERS_ _Pragma("GCC diagnostic ignored \"-Wdiscarded-qualifiers\"")
#endif

#define PEAL_NAME_OF_(...) PEAL_NAME_OF_FIRST_(__VA_ARGS__)
#define PEAL_NAME_OF_FIRST_(name, ...) name
/* PEAL_MAP_(M, name, a, b) becomes M(2, a) M(1, b); PEAL_MAP_(M, name) vanishes. */
#define PEAL_MAP_(M, ...) PEAL_MAP_CHOICE_(PEAL_COUNT(__VA_ARGS__))(M, __VA_ARGS__)
#define PEAL_MAP_CHOICE_(count) PEAL_MAP_CHOSEN_(count)
#define PEAL_MAP_CHOSEN_(count) PEAL_MAP_##count
#define PEAL_MAP_1(M, last)
#define PEAL_MAP_2(M, last, next) M(1, next)
#define PEAL_MAP_3(M, last, next, ...) M(2, next) PEAL_MAP_2(M, next, __VA_ARGS__)
#define PEAL_MAP_4(M, last, next, ...) M(3, next) PEAL_MAP_3(M, next, __VA_ARGS__)
#define PEAL_MAP_5(M, last, next, ...) M(4, next) PEAL_MAP_4(M, next, __VA_ARGS__)
#define PEAL_MAP_6(M, last, next, ...) M(5, next) PEAL_MAP_5(M, next, __VA_ARGS__)
#define PEAL_MAP_7(M, last, next, ...) M(6, next) PEAL_MAP_6(M, next, __VA_ARGS__)
#define PEAL_MAP_8(M, last, next, ...) M(7, next) PEAL_MAP_7(M, next, __VA_ARGS__)
#define PEAL_MAP_9(M, last, next, ...) M(8, next) PEAL_MAP_8(M, next, __VA_ARGS__)
#define PEAL_MAP_10(M, last, next, ...) M(9, next) PEAL_MAP_9(M, next, __VA_ARGS__)
#define PEAL_MAP_11(M, last, next, ...) M(10, next) PEAL_MAP_10(M, next, __VA_ARGS__)
#define PEAL_MAP_12(M, last, next, ...) M(11, next) PEAL_MAP_11(M, next, __VA_ARGS__)
#define PEAL_MAP_13(M, last, next, ...) M(12, next) PEAL_MAP_12(M, next, __VA_ARGS__)
#define PEAL_MAP_14(M, last, next, ...) M(13, next) PEAL_MAP_13(M, next, __VA_ARGS__)
#define PEAL_MAP_15(M, last, next, ...) M(14, next) PEAL_MAP_14(M, next, __VA_ARGS__)
#define PEAL_MAP_16(M, last, next, ...) M(15, next) PEAL_MAP_15(M, next, __VA_ARGS__)
#define PEAL_MAP_17(M, last, next, ...) M(16, next) PEAL_MAP_16(M, next, __VA_ARGS__)
#define PEAL_MAP_18(M, last, next, ...) M(17, next) PEAL_MAP_17(M, next, __VA_ARGS__)
#define PEAL_MAP_19(M, last, next, ...) M(18, next) PEAL_MAP_18(M, next, __VA_ARGS__)
#define PEAL_MAP_20(M, last, next, ...) M(19, next) PEAL_MAP_19(M, next, __VA_ARGS__)
#define PEAL_MAP_21(M, last, next, ...) M(20, next) PEAL_MAP_20(M, next, __VA_ARGS__)
#define PEAL_MAP_22(M, last, next, ...) M(21, next) PEAL_MAP_21(M, next, __VA_ARGS__)
#define PEAL_MAP_23(M, last, next, ...) M(22, next) PEAL_MAP_22(M, next, __VA_ARGS__)
#define PEAL_MAP_24(M, last, next, ...) M(23, next) PEAL_MAP_23(M, next, __VA_ARGS__)
#define PEAL_MAP_25(M, last, next, ...) M(24, next) PEAL_MAP_24(M, next, __VA_ARGS__)
#define PEAL_MAP_26(M, last, next, ...) M(25, next) PEAL_MAP_25(M, next, __VA_ARGS__)
#define PEAL_MAP_27(M, last, next, ...) M(26, next) PEAL_MAP_26(M, next, __VA_ARGS__)
#define PEAL_MAP_28(M, last, next, ...) M(27, next) PEAL_MAP_27(M, next, __VA_ARGS__)
#define PEAL_MAP_29(M, last, next, ...) M(28, next) PEAL_MAP_28(M, next, __VA_ARGS__)
#define PEAL_MAP_30(M, last, next, ...) M(29, next) PEAL_MAP_29(M, next, __VA_ARGS__)
#define PEAL_MAP_31(M, last, next, ...) M(30, next) PEAL_MAP_30(M, next, __VA_ARGS__)
#define PEAL_MAP_32(M, last, next, ...) M(31, next) PEAL_MAP_31(M, next, __VA_ARGS__)
#define PEAL_MAP_33(M, last, next, ...) M(32, next) PEAL_MAP_32(M, next, __VA_ARGS__)
#define PEAL_MAP_34(M, last, next, ...) M(33, next) PEAL_MAP_33(M, next, __VA_ARGS__)
#define PEAL_MAP_35(M, last, next, ...) M(34, next) PEAL_MAP_34(M, next, __VA_ARGS__)
#define PEAL_MAP_36(M, last, next, ...) M(35, next) PEAL_MAP_35(M, next, __VA_ARGS__)
#define PEAL_MAP_37(M, last, next, ...) M(36, next) PEAL_MAP_36(M, next, __VA_ARGS__)
#define PEAL_MAP_38(M, last, next, ...) M(37, next) PEAL_MAP_37(M, next, __VA_ARGS__)
#define PEAL_MAP_39(M, last, next, ...) M(38, next) PEAL_MAP_38(M, next, __VA_ARGS__)
#define PEAL_MAP_40(M, last, next, ...) M(39, next) PEAL_MAP_39(M, next, __VA_ARGS__)
#define PEAL_MAP_41(M, last, next, ...) M(40, next) PEAL_MAP_40(M, next, __VA_ARGS__)
#define PEAL_MAP_42(M, last, next, ...) M(41, next) PEAL_MAP_41(M, next, __VA_ARGS__)
#define PEAL_MAP_43(M, last, next, ...) M(42, next) PEAL_MAP_42(M, next, __VA_ARGS__)
#define PEAL_MAP_44(M, last, next, ...) M(43, next) PEAL_MAP_43(M, next, __VA_ARGS__)
#define PEAL_MAP_45(M, last, next, ...) M(44, next) PEAL_MAP_44(M, next, __VA_ARGS__)
#define PEAL_MAP_46(M, last, next, ...) M(45, next) PEAL_MAP_45(M, next, __VA_ARGS__)
#define PEAL_MAP_47(M, last, next, ...) M(46, next) PEAL_MAP_46(M, next, __VA_ARGS__)
#define PEAL_MAP_48(M, last, next, ...) M(47, next) PEAL_MAP_47(M, next, __VA_ARGS__)
#define PEAL_MAP_49(M, last, next, ...) M(48, next) PEAL_MAP_48(M, next, __VA_ARGS__)
#define PEAL_MAP_50(M, last, next, ...) M(49, next) PEAL_MAP_49(M, next, __VA_ARGS__)
#define PEAL_MAP_51(M, last, next, ...) M(50, next) PEAL_MAP_50(M, next, __VA_ARGS__)
#define PEAL_MAP_52(M, last, next, ...) M(51, next) PEAL_MAP_51(M, next, __VA_ARGS__)
#define PEAL_MAP_53(M, last, next, ...) M(52, next) PEAL_MAP_52(M, next, __VA_ARGS__)
#define PEAL_MAP_54(M, last, next, ...) M(53, next) PEAL_MAP_53(M, next, __VA_ARGS__)
#define PEAL_MAP_55(M, last, next, ...) M(54, next) PEAL_MAP_54(M, next, __VA_ARGS__)
#define PEAL_MAP_56(M, last, next, ...) M(55, next) PEAL_MAP_55(M, next, __VA_ARGS__)
#define PEAL_MAP_57(M, last, next, ...) M(56, next) PEAL_MAP_56(M, next, __VA_ARGS__)
#define PEAL_MAP_58(M, last, next, ...) M(57, next) PEAL_MAP_57(M, next, __VA_ARGS__)
#define PEAL_MAP_59(M, last, next, ...) M(58, next) PEAL_MAP_58(M, next, __VA_ARGS__)
#define PEAL_MAP_60(M, last, next, ...) M(59, next) PEAL_MAP_59(M, next, __VA_ARGS__)
#define PEAL_MAP_61(M, last, next, ...) M(60, next) PEAL_MAP_60(M, next, __VA_ARGS__)
#define PEAL_MAP_62(M, last, next, ...) M(61, next) PEAL_MAP_61(M, next, __VA_ARGS__)
#define PEAL_MAP_63(M, last, next, ...) M(62, next) PEAL_MAP_62(M, next, __VA_ARGS__)
#define PEAL_MAP_64(M, last, next, ...) M(63, next) PEAL_MAP_63(M, next, __VA_ARGS__)
#define PEAL_MAP_65(M, last, next, ...) M(64, next) PEAL_MAP_64(M, next, __VA_ARGS__)

PEAL_END_DECLARATIONS

#ifdef __cplusplus
/* The type of a parameter, where the compiler must not deduce it from an argument. */
template <class Type> struct peal_parameter_ {
    typedef Type type;
};

/* Releases a list at the end of the scope, even when a foreign observer throws through it. */
struct peal_hazard_guard_ {
    struct peal_hazard *hazard;
    ~peal_hazard_guard_() { peal_entries_release(hazard); }
};

/* Calls every entry's function through its type, and releases the list. */
template <class... Parameters> inline void peal_call_each_(struct peal_entries entries, Parameters... arguments)
{
    const peal_hazard_guard_ guard = { entries.hazard };
    const struct peal_entry *const end = entries.hazard->end;
    const struct peal_entry *next = entries.next;
    while (const struct peal_entry *entry = peal_entries_next_(&next, end, entries.hazard, PEAL_GATE_RETAINS_))
        reinterpret_cast<void (*)(void *, Parameters...)>(entry->function)(entry->target, arguments...);
}

/* PEAL_BROADCAST in C++. The first parameter only names the function's type. */
template <class Result, class... Parameters>
inline void peal_broadcast_typed_(
    Result (*)(void *, Parameters...), peal_method method, typename peal_parameter_<Parameters>::type... arguments)
{
    const struct peal_entries entries = peal_entries_begin_all(method);
    if (entries.hazard != NULL)
        peal_call_each_<Parameters...>(entries, arguments...);
}
#endif

#endif
