/* Labels: texts by which people recognise observers, queues, timers and services.
 *
 * Not Swift: an object has a label only if the program gives it one, so labels are in a table of their own, and objects
 * without a label have no memory for it. Refused memory is reported before an object is made.
 */
#ifndef CPEAL_LABEL_H
#define CPEAL_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CPealSupport/nullability.h"

struct peal_label;

/* Copies a text. Returns NULL when memory is short. */
struct peal_label *_Nullable peal_label_make(const char *_Nonnull text);
/* Gives the label to an object, which must not have one. Cannot fail. */
void peal_label_attach(struct peal_label *_Nonnull label, uint64_t id);

/* The number of objects with a label. */
extern uint32_t peal_labels_attached __attribute__((visibility("hidden")));

void peal_label_remove_slow(uint64_t id);
/* Removes the label of an object that has ended, if it has one. */
static inline void peal_label_remove(uint64_t id)
{
    if (__builtin_expect(__atomic_load_n(&peal_labels_attached, __ATOMIC_RELAXED) != 0, 0))
        peal_label_remove_slow(id);
}

/* Copies an object's label as snprintf does: cut to fit between two characters. Empty if it has none. */
void peal_label_copy(uint64_t id, char *_Nonnull buffer, size_t capacity);

#endif
