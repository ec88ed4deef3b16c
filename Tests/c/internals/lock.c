/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's lock. A release is a store while no thread sleeps on any lock. Each race is first forced and then
 * repeated with free timing.
 */
#include "check.h"
#include "CPealSupport/fork.h"
#include "latch.h"
#include "CPealSupport/thread.h"

#include <string.h>
#include <sys/mman.h>

static void before_store(void);
static void before_fence(void);

/* The program contains the source file, with a call before the store of a release, and one before a sleeper's fence. */
#define __atomic_store_n(address, value, order) (before_store(), __atomic_store_n(address, value, order))
#define peal_thread_lock_fence() (before_fence(), (peal_thread_lock_fence)())
#include "../../../Sources/CPealSupport/lock.c" /* NOLINT(bugprone-suspicious-include): the program replaces two calls */
#undef __atomic_store_n
#undef peal_thread_lock_fence

static __thread bool stops_before_store;
static struct latch is_before_store = LATCH_INITIALIZER, may_store = LATCH_INITIALIZER;
static unsigned fences;

static void before_store(void)
{
    if (!stops_before_store)
        return;
    latch_open(&is_before_store);
    latch_wait(&may_store);
}

static void before_fence(void) { __atomic_fetch_add(&fences, 1, __ATOMIC_RELAXED); }

enum { THREADS = 4, LOCKS = 2, ROUNDS = 4000, RELEASES = 20000, PAGES = 500, PAGE = 4096 };

/* Acquires a lock, then releases it once another thread waits for it. */
struct holder {
    struct peal_lock *lock;
    struct latch has_lock, may_release;
    bool claims_before, claims_inside; /* when the thread gets its record */
};

static void *hold(void *context)
{
    struct holder *holder = context;
    if (holder->claims_before)
        CHECK(peal_thread_current() != NULL);
    peal_lock_acquire(holder->lock);
    if (holder->claims_inside)
        CHECK(peal_thread_current() != NULL);
    latch_open(&holder->has_lock);
    latch_wait(&holder->may_release);
    peal_lock_release(holder->lock);
    return NULL;
}

static void *acquire_once(void *lock)
{
    CHECK(peal_thread_current() != NULL);
    peal_lock_acquire(lock);
    peal_lock_release(lock);
    return NULL;
}

static bool is_slept_on(struct peal_lock *lock) { return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) == CONTENDED; }

static void release_while_slept_on(bool claims_before, bool claims_inside)
{
    struct peal_lock lock = { 0 };
    struct holder holder = { &lock, LATCH_INITIALIZER, LATCH_INITIALIZER, claims_before, claims_inside };
    const pthread_t first = thread_start(hold, &holder);
    latch_wait(&holder.has_lock);
    const pthread_t second = thread_start(acquire_once, &lock);
    const pthread_t third = thread_start(acquire_once, &lock);
    WAIT_UNTIL(is_slept_on(&lock));
    latch_open(&holder.may_release);
    thread_join(first);
    thread_join(second);
    thread_join(third);
    CHECK_EQUAL(lock.word, FREE);
}

CLAIM("F8", "the release of a lock wakes the threads that sleep on it") { release_while_slept_on(true, false); }

CLAIM("F8", "so does a thread without a record") { release_while_slept_on(false, false); }

CLAIM("F8", "so does a thread that gets its record while it holds the lock") { release_while_slept_on(false, true); }

static void release_often(void)
{
    struct peal_lock lock = { 0 };
    for (int i = 0; i < CALM; i++) {
        peal_lock_acquire(&lock);
        peal_lock_release(&lock);
    }
}

static void *release_by_store(void *context)
{
    struct holder *holder = context;
    CHECK(peal_thread_current() != NULL);
    peal_lock_acquire(holder->lock);
    stops_before_store = true;
    peal_lock_release(holder->lock);
    stops_before_store = false;
    return NULL;
}

