#include "CPealSupport/tap.h"

#include "CPealSupport/event_count.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/order.h"
#include "CPealSupport/ticks.h"
#include "CPealSupport/tap_filter.h"
#include "CPealSupport/tap_slot.h"

enum { ALL_EVENTS = PEAL_TAP_LOST - 1, FIRST_CAPACITY = 4096, GENERATION = 32 };

struct peal_tap_slot peal_tap_slots[PEAL_TAPS];
struct peal_lock peal_taps_lock;
uint32_t peal_taps_open_bits, peal_taps_with_functions, peal_taps_counting, peal_taps_closing, peal_taps_wanted;
uint64_t peal_taps_opened;

/* ---- Closing ----------------------------------------------------------------------------------- */

static void free_rings(struct peal_tap_slot *tap)
{
    for (struct peal_tap_ring *ring = tap->rings; ring != NULL;) {
        struct peal_tap_ring *next = ring->next;
        peal_memory_free(ring);
        ring = next;
    }
    tap->rings = NULL;
    tap->next_ring = NULL;
}

/* Ends a closed tap that no thread uses. */
static void finish(struct peal_tap_slot *tap)
{
    peal_order_see_ended();
    if (tap->destroy != NULL)
        tap->destroy(tap->context);
    peal_lock_acquire(&tap->lock);
    free_rings(tap);
    peal_lock_release(&tap->lock);
    peal_memory_free(tap->filter);
    peal_lock_acquire(&peal_taps_lock);
    tap->state = PEAL_TAP_FREE;
    peal_lock_release(&peal_taps_lock);
    __atomic_fetch_sub(&peal_taps_closing, 1, __ATOMIC_SEQ_CST);
}

/* Each thread that leaves a tap clears its bit, passes a fence, and then loads the bits of the others. So the last one
 * finds all clear. */
void peal_taps_finish_owed(void)
{
    for (unsigned index = 0; index < PEAL_TAPS; index++) {
        struct peal_tap_slot *tap = &peal_tap_slots[index];
        if (__atomic_load_n(&tap->is_owed, __ATOMIC_SEQ_CST) == 0)
            continue;
        peal_thread_writer_fence();
        if (!peal_thread_others_tap(1U << index) && __atomic_exchange_n(&tap->is_owed, 0, __ATOMIC_ACQ_REL) != 0)
            finish(tap);
    }
}

/* ---- Opening ----------------------------------------------------------------------------------- */

/* With the lock of all taps: computes what depends on all open taps. */
static void update(void)
{
    uint32_t open = 0, functions = 0, counters = 0, wanted = 0;
    for (unsigned index = 0; index < PEAL_TAPS; index++) {
        const struct peal_tap_slot *tap = &peal_tap_slots[index];
        if (tap->state != PEAL_TAP_OPEN)
            continue;
        open |= 1U << index;
        functions |= tap->function != NULL ? 1U << index : 0;
        counters |= (tap->flags & PEAL_TAP_COUNT) != 0 ? 1U << index : 0;
        wanted |= tap->events;
    }
    __atomic_store_n(&peal_taps_with_functions, functions, __ATOMIC_RELAXED);
    __atomic_store_n(&peal_taps_counting, counters, __ATOMIC_RELAXED);
    __atomic_store_n(&peal_taps_open_bits, open, __ATOMIC_RELEASE);
    __atomic_store_n(&peal_taps_wanted, wanted, __ATOMIC_RELEASE);
}

static size_t rounded_capacity(size_t capacity)
{
    size_t rounded = capacity == 0 ? FIRST_CAPACITY : 2;
    while (rounded < capacity)
        rounded *= 2;
    return rounded;
}

/* With the lock of all taps: fills a free slot. */
static void fill(struct peal_tap_slot *tap, uint64_t center, const struct peal_tap_options *options, char *filter)
{
    peal_ticks_begin();
    const bool counts = (options->flags & PEAL_TAP_COUNT) != 0;
    /* Threads take new numbers once they see the count changed. */
    tap->first = peal_tap_first_broadcast();
    const uint64_t generation = __atomic_add_fetch(&peal_taps_opened, 1, __ATOMIC_ACQ_REL);
    /* As the ids of other objects, those of another copy of the library are stale here: see slot.h. */
    tap->id = (peal_slot_first_generation() + generation) << GENERATION | (uint64_t)(tap - peal_tap_slots);
    tap->id &= UINT64_MAX >> PEAL_NUMBER_TAG_BITS;
    tap->center = center;
    tap->flags = options->flags;
    tap->asked = options->events != 0 ? options->events : ALL_EVENTS;
    tap->filter = filter;
    tap->function = options->function;
    tap->context = options->context;
    tap->destroy = options->destroy;
    tap->capacity = options->function == NULL && !counts ? rounded_capacity(options->capacity) : 0;
    tap->lost = 0;
    tap->state = PEAL_TAP_OPEN;
    __atomic_store_n(&tap->events, counts ? 0 : tap->asked, __ATOMIC_RELEASE);
    update();
}

