/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue ends while another thread has pushed a call and has not yet requested a run by the executor or by a
 * thread. Each order is forced: that thread is stopped after it has released the queue's lock.
 *
 * The release of a lock makes a system call only if a thread may sleep on the lock. Therefore the test holds the lock
 * while the other thread waits for it, which marks the lock as one with a sleeper.
 */
#include "center.h"
#include "interpose.h"
#include "latch.h"
#include "CPealSupport/mailbox.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

#define MUST(condition) ((condition) ? (void)0 : check_give_up(#condition, __FILE__, __LINE__))

enum { SHORT = 20 }; /* milliseconds of a wait for something that must not happen */

static struct bell_protocol bell;
static peal_center center;
static peal_owner owner;
static peal_queue queue;
static uint32_t *lock_of_queue; /* the word of its peal_lock */
static int submits;
static int late_submits;
static int queue_destroyed;
static int target_destroyed;
static struct latch inside;
static struct latch may_leave;

static int read_count(const int *count) { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }
static void add_one(int *count) { __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL); }

static bool submit(void *context, peal_queue submitted)
{
    (void)context, (void)submitted;
    add_one(&submits);
    if (read_count(&queue_destroyed) > 0)
        add_one(&late_submits);
    return true;
}
static void destroy_queue(void *context)
{
    (void)context;
    add_one(&queue_destroyed);
}
static void destroy_queue_slowly(void *context)
{
    latch_open(&inside);
    latch_wait(&may_leave);
    destroy_queue(context);
}
static void destroy_target(void *target)
{
    (void)target;
    add_one(&target_destroyed);
}

static void open_queue(peal_queue_kind kind, void (*destroy)(void *))
{
    static const struct latch shut = LATCH_INITIALIZER;
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;

    inside = may_leave = shut;
    submits = late_submits = queue_destroyed = target_destroyed = 0;
    center = open_center();
    check_must(bell_define(center, &bell), "a protocol");
    check_must(peal_owner_create("plugin", &owner), "an owner");
    options.kind = kind;
    options.submit = submit;
    options.destroy = destroy;
    options.owner = owner;
    interpose_note(peal_mailbox_size((enum peal_mailbox_kind)kind));
    check_must(peal_queue_create(&options, &queue), "a queue");
    struct peal_mailbox *mailbox = interpose_noted();
    MUST(mailbox != NULL);
    lock_of_queue = &mailbox->lock.word;
}

static void pass(void *self) { (void)self; }
static const struct bell passing = { PEAL_TABLE(bell), pass };

static peal_observation observe_on_queue(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 0 };

    options.queue = queue;
    options.destroy = destroy_target;
    check_must(bell_observe(&bell, &bell, &passing, &options, &observation), "an observer");
    return observation;
}

/* ---- Stopping a thread after it has released the queue's lock ---------------------------------------- */

enum { FREE = 0, TAKEN = 1 }; /* the words of lock.c; with any other word a thread may sleep on the lock */

