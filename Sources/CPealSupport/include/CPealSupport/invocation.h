/* The argument values of an invocation. Threads read them without its lock and without keeping its block.
 *
 * Not Swift: a reader copies words that another thread may be writing, so all of them are atomic. A writer makes the
 * version odd while it writes. A reader that finds an odd version, or a changed one after the copy, discards its copy.
 * (A sequence lock.) The version stays odd while the arguments are retained elsewhere, and if the method has a result.
 *
 * An invocation is a use of a block, which is never unmapped. The block has a slot of its own, which leads to the block
 * for as long as the process runs. Each invocation of the block has the next generation of the slot. The block has the
 * invocation's id until the invocation ends. So a reader with a stale id reads valid memory, and finds another id there.
 *
 * A block pins its method's handle, so the method's object lasts as long as its invocations. A spare block, which a
 * thread keeps for its next invocation, keeps the pin too. The reclaimer releases it when the method has ended. The
 * thread stores that it keeps or takes the block, and then loads the id of the method's element. The reclaimer loads which
 * blocks threads keep, after the method's element was closed and after a writer fence. So the thread sees that the method
 * has ended, or the reclaimer sees whether the thread keeps the block. If both see the pin, one of them claims it.
 */
#ifndef CPEAL_INVOCATION_H
#define CPEAL_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CPealSupport/block.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/slot.h"

struct peal_invocation_values {
    struct peal_block block;
    uint64_t id; /* the invocation; while there is none, an id that no invocation has: peal_no_id_of the next one */
    uint64_t version; /* odd: there are no values to be read now */
    uint64_t method; /* pinned; 0: none */
    struct peal_directory_element *_Nullable element; /* of the method that was pinned last; never unmapped */
    const void *_Nullable copy_plan; /* the method's plans and their arrays are never freed */
    size_t size; /* of the values and the result in bytes */
    size_t parameter_count;
    const uint32_t *_Nullable parameter_sizes;
    const size_t *_Nullable offsets; /* of the parameters' values */
    /* The counted object that has the retained arguments; NULL: they are not retained. Swift writes it. */
    void *_Nullable capture;
    struct peal_lock lock; /* of the id, the uses, the values, the result and the capture */
    uint32_t uses; /* that keep the block when the invocation ends */
    bool has_result; /* the values are never read without the lock */
    uint64_t words[];
};

/* The part of a method that its blocks need. */
struct peal_invocation_method {
    uint64_t id;
    const void *_Nonnull copy_plan;
    size_t size;
    size_t parameter_count;
    const uint32_t *_Nonnull parameter_sizes;
    const size_t *_Nonnull offsets;
    bool has_result;
};

enum { PEAL_INVOCATION_TAG = 5 };

/* ---- Blocks ------------------------------------------------------------------------------------ */

/* Takes the calling thread's spare block, if it pins the method and the method has not ended. The values and the result
 * are zeros. Otherwise returns NULL. `out_unpinned` is the method whose pin the caller must release, or 0. */
struct peal_invocation_values *_Nullable peal_invocation_reuse(uint64_t method, uint64_t *_Nonnull out_unpinned);

/* Allocates a block without a method for `size` bytes, after peal_invocation_reuse has returned NULL. Returns NULL when
 * memory is short. */
struct peal_invocation_values *_Nullable peal_invocation_allocate(size_t size);
/* The pinned method. The load is atomic, since the reclaimer tries to claim the pins of blocks that it found as spare. */
static inline uint64_t peal_invocation_pinned(const struct peal_invocation_values *_Nonnull values)
{
    return __atomic_load_n(&values->method, __ATOMIC_ACQUIRE);
}

/* Prepares an allocated block for invocations of a method, which the caller has pinned. The values and the result are
 * zeros. */
void peal_invocation_prepare(
    struct peal_invocation_values *_Nonnull values, const struct peal_invocation_method *_Nonnull method);

/* Returns false for a block that needs a slot: a new one, or one whose slot has no generation left. */
static inline bool peal_invocation_has_slot(const struct peal_invocation_values *_Nonnull values)
{
    return peal_id_tag(peal_no_id_of(values->id)) == PEAL_INVOCATION_TAG;
}
/* Lets a slot lead to the block from now on. `id` is that of the next invocation. */
void peal_invocation_set_slot(struct peal_invocation_values *_Nonnull values, uint64_t id);

