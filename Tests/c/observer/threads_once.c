/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "latch.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { THREADS = 4, OBSERVERS = 3 };

static peal_center center;
static struct bell_protocol bell;
static pthread_barrier_t start;
static pthread_barrier_t finish;
static int calls[OBSERVERS];
static int destroyed[OBSERVERS];
static peal_observation observations[OBSERVERS];
static int removals;
static int rounds;
static bool remover_takes_part;

static void count_call(void *self, int n)
{
    (void)n;
    /* The observer must not have been destroyed before its call. */
    CHECK_EQUAL(__atomic_load_n(&destroyed[(int *)self - calls], __ATOMIC_RELAXED), 0);
    __atomic_fetch_add((int *)self, 1, __ATOMIC_RELAXED);
}

static void count_in_target(void *target)
{
    __atomic_fetch_add(&destroyed[(int *)target - calls], 1, __ATOMIC_RELAXED);
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = count_call, .on_mute = count_call };

static void broadcast_in_way(int way)
{
    int n = 1;
    void *const arguments[] = { &n };

    switch (way % 4) {
    case 0: CHECK_OK(peal_broadcast(bell.on_ring, 1)); break;
    case 1: PEAL_BROADCAST(bell, &bell, on_ring, 1); break;
    case 2: CHECK_OK(peal_send(bell.on_ring, arguments, 1, NULL, NULL)); break;
    default: CHECK_OK(peal_broadcast(bell.on_mute, 1));
    }
}

static void *broadcast_each_round(void *context)
{
    const int number = *(int *)context;

    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&start);
        if (remover_takes_part && number == 0) {
            for (int i = 0; i < OBSERVERS; i++) {
                const peal_status status = peal_observation_remove(observations[i]);

                if (status == PEAL_OK)
                    removals++;
                else
                    CHECK_STATUS(status, PEAL_ERROR_HANDLE);
            }
        } else {
            broadcast_in_way(number + round);
        }
        pthread_barrier_wait(&finish);
    }
    return NULL;
}

static void enter_all(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = PEAL_OBSERVE_ONCE;
    options.destroy = count_in_target;
    memset(calls, 0, sizeof calls);
    memset(destroyed, 0, sizeof destroyed);
    removals = 0;
    for (int i = 0; i < OBSERVERS; i++)
        CHECK_OK(bell_observe(&bell, &calls[i], &table, &options, &observations[i]));
}

static void race(int how_many_rounds, bool with_remover)
{
    static int numbers[THREADS] = { 0, 1, 2, 3 };
    pthread_t threads[THREADS];

    rounds = how_many_rounds;
    remover_takes_part = with_remover;
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    pthread_barrier_init(&start, NULL, THREADS + 1);
    pthread_barrier_init(&finish, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(broadcast_each_round, &numbers[i]);
    for (int round = 0; round < rounds; round++) {
        int called = 0;

        enter_all();
        pthread_barrier_wait(&start);
        pthread_barrier_wait(&finish);
        for (int i = 0; i < OBSERVERS; i++) {
            CHECK(calls[i] <= 1);
            CHECK_EQUAL(destroyed[i], 1);
            called += calls[i];
        }
        CHECK_EQUAL(called + removals, OBSERVERS);
    }
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_EQUAL(count_observers(bell.protocol), 0);
    pthread_barrier_destroy(&start);
    pthread_barrier_destroy(&finish);
    close_center(center);
}

CLAIM("O10", "ONCE observers are called exactly once when broadcasts race, and destroyed once")
{
    race(CHECK_ROUNDS(2000), false);
}

CLAIM("O10", "ONCE observers that are removed in the race are either called or removed, never both")
{
    race(CHECK_ROUNDS(2000), true);
}
