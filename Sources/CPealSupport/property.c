#include "property.h"

#include <sched.h>

#include "clock.h"
#include "lock.h"
#include "memory.h"

struct peal_event_count peal_property_room;

static void prepare(void *element, uint32_t index)
{
    ((struct peal_property_element *)element)->id = peal_no_number_of(index);
}

void *peal_property_chunks[PEAL_PROPERTY_CHUNKS];
const struct peal_directory peal_property_directory = { peal_property_chunks, PEAL_PROPERTY_CHUNK_BITS,
    sizeof(struct peal_property_element), prepare };

/* ---- Blocks ------------------------------------------------------------------------------------ */

static struct peal_block_pool blocks;

struct peal_property_block *peal_property_block_allocate(size_t size)
{
    return peal_block_allocate(&blocks, sizeof(struct peal_property_block), size);
}

void peal_property_block_free(struct peal_property_block *block)
{
    peal_block_free(&blocks, block == NULL ? NULL : &block->block);
}

/* ---- Texts ------------------------------------------------------------------------------------- */

enum peal_property_found peal_property_read_text(
    const struct peal_property_element *element, uint64_t id, char *buffer, size_t capacity, size_t *out_length)
{
    for (;;) {
        const uint32_t version = __atomic_load_n(&element->version, __ATOMIC_ACQUIRE);
        if (!peal_property_is_of(element, id))
            return PEAL_PROPERTY_STALE;
        const struct peal_property_block *block = __atomic_load_n(&element->blocks[version & 1], __ATOMIC_ACQUIRE);
        if (block == NULL)
            continue;
        const size_t length = __atomic_load_n(&block->length, __ATOMIC_ACQUIRE);
        const size_t fitting = capacity == 0 ? 0 : length < capacity ? length : capacity - 1;
        /* The length may be that of another text's block, and have any value. */
        char next = 0;
        if (fitting < block->block.capacity) {
            peal_property_load(block, buffer, fitting);
            const uint64_t word = __atomic_load_n(&block->words[fitting / 8], __ATOMIC_ACQUIRE);
            memcpy(&next, (const char *)&word + fitting % 8, 1);
        }
        if (__atomic_load_n(&element->version, __ATOMIC_ACQUIRE) != version || !peal_property_is_of(element, id)
            || fitting >= block->block.capacity)
            continue;
        /* Cut between two characters. */
        size_t end = fitting;
        while (fitting < length && end > 0 && (next & 0xc0) == 0x80)
            next = buffer[--end];
        if (capacity > 0)
            buffer[end] = 0;
        *out_length = length;
        return PEAL_PROPERTY_READ;
    }
}

