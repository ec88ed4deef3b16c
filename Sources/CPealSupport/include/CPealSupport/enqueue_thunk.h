/* Enqueue thunks: functions that enqueue a call. A typed loop cannot call observers with queues itself. One entry of
 * its list represents them all, and an enqueue thunk is the function of that entry.
 *
 * Not Swift: they read every register and stack word in which an argument may be passed, whatever the prototype. Their
 * first argument is the list. They write a frame as in frame.h and pass it to the list's `record`. Their result is
 * zero, in all registers in which a result may be returned.
 */
#ifndef CPEAL_ENQUEUE_THUNK_H
#define CPEAL_ENQUEUE_THUNK_H

#include "CPealSupport/snapshot.h"

/* Returns the enqueue thunk for a location of results (PealCall's ResultLocation), without or with stack words. Returns
 * NULL if the machine has no frames. */
void (*_Nullable peal_enqueue_thunk_function(uint8_t element, bool uses_stack))(void);

/* The gate of an enqueue thunk: always open. */
extern uint32_t peal_enqueue_thunk_gate __attribute__((visibility("hidden")));
static inline uint32_t *_Nonnull peal_enqueue_thunk_open_gate(void) { return &peal_enqueue_thunk_gate; }

/* The entry of a list's enqueue thunk, in front of its other entries. */
static inline struct peal_entry *_Nonnull peal_snapshot_enqueue_thunk(const struct peal_snapshot *_Nonnull list)
{
    return (struct peal_entry *)(uintptr_t)&list->enqueue_thunk;
}

#endif
