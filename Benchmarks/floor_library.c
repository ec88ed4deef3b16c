/* SPDX-License-Identifier: Apache-2.0
 *
 * floor_library.c - the functions of floor.h, built as a shared library.
 */
#include "floor.h"

#include <stdlib.h>

typedef void (*observer_function)(void *self, void *a, int i);
typedef int (*asked_function)(void *self, int i);

struct entry {
    peal_function function;
    void *target;
    const uint32_t *gate;
};
struct list {
    uint64_t number;
    size_t count;
    struct entry entries[];
};

static struct list *directory[256];
static __thread struct {
    struct list *held;
    uint32_t attention;
} own __attribute__((tls_model("initial-exec")));

void floor_nothing(const struct plain_entry *entries, size_t count, void *a, int i)
{
    (void)entries, (void)count, (void)a, (void)i;
}

void floor_loop(const struct plain_entry *entries, size_t count, void *a, int i)
{
    for (const struct plain_entry *entry = entries, *end = entries + count; entry != end; entry++)
        ((observer_function)entry->function)(entry->target, a, i);
}

int floor_fold(const struct plain_entry *entries, size_t count, int i, peal_fold fold)
{
    int accumulator = 0;
    for (const struct plain_entry *entry = entries, *end = entries + count; entry != end; entry++) {
        const int result = ((asked_function)entry->function)(entry->target, i);
        if (!fold(NULL, &accumulator, &result))
            break;
    }
    return accumulator;
}

void floor_publish(const struct plain_entry *entries, size_t count)
{
    static const uint32_t open_gate;
    struct list *list = calloc(1, sizeof *list + count * sizeof *list->entries);

    if (list == NULL)
        abort();
    list->number = 1;
    list->count = count;
    for (size_t i = 0; i < count; i++)
        list->entries[i] = (struct entry){ entries[i].function, entries[i].target, &open_gate };
    free(directory[1]);
    directory[1] = list;
}

int floor_send(uint64_t number, void *const *arguments, size_t argument_count)
{
    struct list **place = &directory[number & 255];
    struct list *list = __atomic_load_n(place, __ATOMIC_ACQUIRE);

    if (__builtin_expect(list == NULL || own.held != NULL || argument_count != 2, 0))
        abort();
    __atomic_store_n(&own.held, list, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(place, __ATOMIC_ACQUIRE) != list || list->number != number, 0))
        abort();
    void *const a = *(void **)arguments[0];
    const int i = *(const int *)arguments[1];
    for (const struct entry *entry = list->entries, *end = entry + list->count; entry != end; entry++)
        if (__builtin_expect(__atomic_load_n(entry->gate, __ATOMIC_RELAXED) == 0, 1))
            ((observer_function)entry->function)(entry->target, a, i);
    __atomic_store_n(&own.held, NULL, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&own.attention, __ATOMIC_RELAXED) != 0, 0))
        abort();
    return 0;
}