struct peal_property_block *peal_property_write_text(
    struct peal_property_element *element, const void *text, size_t length, struct peal_property_block *block)
{
    const uint32_t next = element->version + 1;
    struct peal_property_block *target = element->blocks[next & 1];
    if (target->block.capacity <= length) {
        struct peal_property_block *small = target;
        target = block;
        block = small;
        __atomic_store_n(&element->blocks[next & 1], target, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&target->length, length, __ATOMIC_RELEASE);
    peal_property_store(target, text, length + 1);
    __atomic_store_n(&element->version, next, __ATOMIC_RELEASE);
    return block;
}

bool peal_property_set_text_fast(
    struct peal_property_element *element, uint64_t id, const char *text, void *room, size_t *out_size)
{
    struct peal_thread *thread = peal_thread_own;
    const size_t length = strnlen(text, PEAL_PROPERTY_SHORT);
    if (thread == NULL || thread->hazards[0].shown.list != 0 || length == PEAL_PROPERTY_SHORT
        || !peal_property_lock_at_once(element))
        return false;
    if (!peal_property_is_of(element, id) || element->traits != PEAL_PROPERTY_IS_TEXT
        || peal_property_current(element)->length >= PEAL_PROPERTY_SHORT
        || element->blocks[(element->version + 1) & 1]->block.capacity <= length
        || !peal_directory_is_empty(element->elements[PEAL_NOTIFY_PRIOR])) {
        peal_property_unlock(element, 0);
        return false;
    }
    char *const copy = (char *)room + PEAL_PROPERTY_SHORT;
    memcpy(room, peal_property_current(element)->words, peal_property_current(element)->length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    *out_size = length + 1;
    element->notifier = thread;
    (void)peal_property_write_text(element, copy, length, NULL);
    peal_property_unlock(element, PEAL_PROPERTY_NOTIFYING);
    return true;
}

/* ---- Opening and closing ----------------------------------------------------------------------- */

void peal_property_open(struct peal_property_element *element, const struct peal_property_opening *opening)
{
    (void)peal_property_lock(element);
    struct peal_property_block *old[2] = { element->blocks[0], element->blocks[1] };
    for (unsigned copy = 0; copy < 2; copy++)
        __atomic_store_n(&element->blocks[copy], opening->blocks[copy], __ATOMIC_RELEASE);
    __atomic_store_n(&element->size, opening->size, __ATOMIC_RELEASE);
    element->traits = opening->traits;
    element->mask = opening->mask;
    memcpy(element->methods, opening->methods, sizeof element->methods);
    memcpy(element->elements, opening->elements, sizeof element->elements);
    element->notifier = NULL;
    element->deferred = 0;
    element->is_closed_late = false;
    if ((opening->traits & PEAL_PROPERTY_IS_TEXT) != 0)
        (void)peal_property_write_text(element, opening->initial, opening->initial_size - 1, NULL);
    else
        peal_property_write(element, opening->initial, opening->initial_size);
    __atomic_store_n(&element->id, opening->id, __ATOMIC_RELEASE);
    peal_property_unlock(element, 0);
    peal_property_block_free(old[0]);
    peal_property_block_free(old[1]);
}

bool peal_property_close(struct peal_property_element *element, uint64_t id, struct peal_change_node **out_changes)
{
    const uint32_t state = peal_property_lock(element);
    __atomic_store_n(&element->id, peal_no_number_of(id), __ATOMIC_RELEASE);
    element->mask = NULL;
    struct peal_change_node *changes = NULL;
    struct peal_change_node *node;
    while ((node = peal_property_take(element)) != NULL) {
        /* A change in a batch is freed by that batch. */
        if (node->batch != NULL)
            continue;
        node->next = changes;
        changes = node;
    }
    *out_changes = changes;
    const bool is_notifying = (state & PEAL_PROPERTY_NOTIFYING) != 0;
    element->is_closed_late = is_notifying;
    element->closed_number = id;
    peal_property_unlock(element, is_notifying ? PEAL_PROPERTY_NOTIFYING | PEAL_PROPERTY_WAITING : 0);
    peal_event_count_signal(&peal_property_room);
    return !is_notifying;
}

/* ---- The lock ---------------------------------------------------------------------------------- */

/* Not a peal_lock: its release must see whether a thread sleeps on the word, by one more atomic operation. Here the
 * release is a store, since each set pays for it. A thread that finds the lock held waits for as long as a copy of a
 * value takes, unless the holder has lost its processor. Only then it sleeps. */
uint32_t peal_property_lock(struct peal_property_element *element)
{
    enum { SPINS = 10, YIELDS = 20, PAUSE = 50000 };
    peal_fork_enter();
    for (unsigned turn = 0;; turn++) {
        uint32_t state = __atomic_load_n(&element->state, __ATOMIC_RELAXED);
        if ((state & PEAL_PROPERTY_LOCKED) == 0
            && __atomic_compare_exchange_n(
                &element->state, &state, state | PEAL_PROPERTY_LOCKED, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return state;
        if (turn < SPINS)
            peal_back_off();
        else if (turn < SPINS + YIELDS)
            sched_yield();
        else
            peal_clock_pause(PAUSE);
    }
}

/* ---- Changes ----------------------------------------------------------------------------------- */

static size_t rounded(size_t size) { return (size + 15) & ~(size_t)15; }

void peal_change_lay_out(struct peal_change_node *node, size_t old_size, size_t new_size)
{
    node->old_size = old_size;
    node->new_size = new_size;
    node->new_value = (char *)node->bytes + rounded(old_size);
}

/* The members of a spare node are those of a new one, but for `next`, `room` and the values. */
__attribute__((always_inline)) static inline struct peal_change_node *make_node(
    struct peal_thread *thread, size_t needed)
{
    const bool is_small = needed <= PEAL_CHANGE_SPARE_ROOM;
    struct peal_change_node *node = is_small && thread != NULL ? thread->spare_changes : NULL;
    if (__builtin_expect(node != NULL, 1)) {
        thread->spare_changes = node->next;
        thread->spare_change_count--;
        return node;
    }
    const size_t room = is_small ? PEAL_CHANGE_SPARE_ROOM : needed;
    /* Values are written before they are read. */
    node = peal_memory_allocate_unset(sizeof *node + room);
    if (node != NULL) {
        memset(node, 0, sizeof *node);
        node->room = room;
    }
    return node;
}

struct peal_change_node *peal_change_make(size_t old_room, size_t new_room)
{
    struct peal_change_node *node = make_node(peal_thread_own, rounded(old_room) + rounded(new_room));
    if (node != NULL)
        peal_change_lay_out(node, 0, 0);
    return node;
}

bool peal_change_make_room(struct peal_change_node *node, size_t size)
{
    peal_change_lay_out(node, 0, size);
    if (size > node->room) {
        node->more = peal_memory_allocate(size);
        node->new_value = node->more;
        if (node->more == NULL)
            node->new_size = 0;
    }
    return node->new_size > 0;
}

void peal_change_free_single(struct peal_change_node *node)
{
    struct peal_thread *thread = peal_thread_own;
    if (thread == NULL || node->room != PEAL_CHANGE_SPARE_ROOM || thread->spare_change_count >= PEAL_CHANGE_SPARES) {
        peal_memory_free(node);
        return;
    }
    node->next = thread->spare_changes;
    thread->spare_changes = node;
    thread->spare_change_count++;
}

void peal_change_free(struct peal_change_node *node)
{
    while (node != NULL) {
        struct peal_change_node *latest = node->latest;
        if (node->more != NULL)
            peal_memory_free(node->more);
        node->in_batch = NULL;
        node->latest = NULL;
        node->observation = 0;
        node->batch = NULL;
        node->prior_is_notified = false;
        node->more = NULL;
        peal_change_free_single(node);
        node = latest;
    }
}

void peal_property_append(struct peal_property_element *element, struct peal_change_node *node)
{
    node->next = NULL;
    if (element->last != NULL)
        element->last->next = node;
    else
        element->first = node;
    element->last = node;
    element->waiting++;
}

struct peal_change_node *peal_property_take(struct peal_property_element *element)
{
    struct peal_change_node *node = element->first;
    if (node == NULL)
        return NULL;
    element->first = node->next;
    if (element->first == NULL)
        element->last = NULL;
    node->next = NULL;
    element->waiting--;
    return node;
}

/* With the lock held. */
static void append_to_batch(
    struct peal_property_element *element, struct peal_change_node *node, struct peal_thread *thread)
{
    struct peal_change_node *before = thread->last_in_batch;
    node->batch = thread;
    peal_property_append(element, node);
    if (before != NULL)
        before->in_batch = node;
    else
        thread->first_in_batch = node;
    thread->last_in_batch = node;
}

struct peal_change_node *peal_batch_take_in(
    struct peal_property_element *element, struct peal_change_node *node, struct peal_thread *thread)
{
    struct peal_change_node *last = element->last;
    if (last != NULL && last->batch == thread && last->observation == 0) {
        struct peal_change_node *unused_now = last->latest;
        last->latest = node;
        return unused_now;
    }
    append_to_batch(element, node, thread);
    return NULL;
}

bool peal_property_set_in_batch(uint64_t id, const void *value, size_t size)
{
    struct peal_thread *thread = peal_thread_own;
    struct peal_property_element *element = peal_property_element_of(id);
    if (element == NULL || size > PEAL_PROPERTY_SHORT || thread->hazards[0].shown.list != 0)
        return false;
    struct peal_change_node *node = make_node(thread, 2 * rounded(size));
    if (node == NULL)
        return false;
    if (!peal_property_lock_at_once(element)) {
        peal_change_free(node);
        return false;
    }
    if (!peal_property_is_of(element, id) || element->size != size || element->traits != 0) {
        peal_property_unlock(element, 0);
        peal_change_free(node);
        return false;
    }
    node->property = id;
    peal_change_lay_out(node, size, size);
    peal_property_copy(peal_change_old(node), peal_property_current(element)->words, size);
    peal_property_copy(peal_change_new(node), value, size);
    peal_property_write(element, peal_change_new(node), size);
    append_to_batch(element, node, thread);
    peal_property_unlock(element, PEAL_PROPERTY_WAITING);
    return true;
}

struct peal_change_node *peal_batch_take_out(struct peal_thread *thread)
{
    struct peal_change_node *node = thread->first_in_batch;
    if (node == NULL)
        return NULL;
    thread->first_in_batch = node->in_batch;
    if (node->in_batch == NULL)
        thread->last_in_batch = NULL;
    node->in_batch = NULL;
    return node;
}

struct peal_change_node *peal_batch_remove_only(struct peal_thread *thread, struct peal_property_element **out_element)
{
    struct peal_change_node *node = thread->first_in_batch;
    struct peal_property_element *element = node == NULL ? NULL : peal_property_element_of(node->property);
    uint32_t waiting = PEAL_PROPERTY_WAITING;
    if (element == NULL)
        return NULL;
    peal_fork_enter();
    if (!__atomic_compare_exchange_n(&element->state, &waiting, PEAL_PROPERTY_LOCKED | PEAL_PROPERTY_NOTIFYING, false,
            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        peal_fork_leave();
        return NULL;
    }
    /* A property that has ended has no changes: it left this one to its batch. */
    if (element->first != node || node->next != NULL || node->latest != NULL) {
        peal_property_unlock(element, PEAL_PROPERTY_WAITING);
        return NULL;
    }
    element->first = NULL;
    element->last = NULL;
    element->waiting = 0;
    element->notifier = thread;
    peal_property_unlock(element, PEAL_PROPERTY_NOTIFYING);
    node->batch = NULL;
    *out_element = element;
    return peal_batch_take_out(thread);
}

void peal_property_close_gaps(void *value, const uint8_t *mask, size_t size)
{
    uint8_t *bytes = value;
    for (size_t index = 0; index < size; index++)
        bytes[index] &= mask[index];
}

bool peal_property_equals(const void *one, const void *other, const uint8_t *mask, size_t size)
{
    if (mask == NULL)
        return memcmp(one, other, size) == 0;
    const uint8_t *a = one, *b = other;
    for (size_t index = 0; index < size; index++)
        if (((a[index] ^ b[index]) & mask[index]) != 0)
            return false;
    return true;
}

/* ---- Records ----------------------------------------------------------------------------------- */

void *peal_change_copy(const void *value)
{
    const struct peal_change *record = value;
    const struct peal_change empty = { 0 };
    if (record == NULL)
        record = &empty;
    /* A record of a text has the size of the new one alone. */
    const size_t head = rounded(sizeof *record);
    const size_t old_size = record->old_value == NULL ? 0
                          : record->is_text           ? strlen(record->old_value) + 1
                                                      : record->value_size;
    char *copy = peal_memory_allocate(head + rounded(old_size) + rounded(record->value_size));
    if (copy == NULL)
        return NULL;
    struct peal_change *made = (struct peal_change *)(void *)copy;
    *made = *record;
    if (old_size > 0)
        made->old_value = memcpy(copy + head, record->old_value, old_size);
    if (record->new_value != NULL)
        made->new_value = memcpy(copy + head + rounded(old_size), record->new_value, record->value_size);
    return copy;
}

void peal_change_destroy(void *copy) { peal_memory_free(copy); }

/* ---- fork(2) ----------------------------------------------------------------------------------- */

void peal_property_forked(void)
{
    for (uint32_t i = 0; i < PEAL_PROPERTY_CHUNKS; i++)
        for (uint32_t j = 0; peal_property_chunks[i] != NULL && j < PEAL_PROPERTY_CHUNK; j++) {
            struct peal_property_element *element = peal_property_element_of(i << PEAL_PROPERTY_CHUNK_BITS | j);
            /* Observers are notified of the changes in another thread's batch by the next set. */
            for (struct peal_change_node *node = element->first; node != NULL; node = node->next)
                if (node->batch != peal_thread_own)
                    node->batch = NULL;
            if (element->state == 0 || (element->notifier != NULL && element->notifier == peal_thread_own))
                continue;
            element->state = element->first != NULL ? PEAL_PROPERTY_WAITING : 0;
            element->notifier = NULL;
        }
}