uint64_t peal_taps_open(uint64_t center, const struct peal_tap_options *options, enum peal_tap_refusal *out_refusal)
{
    char *filter = NULL;
    if (options->filter != NULL) {
        const size_t size = peal_memory_text_size(options->filter);
        filter = peal_memory_allocate(size);
        *out_refusal = PEAL_TAP_NO_MEMORY;
        if (filter == NULL)
            return 0;
        memcpy(filter, options->filter, size);
    }
    uint64_t id = 0;
    peal_order_publish();
    peal_lock_acquire(&peal_taps_lock);
    for (unsigned index = 0; id == 0 && index < PEAL_TAPS; index++)
        if (peal_tap_slots[index].state == PEAL_TAP_FREE) {
            fill(&peal_tap_slots[index], center, options, filter);
            id = peal_tap_slots[index].id;
        }
    peal_lock_release(&peal_taps_lock);
    if (id == 0) {
        *out_refusal = PEAL_TAP_FULL;
        peal_memory_free(filter);
    }
    return id;
}

/* Taps for tracers and the thread sanitizer begin before a center exists. */
__attribute__((constructor)) static void begin(void)
{
    peal_tap_probes_begin();
    peal_order_begin();
}

void peal_taps_functions(unsigned index, peal_function *out_function, peal_function *out_destroy)
{
    const struct peal_tap_slot *tap = &peal_tap_slots[index];
    peal_lock_acquire(&peal_taps_lock);
    *out_function = tap->state != PEAL_TAP_FREE ? (peal_function)tap->function : NULL;
    *out_destroy = tap->state != PEAL_TAP_FREE ? (peal_function)tap->destroy : NULL;
    peal_lock_release(&peal_taps_lock);
}

bool peal_taps_exist(void) { return __atomic_load_n(&peal_taps_open_bits, __ATOMIC_ACQUIRE) != 0; }

uint32_t peal_taps_of(uint64_t center, const char *protocol, const char *method)
{
    uint32_t bits = 0;
    peal_lock_acquire(&peal_taps_lock);
    for (unsigned index = 0; index < PEAL_TAPS; index++) {
        const struct peal_tap_slot *tap = &peal_tap_slots[index];
        const bool sees = tap->state == PEAL_TAP_OPEN && (tap->center == 0 || tap->center == center)
                       && (tap->filter == NULL || peal_tap_filter_includes(tap->filter, protocol, method));
        bits |= sees ? 1U << index : 0;
    }
    peal_lock_release(&peal_taps_lock);
    return bits;
}

bool peal_taps_begin_close(uint64_t id, bool runs_destroy, uint64_t *out_center)
{
    peal_lock_acquire(&peal_taps_lock);
    struct peal_tap_slot *tap = peal_tap_find(id);
    if (tap != NULL) {
        *out_center = tap->center;
        tap->state = PEAL_TAP_CLOSING;
        if (!runs_destroy)
            tap->destroy = NULL;
        __atomic_store_n(&tap->events, 0, __ATOMIC_RELEASE);
        __atomic_fetch_add(&peal_taps_closing, 1, __ATOMIC_SEQ_CST);
        update();
    }
    peal_lock_release(&peal_taps_lock);
    return tap != NULL;
}

bool peal_taps_finish_close(uint64_t id)
{
    struct peal_tap_slot *tap = &peal_tap_slots[peal_tap_index(id)];
    const uint32_t bit = 1U << peal_tap_index(id);
    const struct peal_thread *own = peal_thread_own;
    /* A record is written to a ring without waiting for anything. */
    const bool waits = own == NULL || own->tapping == 0 || tap->function == NULL;
    if (!waits) {
        /* The thread's own event ends later, and looks again. */
        __atomic_store_n(&tap->is_owed, 1, __ATOMIC_SEQ_CST);
        return false;
    }
    for (;;) {
        const uint32_t prepared = peal_event_count_prepare(&peal_calls_ended);
        peal_thread_writer_fence();
        if (!peal_thread_others_tap(bit))
            break;
        (void)peal_event_count_wait(&peal_calls_ended, prepared, UINT64_MAX);
    }
    finish(tap);
    return true;
}