static void take_lock(void)
{
    uint32_t word = FREE;

    MUST(__atomic_compare_exchange_n(lock_of_queue, &word, TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}
static void release_lock(void)
{
    (void)__atomic_exchange_n(lock_of_queue, FREE, __ATOMIC_RELEASE);
    (void)syscall(SYS_futex, lock_of_queue, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void wait_for_sleeper(void) { WAIT_UNTIL(__atomic_load_n(lock_of_queue, __ATOMIC_ACQUIRE) != TAKEN); }

/* Starts a thread, whose body calls interpose_hold_after_wake(lock_of_queue). Returns once that thread has released the
 * queue's lock for the n-th time. The thread continues after interpose_release(). */
static pthread_t hold_after_unlock(void *(*body)(void *), void *context, int nth)
{
    take_lock();
    const pthread_t thread = thread_start(body, context);
    for (int i = 1; i <= nth; i++) {
        wait_for_sleeper();
        release_lock();
        MUST(interpose_wait_held());
        if (i < nth) {
            take_lock();
            interpose_release();
        }
    }
    return thread;
}

/* ---- Submitting to an executor ----------------------------------------------------------------- */

static void *ring_and_be_held(void *context)
{
    (void)context;
    interpose_hold_after_wake(lock_of_queue);
    PEAL_BROADCAST(bell, &bell, on_ring);
    return NULL;
}

CLAIM("L1", "retiring an owner waits for a thread that is about to call the owner's executor")
{
    pthread_t thread;

    open_queue(PEAL_QUEUE_EXECUTOR, destroy_queue);
    (void)observe_on_queue();
    thread = hold_after_unlock(ring_and_be_held, NULL, 1);
    CHECK_STATUS(peal_owner_retire(owner, SHORT), PEAL_NOT_WAITED);
    CHECK_EQUAL(read_count(&queue_destroyed), 0);
    interpose_release();
    thread_join(thread);
    CHECK_EQUAL(read_count(&queue_destroyed), 1);
    CHECK_EQUAL(read_count(&late_submits), 0);
    close_center(center);
}

CLAIM("Q1", "an executor is not called after its queue's destroy callback, which waits for a thread "
            "that is about to call it")
{
    pthread_t thread;

    open_queue(PEAL_QUEUE_EXECUTOR, destroy_queue);
    (void)observe_on_queue();
    thread = hold_after_unlock(ring_and_be_held, NULL, 1);
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_EQUAL(read_count(&queue_destroyed), 0);
    interpose_release();
    thread_join(thread);
    CHECK_EQUAL(read_count(&queue_destroyed), 1);
    CHECK_EQUAL(read_count(&late_submits), 0);
    CHECK_EQUAL(read_count(&target_destroyed), 1);
    CHECK_OK(peal_owner_retire(owner, 0));
    close_center(center);
}

CLAIM("Q1", "an executor is not called after its queue has ended")
{
    pthread_t thread;

    open_queue(PEAL_QUEUE_EXECUTOR, destroy_queue);
    (void)observe_on_queue();
    thread = hold_after_unlock(ring_and_be_held, NULL, 1);
    CHECK_OK(peal_queue_destroy(queue));
    interpose_release();
    thread_join(thread);
    CHECK_EQUAL(read_count(&submits), 0);
    CHECK_OK(peal_owner_retire(owner, 0));
    close_center(center);
}

/* ---- The queue's destroy callback --------------------------------------------------------------- */

static void *end_queue(void *context)
{
    (void)context;
    CHECK_OK(peal_queue_destroy(queue));
    return NULL;
}

CLAIM("L1", "retiring an owner waits for the destroy callback of its queue that another thread runs")
{
    static const peal_queue_kind kinds[] = { PEAL_QUEUE_SERIAL, PEAL_QUEUE_PUMPED, PEAL_QUEUE_EXECUTOR };

    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        pthread_t thread;

        open_queue(kinds[i], destroy_queue_slowly);
        thread = thread_start(end_queue, NULL);
        latch_wait(&inside);
        CHECK_STATUS(peal_owner_retire(owner, SHORT), PEAL_NOT_WAITED);
        CHECK_EQUAL(read_count(&queue_destroyed), 0);
        latch_open(&may_leave);
        thread_join(thread);
        CHECK_EQUAL(read_count(&queue_destroyed), 1);
        close_center(center);
    }
}

static peal_status retired;

static void destroy_and_retire(void *context)
{
    retired = peal_owner_retire(owner, PEAL_FOREVER);
    destroy_queue(context);
}

CLAIM("L2", "retiring an owner from the destroy callback of its queue reports at once that it does not wait")
{
    open_queue(PEAL_QUEUE_PUMPED, destroy_and_retire);
    retired = PEAL_OK;
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_STATUS(retired, PEAL_NOT_WAITED);
    CHECK_EQUAL(read_count(&queue_destroyed), 1);
    close_center(center);
}

/* ---- The queue's memory ------------------------------------------------------------------------- */

/* Removes an observer. The thread is stopped after it has read the waiting calls and enqueued the destroy callback. */
static void *remove_and_be_held(void *context)
{
    interpose_hold_after_wake(lock_of_queue);
    CHECK_OK(peal_observation_remove(*(const peal_observation *)context));
    return NULL;
}

CLAIM("Q6", "a queue may end, and its destroy callback run, before a broadcast that has enqueued a call on it returns")
{
    static const peal_queue_kind kinds[] = { PEAL_QUEUE_SERIAL, PEAL_QUEUE_EXECUTOR };

    interpose_poison(true);
    for (size_t i = 0; i < CHECK_COUNT_OF(kinds); i++) {
        peal_observation observation;
        pthread_t thread;

        open_queue(kinds[i], destroy_queue);
        observation = observe_on_queue();
        thread = hold_after_unlock(remove_and_be_held, &observation, 2);
        CHECK_EQUAL(read_count(&target_destroyed), 0);
        CHECK_OK(peal_queue_destroy(queue));
        CHECK_EQUAL(read_count(&target_destroyed), 1);
        interpose_release();
        thread_join(thread);
        CHECK_EQUAL(read_count(&target_destroyed), 1);
        CHECK_EQUAL(read_count(&queue_destroyed), 1);
        CHECK_EQUAL(read_count(&submits), 0);
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        close_center(center);
    }
    interpose_poison(false);
}
