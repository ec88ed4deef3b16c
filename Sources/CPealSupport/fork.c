#include "CPealSupport/fork.h"

#include <pthread.h>
#include <sched.h>

#include "CPealSupport/announcement.h"
#include "CPealSupport/clock.h"
#include "CPealSupport/event_count.h"
#include "CPealSupport/executor.h"
#include "CPealSupport/mailbox.h"
#include "CPealSupport/property.h"
#include "CPealSupport/signals.h"
#include "CPealSupport/tap.h"

uint32_t peal_fork_gate;
static struct peal_event_count opened; /* signalled when the gate opens */
static uint32_t generation;

/* The locks of threads that have no record yet, or none because memory is short. */
static __thread uint32_t own_without_slot __attribute__((tls_model("initial-exec")));
static uint32_t all_without_slot;

/* One fork at a time. Acquired before the fork, released in the parent, initialised again in the child. */
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;

uint32_t peal_fork_generation(void) { return __atomic_load_n(&generation, __ATOMIC_RELAXED); }

static bool is_shut(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return (__atomic_load_n(&peal_fork_gate, __ATOMIC_ACQUIRE) & PEAL_FORK_SHUT) != 0;
}

static void wait_until_open(void)
{
    while (is_shut()) {
        const uint32_t prepared = peal_event_count_prepare(&opened);
        if (is_shut())
            (void)peal_event_count_sleep(&opened, prepared, UINT64_MAX);
    }
}

/* Counts in the thread's record, or among the locks of all threads without one. */
static void note_lock(struct peal_thread *own, int32_t change)
{
    if (own != NULL) {
        __atomic_store_n(&own->locks, own->locks + (uint32_t)change, __ATOMIC_RELEASE);
        return;
    }
    own_without_slot += (uint32_t)change;
    __atomic_fetch_add(&all_without_slot, (uint32_t)change, __ATOMIC_SEQ_CST);
}

void peal_fork_enter_slow(void)
{
    struct peal_thread *own = peal_thread_own;
    if (own == NULL)
        note_lock(own, 1);
    /* A thread that holds a lock already passes. */
    while (own_without_slot + (own != NULL ? own->locks : 0) == 1 && is_shut()) {
        note_lock(own, -1);
        wait_until_open();
        note_lock(own, 1);
    }
}

static uint32_t noted_locks(const struct peal_thread *own) { return own != NULL ? own->locks & ~PEAL_LOCKS_LATE : 0; }

bool peal_fork_holds_locks(void) { return noted_locks(peal_thread_own) + own_without_slot > 0; }

void peal_fork_leave_slow(void)
{
    struct peal_thread *own = peal_thread_own;
    /* A lock that was acquired before the thread had a record is not noted in the record. */
    note_lock(noted_locks(own) > 0 ? own : NULL, -1);
    if (own != NULL && (own->first_late != NULL || own->announce != NULL) && !peal_fork_holds_locks()) {
        __atomic_store_n(&own->locks, 0, __ATOMIC_RELEASE);
        peal_taps_report_late(own);
        peal_announce_now(own);
    }
}

/* ---- The handlers ------------------------------------------------------------------------------ */

static void open_gate(void)
{
    __atomic_fetch_and(&peal_fork_gate, ~(uint32_t)PEAL_FORK_SHUT, __ATOMIC_SEQ_CST);
    peal_event_count_signal(&opened);
}

static bool others_hold_locks(void)
{
    return __atomic_load_n(&all_without_slot, __ATOMIC_ACQUIRE) != own_without_slot || peal_thread_others_lock();
}

static void prepare(void)
{
    enum { YIELDS = 100, PAUSE = 50000 };
    pthread_mutex_lock(&forking);
    __atomic_fetch_or(&peal_fork_gate, PEAL_FORK_SHUT, __ATOMIC_SEQ_CST);
    peal_thread_writer_fence();
    for (unsigned turn = 0; others_hold_locks(); turn++) {
        if (turn < YIELDS)
            (void)sched_yield();
        else
            peal_clock_pause(PAUSE);
    }
}

static void done_in_parent(void)
{
    open_gate();
    pthread_mutex_unlock(&forking);
    /* Prevents a tail call. The thread sanitizer of a program ignores calls from the library, so it does not see the
     * locking. A tail call would look like one from glibc, and the sanitizer would see the unlocking alone. */
    __asm__ volatile("");
}

/* The forking thread is the only one. No lock is held, and none is acquired here. */
static void done_in_child(void)
{
    generation++;
    all_without_slot = own_without_slot;
    peal_thread_forked();
    peal_mailbox_forked();
    peal_property_forked();
    peal_executor_forked();
    peal_signals_forked();
    peal_fork_gate &= ~(uint32_t)PEAL_FORK_SHUT;
    pthread_mutex_init(&forking, NULL);
}

/* Registers the handlers when the library is loaded, before programs register theirs. So the gate shuts after the
 * programs' handlers have prepared the fork, and opens before their other handlers run. */
__attribute__((constructor)) static void register_handlers(void)
{
    (void)pthread_atfork(prepare, done_in_parent, done_in_child);
}
