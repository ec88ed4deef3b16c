/* Reference counts, of three kinds.
 *
 * Not Swift: the counts are members of C structs that several threads share.
 *
 * Plain       a count of its own. A thread that retains has a reference already, or a lock protects the object for it.
 * Ordered     a plain count whose changes are ordered with another word. One thread retains, and then loads the word.
 *             Another changes the word, and then loads the count. All four accesses are sequentially consistent, so the
 *             first thread sees the changed word, or the second sees the reference.
 * With id     a count in the lower half of a word whose upper half is the generation of an id (slot.h). A thread that
 *             retains has the id alone, so one exchange proves that the id is not stale and counts.
 */
#ifndef CPEAL_COUNT_H
#define CPEAL_COUNT_H

#include "CPealSupport/clock.h"
#include "CPealSupport/nullability.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Plain ------------------------------------------------------------------------------------- */

static inline void peal_count_retain(uint32_t *_Nonnull count, uint32_t times)
{
    __atomic_fetch_add(count, times, __ATOMIC_RELAXED);
}
/* The same. Returns true for the first references. */
static inline bool peal_count_retain_first(uint32_t *_Nonnull count, uint32_t times)
{
    return __atomic_fetch_add(count, times, __ATOMIC_RELAXED) == 0;
}
static inline uint32_t peal_count_load(const uint32_t *_Nonnull count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}
/* Returns true for the last references: the caller then ends the object. The writes of other threads before their
 * releases happen before that. */
static inline bool peal_count_release(uint32_t *_Nonnull count, uint32_t times)
{
    return __atomic_fetch_sub(count, times, __ATOMIC_ACQ_REL) == times;
}
/* Adds a reference unless the last one was released. The calling thread has found the object in a list, and has no
 * reference yet. */
static inline bool peal_count_try_retain(uint32_t *_Nonnull count)
{
    for (;; peal_back_off()) {
        uint32_t known = __atomic_load_n(count, __ATOMIC_RELAXED);
        if (known == 0)
            return false;
        if (__atomic_compare_exchange_n(count, &known, known + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
    }
}
/* As peal_count_release, for counts that no thread retains again once the caller has the last references: the last
 * release need not write the count. */
static inline bool peal_count_release_only(uint32_t *_Nonnull count, uint32_t times)
{
    return __atomic_load_n(count, __ATOMIC_ACQUIRE) == times || peal_count_release(count, times);
}

/* ---- Ordered ----------------------------------------------------------------------------------- */

static inline void peal_count_retain_ordered(uint32_t *_Nonnull count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
}
/* Returns true for the last reference. */
static inline bool peal_count_release_ordered(uint32_t *_Nonnull count)
{
    return __atomic_fetch_sub(count, 1, __ATOMIC_SEQ_CST) == 1;
}
static inline uint32_t peal_count_load_ordered(const uint32_t *_Nonnull count)
{
    return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

/* ---- With an id ----------------------------------------------------------------------------- */

enum peal_retained { PEAL_RETAINED, PEAL_RETAINED_DEAD, PEAL_RETAINED_TOO_OFTEN };
enum peal_released { PEAL_RELEASED, PEAL_RELEASED_LAST, PEAL_RELEASED_STALE };

/* counted: the bits of the word that are the count. alive: the bits of which at least one is set until the object ends;
 *   they include the count. */
static inline enum peal_retained peal_word_retain(
    uint64_t *_Nonnull word, uint32_t generation, uint32_t alive, uint32_t counted)
{
    for (;; peal_back_off()) {
        uint64_t known = __atomic_load_n(word, __ATOMIC_RELAXED);
        if (known >> 32 != generation || (known & alive) == 0)
            return PEAL_RETAINED_DEAD;
        if ((known & counted) == counted)
            return PEAL_RETAINED_TOO_OFTEN;
        if (__atomic_compare_exchange_n(word, &known, known + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return PEAL_RETAINED;
    }
}

/* A release without a reference returns PEAL_RELEASED_STALE, because a count below zero would revive the object. */
static inline enum peal_released peal_word_release(
    uint64_t *_Nonnull word, uint32_t generation, uint32_t alive, uint32_t counted)
{
    for (;; peal_back_off()) {
        uint64_t known = __atomic_load_n(word, __ATOMIC_RELAXED);
        if (known >> 32 != generation || (known & counted) == 0)
            return PEAL_RELEASED_STALE;
        if (__atomic_compare_exchange_n(word, &known, known - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return ((known - 1) & alive) == 0 ? PEAL_RELEASED_LAST : PEAL_RELEASED;
    }
}

#endif
