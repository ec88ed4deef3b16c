/* The slots of open taps, which only the sources of taps access.
 *
 * Not Swift: threads that report events load members that another thread stores.
 */
#ifndef CPEAL_TAP_SLOT_H
#define CPEAL_TAP_SLOT_H

#include "CPealSupport/interface.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/nullability.h"
#include "CPealSupport/tap_ring.h"
#include "CPealSupport/thread.h"

/* The states of a tap's slot. */
enum peal_tap_state { PEAL_TAP_FREE, PEAL_TAP_OPEN, PEAL_TAP_CLOSING };

struct peal_tap_slot {
    struct peal_lock lock; /* guards the rings, and the order of reads */
    enum peal_tap_state state;      /* guarded by the lock of all taps, as all members that no comment mentions */
    uint64_t id;
    uint64_t center;
    uint32_t events;   /* loaded by the threads of events; 0: closed */
    uint32_t is_owed;  /* 1: the last call of the function finishes the closing. Atomic */
    uint32_t asked;    /* as given */
    uint32_t flags;
    uint64_t first;    /* the number of the first broadcast that the tap sees */
    char *_Nullable filter;      /* NULL: all methods */
    peal_tap_function _Nullable function;
    void *_Nullable context;
    void (*_Nullable destroy)(void *_Nullable context);
    size_t capacity;
    struct peal_tap_ring *_Nullable rings;
    struct peal_tap_ring *_Nullable next_ring; /* where the next read begins; NULL: at the first ring */
    uint64_t lost;                   /* records for which no ring could be made. Atomic */
};

extern struct peal_tap_slot peal_tap_slots[PEAL_TAPS] __attribute__((visibility("hidden")));
extern struct peal_lock peal_taps_lock __attribute__((visibility("hidden")));

/* The bits of the taps that are open, that have functions, and that count. Guarded, and loaded without the lock too. */
extern uint32_t peal_taps_open_bits __attribute__((visibility("hidden")));
extern uint32_t peal_taps_with_functions __attribute__((visibility("hidden")));
extern uint32_t peal_taps_counting __attribute__((visibility("hidden")));
/* The number of taps that a thread is closing. Atomic. */
extern uint32_t peal_taps_closing __attribute__((visibility("hidden")));
/* The number of taps that were opened. Atomic. */
extern uint64_t peal_taps_opened __attribute__((visibility("hidden")));

static inline unsigned peal_tap_index(uint64_t id) { return (unsigned)id & (PEAL_TAPS - 1); }

/* With the lock of all taps: the open tap of an id, or NULL. */
static inline struct peal_tap_slot *_Nullable peal_tap_find(uint64_t id)
{
    struct peal_tap_slot *tap = &peal_tap_slots[peal_tap_index(id)];
    return id != 0 && tap->id == id && tap->state == PEAL_TAP_OPEN ? tap : NULL;
}

/* Finishes the taps that were closed inside a function, and whose function runs on no thread any more. The caller must
 * hold no lock. */
void peal_taps_finish_owed(void);

/* Takes the number of the first broadcast that a new tap sees. */
uint64_t peal_tap_first_broadcast(void);

#endif
