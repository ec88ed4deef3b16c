/* SPDX-License-Identifier: Apache-2.0
 *
 * Destroy callbacks of observers that are removed while another thread registers and removes others.
 *
 * Signals interrupt that other thread at any instruction, also between two steps that belong together.
 * The handler waits until the removal has returned. If the thread was interrupted while it held a lock that the
 * removal needs, the handler returns when its time limit expires.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define BELL(METHOD) METHOD(required, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

/* A claim ends after ROUNDS rounds or, on a busy machine, after LONGEST_CLAIM. Times are in nanoseconds. */
enum { ROUNDS = 2000, LONGEST_STOP = 200000, LONGEST_CLAIM = 1000000000 };

static struct bell_protocol bell;
static int round_number;   /* the round that the removing thread is in */
static int stopped_round;  /* the round in which the registering thread was stopped last */
static int removed_round;  /* the round whose removal has returned */
static int is_paused, has_paused; /* a request to the registering thread; its answer */
static int is_over;

static int value_of(const int *number) { return __atomic_load_n(number, __ATOMIC_ACQUIRE); }
static void set_value(int *number, int value) { __atomic_store_n(number, value, __ATOMIC_RELEASE); }

static long long now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void stop_here(int signal)
{
    const int round = value_of(&round_number);
    const long long deadline = now() + LONGEST_STOP;

    (void)signal;
    set_value(&stopped_round, round);
    while (value_of(&removed_round) != round && now() < deadline)
        (void)sched_yield();
}

static void ignore_ring(void *self, int n)
{
    (void)self;
    (void)n;
}

static void count_in_target(void *target) { __atomic_fetch_add((int *)target, 1, __ATOMIC_RELAXED); }

static const struct bell ignoring = { PEAL_TABLE(bell), .on_ring = ignore_ring };

/* The observer is the first in call order, so that each registration and each removal replaces the list. */
static void *register_and_remove(void *context)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.priority = 1;
    while (!value_of(&is_over)) {
        peal_observation observation;

        if (value_of(&is_paused)) {
            set_value(&has_paused, 1);
            (void)sched_yield();
            continue;
        }
        set_value(&has_paused, 0);
        CHECK_OK(bell_observe(&bell, context, &ignoring, &options, &observation));
        CHECK_OK(peal_observation_remove(observation));
    }
    return NULL;
}

/* Interrupts the registering thread at any instruction and removes the observer. The signal handler then returns. */
static void remove_meanwhile(pthread_t registering, peal_observation observation, uint32_t flags)
{
    const int round = value_of(&round_number) + 1;

    set_value(&round_number, round);
    set_value(&is_paused, 0);
    WAIT_UNTIL(!value_of(&has_paused));
    CHECK(pthread_kill(registering, SIGUSR1) == 0);
    WAIT_UNTIL(value_of(&stopped_round) == round);
    if (flags == 0)
        CHECK_OK(peal_observation_remove(observation));
    else
        CHECK_OK(peal_observation_remove_with(observation, flags, PEAL_FOREVER));
}

/* After this both threads are idle until the next round, so a destroy callback that has not run is lost. */
static void pause_registering(void)
{
    set_value(&removed_round, value_of(&round_number));
    set_value(&is_paused, 1);
    WAIT_UNTIL(value_of(&has_paused));
}

/* The observers or timers of one round, which a thread makes for a queue and the queue's owner. */
enum { ATTEMPTS = 64 };
static struct {
    peal_owner owner;
    peal_queue queue;
    int destroyed[ATTEMPTS];
    int begun;
} attempts;

static peal_status observe_and_remove(int *destroyed)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    options.destroy = count_in_target;
    options.owner = attempts.owner;
    options.queue = attempts.queue;
    const peal_status status = bell_observe(&bell, destroyed, &ignoring, &options, &observation);
    return status < 0 ? status : peal_observation_remove(observation);
}

static void ignore_firing(void *target) { (void)target; }

static peal_status create_and_destroy_timer(int *destroyed)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(ignore_firing, destroyed, 1000000);
    peal_timer timer;

    options.destroy = count_in_target;
    options.owner = attempts.owner;
    options.queue = attempts.queue;
    const peal_status status = peal_timer_create(&options, &timer);
    return status < 0 ? status : peal_timer_destroy(timer);
}

/* `context` is a pointer to the function that makes and ends one of them. */
static void *make_for_owner(void *context)
{
    peal_status (**make)(int *) = context;

    while (!value_of(&is_over)) {
        if (value_of(&is_paused) || attempts.begun == ATTEMPTS) {
            set_value(&has_paused, value_of(&is_paused));
            (void)sched_yield();
            continue;
        }
        set_value(&has_paused, 0);
        const peal_status status = (*make)(&attempts.destroyed[attempts.begun++]);
        /* The end of the owner may have ended the observer or timer already. */
        CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
    }
    return NULL;
}

