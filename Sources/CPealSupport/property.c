#include "CPealSupport/property.h"

#include "CPealSupport/fork.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/text.h"

struct peal_event_count peal_property_room;

struct peal_directory_element peal_property_no_method = {
    .current = (struct peal_snapshot *)(void *)&peal_property_no_method.empty_list
};

static void remove_methods(struct peal_property_element *element)
{
    for (uint32_t kind = 0; kind < PEAL_NOTIFICATION_KINDS; kind++)
        __atomic_store_n(&element->elements[kind], &peal_property_no_method, __ATOMIC_RELEASE);
}

static void prepare(void *memory, uint32_t index)
{
    struct peal_property_element *const element = memory;
    element->id = peal_no_id_of(index);
    remove_methods(element);
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
        /* If the block belongs to another text meanwhile, the length may have any value. */
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

/* Writes a text as peal_property_write_text does, and a copy of it, word by word in one pass. A copy in bytes, from
 * which words are then loaded, would stall the processor. */
__attribute__((always_inline)) static inline void write_twice(
    struct peal_property_element *element, uint64_t *copy, const char *text, size_t length)
{
    const uint32_t next = element->version + 1;
    struct peal_property_block *const block = element->blocks[next & 1];
    __atomic_store_n(&block->length, length, __ATOMIC_RELEASE);
    const size_t words = length / sizeof(uint64_t);
    for (size_t index = 0; index <= words; index++) {
        uint64_t word;
        if (index < words)
            memcpy(&word, text + index * sizeof word, sizeof word);
        else
            word = peal_text_last_word(text, length);
        copy[index] = word;
        __atomic_store_n(&block->words[index], word, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&element->version, next, __ATOMIC_RELEASE);
}

size_t peal_property_set_text_fast(struct peal_property_element *element, uint64_t id, const char *text, uint64_t *room)
{
    const size_t length = strnlen(text, PEAL_PROPERTY_SHORT);
    struct peal_thread *const thread = length < PEAL_PROPERTY_SHORT ? peal_property_begin_fast(element, id) : NULL;
    if (thread == NULL)
        return 0;
    const struct peal_property_block *const old = peal_property_current(element);
    if (element->traits != PEAL_PROPERTY_IS_TEXT || old->length >= PEAL_PROPERTY_SHORT
        || element->blocks[(element->version + 1) & 1]->block.capacity <= length) {
        peal_lock_release_inline(&element->lock);
        return 0;
    }
    const size_t old_words = old->length / sizeof(uint64_t);
    for (size_t index = 0; index <= old_words; index++)
        room[index] = old->words[index];
    write_twice(element, room + PEAL_PROPERTY_SHORT / sizeof *room, text, length);
    peal_property_begin_notifying(element, thread);
    peal_lock_release_inline(&element->lock);
    return length + 1;
}

/* ---- Opening and closing ----------------------------------------------------------------------- */

void peal_property_open(struct peal_property_element *element, const struct peal_property_opening *opening)
{
    peal_property_lock(element);
    struct peal_property_block *old[2] = { element->blocks[0], element->blocks[1] };
    for (unsigned copy = 0; copy < 2; copy++)
        __atomic_store_n(&element->blocks[copy], opening->blocks[copy], __ATOMIC_RELEASE);
    __atomic_store_n(&element->size, opening->size, __ATOMIC_RELEASE);
    element->traits = opening->traits;
    element->mask = opening->mask;
    remove_methods(element);
    element->deferred = 0;
    if ((opening->traits & PEAL_PROPERTY_IS_TEXT) != 0)
        (void)peal_property_write_text(element, opening->initial, opening->initial_size - 1, NULL);
    else
        peal_property_write(element, opening->initial, opening->initial_size);
    __atomic_store_n(&element->id, opening->id, __ATOMIC_RELEASE);
    peal_property_unlock(element);
    peal_property_block_free(old[0]);
    peal_property_block_free(old[1]);
}

bool peal_property_close(struct peal_property_element *element, uint64_t id, struct peal_change_node **out_changes)
{
    peal_property_lock(element);
    __atomic_store_n(&element->id, peal_no_id_of(id), __ATOMIC_RELEASE);
    element->mask = NULL;
    struct peal_change_node *changes = NULL;
    struct peal_change_node *node;
    while ((node = peal_property_remove_first(element)) != NULL) {
        /* A change in a batch is freed by that batch. */
        if (node->batch != NULL)
            continue;
        node->next = changes;
        changes = node;
    }
    *out_changes = changes;
    const bool is_notifying = peal_property_is_notifying(element);
    __atomic_store_n(&element->is_closed_late, is_notifying, __ATOMIC_RELAXED);
    peal_property_unlock(element);
    peal_event_count_signal(&peal_property_room);
    return !is_notifying;
}

/* ---- The lock ---------------------------------------------------------------------------------- */

/* True if another thread notifies, to which this one may leave a change. */
static bool is_notified_elsewhere(const struct peal_property_element *element)
{
    return peal_property_is_notifying(element)
        && __atomic_load_n(&element->notifier, __ATOMIC_RELAXED) != peal_thread_own;
}

void peal_property_lock(struct peal_property_element *element)
{
    bool is_announced = false;
    for (;;) {
        if (!is_announced && is_notified_elsewhere(element)) {
            peal_fork_enter();
            peal_lock_announce();
            is_announced = true;
        }
        peal_lock_acquire(&element->lock);
        if (is_announced || !is_notified_elsewhere(element))
            break;
        peal_lock_release(&element->lock);
    }
    element->is_announced = is_announced;
}

void peal_property_unlock(struct peal_property_element *element)
{
    const bool is_announced = element->is_announced;
    element->is_announced = false;
    peal_lock_release(&element->lock);
    if (is_announced) {
        peal_lock_withdraw();
        peal_fork_leave();
    }
}

bool peal_property_resume(struct peal_property_element *element)
{
    peal_lock_acquire(&element->lock);
    if (peal_property_is_notifying(element) || (element->first == NULL && !element->is_closed_late)) {
        peal_lock_release(&element->lock);
        return false;
    }
    peal_property_begin_notifying(element, peal_thread_own);
    return true;
}

/* ---- fork(2) ----------------------------------------------------------------------------------- */

/* As peal_change_free. The memory does not become a spare node, because that may take a lock. */
static void free_without_lock(struct peal_change_node *node)
{
    while (node != NULL) {
        struct peal_change_node *const latest = node->latest;
        peal_memory_free(node->more);
        peal_memory_free(node);
        node = latest;
    }
}

void peal_property_forked(void)
{
    for (uint32_t i = 0; i < PEAL_PROPERTY_CHUNKS; i++)
        for (uint32_t j = 0; peal_property_chunks[i] != NULL && j < PEAL_PROPERTY_CHUNK; j++) {
            struct peal_property_element *element = peal_property_element_of(i << PEAL_PROPERTY_CHUNK_BITS | j);
            /* Observers are notified of the changes in another thread's batch by the next set. */
            for (struct peal_change_node *node = element->first; node != NULL; node = node->next)
                if (node->batch != peal_thread_own)
                    node->batch = NULL;
            if (!element->is_notifying || element->notifier == peal_thread_own)
                continue;
            element->is_notifying = false;
            struct peal_change_node *const claimed = element->claimed;
            element->claimed = NULL;
            if (claimed == NULL)
                continue;
            claimed->is_claimed = false;
            if (element->is_closed_late)
                free_without_lock(claimed);
            else
                peal_property_prepend(element, claimed);
        }
}
