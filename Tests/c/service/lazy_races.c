/* SPDX-License-Identifier: Apache-2.0
 *
 * Lazy observers and several threads: which thread creates the instance, which waits, and which ends the observation.
 */
#include "guest.h"
#include "latch.h"

#include <sched.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 200 };

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct guest guest;
static peal_observation lazy;
static struct latch inside;
static struct latch may_leave;
static bool has_left;
static int ended;

static void count_end(void *target)
{
    CHECK_POINTER(target, NULL);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

static void open_house(uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    inside = shut;
    may_leave = shut;
    has_left = false;
    ended = 0;
    center = open_guest_house();
    memset(&guest, 0, sizeof guest);
    guest_register(&guest, center, "guest");
    options.flags = flags;
    options.destroy = count_end;
    lazy = guest_observe(&guest, &options);
    journal_clear();
}

static int calls(void) { return __atomic_load_n(&guest.calls, __ATOMIC_RELAXED); }

static void *broadcast_variadic(void *context)
{
    (void)context;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    return NULL;
}

static void *broadcast_by_array(void *context)
{
    int n = 1;
    void *const arguments[] = { &n };

    (void)context;
    CHECK_OK(peal_send(chat.on_message, arguments, 1, NULL, NULL));
    return NULL;
}

static void *broadcast_typed(void *context)
{
    (void)context;
    PEAL_BROADCAST(chat, &chat, on_message, 1);
    return NULL;
}

static void *(*const ways[])(void *) = { broadcast_by_array, broadcast_variadic, broadcast_typed };

static void wait_in_create(struct guest *which)
{
    which->in_create = NULL;
    latch_open(&inside);
    latch_wait(&may_leave);
}

CLAIM("O13", "a broadcast on another thread waits for the creation of a lazy observer, and calls the same instance")
{
    for (int way = 0; way < 3; way++) {
        pthread_t first, second;

        open_house(0);
        guest.in_create = wait_in_create;
        first = thread_start(broadcast_variadic, NULL);
        latch_wait(&inside);
        second = thread_start(ways[way], NULL);
        sched_yield();
        CHECK_EQUAL(calls(), 0);
        latch_open(&may_leave);
        thread_join(first);
        thread_join(second);
        CHECK_EQUAL(guest.attempts, 1);
        CHECK_EQUAL(calls(), 2);
        CHECK_EQUAL(count_listed(chat.on_message), 1);
        close_center(center);
        CHECK_EQUAL(guest.destroyed, 1);
        CHECK_EQUAL(ended, 1);
    }
}

static void *broadcast_at_once(void *context)
{
    latch_wait(&inside);
    return ((void *(*)(void *))(*(void *(**)(void *))context))(NULL);
}

CLAIM("O13", "of broadcasts that begin at once one creates the instance of a lazy observer, and each calls it once")
{
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS); round++) {
        pthread_t threads[THREADS];

        open_house(0);
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(broadcast_at_once, (void *)(uintptr_t)&ways[(round + i) % 3]);
        latch_open(&inside);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(guest.attempts, 1);
        CHECK_EQUAL(calls(), THREADS);
        close_center(center);
        CHECK_EQUAL(guest.destroyed, 1);
        CHECK_EQUAL(ended, 1);
    }
}

CLAIM("O10", "of broadcasts that begin at once one calls a lazy ONCE observer")
{
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS); round++) {
        pthread_t threads[THREADS];

        open_house(PEAL_OBSERVE_ONCE);
        for (int i = 0; i < THREADS; i++)
            threads[i] = thread_start(broadcast_at_once, (void *)(uintptr_t)&ways[(round + i) % 3]);
        latch_open(&inside);
        for (int i = 0; i < THREADS; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(guest.attempts, 1);
        CHECK_EQUAL(calls(), 1);
        CHECK_EQUAL(ended, 1);
        CHECK(!peal_observation_is_active(lazy));
        close_center(center);
        CHECK_EQUAL(guest.destroyed, 1);
    }
}

static void wait_in_message(struct guest *which, int n)
{
    (void)n;
    which->in_message = NULL;
    latch_open(&inside);
    latch_wait(&may_leave);
    __atomic_store_n(&has_left, true, __ATOMIC_RELEASE);
}