/* Interrupts the other thread at any instruction and retires the owner. */
static void retire_meanwhile(pthread_t making)
{
    const int round = value_of(&round_number) + 1;
    struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;

    memset(&attempts, 0, sizeof attempts);
    CHECK_OK(peal_owner_create("plugin", &attempts.owner));
    options.owner = attempts.owner;
    CHECK_OK(peal_queue_create(&options, &attempts.queue));
    set_value(&round_number, round);
    set_value(&is_paused, 0);
    WAIT_UNTIL(!value_of(&has_paused));
    CHECK(pthread_kill(making, SIGUSR1) == 0);
    WAIT_UNTIL(value_of(&stopped_round) == round);
    CHECK_OK(peal_owner_retire(attempts.owner, PEAL_FOREVER));
}

/* Returns the number of destroy callbacks that had not run in the end. */
static int lose_callbacks(peal_queue queue, uint32_t flags)
{
    static int destroyed[ROUNDS + 1], other, fixed;
    const struct sigaction action = { .sa_handler = stop_here };
    const int rounds = CHECK_ROUNDS(ROUNDS);
    const long long deadline = now() + LONGEST_CLAIM;
    int lost = 0;

    memset(destroyed, 0, sizeof destroyed);
    set_value(&is_over, 0);
    set_value(&is_paused, 1);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK_OK(bell_observe(&bell, &fixed, &ignoring, NULL, NULL));
    const pthread_t registering = thread_start(register_and_remove, &other);
    for (int i = 0; i < rounds && now() < deadline; i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation observation;

        options.destroy = count_in_target;
        options.queue = queue;
        CHECK_OK(bell_observe(&bell, &destroyed[i], &ignoring, &options, &observation));
        remove_meanwhile(registering, observation, flags);
        if (queue.id == 0)
            lost += destroyed[i] != 1;
        pause_registering();
        if (queue.id != 0) {
            CHECK_OK(peal_queue_pump(queue, SIZE_MAX, NULL));
            lost += destroyed[i] != 1;
        }
    }
    set_value(&is_over, 1);
    thread_join(registering);
    return lost;
}

CLAIM("O8", "while another thread registers observers, a removal runs the destroy callback before it returns")
{
    const peal_center center = open_center();
    const peal_queue none = { 0 };

    CHECK_OK(bell_define(center, &bell));
    CHECK_EQUAL(lose_callbacks(none, 0), 0);
    close_center(center);
}

/* Checks that no destroy callback of a pumped queue's observers is lost. */
static void check_queued(uint32_t flags)
{
    const peal_center center = open_center();
    struct lane lane;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    CHECK_OK(bell_define(center, &bell));
    CHECK_EQUAL(lose_callbacks(lane.queue, flags), 0);
    lane_close(&lane);
    close_center(center);
}

CLAIM("O8", "the destroy callback of an observer with a queue is enqueued while another thread registers observers")
{
    check_queued(0);
}

CLAIM("O8", "the destroy callback of an observer with a queue has run when a waiting removal returns, while another thread registers observers")
{
    check_queued(PEAL_REMOVE_WAIT);
}

/* Checks that each destroy callback runs once, if an owner is retired while another thread makes objects for it. */
static void check_retired(peal_status (*make)(int *))
{
    const peal_center center = open_center();
    const struct sigaction action = { .sa_handler = stop_here };
    const int rounds = CHECK_ROUNDS(ROUNDS);
    const long long deadline = now() + LONGEST_CLAIM;
    int wrong = 0;

    CHECK_OK(bell_define(center, &bell));
    set_value(&is_over, 0);
    set_value(&is_paused, 1);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    const pthread_t making = thread_start(make_for_owner, &make);
    for (int i = 0; i < rounds && now() < deadline; i++) {
        retire_meanwhile(making);
        pause_registering();
        for (int k = 0; k < attempts.begun; k++)
            wrong += attempts.destroyed[k] != 1;
    }
    set_value(&is_over, 1);
    thread_join(making);
    CHECK_EQUAL(wrong, 0);
    close_center(center);
}

CLAIM("O8", "the destroy callback runs exactly once if an owner is retired while another thread registers an observer for it and for its queue")
{
    check_retired(observe_and_remove);
}

CLAIM("O8", "the destroy callback runs exactly once if an owner is retired while another thread creates a timer for it and for its queue")
{
    check_retired(create_and_destroy_timer);
}