CLAIM("F8", "a thread that begins to sleep before the store of a release is woken after it")
{
    struct peal_lock lock = { 0 };
    struct holder holder = { .lock = &lock };
    CHECK(peal_thread_current() != NULL);
    release_often(); /* after the claims before, releases are exchanges */
    CHECK_EQUAL(peal_lock_contenders, 0);
    const unsigned fences_before = fences;
    const pthread_t first = thread_start(release_by_store, &holder);
    latch_wait(&is_before_store);
    const pthread_t second = thread_start(acquire_once, &lock);
    WAIT_UNTIL(is_slept_on(&lock));
    CHECK_EQUAL(__atomic_load_n(&fences, __ATOMIC_RELAXED), fences_before + 1);
    latch_open(&may_store);
    thread_join(first);
    thread_join(second);
    CHECK_EQUAL(lock.word, FREE);
}

/* ---- Free timing ------------------------------------------------------------------------------- */

static struct peal_lock locks[LOCKS];
static unsigned long sums[LOCKS]; /* each is guarded by the lock of its index */

/* Sections last up to 30 microseconds, and waiting threads sleep after some 15. */
static void *add_slowly(void *seed)
{
    uint64_t state = *(const uint64_t *)seed;
    CHECK(peal_thread_current() != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const size_t which = (state >> 40) % LOCKS;
        const uint64_t end = peal_clock_system() + (state >> 33) % 30000;
        peal_lock_acquire(&locks[which]);
        sums[which]++;
        while (peal_clock_system() < end)
            ;
        peal_lock_release(&locks[which]);
    }
    return NULL;
}

CLAIM("F8", "no release of a lock is lost by threads that begin to sleep")
{
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];

    memset(sums, 0, sizeof sums);
    for (size_t i = 0; i < THREADS; i++) {
        seeds[i] = i;
        threads[i] = thread_start(add_slowly, &seeds[i]);
    }
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_EQUAL(sums[0] + sums[1], (unsigned long)THREADS * ROUNDS);
    CHECK_EQUAL(locks[0].word, FREE);
    CHECK_EQUAL(locks[1].word, FREE);
}

static void *add_quickly(void *unused)
{
    (void)unused;
    CHECK(peal_thread_current() != NULL);
    for (int round = 0; round < RELEASES; round++) {
        peal_lock_acquire(&locks[0]);
        sums[0]++;
        peal_lock_release(&locks[0]);
    }
    return NULL;
}

CLAIM("F4", "a lock excludes other threads while its releases change from exchanges to stores and back")
{
    pthread_t quick[2];

    memset(sums, 0, sizeof sums);
    for (int round = 0; round < 10; round++) {
        quick[0] = thread_start(add_quickly, NULL);
        quick[1] = thread_start(add_quickly, NULL);
        release_while_slept_on(true, false);
        thread_join(quick[0]);
        thread_join(quick[1]);
    }
    CHECK_EQUAL(sums[0], 20ul * RELEASES);
}

/* ---- Lifetime ---------------------------------------------------------------------------------- */

static void *acquire_and_unmap(void *page)
{
    CHECK(peal_thread_current() != NULL);
    peal_lock_acquire(page);
    CHECK(munmap(page, PAGE) == 0);
    /* The lock is gone, so its note in the thread's record ends without it. */
    peal_fork_leave();
    return NULL;
}

CLAIM("F4", "the thread that acquires a lock next may free its memory at once")
{
    CHECK(peal_thread_current() != NULL);
    for (int round = 0; round < PAGES; round++) {
        struct peal_lock *lock = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(lock != MAP_FAILED);
        peal_lock_acquire(lock);
        const pthread_t other = thread_start(acquire_and_unmap, lock);
        const uint64_t end = peal_clock_system() + (uint64_t)round * 100;
        while (peal_clock_system() < end)
            ;
        peal_lock_release(lock);
        thread_join(other);
    }
}