CLAIM("O13", "the instance of a lazy observer that is removed during its call lives until the call returns, and another may be created meanwhile")
{
    for (int way = 0; way < 3; way++) {
        pthread_t first;

        open_house(0);
        guest.in_message = wait_in_message;
        first = thread_start(ways[way], NULL);
        latch_wait(&inside);
        CHECK_STATUS(peal_service_remove_instance(guest.service), PEAL_NOT_WAITED);
        CHECK_EQUAL(guest.destroyed, 0);
        CHECK_OK(peal_broadcast(chat.on_message, 2));
        CHECK_EQUAL(guest.creations, 2);
        CHECK_EQUAL(guest.destroyed, 0);
        CHECK_JOURNAL("+guest1 guest1.1 +guest2 guest2.2");
        latch_open(&may_leave);
        thread_join(first);
        CHECK_EQUAL(guest.destroyed, 1);
        CHECK_JOURNAL("-guest1");
        CHECK_EQUAL(ended, 0);
        close_center(center);
        CHECK_EQUAL(ended, 1);
        CHECK_EQUAL(guest.destroyed, 2);
    }
}

CLAIM("O7", "after the removal of a lazy observer during its call no call begins, and its destroy callback runs after that call")
{
    for (int way = 0; way < 3; way++) {
        pthread_t first;

        open_house(0);
        guest.in_message = wait_in_message;
        first = thread_start(ways[way], NULL);
        latch_wait(&inside);
        CHECK_OK(peal_observation_remove(lazy));
        CHECK_EQUAL(ended, 0);
        CHECK_OK(peal_broadcast(chat.on_message, 2));
        CHECK_EQUAL(calls(), 1);
        latch_open(&may_leave);
        thread_join(first);
        CHECK_EQUAL(__atomic_load_n(&ended, __ATOMIC_RELAXED), 1);
        close_center(center);
        CHECK_EQUAL(guest.destroyed, 1);
    }
}

static void *leave_later(void *context)
{
    (void)context;
    for (int i = 0; i < 100; i++)
        sched_yield();
    latch_open(&may_leave);
    return NULL;
}

CLAIM("O7", "a waiting removal of a lazy observer returns after the instance's call, or reports that its time limit has expired")
{
    pthread_t first, helper;

    open_house(0);
    guest.in_message = wait_in_message;
    first = thread_start(broadcast_variadic, NULL);
    latch_wait(&inside);
    helper = thread_start(leave_later, NULL);
    CHECK_OK(peal_observation_remove_with(lazy, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    CHECK(__atomic_load_n(&has_left, __ATOMIC_ACQUIRE));
    CHECK_EQUAL(__atomic_load_n(&ended, __ATOMIC_RELAXED), 1);
    thread_join(first);
    thread_join(helper);
    close_center(center);
    CHECK_EQUAL(guest.destroyed, 1);

    open_house(0);
    guest.in_message = wait_in_message;
    first = thread_start(broadcast_variadic, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_observation_remove_with(lazy, PEAL_REMOVE_WAIT, 1), PEAL_NOT_WAITED);
    CHECK_EQUAL(__atomic_load_n(&ended, __ATOMIC_RELAXED), 0);
    latch_open(&may_leave);
    thread_join(first);
    CHECK_EQUAL(ended, 1);
    close_center(center);
}

CLAIM("O7", "a waiting removal of a lazy observer also waits for a call of an instance that was removed")
{
    pthread_t first;

    open_house(0);
    guest.in_message = wait_in_message;
    first = thread_start(broadcast_variadic, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_service_remove_instance(guest.service), PEAL_NOT_WAITED);
    CHECK_STATUS(peal_observation_remove_with(lazy, PEAL_REMOVE_WAIT, 1), PEAL_NOT_WAITED);
    latch_open(&may_leave);
    thread_join(first);
    CHECK_EQUAL(ended, 1);
    CHECK_EQUAL(guest.destroyed, 1);
    close_center(center);
}

CLAIM("L1", "retiring the owner of a lazy observation waits for the instance's call")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    pthread_t first, helper;
    peal_owner owner;

    open_house(0);
    CHECK_OK(peal_observation_remove(lazy));
    CHECK_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    options.destroy = count_end;
    ended = 0;
    guest_observe(&guest, &options);
    guest.in_message = wait_in_message;
    first = thread_start(broadcast_variadic, NULL);
    latch_wait(&inside);
    helper = thread_start(leave_later, NULL);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK(__atomic_load_n(&has_left, __ATOMIC_ACQUIRE));
    CHECK_EQUAL(__atomic_load_n(&ended, __ATOMIC_RELAXED), 1);
    thread_join(first);
    thread_join(helper);
    close_center(center);
    CHECK_EQUAL(guest.destroyed, 1);
}

CLAIM("O13", "a lazy observer that is removed during its creation is not called")
{
    pthread_t first;

    open_house(0);
    guest.in_create = wait_in_create;
    first = thread_start(broadcast_variadic, NULL);
    latch_wait(&inside);
    CHECK_OK(peal_observation_remove(lazy));
    CHECK_EQUAL(ended, 1);
    latch_open(&may_leave);
    thread_join(first);
    CHECK_EQUAL(guest.creations, 1);
    CHECK_EQUAL(calls(), 0);
    close_center(center);
    CHECK_EQUAL(guest.destroyed, 1);
}

CLAIM("O13", "a lazy observer that is unregistered during its creation is not called, and the instance is destroyed")
{
    pthread_t first;

    open_house(0);
    guest.in_create = wait_in_create;
    first = thread_start(broadcast_variadic, NULL);
    latch_wait(&inside);
    CHECK_STATUS(peal_service_remove(guest.service), PEAL_NOT_WAITED);
    CHECK_EQUAL(__atomic_load_n(&ended, __ATOMIC_RELAXED), 1);
    latch_open(&may_leave);
    thread_join(first);
    CHECK_EQUAL(calls(), 0);
    CHECK_EQUAL(guest.destroyed, guest.creations);
    close_center(center);
}

static struct guest other;
static int arrived;

/* Both creations have begun before either continues. */
static void meet_and_broadcast(struct guest *which)
{
    (void)which;
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == 2)
        latch_open(&may_leave);
    latch_wait(&may_leave);
    CHECK_OK(peal_broadcast(chat.on_message, 8));
}

