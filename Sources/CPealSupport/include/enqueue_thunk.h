/* Functions that record a call: the entry of a typed loop that stands for what the loop cannot call
 * itself, observers with queues.
 *
 * Not Swift: they take every register and stack word that an argument may travel in, whatever their
 * caller passes. Their first argument is the list. They write a frame as frame.h has it and hand it to
 * the list's `record`. Their result is zero, in all registers that a result may come back in.
 */
#ifndef CPEAL_RECORDER_H
#define CPEAL_RECORDER_H

#include "snapshot.h"

/* The enqueue_thunk for results in these registers (PealCall's ResultPlace), without or with stack words;
 * NULL where frames do not exist. */
void (*_Nullable peal_enqueue_thunk_function(uint8_t place, bool uses_stack))(void);

/* The gate of a enqueue_thunk: always open. */
extern uint32_t peal_enqueue_thunk_gate __attribute__((visibility("hidden")));
static inline uint32_t *_Nonnull peal_enqueue_thunk_open_gate(void) { return &peal_enqueue_thunk_gate; }

/* Where the enqueue_thunk of a list is, in front of its entries. */
static inline struct peal_entry *_Nonnull peal_snapshot_enqueue_thunk(
    const struct peal_snapshot *_Nonnull list)
{
    return (struct peal_entry *)(uintptr_t)&list->enqueue_thunk;
}

#endif
