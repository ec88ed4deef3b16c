/* The state that peal keeps for each thread: its hazard slots and its last failure, among others.
 *
 * Not Swift: Swift has no thread-local variables and no compiler-only fence.
 *
 * Observer lists are protected by hazard pointers (Michael, 2004), one for each nested broadcast. A reader stores the
 * list's address in its own hazard slot, and then loads the current list again. It accesses no memory that another
 * reader writes. The expensive half of the ordering is the writer's: see fence.h.
 */
#ifndef CPEAL_THREAD_H
#define CPEAL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CPealSupport/event_count.h"
#include "CPealSupport/fence.h"
#include "CPealSupport/record.h"
#include "CPealSupport/slot.h"
#include "CPealSupport/snapshot.h"

enum {
    PEAL_THREAD_DEPTH = 1024, /* PEAL_DEPTH_LIMIT */
    PEAL_THREAD_OWN_DEPTH = 120, /* the slots in the record; the others are allocated for threads that nest deeper */
    PEAL_THREAD_OWNERS = 16, /* the maximum depth of entered owners */
    PEAL_TAPS = 16, /* the maximum number of open taps */
    PEAL_THREAD_MESSAGE_CAPACITY = 1024
};

struct peal_drain;
struct peal_reserve;
struct peal_tap_ring;
struct peal_count_table;
struct peal_late_event;
struct peal_spare_block;

/* A hazard slot. Typed loops in programs release their lists themselves, so the first part, `peal_hazard`, is public.
 * Its `list` is the hazard: the list's address with marks, or zero if the slot is free. `attention` has PEAL_ATTENTION
 * bits. */
struct peal_hazard_slot {
    struct peal_hazard shown;
    uint64_t deferring; /* with PEAL_ATTENTION_DEFERS: the method whose deferred calls run after the release */
    struct peal_observer_record *_Nullable weak; /* the record whose target is retained for its call */
    const struct peal_entry *_Nullable next; /* for a loop in a program: the entry after the weak one */
    uint64_t method; /* the method of calls without a list, those of a queue; 0: no method is called */
    uint32_t answer; /* enum peal_answer: of the call that runs, or has just returned */
    bool is_reserved; /* the gathering has counted the call already */
    uint64_t gathering; /* the completion that the result of the call is passed to; 0: none */
    const struct peal_sending
        *_Nullable sending; /* of the broadcast whose calls are made; NULL: nothing is known of it */
};

/* The answer of a handler: its result, none, or a later one. */
enum peal_answer { PEAL_ANSWER_GIVEN, PEAL_ANSWER_NONE, PEAL_ANSWER_LATER };

/* Converts between a slot and its public part. Returns NULL for NULL. */
static inline struct peal_hazard *_Nullable peal_hazard_shown(struct peal_hazard_slot *_Nullable hazard)
{
    return (struct peal_hazard *)(void *)hazard;
}
static inline struct peal_hazard_slot *_Nonnull peal_hazard_of_shown(struct peal_hazard *_Nonnull shown)
{
    return (struct peal_hazard_slot *)(void *)shown;
}

/* The kinds of memory that a thread uses again: see spare.h. The values of invocations are not among them, since late
 * readers may read those (invocation.c). */
enum peal_spare_kind {
    PEAL_SPARE_CALLS, /* the smallest. Each of the next kinds is a cache line larger */
    PEAL_SPARE_LARGEST_CALLS = PEAL_SPARE_CALLS + 3,
    PEAL_SPARE_CHANGES,
    PEAL_SPARE_LISTS, /* of one observer */
    PEAL_SPARE_KINDS
};
struct peal_spare_blocks {
    struct peal_spare_block *_Nullable loaded;
    struct peal_spare_block *_Nullable previous;
    uint32_t count; /* of the loaded blocks */
};

/* The part that the engine in Swift changes. It is a record of its own: the thread sanitizer takes a change in place of
 * any member, such as +=, for one of the record's first word, and other threads read the first word of peal_thread. */
