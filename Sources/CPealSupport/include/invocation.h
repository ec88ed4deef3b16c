/* The argument values of an invocation. Threads read them without its lock and without a pin of its slot.
 *
 * Not Swift: a reader copies words that another thread may be writing, so all of them are atomic. A writer makes the
 * version odd while it writes. A reader that finds an odd version, or a changed one after the copy, discards its copy.
 * (A sequence lock.) While the arguments are retained elsewhere the version stays odd.
 *
 * The slot of an invocation leads to its values, in a block that is never unmapped. The block has the invocation's id
 * until the invocation ends. So a reader with a stale id reads valid memory, and finds another id there.
 */
#ifndef CPEAL_INVOCATION_H
#define CPEAL_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "block.h"
#include "lock.h"
#include "slot.h"

struct peal_invocation_values {
    struct peal_block block;
    uint64_t id;  /* the invocation; 0: it has ended */
    uint64_t version; /* odd: there are no values to be read now */
    uint64_t method;
    const void *_Nullable copy_plan; /* the method's, which are never freed */
    const void *_Nullable call_plan;
    /* The counted object that has the retained arguments; NULL: they are not retained. Swift writes it. */
    void *_Nullable capture;
    struct peal_lock lock; /* of the values, the result and the capture */
    uint32_t size; /* of the values in bytes; UINT32_MAX: they are never read without the lock */
    uint64_t words[];
};

enum { PEAL_INVOCATION_TAG = 5 };

/* A slot of the table of invocations. */
struct peal_invocation_slot {
    struct peal_slot slot;
    struct peal_invocation_values *_Nullable values; /* of the last invocation that took the slot */
};

/* Allocates a block for the values and the result of an invocation. Readers find no values before
 * peal_invocation_open. Returns NULL when memory is short. */
struct peal_invocation_values *_Nullable peal_invocation_allocate(size_t size);
/* Lets readers find the values by the id of the invocation, whose slot is taken. */
void peal_invocation_open(struct peal_invocation_values *_Nonnull values, uint64_t id, uint64_t method,
    const void *_Nonnull copy_plan, const void *_Nonnull call_plan, uint32_t size);
/* Makes the id stale for readers and writers. */
void peal_invocation_end(struct peal_invocation_values *_Nonnull values);
/* Frees the block of an invocation that has ended, or was never opened. */
void peal_invocation_free(struct peal_invocation_values *_Nonnull values);

/* Returns the values that may be those of an id, or NULL. The caller compares the ids, and thereby the tag. */
static inline struct peal_invocation_values *_Nullable peal_invocation_values_of(uint64_t id)
{
    struct peal_invocation_slot *slot = (struct peal_invocation_slot *)(void *)peal_slot_at_sized(
        peal_slots_of(PEAL_SLOTS_INVOCATIONS), peal_id_index(id), sizeof *slot);
    return slot == NULL ? NULL : __atomic_load_n(&slot->values, __ATOMIC_ACQUIRE);
}

/* A read of values in place. The reader loads what it needs, and then tests that the version is still the same. */
struct peal_invocation_view {
    const struct peal_invocation_values *_Nullable values; /* NULL: there are no values to be read now */
    uint64_t version;
};

static inline struct peal_invocation_view peal_invocation_view_of(uint64_t id)
{
    const struct peal_invocation_values *values = peal_invocation_values_of(id);
    if (values == NULL)
        return (struct peal_invocation_view){ NULL, 0 };
    const uint64_t version = __atomic_load_n(&values->version, __ATOMIC_ACQUIRE);
    const bool is_readable = (version & 1) == 0 && __atomic_load_n(&values->id, __ATOMIC_ACQUIRE) == id
                          && __atomic_load_n(&values->size, __ATOMIC_ACQUIRE) != UINT32_MAX;
    return (struct peal_invocation_view){ __builtin_expect(is_readable, 1) ? values : NULL, version };
}
static inline uint64_t peal_invocation_view_method(struct peal_invocation_view view)
{
    return __atomic_load_n(&view.values->method, __ATOMIC_ACQUIRE);
}
/* The bytes at an offset and those after it in the same word, as the low bytes of the result. The values of a method
 * that the block had once contain the offset, so the load is inside the block. */
static inline uint64_t peal_invocation_view_bytes(struct peal_invocation_view view, size_t offset)
{
    const uint64_t word = __atomic_load_n(&view.values->words[offset / sizeof word], __ATOMIC_ACQUIRE);
    return word >> offset % sizeof word * 8;
}
/* Returns true if everything that was loaded through the view is the state of one time. */
static inline bool peal_invocation_view_is_valid(struct peal_invocation_view view)
{
    return __builtin_expect(__atomic_load_n(&view.values->version, __ATOMIC_RELAXED) == view.version, 1);
}

/* A broadcast of an invocation. */
struct peal_invocation_call {
    uint64_t method;
    const void *_Nullable copy_plan;
};

/* Copies the values, rounded up to words, if they have at most `most` bytes. Returns false if there are no values to be
 * read now. */
static inline bool peal_invocation_read(
    uint64_t id, void *_Nonnull out, size_t most, struct peal_invocation_call *_Nonnull out_call)
{
    const struct peal_invocation_view view = peal_invocation_view_of(id);
    if (view.values == NULL)
        return false;
    const size_t size = __atomic_load_n(&view.values->size, __ATOMIC_ACQUIRE);
    if (size > most)
        return false;
    out_call->method = peal_invocation_view_method(view);
    out_call->copy_plan = __atomic_load_n(&view.values->copy_plan, __ATOMIC_ACQUIRE);
    for (size_t offset = 0; offset < size; offset += sizeof(uint64_t)) {
        const uint64_t word = peal_invocation_view_bytes(view, offset);
        memcpy((char *)out + offset, &word, sizeof word);
    }
    return peal_invocation_view_is_valid(view);
}

/* Acquires the lock of the values of an id, if the id is not stale and the values are not retained elsewhere. The
 * caller releases the lock. Returns NULL otherwise. */
struct peal_invocation_values *_Nullable peal_invocation_lock(uint64_t id);

/* The caller of the functions below must hold the lock. */

static inline void *_Nonnull peal_invocation_memory(struct peal_invocation_values *_Nonnull values)
{
    return values->words;
}

static inline void *_Nullable *_Nonnull peal_invocation_capture(struct peal_invocation_values *_Nonnull values)
{
    return &values->capture;
}

static inline void peal_invocation_write(
    struct peal_invocation_values *_Nonnull values, size_t offset, const void *_Nonnull from, size_t size)
{
    const uint64_t version = values->version;
    const char *in = (const char *)from;
    __atomic_store_n(&values->version, version | 1, __ATOMIC_RELAXED);
    while (size > 0) {
        uint64_t *const word = &values->words[offset / sizeof *word];
        const size_t begin = offset % sizeof *word;
        const size_t part = size < sizeof *word - begin ? size : sizeof *word - begin;
        uint64_t value = *word;
        memcpy((char *)&value + begin, in, part);
        /* A reader that loads the new word then sees a changed version. */
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
        offset += part, in += part, size -= part;
    }
    /* If the invocation has ended, the version was odd and stays odd. */
    __atomic_store_n(&values->version, version + 2, __ATOMIC_RELEASE);
}

/* Makes the version odd, so that readers find no values any more. */
static inline void peal_invocation_close(struct peal_invocation_values *_Nonnull values)
{
    __atomic_store_n(&values->version, values->version | 1, __ATOMIC_RELEASE);
}

#endif
