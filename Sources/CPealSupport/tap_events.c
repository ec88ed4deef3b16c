#include "CPealSupport/tap.h"

#include <string.h>

#include "CPealSupport/event_count.h"
#include "CPealSupport/fork.h"
#include "CPealSupport/mailbox.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/order.h"
#include "CPealSupport/record.h"
#include "CPealSupport/ticks.h"
#include "CPealSupport/tap_counts.h"
#include "CPealSupport/tap_slot.h"

/* Makes the thread's ring for a tap. Returns NULL if memory is refused: the record is then lost. */
__attribute__((noinline)) static struct peal_tap_ring *make_ring(struct peal_tap_slot *tap, struct peal_thread *thread)
{
    const unsigned index = (unsigned)(tap - peal_tap_slots);
    struct peal_tap_ring *ring = peal_tap_ring_make(tap->capacity);
    if (ring == NULL) {
        __atomic_fetch_add(&tap->lost, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    thread->rings[index].tap = tap->id;
    thread->rings[index].ring = ring;
    peal_lock_acquire(&tap->lock);
    ring->next = tap->rings;
    tap->rings = ring;
    peal_lock_release(&tap->lock);
    return ring;
}

__attribute__((always_inline)) static inline void write_to_ring(
    struct peal_tap_slot *tap, struct peal_thread *thread, const struct peal_tap_record *record)
{
    const unsigned index = (unsigned)(tap - peal_tap_slots);
    struct peal_tap_ring *ring = thread->rings[index].ring;
    if (__builtin_expect(thread->rings[index].tap != tap->id, 0)) {
        ring = make_ring(tap, thread);
        if (ring == NULL)
            return;
    }
    peal_tap_ring_write(ring, record);
}

__attribute__((noinline)) static void pass_to_function(const struct peal_tap_slot *tap, struct peal_thread *thread,
    const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    struct peal_tap_record converted = *record;
    const double rate = peal_ticks_rate();
    /* The event was just now, so an error of the rate does not matter. */
    const uint64_t passed = peal_ticks_now() - record->time;
    peal_order_see_published();
    converted.time = peal_clock_now() - peal_ticks_duration(passed, rate);
    converted.duration = peal_ticks_duration(record->duration, rate);
    if (record->event != PEAL_TAP_FAILED) {
        tap->function(tap->context, &converted, arguments, result);
        return;
    }
    /* The program reads the failure after the function, which may fail itself. */
    char message[PEAL_THREAD_MESSAGE_CAPACITY];
    const int32_t status = thread->engine.last_status;
    memcpy(message, thread->message, sizeof message);
    tap->function(tap->context, &converted, arguments, result);
    memcpy(thread->message, message, sizeof message);
    thread->engine.last_status = status;
}

/* An event for functions, of a thread that holds a lock. */
struct peal_late_event {
    struct peal_late_event *next;
    uint32_t bits;
    struct peal_tap_record record;
};

/* Keeps an event until the thread holds no lock. If memory is refused, the event is lost. */
__attribute__((noinline)) static void report_later(
    struct peal_thread *thread, uint32_t bits, const struct peal_tap_record *record)
{
    struct peal_late_event *event = peal_memory_allocate(sizeof *event);
    if (event == NULL)
        return;
    *event = (struct peal_late_event){ NULL, bits, *record };
    if (thread->first_late == NULL)
        thread->first_late = event;
    else
        thread->last_late->next = event;
    thread->last_late = event;
    /* A lock that is not noted in the record takes the slow path without the bit. */
    if (thread->locks != 0)
        __atomic_store_n(&thread->locks, thread->locks | PEAL_LOCKS_LATE, __ATOMIC_RELAXED);
}

__attribute__((always_inline)) static inline void report_to(struct peal_tap_slot *tap, struct peal_thread *thread,
    const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    __atomic_store_n(&thread->tapping, 1U << (tap - peal_tap_slots), __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if ((__atomic_load_n(&tap->events, __ATOMIC_ACQUIRE) & record->event) != 0
        && (record->broadcast == 0 || record->broadcast >= tap->first)) {
        if (tap->function == NULL)
            write_to_ring(tap, thread, record);
        else if (record->broadcast != 0 || !peal_fork_holds_locks())
            pass_to_function(tap, thread, record, arguments, result);
        /* Otherwise the slot was that of another tap when the event began. */
    }
    peal_order_end();
    __atomic_store_n(&thread->tapping, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Called after an event while a tap is being closed. */
__attribute__((noinline)) static void leave(struct peal_thread *thread, const struct peal_tap_record *record)
{
    peal_event_count_signal(&peal_calls_ended);
    /* The destroy callback of a tap must run without locks. */
    if (peal_fork_holds_locks())
        report_later(thread, 0, record);
    else
        peal_taps_finish_owed();
}

/* Reports an event to the taps of `bits` that want it. */
static void report(uint32_t bits, struct peal_tap_record *record, void *const *arguments, const void *result)
{
    struct peal_thread *thread = peal_thread_current();
    if (__builtin_expect(thread == NULL || thread->tapping != 0, 0))
        return;
    record->thread = thread->system_id;
    for (; bits != 0; bits &= bits - 1)
        report_to(&peal_tap_slots[__builtin_ctz(bits)], thread, record, arguments, result);
    if (__builtin_expect(__atomic_load_n(&peal_taps_closing, __ATOMIC_RELAXED) != 0, 0))
        leave(thread, record);
}

void peal_taps_report_late(struct peal_thread *thread)
{
    while (thread->first_late != NULL) {
        struct peal_late_event *event = thread->first_late;
        thread->first_late = event->next;
        report(event->bits, &event->record, NULL, NULL);
        peal_memory_free(event);
    }
}

/* Numbers of broadcasts. A thread takes many at once, since a count that all threads change would cost each broadcast
 * the time of a cache line. It takes new ones after a tap was opened, so the tap's first number is below them. */
enum { BLOCK = 1024 };
static uint64_t last_broadcast;
static __thread struct {
    uint64_t next;
    uint64_t end;
    uint64_t opened;
} numbers __attribute__((tls_model("initial-exec")));

uint64_t peal_tap_first_broadcast(void) { return __atomic_add_fetch(&last_broadcast, 1, __ATOMIC_ACQ_REL); }

uint64_t peal_broadcast_number(void)
{
    const uint64_t opened = __atomic_load_n(&peal_taps_opened, __ATOMIC_ACQUIRE);
    if (__builtin_expect(numbers.next == numbers.end || numbers.opened != opened, 0)) {
        numbers.next = __atomic_fetch_add(&last_broadcast, BLOCK, __ATOMIC_ACQ_REL) + 1;
        numbers.end = numbers.next + BLOCK;
        numbers.opened = opened;
    }
    return numbers.next++;
}

/* The taps that see a method now. The caller protects the method's list, or a call of it. */
static uint32_t taps_of_method(uint64_t method)
{
    const struct peal_directory_element *element = peal_directory_find(method);
    if (element == NULL)
        return 0;
    const uint32_t bits = peal_directory_taps(element);
    return peal_directory_is_of(element, method) ? bits : 0;
}

/* A tap's function takes time of its own, so the time is read again after it. */
static void take_time(struct peal_tapped *tapped)
{
    if (tapped->is_slow)
        tapped->last = peal_ticks_now();
}

/* Reports an event of a broadcast that `write_at_once` cannot write. */
__attribute__((noinline)) static void write_slowly(struct peal_tapped *tapped, uint32_t event, uint64_t object,
    uint64_t duration, uint32_t count, int32_t status, const void *result)
{
    struct peal_tap_record record = { .event = event,
        .time = tapped->last,
        .broadcast = tapped->broadcast,
        .method = tapped->method,
        .object = object,
        .queue = tapped->queue,
        .duration = duration,
        .count = count,
        .status = status };
    report(tapped->taps, &record, tapped->arguments, result);
    take_time(tapped);
}

__attribute__((noinline)) static void leave_after(struct peal_thread *thread, uint32_t event)
{
    leave(thread, &(struct peal_tap_record){ .event = event });
}

/* Writes an event of a broadcast to the ring of the only tap that sees it. The members go to the ring at once: a record
 * that is made elsewhere and copied by wider loads would wait for its stores. Returns false if `write_slowly` is needed. */
__attribute__((always_inline)) static inline bool write_at_once(const struct peal_tapped *tapped, uint32_t event,
    uint64_t object, uint64_t duration, uint32_t count, int32_t status)
{
    struct peal_tap_ring *ring = tapped->ring;
    struct peal_thread *thread = tapped->thread;
    const struct peal_tap_slot *tap = tapped->tap;
    if (__builtin_expect(ring == NULL || thread->tapping != 0, 0))
        return false;
    __atomic_store_n(&thread->tapping, tapped->taps, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* The ring lasts until the thread clears the bit, unless the tap was closed before. The slot then has no events, or
     * another id. */
    const bool can_write = __atomic_load_n(&tap->events, __ATOMIC_ACQUIRE) != 0 && tap->id == tapped->tap_id
                        && tapped->broadcast >= tap->first && peal_tap_ring_has_room(ring);
    if (__builtin_expect(can_write, 1)) {
        struct peal_tap_record *record = peal_tap_ring_next(ring);
        record->event = event;
        record->thread = thread->system_id;
        record->time = tapped->last;
        record->broadcast = tapped->broadcast;
        record->method = tapped->method;
        record->object = object;
        record->queue = tapped->queue;
        record->duration = duration;
        record->count = count;
        record->status = status;
        peal_tap_ring_publish(ring);
    }
    __atomic_store_n(&thread->tapping, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* A thread that began to close the tap meanwhile waits for a signal. */
    if (__builtin_expect(__atomic_load_n(&peal_taps_closing, __ATOMIC_RELAXED) != 0, 0))
        leave_after(thread, event);
    return can_write;
}

static struct peal_tap_record record_of(const struct peal_tapped *tapped, uint32_t event)
{
    return (struct peal_tap_record){ .event = event,
        .time = tapped->last,
        .broadcast = tapped->broadcast,
        .method = tapped->method,
        .queue = tapped->queue };
}

/* The events that taps want. A tap that is closed later gets no records, and one that is opened later does not see the
 * broadcast. */
static uint32_t events_of(uint32_t bits)
{
    uint32_t events = 0;
    for (; bits != 0; bits &= bits - 1)
        events |= __atomic_load_n(&peal_tap_slots[__builtin_ctz(bits)].events, __ATOMIC_RELAXED);
    return events;
}

/* Fills all members but those of a call on a queue and `broadcast`, which the caller has set to zero. */
__attribute__((always_inline)) static inline void begin(
    struct peal_tapped *tapped, uint64_t method, void *const *arguments)
{
    struct peal_thread *thread = peal_thread_current();
    const uint32_t bits = thread != NULL && thread->tapping == 0 ? taps_of_method(method) : 0;
    tapped->taps = bits;
    tapped->wanted = 0;
    tapped->is_slow = false;
    tapped->ring = NULL;
    if (bits == 0)
        return;
    tapped->thread = thread;
    tapped->method = method;
    tapped->arguments = arguments;
    tapped->is_slow = (bits & __atomic_load_n(&peal_taps_with_functions, __ATOMIC_RELAXED)) != 0;
    if ((bits & (bits - 1)) != 0 || tapped->is_slow) {
        tapped->wanted = events_of(bits);
    } else {
        const unsigned index = (unsigned)__builtin_ctz(bits);
        tapped->tap = &peal_tap_slots[index];
        tapped->wanted = __atomic_load_n(&tapped->tap->events, __ATOMIC_RELAXED);
        tapped->tap_id = thread->rings[index].tap;
        tapped->ring = thread->rings[index].ring;
    }
    tapped->began = tapped->last = peal_ticks_now();
}

__attribute__((always_inline)) static inline void report_begin(struct peal_tapped *tapped, uint64_t number)
{
    tapped->broadcast = number;
    if ((tapped->wanted & PEAL_TAP_BROADCAST_BEGIN) != 0
        && !write_at_once(tapped, PEAL_TAP_BROADCAST_BEGIN, 0, 0, 0, 0))
        write_slowly(tapped, PEAL_TAP_BROADCAST_BEGIN, 0, 0, 0, 0, NULL);
}

void peal_tapped_begin(struct peal_tapped *tapped, uint64_t method, void *const *arguments)
{
    /* The number first, then the taps: a tap that was opened later has a greater first number. */
    const uint64_t number = peal_broadcast_number();
    begin(tapped, method, arguments);
    if (tapped->taps != 0)
        report_begin(tapped, number);
}

bool peal_tapped_begin_without_arguments(struct peal_tapped *tapped, uint64_t method)
{
    const uint64_t number = peal_broadcast_number();
    begin(tapped, method, NULL);
    if (tapped->is_slow)
        return false;
    if (tapped->taps != 0)
        report_begin(tapped, number);
    return true;
}

void peal_tapped_begin_on_queue(struct peal_tapped *tapped, const struct peal_group *group,
    const struct peal_sending *sending, void *const *arguments)
{
    begin(tapped, group->method, arguments);
    tapped->broadcast = sending->broadcast;
    tapped->enqueued = sending->enqueued;
    tapped->queue = group->mailbox->id;
}

/* The statuses of PealCore's outcomes, in their order. */
static int32_t status_of(uint8_t outcome)
{
    static const int8_t statuses[] = { PEAL_OK, PEAL_DEFERRED, PEAL_TRUNCATED, PEAL_REJECTED, PEAL_ERROR_HANDLE,
        PEAL_ERROR_ARGUMENT_COUNT, PEAL_ERROR_ARGUMENT, PEAL_ERROR_POLICY, PEAL_ERROR_POLICY, PEAL_ERROR_ARGUMENT,
        PEAL_ERROR_ARGUMENT, PEAL_ERROR_DEPTH, PEAL_ERROR_RECURSION, PEAL_ERROR_LIMIT, PEAL_ERROR_MEMORY,
        PEAL_ERROR_STATE, PEAL_ERROR_HANDLE, PEAL_ERROR_STATE, PEAL_ERROR_STATE, PEAL_ERROR_MEMORY };
    return outcome < sizeof statuses ? statuses[outcome] : (int32_t)PEAL_ERROR_STATE;
}

void peal_tapped_end(struct peal_tapped *tapped, size_t calls, uint8_t outcome, const void *result)
{
    if ((tapped->wanted & PEAL_TAP_BROADCAST_END) == 0)
        return;
    const uint64_t duration = tapped->last - tapped->began;
    const int32_t status = status_of(outcome);
    if (!write_at_once(tapped, PEAL_TAP_BROADCAST_END, 0, duration, (uint32_t)calls, status))
        write_slowly(tapped, PEAL_TAP_BROADCAST_END, 0, duration, (uint32_t)calls, status, result);
}

/* The registration of a gate: a service's instance has that of its placeholder. */
static uint64_t observation_of(const uint32_t *gate)
{
    const struct peal_observer_record *observer = peal_observer_of_gate(gate);
    const struct peal_observer_rare_extras *extras = peal_observer_rare_extras_of(observer);
    return extras != NULL && extras->lazy != NULL ? extras->lazy->id : observer->id;
}

void peal_tapped_begin_call(struct peal_tapped *tapped, const uint32_t *gate)
{
    if ((tapped->wanted & PEAL_TAP_CALL_BEGIN) == 0)
        return;
    const uint64_t object = observation_of(gate);
    const uint64_t waited = tapped->queue != 0 ? tapped->last - tapped->enqueued : 0;
    if (!write_at_once(tapped, PEAL_TAP_CALL_BEGIN, object, waited, 0, 0))
        write_slowly(tapped, PEAL_TAP_CALL_BEGIN, object, waited, 0, 0, NULL);
}

void peal_tapped_end_call(struct peal_tapped *tapped, const uint32_t *gate, const void *result)
{
    if (tapped->taps == 0)
        return;
    const uint64_t began = tapped->last;
    tapped->last = peal_ticks_now();
    const uint64_t object = observation_of(gate);
    const uint64_t duration = tapped->last - began;
    if ((tapped->taps & __atomic_load_n(&peal_taps_counting, __ATOMIC_RELAXED)) != 0) {
        struct peal_thread *thread = peal_thread_own;
        const bool is_queued = tapped->queue != 0;
        const uint64_t waited = is_queued ? began - tapped->enqueued : 0;
        peal_counts_add(thread, tapped->method, began, duration, is_queued, waited);
        peal_counts_add(thread, object, began, duration, is_queued, waited);
    }
    if ((tapped->wanted & PEAL_TAP_CALL_END) != 0 && !write_at_once(tapped, PEAL_TAP_CALL_END, object, duration, 0, 0))
        write_slowly(tapped, PEAL_TAP_CALL_END, object, duration, 0, 0, result);
}

void peal_tapped_prepare(struct peal_tapped *tapped, struct peal_sending *sending)
{
    tapped->last = peal_ticks_now();
    sending->broadcast = tapped->broadcast;
    sending->enqueued = tapped->last;
    sending->is_in_ticks = true;
}

void peal_tapped_enqueued(struct peal_tapped *tapped, uint64_t queue, uint32_t count)
{
    /* A full queue may have made the thread wait. */
    tapped->last = peal_ticks_now();
    struct peal_tap_record record = record_of(tapped, PEAL_TAP_ENQUEUED);
    record.queue = record.object = queue;
    record.count = count;
    report(tapped->taps, &record, tapped->arguments, NULL);
    take_time(tapped);
}

void peal_tap_dropped(const struct peal_item *item, const struct peal_sending *sending)
{
    struct peal_tapped tapped = { 0 };
    peal_tapped_begin_on_queue(&tapped, item->group, sending, NULL);
    struct peal_tap_record record = record_of(&tapped, PEAL_TAP_DROPPED);
    record.object = tapped.queue;
    record.count = item->count;
    report(tapped.taps, &record, NULL, NULL);
}

void peal_tap_note_slow(uint32_t event, uint64_t object, uint64_t duration, int32_t status)
{
    struct peal_tap_record record = { .event = event, .time = peal_ticks_now(), .object = object, .status = status };
    if (duration != 0)
        record.duration = (uint64_t)((double)duration / peal_ticks_rate());
    report(__atomic_load_n(&peal_taps_open_bits, __ATOMIC_ACQUIRE), &record, NULL, NULL);
}

void peal_tap_note_object_slow(uint64_t id, bool is_created)
{
    /* Methods belong to protocols, and invocations and instances of services are too many. */
    enum {
        IGNORED = 1 << PEAL_HANDLE_TAP | 1 << PEAL_HANDLE_METHOD | 1 << PEAL_HANDLE_INVOCATION | 1 << PEAL_HANDLE_USE
    };
    const enum peal_handle_kind kind = peal_handle_kind(id);
    if (is_created)
        peal_order_publish();
    struct peal_thread *thread = peal_thread_current();
    if ((IGNORED & 1 << kind) != 0 || thread == NULL || thread->tapping != 0)
        return;
    struct peal_tap_record record = { .time = peal_ticks_now(), .object = id };
    if (kind == PEAL_HANDLE_OBSERVATION)
        record.event = is_created ? PEAL_TAP_REGISTERED : PEAL_TAP_REMOVED;
    else
        record.event = is_created ? PEAL_TAP_CREATED : PEAL_TAP_ENDED;
    const uint32_t bits = __atomic_load_n(&peal_taps_open_bits, __ATOMIC_ACQUIRE);
    const uint32_t later = peal_fork_holds_locks() ? bits & __atomic_load_n(&peal_taps_with_functions, __ATOMIC_RELAXED)
                                                   : 0;
    if (later != 0)
        report_later(thread, later, &record);
    report(bits & ~later, &record, NULL, NULL);
}
