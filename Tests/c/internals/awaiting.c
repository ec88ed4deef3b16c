/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits for a call reads the list in the hazard slot of the thread that makes the call. That list is not
 * freed meanwhile, even if the slot is cleared.
 */
#include "check.h"
#include "CPealSupport/fork.h"
#include "latch.h"
#include "CPealSupport/snapshot.h"

#include <stdlib.h>

static struct latch reads = LATCH_INITIALIZER, may_read = LATCH_INITIALIZER;

static void stop_here(void)
{
    latch_open(&reads);
    latch_wait(&may_read);
}

/* The program contains the source file, with a stop before the entries of the list are read. */
#define peal_snapshot_entries(list) (stop_here(), (peal_snapshot_entries)(list))
#include "../../../Sources/CPealSupport/thread.c" /* NOLINT(bugprone-suspicious-include): the program replaces a call */
#undef peal_snapshot_entries

static uint32_t gate;
static bool found;

static void *await(void *context)
{
    found = peal_thread_await_runners(peal_thread_current(), &gate);
    return context;
}

CLAIM("O7", "while a thread that waits for a call reads the list of the call, the list counts as read")
{
    struct peal_thread *const own = peal_thread_current();
    struct peal_snapshot *const list = calloc(1, peal_snapshot_size(1));
    CHECK(own != NULL && list != NULL);
    CHECK(!peal_thread_any_slot_is_occupied());
    /* This thread makes a call. */
    __atomic_store_n(&own->hazards[0].shown.current, &gate, __ATOMIC_RELEASE);
    __atomic_store_n(&own->hazards[0].shown.list, (uintptr_t)list, __ATOMIC_RELEASE);
    CHECK(peal_thread_any_slot_is_occupied());
    const pthread_t thread = thread_start(await, NULL);
    latch_wait(&reads);
    /* The call ends. */
    __atomic_store_n(&own->hazards[0].shown.list, 0, __ATOMIC_RELEASE);
    CHECK(peal_thread_any_slot_is_occupied());
    latch_open(&may_read);
    thread_join(thread);
    CHECK(found);
    CHECK(!peal_thread_any_slot_is_occupied());
    free(list);
}
