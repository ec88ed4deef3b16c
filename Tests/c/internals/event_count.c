/* SPDX-License-Identifier: Apache-2.0
 *
 * The event count, on which all waits of the library are built. Each race is first forced and then repeated with free
 * timing.
 */
#include "check.h"
#include "child.h"
#include "CPealSupport/clock.h"
#include "CPealSupport/event_count.h"
#include "latch.h"

#include <pthread.h>

enum { WAITERS = 2, ROUNDS = 20000, SECOND = 1000 /* ms */ };

static struct peal_event_count changed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned turn; /* guarded by the lock */
static unsigned open_turn; /* atomic; no lock guards it */
static unsigned woken;

static uint64_t soon(void) { return peal_clock_deadline(20 * SECOND); }

static void begin(void)
{
    changed.word = 0;
    turn = 0;
    open_turn = 0;
    woken = 0;
}

/* ---- Forced orders ----------------------------------------------------------------------------- */

CLAIM("F8", "a signal of an event count without waiters changes nothing")
{
    begin();
    peal_event_count_signal(&changed);
    CHECK_EQUAL(changed.word, 0);
}

CLAIM("F8", "a signal between the preparation of a wait and the sleep is not lost")
{
    begin();
    const uint32_t prepared = peal_event_count_prepare(&changed);
    peal_event_count_signal(&changed);
    CHECK(peal_event_count_wait(&changed, prepared, UINT64_MAX));
}

CLAIM("F8", "a signal wakes all threads that prepared to wait before it")
{
    begin();
    const uint32_t first = peal_event_count_prepare(&changed);
    const uint32_t second = peal_event_count_prepare(&changed);
    peal_event_count_signal(&changed);
    const uint32_t late = peal_event_count_prepare(&changed);
    peal_event_count_signal(&changed);
    CHECK(peal_event_count_wait(&changed, first, UINT64_MAX));
    CHECK(peal_event_count_wait(&changed, second, UINT64_MAX));
    CHECK(peal_event_count_wait(&changed, late, UINT64_MAX));
}

CLAIM("F8", "a signal does not wake a thread that prepares to wait after it")
{
    begin();
    (void)peal_event_count_prepare(&changed);
    peal_event_count_signal(&changed);
    const uint32_t late = peal_event_count_prepare(&changed);
    CHECK(!peal_event_count_wait(&changed, late, peal_clock_deadline(1)));
}

CLAIM("F8", "a wait without a signal ends at its deadline")
{
    begin();
    const uint64_t deadline = peal_clock_deadline(20);
    const uint32_t prepared = peal_event_count_prepare(&changed);
    while (peal_event_count_wait(&changed, prepared, deadline))
        ;
    CHECK(peal_clock_now() >= deadline);
    /* The deadline may also have passed before the wait. */
    CHECK(!peal_event_count_wait(&changed, prepared, 1));
    CHECK(!peal_event_count_wait(&changed, prepared, 0));
    peal_event_count_signal(&changed);
    CHECK(peal_event_count_wait(&changed, prepared, 0));
}

