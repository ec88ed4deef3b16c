#include "CPealSupport/invocation.h"

#include "CPealSupport/tap.h"
#include "CPealSupport/thread.h"

static struct peal_block_pool blocks;

/* A thread keeps one block for at most 16 words, which its next invocation takes without the lock of the pool. The record
 * of a finished thread keeps the block for the next thread that claims the record. */
enum { SPARE_CAPACITY = 128 };

/* ---- Pins -------------------------------------------------------------------------------------- */

/* Claims the pin of a block that a thread and the reclaimer may both see. Returns true for one of them. If the thread
 * finds that the reclaimer has claimed the pin, the reclaimer's access to the block precedes those of the thread. */
static bool claim_pin(struct peal_invocation_values *values, uint64_t method)
{
    return method != 0
        && __atomic_compare_exchange_n(&values->method, &method, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool is_live(const struct peal_invocation_values *values, uint64_t method)
{
    return peal_directory_is_of(values->element, method);
}

/* Keeps a block, or takes it. The thread then loads the id of the method's element: see invocation.h. */
static void set_spare(struct peal_thread *thread, struct peal_invocation_values *values)
{
    __atomic_store_n(&thread->spare_values, values, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

uint32_t peal_invocation_claim_pins(uint64_t method)
{
    uint32_t count = 0;
    for (struct peal_thread *thread = peal_thread_first(); thread != NULL; thread = thread->next) {
        struct peal_invocation_values *values = __atomic_load_n(&thread->spare_values, __ATOMIC_ACQUIRE);
        if (values != NULL && peal_invocation_pinned(values) == method && claim_pin(values, method))
            count++;
    }
    return count;
}

/* ---- Blocks ------------------------------------------------------------------------------------ */

/* The version is odd: a reader that sees one of these stores sees that too. */
static void clear(struct peal_invocation_values *values)
{
    for (size_t i = 0; i * sizeof values->words[0] < values->size; i++)
        __atomic_store_n(&values->words[i], 0, __ATOMIC_RELEASE);
}

struct peal_invocation_values *peal_invocation_reuse(uint64_t method, uint64_t *out_unpinned)
{
    struct peal_thread *thread = peal_thread_own;
    struct peal_invocation_values *values = thread == NULL ? NULL : thread->spare_values;
    *out_unpinned = 0;
    if (values == NULL)
        return NULL;
    set_spare(thread, NULL);
    const uint64_t pinned = peal_invocation_pinned(values);
    if (pinned == method && is_live(values, method)) {
        clear(values);
        return values;
    }
    if (claim_pin(values, pinned))
        *out_unpinned = pinned;
    set_spare(thread, values);
    return NULL;
}

struct peal_invocation_values *peal_invocation_allocate(size_t size)
{
    struct peal_thread *thread = peal_thread_own;
    struct peal_invocation_values *values = thread == NULL ? NULL : thread->spare_values;
    if (values == NULL || values->block.capacity < size)
        return peal_block_allocate(&blocks, sizeof(struct peal_invocation_values), size);
    set_spare(thread, NULL);
    return values;
}

void peal_invocation_prepare(struct peal_invocation_values *values, const struct peal_invocation_method *method)
{
    /* A late reader that sees one of the next stores sees this one too. */
    __atomic_store_n(&values->version, values->version | 1, __ATOMIC_RELAXED);
    __atomic_store_n(&values->method, method->id, __ATOMIC_RELEASE);
    __atomic_store_n(&values->copy_plan, method->copy_plan, __ATOMIC_RELEASE);
    __atomic_store_n(&values->size, method->size, __ATOMIC_RELEASE);
    __atomic_store_n(&values->element, peal_directory_find(method->id), __ATOMIC_RELEASE);
    values->parameter_count = method->parameter_count;
    values->parameter_sizes = method->parameter_sizes;
    values->offsets = method->offsets;
    values->has_result = method->has_result;
    clear(values);
}

static bool can_be_spare(const struct peal_invocation_values *values)
{
    return values->block.capacity <= SPARE_CAPACITY;
}

/* Keeps a block as the spare one of its thread. Returns the method whose pin the caller must release, or 0. */
static uint64_t keep(struct peal_thread *thread, struct peal_invocation_values *values)
{
    const uint64_t method = peal_invocation_pinned(values);
    set_spare(thread, values);
    return is_live(values, method) || !claim_pin(values, method) ? 0 : method;
}

uint64_t peal_invocation_free(struct peal_invocation_values *values)
{
    struct peal_thread *thread = peal_thread_own;
    if (thread != NULL && thread->spare_values == NULL && can_be_spare(values) && peal_invocation_has_slot(values))
        return keep(thread, values);
    const uint64_t method = peal_invocation_pinned(values);
    __atomic_store_n(&values->method, 0, __ATOMIC_RELEASE);
    peal_block_free(&blocks, &values->block);
    return method;
}

void peal_invocation_set_slot(struct peal_invocation_values *values, uint64_t id)
{
    struct peal_slot *slot = peal_slot_at(peal_slots_of(PEAL_SLOTS_INVOCATIONS), peal_id_index(id));
    __atomic_store_n(&values->id, peal_no_id_of(id), __ATOMIC_RELEASE);
    if (slot != NULL)
        __atomic_store_n(peal_slot_object(slot), values, __ATOMIC_RELEASE);
}

/* ---- Invocations ------------------------------------------------------------------------------- */

/* The id with the next generation. After the last generation it has another tag, and the block needs another slot. */
static uint64_t next_of(uint64_t id) { return id + ((uint64_t)1 << PEAL_NUMBER_INDEX_BITS); }

uint64_t peal_invocation_begin(struct peal_invocation_values *values)
{
    const uint64_t id = peal_no_id_of(values->id);
    const bool is_readable = values->capture == NULL && !values->has_result;
    __atomic_store_n(&values->id, id, __ATOMIC_RELEASE);
    __atomic_store_n(&values->version, values->version + (is_readable ? 1 : 2), __ATOMIC_RELEASE);
    peal_tap_note_object(id, true);
    return id;
}

__attribute__((always_inline)) static inline struct peal_invocation_values *lock_inline(uint64_t id)
{
    struct peal_invocation_values *values = peal_invocation_values_of(id);
    if (values == NULL)
        return NULL;
    peal_lock_acquire_inline(&values->lock);
    if (__builtin_expect(__atomic_load_n(&values->id, __ATOMIC_ACQUIRE) == id, 1))
        return values;
    peal_lock_release(&values->lock);
    return NULL;
}

struct peal_invocation_values *peal_invocation_lock(uint64_t id) { return lock_inline(id); }

/* Ends the id of an invocation whose lock the caller holds. */
static void end_id(struct peal_invocation_values *values, uint64_t id)
{
    peal_invocation_close(values);
    __atomic_store_n(&values->id, peal_no_id_of(next_of(id)), __ATOMIC_RELEASE);
}

bool peal_invocation_end(uint64_t id, struct peal_invocation_values **out_unused)
{
    struct peal_invocation_values *values = peal_invocation_lock(id);
    if (values == NULL)
        return false;
    end_id(values, id);
    *out_unused = values->uses == 0 ? values : NULL;
    peal_lock_release(&values->lock);
    peal_tap_note_object(id, false);
    return true;
}

bool peal_invocation_end_fast(uint64_t id, uint64_t *out_unpinned)
{
    struct peal_thread *thread = peal_thread_own;
    if (thread == NULL || thread->spare_values != NULL)
        return false;
    struct peal_invocation_values *values = lock_inline(id);
    if (values == NULL)
        return false;
    const bool is_possible = values->uses == 0 && values->capture == NULL && can_be_spare(values)
                          && peal_id_tag(next_of(id)) == PEAL_INVOCATION_TAG;
    if (is_possible)
        end_id(values, id);
    peal_lock_release_inline(&values->lock);
    if (!is_possible)
        return false;
    *out_unpinned = keep(thread, values);
    peal_tap_note_object(id, false);
    return true;
}

/* A word with some of its bytes replaced. The most frequent sizes are constants for the compiler. */
__attribute__((always_inline)) static inline uint64_t merged(uint64_t word, size_t begin, const char *from, size_t size)
{
    const size_t shift = begin * 8;
    uint64_t whole;
    uint32_t half;
    if (size == sizeof whole) {
        memcpy(&whole, from, sizeof whole);
        return whole;
    }
    if (size == sizeof half) {
        memcpy(&half, from, sizeof half);
        return (word & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)half << shift;
    }
    memcpy((char *)&word + begin, from, size);
    return word;
}

/* A value that begins in one word and ends in another. */
static __attribute__((noinline)) void write_parts(uint64_t *word, size_t begin, const char *from, size_t size)
{
    for (; begin + size > sizeof *word; begin = 0, word++) {
        const size_t part = sizeof *word - begin;
        __atomic_store_n(word, merged(*word, begin, from, part), __ATOMIC_RELEASE);
        from += part, size -= part;
    }
    __atomic_store_n(word, merged(*word, begin, from, size), __ATOMIC_RELEASE);
}

__attribute__((always_inline)) static inline void write_words(
    struct peal_invocation_values *values, size_t offset, const void *from, size_t size)
{
    const uint64_t version = values->version;
    uint64_t *word = &values->words[offset / sizeof *word];
    const size_t begin = offset % sizeof *word;
    __atomic_store_n(&values->version, version | 1, __ATOMIC_RELAXED);
    /* A reader that loads a new word then sees a changed version. */
    if (begin + size <= sizeof *word)
        __atomic_store_n(word, merged(*word, begin, from, size), __ATOMIC_RELEASE);
    else
        write_parts(word, begin, from, size);
    /* If the version was odd, it stays odd. */
    __atomic_store_n(&values->version, version + 2, __ATOMIC_RELEASE);
}

void peal_invocation_write(struct peal_invocation_values *values, size_t offset, const void *from, size_t size)
{
    write_words(values, offset, from, size);
}

bool peal_invocation_set_fast(uint64_t id, size_t index, const void *value, size_t size)
{
    struct peal_invocation_values *values = lock_inline(id);
    if (values == NULL)
        return false;
    const bool is_possible = values->capture == NULL && index < values->parameter_count
                          && values->parameter_sizes[index] == size && is_live(values, peal_invocation_pinned(values));
    if (is_possible)
        write_words(values, values->offsets[index], value, size);
    peal_lock_release_inline(&values->lock);
    return is_possible;
}

struct peal_invocation_values *peal_invocation_use(uint64_t id)
{
    struct peal_invocation_values *values = peal_invocation_lock(id);
    if (values != NULL) {
        values->uses++;
        peal_lock_release(&values->lock);
    }
    return values;
}

bool peal_invocation_end_use(struct peal_invocation_values *values)
{
    peal_lock_acquire(&values->lock);
    const bool is_last = --values->uses == 0 && peal_id_tag(values->id) != PEAL_INVOCATION_TAG;
    peal_lock_release(&values->lock);
    return is_last;
}
