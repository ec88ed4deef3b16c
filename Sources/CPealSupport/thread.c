#include "CPealSupport/thread.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CPealSupport/enqueue_thunk.h"
#include "CPealSupport/fork.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/order.h"
#include "CPealSupport/reserve.h"
#include "CPealSupport/ticks.h"

__thread struct peal_thread *peal_thread_own __attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct peal_thread *all_threads;
static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static bool has_exit_key;

static uint32_t gate_after_weak = PEAL_GATE_REMOVED;

static void after_weak(void) {}

const struct peal_entry peal_after_weak = { after_weak, NULL, &gate_after_weak };

static void finish_thread(void *slot)
{
    struct peal_thread *thread = slot;
    if (thread->batches > 0)
        thread->end_batches(thread);
    peal_thread_own = NULL;
    __atomic_store_n(&thread->claimed, 0, __ATOMIC_RELEASE);
}

static void set_up(void)
{
    peal_fence_set_up();
    has_exit_key = pthread_key_create(&exit_key, finish_thread) == 0;
}

static struct peal_thread *claim_finished(void)
{
    struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE);
    for (; thread != NULL; thread = thread->next) {
        uint32_t unclaimed = 0;
        if (__atomic_compare_exchange_n(&thread->claimed, &unclaimed, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return thread;
    }
    return NULL;
}

static struct peal_thread *make_slot(void)
{
    enum { LINE = 64 };
    char *memory = peal_memory_allocate(sizeof(struct peal_thread) + LINE);
    if (memory == NULL)
        return NULL;
    /* The record is aligned here, since peal_memory_allocate aligns for scalars only. It is never freed. */
    memory += (LINE - ((uintptr_t)memory & (LINE - 1))) & (LINE - 1);
    struct peal_thread *thread = (struct peal_thread *)(void *)memory;
    thread->claimed = 1;
    struct peal_thread *first = __atomic_load_n(&all_threads, __ATOMIC_RELAXED);
    do
        thread->next = first;
    while (!__atomic_compare_exchange_n(&all_threads, &first, thread, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return thread;
}

struct peal_thread *peal_thread_claim(void)
{
    pthread_once(&set_up_once, set_up);
    struct peal_thread *thread = claim_finished();
    if (thread == NULL)
        thread = make_slot();
    if (thread == NULL)
        return NULL;
    /* This thread stores its claim, then loads lists and gates. A writer stores these, then loads all claims: see
     * peal_thread_is_alone. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    thread->engine.last_status = 0;
    thread->message[0] = 0;
    __atomic_store_n(&thread->system_id, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
    /* Without the key, or with no memory for it, the record stays with a finished thread: a kilobyte that is not used
     * again. */
    if (has_exit_key)
        (void)pthread_setspecific(exit_key, thread);
    peal_thread_own = thread;
    /* Early, since most threads first call the library while there is memory. If this fails, an operation that needs
     * the reserve tries again. */
    (void)peal_reserve_prepare(0);
    return thread;
}

/* The slots are in two parts. */
static const struct peal_hazard_slot *slot_at(const struct peal_thread *thread, uint32_t index)
{
    return index < PEAL_THREAD_OWN_DEPTH ? &thread->hazards[index] : &thread->deeper[index - PEAL_THREAD_OWN_DEPTH];
}

/* Returns the number of occupied slots of a thread whose first slots are occupied, by bisection. Few threads nest so
 * deep that counting would cost more. */
static uint32_t deep_depth(const struct peal_thread *thread)
{
    uint32_t occupied = PEAL_THREAD_OWN_DEPTH - 1, end = __atomic_load_n(&thread->reached, __ATOMIC_ACQUIRE) + 1;
    while (end - occupied > 1) {
        const uint32_t middle = occupied + (end - occupied) / 2;
        if (slot_at(thread, middle)->shown.list != 0)
            occupied = middle;
        else
            end = middle;
    }
    return end;
}

uint32_t peal_thread_depth(const struct peal_thread *thread)
{
    uint32_t index = 0;
    while (index < PEAL_THREAD_OWN_DEPTH && thread->hazards[index].shown.list != 0)
        index++;
    return index < PEAL_THREAD_OWN_DEPTH ? index : deep_depth(thread);
}

bool peal_thread_is_full(void)
{
    return peal_thread_own != NULL && peal_thread_depth(peal_thread_own) >= PEAL_THREAD_DEPTH;
}

/* Makes sure that a thread has slots for a number of levels. It allocates those of further levels at once, and its
 * record keeps them. Returns false beyond the limit, or when memory is short. */
static bool deepen(struct peal_thread *thread, uint32_t depth)
{
    if (depth <= PEAL_THREAD_OWN_DEPTH)
        return true;
    if (depth > PEAL_THREAD_DEPTH)
        return false;
    if (thread->deeper == NULL)
        thread->deeper = peal_memory_allocate((PEAL_THREAD_DEPTH - PEAL_THREAD_OWN_DEPTH) * sizeof *thread->deeper);
    return thread->deeper != NULL;
}

bool peal_thread_reserve(struct peal_thread *thread, uint32_t slots)
{
    return deepen(thread, peal_thread_depth(thread) + slots);
}

/* The next free slot, or NULL. */
static struct peal_hazard_slot *next_slot(void)
{
    struct peal_thread *thread = peal_thread_current();
    if (thread == NULL)
        return NULL;
    const uint32_t index = peal_thread_depth(thread);
    if (!deepen(thread, index + 1))
        return NULL;
    /* `reached` is stored before the hazard: a writer that sees the hazard's store sees it too. It is stored after
     * `deeper`, which a thread that sees it may read. */
    if (index > thread->reached)
        __atomic_store_n(&thread->reached, index, __ATOMIC_RELEASE);
    return peal_thread_hazard_at(thread, index);
}

struct peal_hazard_slot *peal_hazard_protect_slow(const struct peal_directory_element *element, uintptr_t mark)
{
    struct peal_hazard_slot *hazard = next_slot();
    if (hazard != NULL)
        (void)peal_hazard_publish(hazard, element, mark);
    return hazard;
}

struct peal_hazard_slot *peal_hazard_occupy(void)
{
    struct peal_hazard_slot *hazard = peal_hazard_outermost();
    if (hazard == NULL)
        hazard = next_slot();
    if (hazard != NULL) {
        /* The call that the slot named last has ended. */
        __atomic_store_n(&hazard->shown.current, NULL, __ATOMIC_RELEASE);
        hazard->method = 0;
        __atomic_store_n(&hazard->shown.list, (uintptr_t)PEAL_HAZARD_SHUT, __ATOMIC_RELEASE);
    }
    return hazard;
}

struct peal_hazard_slot *peal_thread_innermost(struct peal_thread *thread)
{
    const uint32_t depth = peal_thread_depth(thread);
    return depth > 0 ? peal_thread_hazard_at(thread, depth - 1) : NULL;
}

struct peal_hazard_slot *peal_thread_innermost_of_caller(struct peal_thread *thread)
{
    struct peal_hazard_slot *innermost = peal_thread_innermost(thread);
    return innermost != NULL && (innermost->shown.list & PEAL_HAZARD_OF_CALLER) != 0 ? innermost : NULL;
}

bool peal_gate_has_record(const uint32_t *gate)
{
    return gate != peal_enqueue_thunk_open_gate() && gate != &gate_after_weak;
}

/* Returns true if a gate is that of a registration, and not of an entry that only typed loops have. */
static bool is_registered(const uint32_t *gate)
{
    return gate != NULL && peal_gate_has_record(gate) && !peal_observer_is_timer(peal_observer_of_gate(gate))
        && peal_observer_of_gate(gate)->tables != NULL;
}

bool peal_thread_running_call(struct peal_running_call *out_call)
{
    struct peal_thread *thread = peal_thread_own;
    for (uint32_t depth = thread != NULL ? peal_thread_depth(thread) : 0; depth > 0; depth--) {
        struct peal_hazard_slot *hazard = peal_thread_hazard_at(thread, depth - 1);
        const uint32_t *gate = hazard->shown.current;
        /* The slots of scopes, and those of lists that are only read, have no call. */
        if ((hazard->shown.list & PEAL_HAZARD_OF_SCOPE) != 0 || gate == NULL)
            continue;
        const uint64_t method = peal_hazard_method(hazard);
        if (method == 0 || !is_registered(gate))
            return false;
        struct peal_observer_record *observer = peal_observer_of_gate(gate);
        *out_call = (struct peal_running_call){ method, observer->id, hazard->sending, hazard, observer };
        return true;
    }
    return false;
}

bool peal_sendings_known;

void peal_thread_read_sending_slow(struct peal_call *call)
{
    const struct peal_hazard_slot *hazard = peal_thread_own != NULL ? peal_thread_innermost(peal_thread_own) : NULL;
    const struct peal_sending *sending = hazard != NULL ? hazard->sending : NULL;

    if (sending == NULL)
        return;
    call->origin = sending->origin;
    call->broadcast = sending->broadcast;
    call->enqueued_at = peal_sending_time(sending);
}

uint64_t peal_sending_time(const struct peal_sending *sending)
{
    return sending->is_in_ticks ? peal_ticks_time(sending->enqueued, peal_ticks_rate()) : sending->enqueued;
}

/* Writers set their bit at any time, so bits are changed atomically. They are loaded first, which costs less. */
static bool has_attention(const struct peal_hazard_slot *hazard, uint32_t bit)
{
    return (__atomic_load_n(&hazard->shown.attention, __ATOMIC_RELAXED) & bit) != 0;
}

static void set_attention(struct peal_hazard_slot *hazard, uint32_t bit)
{
    if (!has_attention(hazard, bit))
        __atomic_fetch_or(&hazard->shown.attention, bit, __ATOMIC_RELAXED);
}

/* Returns true if the bit was set, and clears it. */
static bool test_and_clear_attention(struct peal_hazard_slot *hazard, uint32_t bit)
{
    return has_attention(hazard, bit)
        && (__atomic_fetch_and(&hazard->shown.attention, ~bit, __ATOMIC_ACQ_REL) & bit) != 0;
}

bool peal_hazard_test_and_clear_requested(struct peal_hazard_slot *hazard)
{
    return test_and_clear_attention(hazard, PEAL_ATTENTION_REQUESTED);
}

bool peal_hazard_test_and_clear_awaited(struct peal_hazard_slot *hazard)
{
    (void)test_and_clear_attention(hazard, PEAL_ATTENTION_SEEN);
    return test_and_clear_attention(hazard, PEAL_ATTENTION_AWAITED);
}

bool peal_hazard_set_seen(struct peal_hazard_slot *hazard)
{
    return (__atomic_fetch_or(&hazard->shown.attention, PEAL_ATTENTION_SEEN, __ATOMIC_ACQ_REL) & PEAL_ATTENTION_SEEN)
        != 0;
}

void peal_hazard_defer(struct peal_hazard_slot *hazard, uint64_t id)
{
    hazard->deferring = id;
    set_attention(hazard, PEAL_ATTENTION_DEFERS);
}

void peal_hazard_release_weak(struct peal_hazard_slot *hazard) { peal_hazard_release_weak_inline(hazard); }

void peal_hazard_note_failure(struct peal_hazard_slot *hazard) { set_attention(hazard, PEAL_ATTENTION_FAILED); }

bool peal_hazard_test_and_clear_failure(struct peal_hazard_slot *hazard)
{
    return test_and_clear_attention(hazard, PEAL_ATTENTION_FAILED);
}

bool peal_hazard_test_and_clear_deferred(struct peal_hazard_slot *hazard)
{
    return test_and_clear_attention(hazard, PEAL_ATTENTION_DEFERS);
}

static bool is_active(const struct peal_thread *thread)
{
    return __atomic_load_n(&thread->claimed, __ATOMIC_ACQUIRE) != 0
        && __atomic_load_n(&thread->rests, __ATOMIC_ACQUIRE) == 0;
}

bool peal_thread_is_alone(void)
{
    for (struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); thread != NULL;
        thread = thread->next)
        if (thread != peal_thread_own && is_active(thread))
            return false;
    return true;
}

void peal_thread_rest(void)
{
    struct peal_thread *const own = peal_thread_own;
    if (own != NULL)
        __atomic_store_n(&own->rests, 1, __ATOMIC_RELEASE);
}

void peal_thread_resume(void)
{
    struct peal_thread *const own = peal_thread_own;
    if (own == NULL)
        return;
    __atomic_store_n(&own->rests, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static bool runs_at(const struct peal_hazard_slot *hazard, const uint32_t *gate)
{
    const uintptr_t list = __atomic_load_n(&hazard->shown.list, __ATOMIC_ACQUIRE);
    const uint32_t *current = __atomic_load_n(&hazard->shown.current, __ATOMIC_ACQUIRE);
    /* A loop in a program, whose calls no tap sees, has stored its next call or the end of its list. */
    peal_order_acquire(&hazard->shown.current);
    peal_order_acquire(&hazard->shown.list);
    return (list != 0 && current == gate) || (const uint32_t *)__atomic_load_n(&hazard->weak, __ATOMIC_ACQUIRE) == gate;
}

static bool runs(const struct peal_thread *thread, const uint32_t *gate)
{
    const uint32_t reached = __atomic_load_n(&thread->reached, __ATOMIC_ACQUIRE);
    for (uint32_t index = 0; index <= reached; index++)
        if (runs_at(slot_at(thread, index), gate))
            return true;
    return false;
}

struct hazard_range {
    uint32_t last;
    uint32_t next;
};
/* Visits each slot of each thread that was ever occupied. */
#define FOR_EACH_HAZARD_SLOT(thread, hazard)                                                                  \
    for (struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); thread != NULL;        \
        thread = thread->next)                                                                                \
        for (struct hazard_range range = { __atomic_load_n(&thread->reached, __ATOMIC_ACQUIRE), 0 };          \
            range.next <= range.last; range.next++)                                                           \
            for (struct peal_hazard_slot *hazard = peal_thread_hazard_at(thread, range.next); hazard != NULL; \
                hazard = NULL)

static bool protects_at(const struct peal_hazard_slot *hazard, const struct peal_snapshot *snapshot)
{
    const uintptr_t list = __atomic_load_n(&hazard->shown.list, __ATOMIC_ACQUIRE);
    peal_order_acquire(&hazard->shown.list);
    return (list & ~(uintptr_t)PEAL_HAZARD_MARKS) == (uintptr_t)snapshot;
}

/* Threads that read the lists of other threads' slots. Such a thread has loaded the address of a list, and the slot may
 * have been cleared since. */
static uint32_t awaiters;

void peal_thread_begin_reading(void) { __atomic_fetch_add(&awaiters, 1, __ATOMIC_SEQ_CST); }
void peal_thread_end_reading(void) { __atomic_fetch_sub(&awaiters, 1, __ATOMIC_RELEASE); }

bool peal_thread_any_slot_is_occupied(void)
{
    FOR_EACH_HAZARD_SLOT(thread, hazard) {
        if (__atomic_load_n(&hazard->shown.list, __ATOMIC_ACQUIRE) != 0
            || __atomic_load_n(&hazard->weak, __ATOMIC_ACQUIRE) != NULL)
            return true;
    }
    if (__atomic_load_n(&awaiters, __ATOMIC_SEQ_CST) != 0)
        return true;
    if (peal_order_needs_reports()) {
        FOR_EACH_HAZARD_SLOT(thread, hazard) {
            peal_order_acquire_slow(&hazard->shown.current);
            peal_order_acquire_slow(&hazard->shown.list);
        }
    }
    return false;
}

bool peal_thread_any_protects(const struct peal_snapshot *snapshot)
{
    FOR_EACH_HAZARD_SLOT(thread, hazard)
        if (protects_at(hazard, snapshot))
            return true;
    return false;
}

/* The result of a writer's requests to the threads. */
struct requests {
    bool any;
    bool all_before;
};

static void request(struct peal_hazard_slot *hazard, struct requests *requests)
{
    const uint32_t before = __atomic_fetch_or(&hazard->shown.attention, PEAL_ATTENTION_REQUESTED, __ATOMIC_RELAXED);
    requests->any = true;
    requests->all_before &= (before & PEAL_ATTENTION_REQUESTED) != 0;
}

bool peal_thread_request_release(const struct peal_snapshot *snapshot)
{
    struct requests requests = { false, true };
    FOR_EACH_HAZARD_SLOT(thread, hazard)
        if (protects_at(hazard, snapshot))
            request(hazard, &requests);
    return requests.any && requests.all_before;
}

bool peal_thread_request_runners(const uint32_t *gate)
{
    struct requests requests = { false, true };
    FOR_EACH_HAZARD_SLOT(thread, hazard)
        if (runs_at(hazard, gate))
            request(hazard, &requests);
    return requests.any && requests.all_before;
}

struct peal_event_count peal_calls_ended;

void peal_entries_mark_awaited(const struct peal_entry *entries, size_t count, const uint32_t *current)
{
    size_t index = 0;
    while (index < count && entries[index].gate != current)
        index++;
    const size_t first = index < count ? index + 1 : 0;
    const size_t end = index + 1 < count ? index + 2 : count;
    for (size_t next = first; next < end; next++)
        __atomic_fetch_or((uint32_t *)(uintptr_t)entries[next].gate, PEAL_GATE_AWAITED, __ATOMIC_ACQ_REL);
}

/* Marks the gate of the next observer, if the slot protects a list. */
static void mark_next(const struct peal_hazard_slot *hazard, const uint32_t *gate)
{
    const uintptr_t word = __atomic_load_n(&hazard->shown.list, __ATOMIC_ACQUIRE);
    const uintptr_t address = word & ~(uintptr_t)PEAL_HAZARD_MARKS;
    if (address == 0 || (word & PEAL_HAZARD_OF_SCOPE) != 0)
        return;
    const struct peal_snapshot *list = (const struct peal_snapshot *)address;
    peal_entries_mark_awaited(peal_snapshot_entries(list), peal_snapshot_count(list), gate);
}

bool peal_thread_await_runners(const struct peal_thread *own, const uint32_t *gate)
{
    bool any = false;
    peal_thread_begin_reading();
    FOR_EACH_HAZARD_SLOT(thread, hazard)
        if (thread != own && runs_at(hazard, gate)) {
            __atomic_fetch_or(&hazard->shown.attention, PEAL_ATTENTION_AWAITED, __ATOMIC_ACQ_REL);
            mark_next(hazard, gate);
            any = true;
        }
    peal_thread_end_reading();
    return any;
}

bool peal_thread_runs(const struct peal_thread *thread, const uint32_t *gate) { return runs(thread, gate); }

bool peal_thread_others_run(const struct peal_thread *own, const uint32_t *gate)
{
    for (struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); thread != NULL;
        thread = thread->next)
        if (thread != own && runs(thread, gate))
            return true;
    return false;
}

bool peal_thread_others_tap(uint32_t tap)
{
    for (struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); thread != NULL;
        thread = thread->next)
        if (thread != peal_thread_own && __atomic_load_n(&thread->tapping, __ATOMIC_ACQUIRE) == tap)
            return true;
    return false;
}

struct peal_thread *peal_thread_first(void) { return __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); }