CLAIM("F8", "an event count records whether a waiter has gone to sleep since the last signal")
{
    begin();
    const uint32_t prepared = peal_event_count_prepare(&changed);
    CHECK_EQUAL(changed.word & PEAL_EVENT_COUNT_SLEPT, 0);
    /* A wait whose deadline has passed before it begins does not sleep. */
    while ((changed.word & PEAL_EVENT_COUNT_SLEPT) == 0)
        CHECK(!peal_event_count_wait(&changed, prepared, peal_clock_deadline(20)));
    /* A further waiter sleeps beside it, and neither counts as signalled. */
    CHECK_EQUAL(peal_event_count_prepare(&changed), prepared);
    CHECK(!peal_event_count_is_signalled(&changed, prepared));
    CHECK(!peal_event_count_wait(&changed, prepared, peal_clock_deadline(1)));
    peal_event_count_signal(&changed);
    CHECK(peal_event_count_is_signalled(&changed, prepared));
    CHECK_EQUAL(changed.word, PEAL_EVENT_COUNT_STEP);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static bool is_turn(unsigned wanted)
{
    pthread_mutex_lock(&lock);
    const bool is_so = turn >= wanted;
    pthread_mutex_unlock(&lock);
    return is_so;
}

static bool wait_for_turn(unsigned wanted)
{
    while (!is_turn(wanted)) {
        const uint32_t prepared = peal_event_count_prepare(&changed);
        if (is_turn(wanted))
            return true;
        if (!peal_event_count_wait(&changed, prepared, soon()))
            return false;
    }
    return true;
}

static void take_turn(unsigned next)
{
    pthread_mutex_lock(&lock);
    turn = next;
    pthread_mutex_unlock(&lock);
    peal_event_count_signal(&changed);
}

static void *wait_once(void *unused)
{
    (void)unused;
    if (wait_for_turn(1))
        __atomic_fetch_add(&woken, 1, __ATOMIC_RELAXED);
    return NULL;
}

CLAIM("F8", "one signal wakes two sleeping waiters")
{
    pthread_t threads[WAITERS];

    begin();
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&threads[i], NULL, wait_once, NULL);
    WAIT_UNTIL((__atomic_load_n(&changed.word, __ATOMIC_SEQ_CST) & PEAL_EVENT_COUNT_WAITED) != 0);
    peal_clock_pause(5000000); /* usually long enough for both to sleep */
    take_turn(1);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQUAL(woken, WAITERS);
}

/* Two threads take turns. If one wake-up is lost, both wait until the deadline. */
static void *take_turns(void *first)
{
    for (unsigned round = *(unsigned *)first; round < ROUNDS; round += 2) {
        if (!wait_for_turn(round))
            return NULL;
        take_turn(round + 1);
    }
    return first;
}

/* Waits for a condition that is an atomic word, without a lock. */
static bool wait_for_open_turn(unsigned wanted)
{
    while (__atomic_load_n(&open_turn, __ATOMIC_SEQ_CST) != wanted) {
        const uint32_t prepared = peal_event_count_prepare(&changed);
        if (__atomic_load_n(&open_turn, __ATOMIC_SEQ_CST) == wanted)
            return true;
        if (!peal_event_count_wait(&changed, prepared, soon()))
            return false;
    }
    return true;
}

static void *take_open_turns(void *first)
{
    for (unsigned round = *(unsigned *)first; round < ROUNDS; round += 2) {
        if (!wait_for_open_turn(round))
            return NULL;
        __atomic_store_n(&open_turn, round + 1, __ATOMIC_SEQ_CST);
        peal_event_count_signal(&changed);
    }
    return first;
}

static void take_turns_by(void *(*body)(void *))
{
    unsigned first[2] = { 0, 1 };
    pthread_t threads[2];

    begin();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, &first[i]);
    for (int i = 0; i < 2; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        CHECK(result != NULL);
    }
}

CLAIM("F8", "no wake-up is lost when the condition changes under a lock") { take_turns_by(take_turns); }

CLAIM("F8", "no wake-up is lost when the condition changes without a lock") { take_turns_by(take_open_turns); }

#if !defined(PEAL_TEST_SANITIZED)
/* The thread sanitizer permits no threads in the child of a process with threads. */

/* ---- fork(2) ----------------------------------------------------------------------------------- */

/* The parent's waiting thread does not exist in the child, but the child's copy of the word still records a waiter. */
static bool wait_in_child(void)
{
    pthread_t thread;

    peal_event_count_signal(&changed);
    CHECK_EQUAL(changed.word & PEAL_EVENT_COUNT_WAITED, 0);
    pthread_mutex_init(&lock, NULL);
    pthread_create(&thread, NULL, wait_once, NULL);
    take_turn(1);
    pthread_join(thread, NULL);
    return CHECK_EQUAL(woken, 1);
}

CLAIM("F8", "the child of a fork waits for its own signals")
{
    pthread_t thread;

    begin();
    pthread_create(&thread, NULL, wait_once, NULL);
    WAIT_UNTIL((__atomic_load_n(&changed.word, __ATOMIC_SEQ_CST) & PEAL_EVENT_COUNT_WAITED) != 0);
    peal_clock_pause(5000000);
    CHECK(in_child(wait_in_child, 20));
    take_turn(1);
    pthread_join(thread, NULL);
    CHECK_EQUAL(woken, 1);
}
#endif
