/* Taps: what a program that watches another part of itself sees. See <peal/tap.h>.
 *
 * Not Swift: records go to memory that two threads share, and an event must not allocate.
 *
 * Each open tap has a bit. A method's directory element has the bits of the taps that see the method. A bit of the
 * list's traits (PealCore's MethodTraits) takes a tapped method off the fast paths, so the others pay nothing.
 *
 * An event is announced: the thread stores the tap's bit in its own record, and then loads the tap's events. A thread
 * that closes the tap clears the events, passes the writer fence (thread.h), and then loads the bits of all threads. So
 * the first thread sees the closed tap, or the second waits for the first. While the bit is stored, the thread reports
 * no other event, so the function of a tap is never called by what it does itself.
 *
 * Times in rings are ticks of the processor. The reader converts them.
 */
#ifndef CPEAL_TAP_H
#define CPEAL_TAP_H

#include "CPealSupport/delivery.h"
#include "CPealSupport/interface.h"
#include "CPealSupport/nullability.h"
#include "CPealSupport/thread.h"

struct peal_tap_ring;
struct peal_tap_slot;

/* A broadcast, or its calls on one queue, that taps see. It lives on the stack of the thread that makes the calls. */
struct peal_tapped {
    uint32_t taps;   /* the bits of those that see it; 0: none */
    uint32_t wanted; /* the events that one of them wants */
    bool is_slow;    /* one of them has a function, whose duration is not that of a call */
    /* The ring of the tap if that tap alone sees the broadcast, and the thread has a ring for it; NULL otherwise. The tap
     * may be closed meanwhile, so each write compares the id. */
    struct peal_tap_ring *_Nullable ring;
    const struct peal_tap_slot *_Nullable tap;
    uint64_t tap_id;
    struct peal_thread *_Nullable thread;
    uint64_t broadcast;
    uint64_t method;
    uint64_t queue;
    uint64_t enqueued; /* for calls on a queue, in ticks */
    uint64_t began;
    uint64_t last; /* the time of the latest event: a call begins when the call before it has ended */
    void *_Nullable const *_Nullable arguments;
};

/* The begin of a broadcast, whose list the caller protects, and the end. The caller passes a structure of zeros.
 * `arguments` must last until the end. */
void peal_tapped_begin(
    struct peal_tapped *_Nonnull tapped, uint64_t method, void *_Nullable const *_Nullable arguments);
/* The same for a caller that has no array of arguments. Returns false if a tap's function needs one; then nothing was
 * reported. */
bool peal_tapped_begin_without_arguments(struct peal_tapped *_Nonnull tapped, uint64_t method);
void peal_tapped_end(struct peal_tapped *_Nonnull tapped, size_t calls, uint8_t outcome, const void *_Nullable result);
/* Begins the calls of a broadcast on a queue. `taps` is 0 if the taps that saw it are closed. */
void peal_tapped_begin_on_queue(struct peal_tapped *_Nonnull tapped, const struct peal_group *_Nonnull group,
    const struct peal_sending *_Nonnull sending, void *_Nullable const *_Nullable arguments);
/* One call of the observer whose entry has this gate. */
void peal_tapped_begin_call(struct peal_tapped *_Nonnull tapped, const uint32_t *_Nonnull gate);
void peal_tapped_end_call(
    struct peal_tapped *_Nonnull tapped, const uint32_t *_Nonnull gate, const void *_Nullable result);
/* Fills in what taps need of a call that is about to be enqueued; and reports calls that wait on a queue now. */
void peal_tapped_prepare(struct peal_tapped *_Nonnull tapped, struct peal_sending *_Nonnull sending);
void peal_tapped_enqueued(struct peal_tapped *_Nonnull tapped, uint64_t queue, uint32_t count);
/* Calls that were released instead of run. */
void peal_tap_dropped(const struct peal_item *_Nonnull item, const struct peal_sending *_Nonnull sending);

/* A number for a broadcast, which no other broadcast of the process has. */
uint64_t peal_broadcast_number(void);

/* ---- Events of objects ------------------------------------------------------------------------- */

/* The events that open taps want. */
extern uint32_t peal_taps_wanted __attribute__((visibility("hidden")));

void peal_tap_note_slow(uint32_t event, uint64_t object, uint64_t duration, int32_t status);
/* Reports an event that has no method. `duration` is in nanoseconds. The caller must hold no lock. */
static inline void peal_tap_note(uint32_t event, uint64_t object, uint64_t duration, int32_t status)
{
    if (__builtin_expect((__atomic_load_n(&peal_taps_wanted, __ATOMIC_RELAXED) & event) != 0, 0))
        peal_tap_note_slow(event, object, duration, status);
}

void peal_tap_note_object_slow(uint64_t id, bool is_created);
/* Reports that an object was created or has ended. The caller may hold locks: the functions of taps then get the event
 * once the thread holds none. */
static inline void peal_tap_note_object(uint64_t id, bool is_created)
{
    enum { EVENTS = PEAL_TAP_REGISTERED | PEAL_TAP_REMOVED | PEAL_TAP_CREATED | PEAL_TAP_ENDED };
    if (__builtin_expect((__atomic_load_n(&peal_taps_wanted, __ATOMIC_RELAXED) & EVENTS) != 0, 0))
        peal_tap_note_object_slow(id, is_created);
}
/* Passes the events that the thread could not report while it held locks. */
void peal_taps_report_late(struct peal_thread *_Nonnull thread);

/* ---- Opening and closing ----------------------------------------------------------------------- */

/* Returns the column of the first mistake in a filter, from 1; 0: there is none. */
size_t peal_tap_filter_mistake(const char *_Nonnull filter);

/* Opens a tap that sees no method yet. Returns its id; 0 with a reason if there is none. */
enum peal_tap_refusal { PEAL_TAP_FULL, PEAL_TAP_NO_MEMORY };
uint64_t peal_taps_open(
    uint64_t center, const struct peal_tap_options *_Nonnull options, enum peal_tap_refusal *_Nonnull out_refusal);

/* Returns true if a tap is open: methods must be matched. */
bool peal_taps_exist(void);
/* The bits of the open taps that see a method of a center. */
uint32_t peal_taps_of(uint64_t center, const char *_Nonnull protocol, const char *_Nonnull method);

/* Makes the id stale, and the tap see no more events. Returns the tap's center and true, or false if the id was stale.
 * The caller then clears the tap's bit from all methods, and calls peal_taps_finish_close. */
bool peal_taps_begin_close(uint64_t id, bool runs_destroy, uint64_t *_Nonnull out_center);
/* Waits until the tap's function runs on no thread, and runs `destroy`. Returns false if it did not wait: then the
 * last call of the function does so. */
bool peal_taps_finish_close(uint64_t id);

/* The functions of the tap in a slot; NULL if the slot is free, or the tap has none. */
void peal_taps_functions(
    unsigned index, peal_function _Nullable *_Nonnull out_function, peal_function _Nullable *_Nonnull out_destroy);
/* Opens a tap that fires USDT probes, if the environment variable PEAL_PROBES is set. */
void peal_tap_probes_begin(void);

enum peal_tap_reading { PEAL_TAP_READ, PEAL_TAP_STALE, PEAL_TAP_HAS_NO_RINGS };
enum peal_tap_reading peal_taps_read(uint64_t id, struct peal_tap_record *_Nonnull records, size_t capacity,
    size_t *_Nonnull out_count, uint64_t *_Nonnull out_lost);
/* Fills all but the size. Returns false if the id is stale. */
bool peal_taps_read_info(uint64_t id, struct peal_tap_info *_Nonnull out_info);

#endif