struct peal_count_table *peal_thread_next_counts(struct peal_thread **previous)
{
    struct peal_thread *thread = *previous == NULL ? __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE)
                                                   : (*previous)->next;
    for (; thread != NULL; thread = thread->next) {
        *previous = thread;
        struct peal_count_table *counts = __atomic_load_n(&thread->counts, __ATOMIC_ACQUIRE);
        if (counts != NULL)
            return counts;
    }
    return NULL;
}

/* ---- fork(2) ----------------------------------------------------------------------------------- */

bool peal_thread_others_lock(void)
{
    for (struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); thread != NULL;
        thread = thread->next)
        if (thread != peal_thread_own && __atomic_load_n(&thread->locks, __ATOMIC_ACQUIRE) != 0)
            return true;
    return false;
}

/* Clears the slots, locks and pending work of a thread that does not exist in this process. Its last call does not
 * return here. */
static void clear(struct peal_thread *thread)
{
    for (uint32_t index = 0; index <= thread->reached; index++) {
        struct peal_hazard_slot *hazard = peal_thread_hazard_at(thread, index);
        hazard->shown.list = 0;
        hazard->shown.current = NULL;
        hazard->weak = NULL;
        hazard->shown.attention = 0;
    }
    thread->locks = 0;
    memset(&thread->engine, 0, sizeof thread->engine);
    thread->owner_count = 0;
    thread->batches = 0;
    thread->first_in_batch = NULL;
    thread->last_in_batch = NULL;
    /* The thread may have been changing them. The spare values are one word. */
    memset(thread->spares, 0, sizeof thread->spares);
    memset(thread->spare_slots, 0, sizeof thread->spare_slots);
    thread->tapping = 0;
    thread->first_late = NULL;
    thread->last_late = NULL;
    thread->announce = NULL;
    thread->rests = 0;
    thread->process = peal_fork_generation();
    thread->claimed = 0;
}

void peal_thread_forked(void)
{
    for (struct peal_thread *thread = all_threads; thread != NULL; thread = thread->next)
        if (thread != peal_thread_own)
            clear(thread);
        else
            thread->system_id = (uint32_t)syscall(SYS_gettid);
    peal_fence_forked();
}
