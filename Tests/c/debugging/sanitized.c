/* SPDX-License-Identifier: Apache-2.0
 *
 * sanitized [race]: a program for the thread sanitizer. In each of its parts threads share data that peal alone orders: by a
 * queue, a completion, the wait of a removal, a timer, and the uses and scopes of a service. With `race` it also writes data
 * while a call on a queue may read it.
 */
#include <peal/peal.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK(METHOD)                                               \
    METHOD(optional, void, on_work, (const char *text, int index)) \
    METHOD(optional, int, on_ask, (int number))
PEAL_PROTOCOL(work, "Work", WORK);

enum { COUNT = 200 };

static struct work_protocol work;
static int input[COUNT], sum, shared, fired;
/* Written by relaxed operations, which order nothing for the sanitizer. */
static int begun, is_firing, is_called, is_made, was_used, is_removed;

static void must(peal_status status)
{
    if (status < 0) {
        fprintf(stderr, "%s\n", peal_last_message());
        exit(1);
    }
}

/* ---- A queue, and the wait for it -------------------------------------------------------------- */

static void add(void *self, const char *text, int index)
{
    (void)self;
    __atomic_store_n(&begun, index + 1, __ATOMIC_RELAXED);
    /* The calls of a queue are ordered, so they may share a variable. */
    sum += input[index] + (int)strlen(text) + shared;
}

static int answer(void *self, int number)
{
    (void)self;
    return ++sum + number;
}

static const struct work observer = { PEAL_TABLE(work), .on_work = add, .on_ask = answer };

static void use_a_queue(int has_race)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    must(peal_queue_create(NULL, &options.queue));
    must(work_observe(&work, NULL, &observer, &options, NULL));
    for (int i = 0; i < COUNT; i++) {
        input[i] = i;
        PEAL_BROADCAST(work, &work, on_work, "one", i);
        if (has_race) {
            while (__atomic_load_n(&begun, __ATOMIC_RELAXED) <= i)
                sched_yield();
            shared = i;
        }
    }
    must(peal_queue_flush(options.queue, PEAL_FOREVER));
    printf("queue: %d\n", sum);
}

/* ---- A completion ------------------------------------------------------------------------------ */

static void done(void *context, const struct peal_completion_info *info)
{
    (void)info;
    *(int *)context = sum;
}

static void gather(void)
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    int number = 1, answer = 0;
    void *const arguments[] = { &number };

    must(peal_queue_create(&pumped, &options.queue));
    options.done = done;
    options.context = &answer;
    must(peal_gather(work.on_ask, arguments, 1, &options, NULL));
    while (answer == 0)
        must(peal_queue_pump(options.queue, 0, NULL));
    printf("completion: %d\n", answer);
}

/* ---- A removal that waits, while another thread broadcasts ------------------------------------- */

static void count(void *self, const char *text, int index)
{
    (void)text;
    *(int *)self += index;
    __atomic_store_n(&is_called, 1, __ATOMIC_RELAXED);
}

static const struct work counter = { PEAL_TABLE(work), .on_work = count };

static void *broadcast(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        PEAL_BROADCAST(work, &work, on_work, "one", 1);
        PEAL_EACH(work, &work, on_work, each) {
            each.table->on_work(each.target, "one", 1);
        }
    }
    return NULL;
}

/* Has the calls made by the library alone. */
static void *send(void *unused)
{
    (void)unused;
    while (__atomic_load_n(&is_removed, __ATOMIC_RELAXED) == 0)
        must(peal_broadcast(work.on_work, "one", 1));
    return NULL;
}

static void remove_and_free(void *(*how)(void *))
{
    pthread_t thread;

    is_removed = 0;
    pthread_create(&thread, NULL, how, NULL);
    for (int i = 0; i < 200; i++) {
        int *const target = calloc(1, sizeof *target);
        peal_observation observation;
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

        if (target == NULL)
            abort();
        if (i % 2 == 0)
            options.destroy = free;
        __atomic_store_n(&is_called, 0, __ATOMIC_RELAXED);
        must(work_observe(&work, target, &counter, &options, &observation));
        while (how == send && __atomic_load_n(&is_called, __ATOMIC_RELAXED) == 0)
            sched_yield();
        must(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
        if (i % 2 != 0)
            free(target);
    }
    __atomic_store_n(&is_removed, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    printf("removals\n");
}

/* ---- A timer and a service --------------------------------------------------------------------- */

static void fire(void *context)
{
    __atomic_store_n(&is_firing, 1, __ATOMIC_RELAXED);
    ++*(int *)context;
}

static void use_a_timer(void)
{
    const struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, &fired, PEAL_MICROSECONDS(10));
    peal_timer timer;

    must(peal_timer_create(&options, &timer));
    must(peal_timer_start(timer));
    while (__atomic_load_n(&is_firing, __ATOMIC_RELAXED) == 0)
        sched_yield();
    must(peal_timer_stop_and_wait(timer, PEAL_FOREVER));
    printf("timer: %s\n", fired > 0 ? "fired" : "not fired, which is wrong");
    must(peal_timer_destroy(timer));
}

static void *create(struct peal_creation *creation)
{
    int *const instance = calloc(1, sizeof *instance);

    (void)creation;
    if (instance != NULL)
        *instance = 7;
    return instance;
}

static void end(void *instance)
{
    *(int *)instance = 0;
    free(instance);
}

static void *use(void *unused)
{
    struct peal_service_use use;

    (void)unused;
    must(peal_service_get(peal_center_default(), "seven", &use));
    if (*(const int *)use.self != 7)
        abort();
    must(peal_use_release(use.use));
    return NULL;
}

/* Begins a scope of an instance that another thread made, and ends it before that thread removes the instance. */
static void *use_in_a_scope(void *service)
{
    const peal_protocol none = { 0 };
    struct peal_scope scope;

    while (__atomic_load_n(&is_made, __ATOMIC_RELAXED) == 0)
        sched_yield();
    must(peal_scope_begin(*(const peal_service *)service, none, 0, &scope));
    if (*(const int *)scope.self != 7)
        abort();
    must(peal_scope_end(&scope));
    __atomic_store_n(&was_used, 1, __ATOMIC_RELAXED);
    /* The end of a thread is ordered by locks of the library. */
    while (__atomic_load_n(&is_removed, __ATOMIC_RELAXED) == 0)
        sched_yield();
    return NULL;
}

static void use_a_service(void)
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("seven");
    peal_service service;
    pthread_t threads[2], scoped;

    is_removed = 0;
    description.create = create;
    description.destroy = end;
    must(peal_service_register(peal_center_default(), &description, &service));
    pthread_create(&scoped, NULL, use_in_a_scope, &service);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&is_made, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&was_used, __ATOMIC_RELAXED) == 0)
        sched_yield();
    must(peal_service_remove(service));
    __atomic_store_n(&is_removed, 1, __ATOMIC_RELAXED);
    pthread_join(scoped, NULL);
    printf("service\n");
}

int main(int number, char **texts)
{
    const int has_race = number > 1 && strcmp(texts[1], "race") == 0;

    must(work_define(peal_center_default(), &work));
    use_a_queue(has_race);
    gather();
    remove_and_free(broadcast);
    remove_and_free(send);
    use_a_timer();
    use_a_service();
    return 0;
}