static void *get_guest(void *context)
{
    struct peal_service_use use;

    CHECK_OK(peal_service_get(center, context, &use));
    CHECK_OK(peal_use_release(use.use));
    return NULL;
}

CLAIM("O13", "creations of lazy services on two threads that broadcast to each other's services end, and neither fails")
{
    static char guest_name[] = "guest";
    static char other_name[] = "other";
    pthread_t first, second;

    open_house(0);
    arrived = 0;
    memset(&other, 0, sizeof other);
    guest_register(&other, center, "other");
    guest_observe(&other, NULL);
    guest.in_create = meet_and_broadcast;
    other.in_create = meet_and_broadcast;
    first = thread_start(get_guest, guest_name);
    second = thread_start(get_guest, other_name);
    thread_join(first);
    thread_join(second);
    CHECK_EQUAL(guest.attempts, 1);
    CHECK_EQUAL(other.attempts, 1);
    journal_clear();
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("guest1.1 other1.1");
    close_center(center);
}

static bool is_over;

static void *broadcast_much(void *context)
{
    (void)context;
    latch_wait(&inside);
    for (int i = 0; i < CHECK_ROUNDS(2000); i++)
        CHECK_OK(peal_broadcast(chat.on_message, 1));
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    return NULL;
}

CLAIM("O13", "sessions that end while threads broadcast to a lazy observer leave no instance")
{
    pthread_t threads[2];
    size_t removed = 0;

    open_house(0);
    is_over = false;
    for (int i = 0; i < 2; i++)
        threads[i] = thread_start(broadcast_much, NULL);
    latch_open(&inside);
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        CHECK(peal_session_end(center, &removed) >= 0);
    for (int i = 0; i < 2; i++)
        thread_join(threads[i]);
    CHECK(__atomic_load_n(&guest.creations, __ATOMIC_RELAXED) > 0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_EQUAL(count_listed(chat.on_message), 1);
    CHECK_OK(peal_session_end(center, &removed));
    CHECK_EQUAL(guest.destroyed, guest.creations);
    close_center(center);
    CHECK_EQUAL(ended, 1);
    journal_clear();
}

static void *observe_much(void *context)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    (void)context;
    options.flags = PEAL_OBSERVE_ALLOW_DUPLICATE;
    options.destroy = count_end;
    latch_wait(&inside);
    for (int i = 0; i < CHECK_ROUNDS(1000); i++) {
        const peal_observation made = guest_observe(&guest, &options);

        CHECK_OK(peal_observation_block(made));
        CHECK_OK(peal_observation_unblock(made));
        CHECK(peal_observation_remove_with(made, i % 2 == 0 ? PEAL_REMOVE_WAIT : 0, PEAL_FOREVER) >= 0);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    return NULL;
}

CLAIM("O8", "lazy observers that are registered and removed while threads broadcast and sessions end "
            "are ended once each")
{
    pthread_t threads[3];
    size_t removed = 0;

    open_house(0);
    is_over = false;
    threads[0] = thread_start(broadcast_much, NULL);
    threads[1] = thread_start(observe_much, NULL);
    threads[2] = thread_start(observe_much, NULL);
    latch_open(&inside);
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        CHECK(peal_session_end(center, &removed) >= 0);
    for (int i = 0; i < 3; i++)
        thread_join(threads[i]);
    CHECK_EQUAL(count_observers(chat.protocol), 1);
    close_center(center);
    CHECK_EQUAL(ended, 2 * CHECK_ROUNDS(1000) + 1);
    CHECK_EQUAL(guest.destroyed, guest.creations);
    journal_clear();
}
