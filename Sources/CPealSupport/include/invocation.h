/* The argument values of an invocation, which are read without its lock.
 *
 * Not Swift: a reader copies words that another thread may be writing, so all of them are atomic. A writer makes the
 * version odd while it writes. A reader that finds it odd, or changed after the copy, has no values. (A sequence lock.)
 * While the arguments are retained elsewhere the version stays odd.
 */
#ifndef CPEAL_INVOCATION_H
#define CPEAL_INVOCATION_H

#include "nullability.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct peal_invocation_values {
    uint64_t version;
    uint64_t words[];
};

/* Copies the first `size` bytes, rounded up to words. Returns false if there are no values to be read now. */
static inline bool peal_invocation_values_read(
    const struct peal_invocation_values *_Nonnull values, void *_Nonnull out, size_t size)
{
    const uint64_t version = __atomic_load_n(&values->version, __ATOMIC_ACQUIRE);
    if (__builtin_expect((version & 1) != 0, 0))
        return false;
    for (size_t i = 0; i * sizeof(uint64_t) < size; i++) {
        const uint64_t word = __atomic_load_n(&values->words[i], __ATOMIC_ACQUIRE);
        memcpy((char *)out + i * sizeof word, &word, sizeof word);
    }
    return __builtin_expect(__atomic_load_n(&values->version, __ATOMIC_RELAXED) == version, 1);
}

/* The rest is for one thread at a time. */

static inline void peal_invocation_values_write(
    struct peal_invocation_values *_Nonnull values, size_t offset, const void *_Nonnull from, size_t size)
{
    const uint64_t version = values->version;
    const char *in = (const char *)from;
    __atomic_store_n(&values->version, version + 1, __ATOMIC_RELAXED);
    while (size > 0) {
        uint64_t *const word = &values->words[offset / sizeof *word];
        const size_t begin = offset % sizeof *word;
        const size_t part = size < sizeof *word - begin ? size : sizeof *word - begin;
        uint64_t value = *word;
        memcpy((char *)&value + begin, in, part);
        /* A reader of a new word sees that the version has moved on. */
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
        offset += part, in += part, size -= part;
    }
    __atomic_store_n(&values->version, version + 2, __ATOMIC_RELEASE);
}

/* No reader finds values any more. */
static inline void peal_invocation_values_close(struct peal_invocation_values *_Nonnull values)
{
    __atomic_store_n(&values->version, values->version | 1, __ATOMIC_RELEASE);
}

#endif