/* Begins an invocation with the values and the capture of the block, and returns its id. */
uint64_t peal_invocation_begin(struct peal_invocation_values *_Nonnull values);
/* Ends an invocation. Returns false if the id is stale. `out_unused` is the block that the caller must free, or NULL. */
bool peal_invocation_end(uint64_t id, struct peal_invocation_values *_Nullable *_Nonnull out_unused);
/* Ends an invocation, and keeps its block as the spare one of the calling thread. Returns false if it does nothing, for
 * example because the id is stale, the thread has a spare block, the arguments are retained, or another thread uses the
 * invocation. Then the caller calls peal_invocation_end. `out_unpinned` is filled on success: the method whose pin the
 * caller must release, or 0. */
bool peal_invocation_end_fast(uint64_t id, uint64_t *_Nonnull out_unpinned);

/* Frees the block of an invocation that has ended or was never begun. The capture must be NULL. Returns the method whose
 * pin the caller must release, or 0. */
uint64_t peal_invocation_free(struct peal_invocation_values *_Nonnull values);

/* Claims the pins of spare blocks. The method's element must be closed, and a writer fence passed since. Returns the
 * number of pins that the caller must release. */
uint32_t peal_invocation_claim_pins(uint64_t method);

/* ---- Access ------------------------------------------------------------------------------------ */

/* Returns the values that may be those of an id, or NULL. The caller compares the ids, and thereby the tag. */
static inline struct peal_invocation_values *_Nullable peal_invocation_values_of(uint64_t id)
{
    struct peal_slot *slot = peal_slot_at_sized(
        peal_slots_of(PEAL_SLOTS_INVOCATIONS), peal_id_index(id), sizeof(struct peal_slot));
    return slot == NULL ? NULL : (struct peal_invocation_values *)__atomic_load_n(&slot->object, __ATOMIC_ACQUIRE);
}

/* Acquires the lock of the values of an id that is not stale. The caller releases the lock. Returns NULL otherwise. */
struct peal_invocation_values *_Nullable peal_invocation_lock(uint64_t id);

/* Sets an argument that is not retained. Returns false if it was not set: the id is stale, the method has ended, the
 * arguments are retained, or the index or the size is wrong. */
bool peal_invocation_set_fast(uint64_t id, size_t index, const void *_Nonnull value, size_t size);

/* Begins a use, which keeps the block. Returns NULL if the id is stale. */
struct peal_invocation_values *_Nullable peal_invocation_use(uint64_t id);
/* Ends a use. Returns true if the caller must free the block. */
bool peal_invocation_end_use(struct peal_invocation_values *_Nonnull values);

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
    const bool is_readable = (version & 1) == 0 && __atomic_load_n(&values->id, __ATOMIC_ACQUIRE) == id;
    return (struct peal_invocation_view){ __builtin_expect(is_readable, 1) ? values : NULL, version };
}
static inline uint64_t peal_invocation_view_method(struct peal_invocation_view view)
{
    return __atomic_load_n(&view.values->method, __ATOMIC_ACQUIRE);
}
/* The element of the method, if the view is valid. NULL if the block has had no method. */
static inline struct peal_directory_element *_Nullable peal_invocation_view_element(struct peal_invocation_view view)
{
    return __atomic_load_n(&view.values->element, __ATOMIC_ACQUIRE);
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

/* The caller of the functions below must hold the lock. */

static inline void *_Nonnull peal_invocation_memory(struct peal_invocation_values *_Nonnull values)
{
    return values->words;
}

static inline void *_Nullable *_Nonnull peal_invocation_capture(struct peal_invocation_values *_Nonnull values)
{
    return &values->capture;
}

void peal_invocation_write(
    struct peal_invocation_values *_Nonnull values, size_t offset, const void *_Nonnull from, size_t size);

/* Makes the version odd, so that readers find no values any more. */
static inline void peal_invocation_close(struct peal_invocation_values *_Nonnull values)
{
    __atomic_store_n(&values->version, values->version | 1, __ATOMIC_RELEASE);
}

#endif