struct peal_thread_engine {
    struct peal_drain *_Nullable drains; /* the mailboxes that the thread runs */
    const char *_Nullable requester; /* the text that names the requester of services; NULL: none in particular */
    void *_Nullable first_deferred; /* calls that wait for the end of the enclosing broadcast */
    void *_Nullable last_deferred;
    uint32_t deferred_count; /* calls that were deferred since the list was last drained */
    uint32_t deferred_runs; /* loops that are draining it */
    void *_Nullable stage; /* the failure of the innermost running stage: PealCore's ProxyStage; NULL: none */
    /* The arguments of a failed broadcast, until its error sentence is built. */
    uint64_t failed_method;
    const void *_Nullable failed_arguments;
    size_t failed_count;
    int32_t last_status;
    uint8_t recorded_failure; /* of a recorded call: PealCore's Outcome */
};

struct peal_thread {
    /* One slot for each level of nesting. Slot 0 is that of the fast path, the only one that is occupied without a test
     * of the others. Other threads read these. */
    struct peal_hazard_slot hazards[PEAL_THREAD_OWN_DEPTH];
    struct peal_hazard_slot *_Nullable deeper; /* those of further levels; stored before `reached` */
    uint32_t reached; /* the highest slot that was ever occupied */
    uint32_t locks; /* the number of locks that the thread holds or waits for, and PEAL_LOCKS_LATE: see fork.h */
    uint32_t calm_releases; /* see lock.c */
    uint32_t process; /* the last fork that left the record's thread in the parent, as a number of fork.h */

    /* Rarely used, by this thread only. */
    uint64_t
        owners[PEAL_THREAD_OWNERS]; /* the owners for which it registers, and the depths at which they were entered */
    uint32_t owner_depths[PEAL_THREAD_OWNERS];
    uint32_t owner_count;
    uint32_t batches; /* the number of open property batches */
    void (*_Nullable end_batches)(struct peal_thread *_Nonnull thread);
    void *_Nullable first_in_batch; /* changes that wait for the end of the outermost batch */
    void *_Nullable last_in_batch;
    void *_Nullable spare_values; /* a block for the next invocation; the reclaimer reads it: see invocation.h */
    struct peal_spare_blocks spares[PEAL_SPARE_KINDS];
    struct peal_spare_slots spare_slots[PEAL_SPARES_TABLES]; /* the next thread of this record has them too */
    struct peal_reserve *_Nullable reserve; /* memory for Swift objects: see reserve.h */
    /* For taps: see tap.h. */
    struct {
        uint64_t tap; /* the id of the tap whose ring this is */
        struct peal_tap_ring *_Nullable ring;
    } rings[PEAL_TAPS];
    struct peal_count_table *_Nullable counts;
    struct peal_late_event *_Nullable first_late; /* events that wait until the thread holds no lock */
    struct peal_late_event *_Nullable last_late;
    /* Waits until the thread holds no lock: see announcement.h. */
    void (*_Nullable announce)(uint64_t center);
    uint64_t announced_center; /* 0: several */
    uint32_t tapping; /* the bit of the tap whose function the thread runs, or whose ring it writes; 0: none */
    uint32_t system_id; /* as gettid returns it; other threads read it */
    uint64_t clock_ticks; /* the thread's last reading of the clock: see peal_ticks_clock */
    uint64_t clock_time;
    struct peal_thread_engine engine;
    char message[PEAL_THREAD_MESSAGE_CAPACITY];

    /* The list of all thread records, which are never freed. A finished thread's record is claimed again. */
    uint32_t claimed;
    uint32_t rests; /* see peal_thread_rest */
    struct peal_thread *_Nullable next;
};

extern __thread struct peal_thread *_Nullable peal_thread_own
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Claims a record for the calling thread. Returns NULL when memory is short. */
struct peal_thread *_Nullable peal_thread_claim(void);

/* The calling thread's record, or NULL when memory is short. */
__attribute__((always_inline)) static inline struct peal_thread *_Nullable peal_thread_current(void)
{
    struct peal_thread *own = peal_thread_own;
    return __builtin_expect(own != NULL, 1) ? own : peal_thread_claim();
}

/* The calling thread's record if it has one, else NULL. */
static inline struct peal_thread *_Nullable peal_thread_own_slot(void) { return peal_thread_own; }

static inline struct peal_thread_engine *_Nonnull peal_thread_engine(struct peal_thread *_Nonnull thread)
{
    return &thread->engine;
}
static inline struct peal_thread_engine *_Nullable peal_thread_own_engine(void)
{
    return peal_thread_own != NULL ? &peal_thread_own->engine : NULL;
}

