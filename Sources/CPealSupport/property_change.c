/* The changes that wait for their notification, alone or in batches. */
#include "CPealSupport/memory.h"
#include "CPealSupport/property.h"

_Static_assert(offsetof(struct peal_change_node, in_batch) == offsetof(struct peal_spare_block, next_magazine),
    "the members of a spare node are those of a new one, but for `next`, `room` and the values");

static size_t rounded(size_t size) { return (size + 15) & ~(size_t)15; }

void peal_change_lay_out(struct peal_change_node *node, size_t old_size, size_t new_size)
{
    node->old_size = old_size;
    node->new_size = new_size;
    node->new_value = (char *)node->bytes + rounded(old_size);
}

static __attribute__((noinline)) struct peal_change_node *allocate_node(size_t needed)
{
    const size_t room = needed <= PEAL_CHANGE_SPARE_ROOM ? PEAL_CHANGE_SPARE_ROOM : needed;
    /* Values are written before they are read. */
    struct peal_change_node *node = peal_memory_allocate_unset(sizeof *node + room);
    if (node != NULL) {
        memset(node, 0, sizeof *node);
        node->room = room;
    }
    return node;
}

static inline struct peal_change_node *make_node(struct peal_thread *thread, size_t needed)
{
    struct peal_change_node *node = NULL;
    if (__builtin_expect(needed <= PEAL_CHANGE_SPARE_ROOM, 1))
        node = peal_spare_take(thread, PEAL_SPARE_CHANGES);
    return __builtin_expect(node != NULL, 1) ? node : allocate_node(needed);
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
        node->is_claimed = false;
        node->more = NULL;
        peal_change_free_single(node);
        node = latest;
    }
}

/* The notifier reads `first` without the lock. */
static void set_first(struct peal_property_element *element, struct peal_change_node *node)
{
    __atomic_store_n(&element->first, node, __ATOMIC_RELAXED);
}

void peal_property_append(struct peal_property_element *element, struct peal_change_node *node)
{
    node->next = NULL;
    if (element->last != NULL)
        element->last->next = node;
    else
        set_first(element, node);
    element->last = node;
    element->waiting++;
}

void peal_property_prepend(struct peal_property_element *element, struct peal_change_node *node)
{
    node->batch = NULL;
    node->next = element->first;
    if (element->last == NULL)
        element->last = node;
    set_first(element, node);
    element->waiting++;
}

struct peal_change_node *peal_property_remove_first(struct peal_property_element *element)
{
    struct peal_change_node *node = element->first;
    if (node == NULL)
        return NULL;
    set_first(element, node->next);
    if (node->next == NULL)
        element->last = NULL;
    node->next = NULL;
    element->waiting--;
    return node;
}

/* ---- Batches ----------------------------------------------------------------------------------- */

/* The caller of the next functions must hold the lock. */

static void add_to_batch(struct peal_change_node *node, struct peal_thread *thread)
{
    struct peal_change_node *before = thread->last_in_batch;
    node->batch = thread;
    if (before != NULL)
        before->in_batch = node;
    else
        thread->first_in_batch = node;
    thread->last_in_batch = node;
}

static bool may_claim(const struct peal_property_element *element)
{
    return !peal_property_is_notifying(element) && element->first == NULL;
}

static void claim(struct peal_property_element *element, struct peal_change_node *node, struct peal_thread *thread)
{
    add_to_batch(node, thread);
    node->is_claimed = true;
    node->element = element;
    __atomic_store_n(&element->claimed, node, __ATOMIC_RELAXED);
    peal_property_begin_notifying(element, thread);
}

struct peal_change_node *peal_batch_add(
    struct peal_property_element *element, struct peal_change_node *node, struct peal_thread *thread)
{
    if (may_claim(element)) {
        claim(element, node, thread);
        return NULL;
    }
    struct peal_change_node *last = element->last;
    /* Another thread may end its own claim at any time. */
    if (last == NULL && element->notifier == thread)
        last = element->claimed;
    if (last != NULL && last->batch == thread && last->observation == 0) {
        struct peal_change_node *unused_now = last->latest;
        last->latest = node;
        return unused_now;
    }
    add_to_batch(node, thread);
    peal_property_append(element, node);
    return NULL;
}

__attribute__((always_inline)) static inline void write_short(
    struct peal_property_element *element, struct peal_change_node *node, const void *value, size_t size)
{
    peal_change_lay_out(node, size, size);
    memcpy(peal_change_old(node), peal_property_current(element)->words, size);
    memcpy(peal_change_new(node), value, size);
    peal_property_write(element, peal_change_new(node), size);
}

static __attribute__((noinline)) bool leave(struct peal_property_element *element, struct peal_change_node *node)
{
    peal_lock_release(&element->lock);
    peal_change_free(node);
    return false;
}

bool peal_property_set_in_batch(uint64_t id, const void *value, size_t size)
{
    struct peal_thread *thread = peal_thread_own;
    struct peal_property_element *element = peal_property_element_of(id);
    if (__builtin_expect(element == NULL || size > PEAL_PROPERTY_SHORT || thread->hazards[0].shown.list != 0, 0))
        return false;
    struct peal_change_node *node = make_node(thread, 2 * rounded(size));
    if (__builtin_expect(node == NULL, 0))
        return false;
    peal_lock_acquire_inline(&element->lock);
    if (__builtin_expect(
            !peal_property_is_of(element, id) || element->size != size || element->traits != 0 || !may_claim(element),
            0))
        return leave(element, node);
    node->property = id;
    /* The most frequent sizes are constants for the compiler. */
    if (__builtin_expect(size == sizeof(uint32_t), 1))
        write_short(element, node, value, sizeof(uint32_t));
    else if (__builtin_expect(size == sizeof(uint64_t), 1))
        write_short(element, node, value, sizeof(uint64_t));
    else
        write_short(element, node, value, size);
    claim(element, node, thread);
    peal_lock_release_inline(&element->lock);
    return true;
}

/* ---- Values ------------------------------------------------------------------------------------ */

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
    /* The record of a text has the size of the new text alone. */
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
