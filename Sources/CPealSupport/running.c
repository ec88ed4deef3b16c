#include "CPealSupport/running.h"

#include <string.h>

#include "CPealSupport/clock.h"
#include "CPealSupport/mailbox.h"
#include "CPealSupport/record.h"
#include "CPealSupport/sanitizer.h"
#include "CPealSupport/thread.h"

/* A call, and the words of its hazard slot by which a later look recognizes it. */
struct found {
    struct peal_hazard_slot *hazard;
    uintptr_t list;
    bool was_seen; /* by the look before, in the same use of the slot */
    struct peal_seen_call call;
};

uint32_t peal_running_lookers;

void peal_running_wait_for_lookers(void)
{
    /* A look takes some microseconds. */
    while (__atomic_load_n(&peal_running_lookers, __ATOMIC_ACQUIRE) != 0)
        peal_back_off();
}

/* Guarded by the reclaimer's lock. */
static struct found known[PEAL_SEEN_CALLS];
static struct found looked[PEAL_SEEN_CALLS];
static uint32_t known_count;
static struct peal_seen_call calls[PEAL_SEEN_CALLS];

/* Only the calling thread writes the method of a call without a list, before it stores the current call. The thread sanitizer
 * must not report that it does so while this is read: a slot that is used anew meanwhile is dropped. */
PEAL_NOT_INSTRUMENTED("thread") static uint64_t method_without_list(const struct peal_hazard_slot *hazard)
{
    return hazard->method;
}

/* A timer has another member in the place of its tables. */
static uint8_t kind_of(const struct peal_observer_record *record)
{
    if (peal_observer_is_timer(record))
        return PEAL_SEEN_TIMER;
    return record->tables != NULL ? PEAL_SEEN_OBSERVER : PEAL_SEEN_PROXY;
}

/* Reads the record of a gate, and the method of its list. The list of a proxy's target is not read: it ends with the proxy. */
static void fill(struct peal_seen_call *call, const uint32_t *gate, const struct peal_snapshot *list, uint64_t method)
{
    struct peal_observer_record *record = peal_observer_of_gate(gate);
    const struct peal_observer_delivery *delivery = peal_observer_delivery_of(record);

    call->gate = gate;
    call->kind = kind_of(record);
    if (call->kind == PEAL_SEEN_OBSERVER)
        call->method = list != NULL ? peal_snapshot_method(list) : method;
    call->id = record->id;
    call->queue = delivery != NULL && delivery->mailbox != NULL ? delivery->mailbox->id : 0;
}

/* Reads a slot that was marked as seen. Returns false if it has no call. Without a list, only the calls of queues and timers
 * have a method. The gate of any other is that of no record: of a service or a step of a module. */
static bool read_slot(struct found *found)
{
    const struct peal_hazard_slot *hazard = found->hazard;
    const uintptr_t list = __atomic_load_n(&hazard->shown.list, __ATOMIC_ACQUIRE);
    const uint32_t *gate = __atomic_load_n(&hazard->shown.current, __ATOMIC_ACQUIRE);
    const struct peal_snapshot *snapshot = (const struct peal_snapshot *)(list & ~(uintptr_t)PEAL_HAZARD_MARKS);

    if (list == 0 || (list & PEAL_HAZARD_OF_SCOPE) != 0 || gate == NULL || !peal_gate_has_record(gate))
        return false;
    const uint64_t method = snapshot == NULL ? method_without_list(hazard) : 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    /* Still the same use of the slot: its release clears the bit. */
    if ((snapshot == NULL && method == 0)
        || (__atomic_load_n(&hazard->shown.attention, __ATOMIC_ACQUIRE) & PEAL_ATTENTION_SEEN) == 0)
        return false;
    found->list = list;
    fill(&found->call, gate, snapshot, method);
    return true;
}

/* Marks the occupied slots of a thread as seen. */
static uint32_t mark_slots(struct peal_thread *thread, uint32_t count)
{
    const uint32_t reached = __atomic_load_n(&thread->reached, __ATOMIC_ACQUIRE);

    for (uint32_t index = 0; index <= reached && count < PEAL_SEEN_CALLS; index++) {
        struct peal_hazard_slot *const hazard = peal_thread_hazard_at(thread, index);
        const uintptr_t list = __atomic_load_n(&hazard->shown.list, __ATOMIC_ACQUIRE);
        if (list == 0 || (list & PEAL_HAZARD_OF_SCOPE) != 0
            || __atomic_load_n(&hazard->shown.current, __ATOMIC_ACQUIRE) == NULL)
            continue;
        looked[count] = (struct found){ .hazard = hazard };
        looked[count].call.thread = __atomic_load_n(&thread->system_id, __ATOMIC_RELAXED);
        looked[count].call.is_own = thread == peal_thread_own_slot();
        looked[count].was_seen = peal_hazard_set_seen(hazard);
        count++;
    }
    return count;
}

/* Returns the time of an earlier look that found the call, or `now`. */
static uint64_t first_seen(const struct found *found, uint64_t now)
{
    for (uint32_t i = 0; found->was_seen && i < known_count; i++)
        if (known[i].hazard == found->hazard && known[i].list == found->list && known[i].call.gate == found->call.gate)
            return known[i].call.seen;
    return now;
}

/* Keeps the slots that have calls, in the place of all. Those of a thread are in the order of nesting. */
static uint32_t read_slots(uint32_t count, uint64_t now)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct found *const found = &looked[i];
        if (!read_slot(found))
            continue;
        found->call.seen = first_seen(found, now);
        found->call.age = now > found->call.seen ? now - found->call.seen : 0;
        found->call.depth = kept > 0 && calls[kept - 1].thread == found->call.thread ? calls[kept - 1].depth + 1 : 0;
        calls[kept] = found->call;
        looked[kept++] = *found;
    }
    memcpy(known, looked, kept * sizeof *known);
    known_count = kept;
    return kept;
}

uint32_t peal_running_look(const struct peal_seen_call **out_calls)
{
    const uint64_t now = peal_clock_now();
    uint32_t count = 0;

    peal_thread_begin_reading();
    __atomic_fetch_add(&peal_running_lookers, 1, __ATOMIC_SEQ_CST);
    for (struct peal_thread *thread = peal_thread_first(); thread != NULL; thread = thread->next)
        count = mark_slots(thread, count);
    /* A thread that releases a slot clears it and then loads the attention word, and a thread that frees a record then loads
     * the number of looking threads. After the fence this thread sees the cleared slot, or that thread has seen the bit or
     * the number. */
    peal_thread_writer_fence();
    count = read_slots(count, now);
    __atomic_fetch_sub(&peal_running_lookers, 1, __ATOMIC_RELEASE);
    peal_thread_end_reading();
    *out_calls = calls;
    return count;
}