/* Called by a thread of the library before and after it sleeps. It accesses no list, gate or lock in between, so fences
 * need not interrupt it. */
void peal_thread_rest(void);
void peal_thread_resume(void);

/* Returns true if no other thread has a record, or all others rest. Call after a full fence, unless the result is a hint.
 * A thread that claims a record or resumes later sees the stores of this thread before the fence. */
bool peal_thread_is_alone(void);

/* Marks in a hazard. A list that the caller releases itself is marked, so that a second release does not end the
 * enclosing broadcast. A slot that is shut protects no list, and is not free. */
enum {
    PEAL_HAZARD_OF_LIBRARY = 0,
    PEAL_HAZARD_OF_CALLER = 1,
    PEAL_HAZARD_SHUT = 2,
    PEAL_HAZARD_OF_SCOPE = 4, /* no list: an instance of a service (service.h) */
    PEAL_HAZARD_OF_HANDLE = PEAL_HAZARD_OF_SCOPE | PEAL_HAZARD_SHUT, /* no list: the slot of a handle (slot.h) */
    PEAL_HAZARD_MARKS = PEAL_HAZARD_OF_CALLER | PEAL_HAZARD_SHUT | PEAL_HAZARD_OF_SCOPE
};

enum {
    PEAL_ATTENTION_REQUESTED = 1, /* a writer waits for the release of the list */
    PEAL_ATTENTION_DEFERS = 2, /* calls were deferred and must run after the release */
    PEAL_ATTENTION_AWAITED = 4, /* a thread waits on peal_calls_ended for the end of a call of the list */
    PEAL_ATTENTION_SEEN = 8, /* a look at the running calls has found this one: see running.h */
    PEAL_ATTENTION_FAILED = 16, /* a recorded call failed */
    PEAL_ATTENTION_WEAK = 256   /* a weak target must be released; the bit is in a byte of its own */
};

/* Protects the current list of an element by a free slot. This thread stores the hazard, then loads the current list
 * again. A writer publishes a list, passes the writer fence, then loads the hazards. So this thread sees the new list
 * or the writer sees the hazard. The first attempt is not part of the loop: compilers align loops, which would cost the
 * fast path. */
__attribute__((always_inline)) static inline struct peal_snapshot *_Nonnull peal_hazard_publish(
    struct peal_hazard_slot *_Nonnull hazard, const struct peal_directory_element *_Nonnull element, uintptr_t mark)
{
    struct peal_snapshot *snapshot = peal_directory_current(element);
    /* The call that the slot named last has ended. A waiting thread that has loaded the list of that call sees its end here,
     * so this is a release too. */
    __atomic_store_n(&hazard->shown.current, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&hazard->shown.list, (uintptr_t)snapshot | mark, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct peal_snapshot *again = peal_directory_current(element);
    while (__builtin_expect(again != snapshot, 0)) {
        snapshot = again;
        __atomic_store_n(&hazard->shown.list, (uintptr_t)snapshot | mark, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        again = peal_directory_current(element);
    }
    return snapshot;
}

/* Stores an address with its mark in a free slot. The caller then tests if the address is still that of its object. A
 * thread that ends the object makes it stale, passes the writer fence and then loads the hazards. */
static inline void peal_hazard_store(
    struct peal_hazard_slot *_Nonnull hazard, const void *_Nonnull address, uintptr_t mark)
{
    /* The call that the slot named last has ended. */
    __atomic_store_n(&hazard->shown.current, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&hazard->shown.list, (uintptr_t)address | mark, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Protects a method's element, and with it the object of the method and its names, by a free slot. Returns false if the
 * element is that of another method now. The caller must release the slot in either case. */
static inline bool peal_hazard_element(
    struct peal_hazard_slot *_Nonnull hazard, struct peal_directory_element *_Nonnull element, uint64_t id)
{
    peal_hazard_store(hazard, peal_directory_empty_list(element), PEAL_HAZARD_OF_LIBRARY);
    return peal_directory_is_of(element, id);
}

/* Protects the object of a handle by a free slot. Returns false if the id is stale. The caller must release the slot in
 * either case. */
static inline bool peal_hazard_protect_handle(
    struct peal_hazard_slot *_Nonnull hazard, const struct peal_slot *_Nonnull slot, uint64_t id)
{
    peal_hazard_store(hazard, slot, PEAL_HAZARD_OF_HANDLE);
    return peal_slot_is_of(slot, id);
}

/* Returns the hazard slot of a thread's outermost list if it is free. Returns NULL if the slow path is needed. */
static inline struct peal_hazard_slot *_Nullable peal_hazard_outermost(void)
{
    struct peal_thread *thread = peal_thread_own;
    if (__builtin_expect(thread == NULL || thread->hazards[0].shown.list != 0, 0))
        return NULL;
    return &thread->hazards[0];
}
__attribute__((always_inline)) static inline struct peal_snapshot *_Nonnull peal_hazard_protect_fast(
    struct peal_hazard_slot *_Nonnull outermost, const struct peal_directory_element *_Nonnull element, uintptr_t mark)
{
    return peal_hazard_publish(outermost, element, mark);
}

/* The slow path: claims a record for the thread and finds a free slot. Protects nothing and returns NULL when memory is
 * short, or when PEAL_THREAD_DEPTH broadcasts run on the thread already: see peal_thread_is_full. */
struct peal_hazard_slot *_Nullable peal_hazard_protect_slow(
    const struct peal_directory_element *_Nonnull element, uintptr_t mark);

/* Occupies a slot, which may be slot 0, for calls without a list, those of a queue. Returns NULL as
 * peal_hazard_protect_slow does. */
struct peal_hazard_slot *_Nullable peal_hazard_occupy(void);

/* Occupies a slot again right after its release, while the work that its attention word requires is done. */
static inline void peal_hazard_keep(struct peal_hazard_slot *_Nonnull hazard)
{
    __atomic_store_n(&hazard->shown.list, (uintptr_t)PEAL_HAZARD_SHUT, __ATOMIC_RELEASE);
}

/* A loop stores the gate of the observer that it is about to call, then loads that gate. A thread that closes a gate
 * passes the writer fence, then loads the current calls. So the loop sees the closed gate or the other thread sees the
 * call. */
static inline void peal_current_set(const uint32_t *_Nullable *_Nonnull current, const uint32_t *_Nonnull gate)
{
    __atomic_store_n(current, gate, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline const uint32_t *_Nullable *_Nonnull peal_hazard_current(struct peal_hazard_slot *_Nonnull hazard)
{
    return &hazard->shown.current;
}

/* The entry that a loop in a program visits after the call of a weak observer. No list contains it, and its gate is
 * never open. At this entry the loop calls the library, which releases the target and returns the loop to its list.
 * Loops over observers that are not weak pay nothing for that. */
extern const struct peal_entry peal_after_weak __attribute__((visibility("hidden")));

static inline const struct peal_entry *_Nonnull peal_entry_after_weak(void) { return &peal_after_weak; }

/* True once something was known of a broadcast: from then on handlers look for the origins of their calls. */
extern bool peal_sendings_known __attribute__((visibility("hidden")));

/* Stores what is known of the broadcast whose calls are about to be made; NULL afterwards. Only this thread reads it. */
static inline void peal_hazard_set_sending(
    struct peal_hazard_slot *_Nonnull hazard, const struct peal_sending *_Nullable sending)
{
    hazard->sending = sending;
    if (sending != NULL && !__atomic_load_n(&peal_sendings_known, __ATOMIC_RELAXED))
        __atomic_store_n(&peal_sendings_known, true, __ATOMIC_RELAXED);
}

/* The call of an observer. */
struct peal_running_call {
    uint64_t method;
    uint64_t observation;
    const struct peal_sending *_Nullable sending;
    struct peal_hazard_slot *_Nullable hazard;
    struct peal_observer_record *_Nullable observer;
};
/* Reads the innermost call of an observer on the calling thread. Returns false if there is none, or if the innermost
 * function of the program is no method of an observer. */
bool peal_thread_running_call(struct peal_running_call *_Nonnull out_call);
void peal_thread_read_sending_slow(struct peal_call *_Nonnull call);
/* Fills in the origin, the number and the time of the broadcast whose calls the innermost slot of the calling thread
 * makes. They are zero before. */
static inline void peal_thread_read_sending(struct peal_call *_Nonnull call)
{
    if (__builtin_expect(__atomic_load_n(&peal_sendings_known, __ATOMIC_RELAXED), false))
        peal_thread_read_sending_slow(call);
}
/* The monotonic time at which a call was enqueued; 0 if that is not known. */
uint64_t peal_sending_time(const struct peal_sending *_Nonnull sending);

/* Stores the record whose target is retained for its call. Other threads read it. */
static inline void peal_hazard_set_weak(
    struct peal_hazard_slot *_Nonnull hazard, struct peal_observer_record *_Nullable record)
{
    __atomic_store_n(&hazard->weak, record, __ATOMIC_RELEASE);
}
/* Releases the retained target, if there is one. The slot names the record until the release hook has returned, so a
 * thread that waits for the observer's calls also waits for the hook. Afterwards the record may end. */
__attribute__((always_inline)) static inline void peal_hazard_release_weak_inline(
    struct peal_hazard_slot *_Nonnull hazard)
{
    const struct peal_observer_record *record = hazard->weak;
    if (record == NULL)
        return;
    peal_observer_release_target(record);
    peal_hazard_set_weak(hazard, NULL);
}
void peal_hazard_release_weak(struct peal_hazard_slot *_Nonnull hazard);
/* Returns true if the list is that of a typed loop, which the caller releases. */
static inline bool peal_hazard_is_of_caller(const struct peal_hazard_slot *_Nonnull hazard)
{
    return (hazard->shown.list & PEAL_HAZARD_OF_CALLER) != 0;
}
/* The byte of the attention word by which the release of a typed loop's list releases a weak target. Only the loop's
 * thread writes this byte, by plain stores. Other threads set bits of the first byte by atomic operations on the word,
 * which do not lose such a store. All supported processors are little-endian. */
static inline uint8_t *_Nonnull peal_hazard_weak_note(struct peal_hazard_slot *_Nonnull hazard)
{
    return (uint8_t *)(void *)&hazard->shown.attention + 1;
}
/* Sets the bit if the list is that of a typed loop. */
static inline void peal_hazard_note_weak(struct peal_hazard_slot *_Nonnull hazard)
{
    if (peal_hazard_is_of_caller(hazard))
        __atomic_store_n(peal_hazard_weak_note(hazard), PEAL_ATTENTION_WEAK >> 8, __ATOMIC_RELAXED);
}
static inline void peal_hazard_clear_weak_note(struct peal_hazard_slot *_Nonnull hazard)
{
    __atomic_store_n(peal_hazard_weak_note(hazard), 0, __ATOMIC_RELAXED);
}
/* Returns true if the bit was set, and clears it. */
static inline bool peal_hazard_test_and_clear_weak(struct peal_hazard_slot *_Nonnull hazard)
{
    const bool is_noted = __atomic_load_n(peal_hazard_weak_note(hazard), __ATOMIC_RELAXED) != 0;
    if (is_noted)
        peal_hazard_clear_weak_note(hazard);
    return is_noted;
}

/* Sets and clears the bit by which the release of the list reports a failure. */
void peal_hazard_note_failure(struct peal_hazard_slot *_Nonnull hazard);
bool peal_hazard_test_and_clear_failure(struct peal_hazard_slot *_Nonnull hazard);

/* Returns true if a call of the observer runs on the thread. For the calling thread the result is exact. */
bool peal_thread_runs(const struct peal_thread *_Nonnull thread, const uint32_t *_Nonnull gate);
/* Returns true if a call of the observer runs on another thread. Call after a writer fence. */
bool peal_thread_others_run(const struct peal_thread *_Nullable own, const uint32_t *_Nonnull gate);

/* Releases a list. Returns true if its attention word requires work: see peal_hazard_test_and_clear_requested. */
static inline bool peal_hazard_release(struct peal_hazard_slot *_Nonnull hazard)
{
    __atomic_store_n(&hazard->shown.list, (uintptr_t)0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __builtin_expect(__atomic_load_n(&hazard->shown.attention, __ATOMIC_RELAXED) != 0, 0);
}

/* After a release that returned true: returns true if a writer waits for the release, and clears its request, which the
 * caller then answers. */
bool peal_hazard_test_and_clear_requested(struct peal_hazard_slot *_Nonnull hazard);

/* After a release that returned true: returns true if a thread waits for a call of the list that was released. The
 * caller then signals peal_calls_ended. Also clears the bit of a look at the running calls. */
bool peal_hazard_test_and_clear_awaited(struct peal_hazard_slot *_Nonnull hazard);

/* Sets the bit of a look at the running calls, on any thread. Returns true if it was set: see running.h. */
bool peal_hazard_set_seen(struct peal_hazard_slot *_Nonnull hazard);

/* Between these, no list and no record that a thread finds in another thread's slot is freed, if the thread also holds the
 * reclaimer's lock. */
void peal_thread_begin_reading(void);
void peal_thread_end_reading(void);

/* Returns true if a gate is that of a record: of an observer, a timer or the target of a proxy. Other gates belong to
 * entries that only typed loops have. */
bool peal_gate_has_record(const uint32_t *_Nonnull gate);

/* Requests that the deferred calls of a method run when the list is released. */
void peal_hazard_defer(struct peal_hazard_slot *_Nonnull hazard, uint64_t id);
/* After a release that returned true: returns true if there may be such calls, which the caller then runs. */
bool peal_hazard_test_and_clear_deferred(struct peal_hazard_slot *_Nonnull hazard);

/* Returns true if any hazard slot of any thread is occupied, or if a thread reads the lists of other threads' slots.
 * Otherwise no thread reads what was published before the fence, and no call of an observer runs. Call after a writer
 * fence. */
bool peal_thread_any_slot_is_occupied(void);

/* Returns true if a thread protects the snapshot. Call after a writer fence. */
bool peal_thread_any_protects(const struct peal_snapshot *_Nonnull snapshot);

/* Requests the threads that protect the snapshot to collect after their release. Returns true if at least one thread
 * protects it and each of these had an earlier request: one of them collects. Returns false otherwise: a thread may
 * have released the snapshot before the request, so the writer must look again. */
bool peal_thread_request_release(const struct peal_snapshot *_Nonnull snapshot);

/* Requests the threads that run a call of the observer to collect after the release of their list. Returns true as
 * peal_thread_request_release does. */
bool peal_thread_request_runners(const uint32_t *_Nonnull gate);

/* The event count of threads that wait for calls on other threads, or for anything else that keeps the code of an owner
 * in use. The process has one, because a thread that ends a call cannot identify the call's waiters. */
extern struct peal_event_count peal_calls_ended __attribute__((visibility("hidden")));
static inline struct peal_event_count *_Nonnull peal_calls_ended_event_count(void) { return &peal_calls_ended; }

/* Requests the other threads that run a call of the observer to signal peal_calls_ended when it has ended: before they
 * call the next observer of their list, or at the end of the list. Returns true if there are such threads. The caller
 * must keep all lists.
 *
 * The waiter prepares its wait, then requests, passes the writer fence and looks again. A thread whose call it still
 * sees loads the next observer's gate, or its attention word, after the fence. So it sees the request. */
bool peal_thread_await_runners(const struct peal_thread *_Nullable own, const uint32_t *_Nonnull gate);

/* The method that a loop calls. */
static inline uint64_t peal_hazard_method(const struct peal_hazard_slot *_Nonnull hazard)
{
    const struct peal_snapshot *list = (const struct peal_snapshot *)(hazard->shown.list
                                                                      & ~(uintptr_t)PEAL_HAZARD_MARKS);
    return list != NULL ? peal_snapshot_method(list) : hazard->method;
}

static inline const struct peal_snapshot *_Nullable peal_hazard_list(const struct peal_hazard_slot *_Nonnull hazard)
{
    return (const struct peal_snapshot *)(hazard->shown.list & ~(uintptr_t)PEAL_HAZARD_MARKS);
}

/* Returns true if the slot protects a list of the method. */
static inline bool peal_hazard_is_of_method(const struct peal_hazard_slot *_Nonnull hazard, uint64_t id)
{
    const struct peal_snapshot *list = peal_hazard_list(hazard);
    return list != NULL && (hazard->shown.list & PEAL_HAZARD_OF_SCOPE) == 0 && peal_snapshot_method(list) == id;
}

/* The number of occupied slots of the calling thread, which are the first ones; and the slot at an index. */
uint32_t peal_thread_depth(const struct peal_thread *_Nonnull thread);
/* Makes sure that the calling thread can occupy some more slots. Returns false at the limit of depth, or when memory is
 * short. */
bool peal_thread_reserve(struct peal_thread *_Nonnull thread, uint32_t slots);
/* Returns true if the calling thread has no free slot because of the limit of depth, and not of its memory. */
bool peal_thread_is_full(void);
static inline struct peal_hazard_slot *_Nonnull peal_thread_hazard_at(
    struct peal_thread *_Nonnull thread, uint32_t index)
{
    return index < PEAL_THREAD_OWN_DEPTH ? &thread->hazards[index] : &thread->deeper[index - PEAL_THREAD_OWN_DEPTH];
}

/* The thread's innermost slot if its list is one that the caller releases, else NULL. */
struct peal_hazard_slot *_Nullable peal_thread_innermost_of_caller(struct peal_thread *_Nonnull thread);

/* The innermost occupied slot, or NULL. */
struct peal_hazard_slot *_Nullable peal_thread_innermost(struct peal_thread *_Nonnull thread);

static inline uint32_t peal_thread_batches(void) { return peal_thread_own != NULL ? peal_thread_own->batches : 0; }
/* Begins a batch if the calling thread has had one before. */
static inline bool peal_thread_begin_batch_again(void)
{
    struct peal_thread *own = peal_thread_own;
    const bool is_possible = own != NULL && own->end_batches != NULL && own->batches != UINT32_MAX;
    if (__builtin_expect(is_possible, 1))
        own->batches++;
    return is_possible;
}
/* `end` runs if the thread ends with a batch open. */
static inline bool peal_thread_begin_batch(
    struct peal_thread *_Nonnull thread, void (*_Nonnull end)(struct peal_thread *_Nonnull thread))
{
    if (thread->batches == UINT32_MAX)
        return false;
    thread->batches++;
    thread->end_batches = end;
    return true;
}
/* Ends a batch. Returns how many remain open, or -1 if none was open. */
static inline int64_t peal_thread_leave_batch(struct peal_thread *_Nonnull thread)
{
    return thread->batches == 0 ? -1 : (int64_t)--thread->batches;
}
static inline void peal_thread_leave_batches(struct peal_thread *_Nonnull thread) { thread->batches = 0; }

/* Enters and leaves an owner, for which the thread registers in between. */
static inline bool peal_thread_enter_owner(struct peal_thread *_Nonnull thread, uint64_t owner)
{
    if (thread->owner_count == PEAL_THREAD_OWNERS)
        return false;
    thread->owners[thread->owner_count] = owner;
    thread->owner_depths[thread->owner_count++] = peal_thread_depth(thread);
    return true;
}
static inline bool peal_thread_leave_owner(struct peal_thread *_Nonnull thread)
{
    if (thread->owner_count == 0)
        return false;
    thread->owner_count--;
    return true;
}
/* Leaves all owners but the first `count`. */
static inline void peal_thread_leave_owners(struct peal_thread *_Nonnull thread, uint32_t count)
{
    thread->owner_count = count;
}
static inline uint64_t peal_thread_current_owner(struct peal_thread *_Nonnull thread)
{
    const uint32_t count = thread->owner_count;
    const bool is_here = count > 0 && thread->owner_depths[count - 1] == peal_thread_depth(thread);
    return is_here ? thread->owners[count - 1] : 0;
}

/* Returns true if another thread runs the function of a tap, or writes to its ring. Call after a writer fence. */
bool peal_thread_others_tap(uint32_t tap);
/* The first record of the list of all threads, or NULL. */
struct peal_thread *_Nullable peal_thread_first(void);
/* Returns each thread's table of counts, from the table after `previous` on; NULL after the last one. */
struct peal_count_table *_Nullable peal_thread_next_counts(struct peal_thread *_Nullable *_Nonnull previous);

/* Returns true if another thread holds or waits for a lock. Call after a writer fence. */
bool peal_thread_others_lock(void);
/* In the child of a fork: clears the records of all other threads, which do not exist there. */
void peal_thread_forked(void);

static inline char *_Nonnull peal_thread_message(struct peal_thread *_Nonnull thread) { return thread->message; }

/* The message of a thread without a record, for which there was no memory. */
static inline const char *_Nonnull peal_no_message(void) { return "out of memory; nothing was changed"; }

#endif
