/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/test.h>

#include "center.h"
#include "lane.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static peal_center center;

static peal_protocol define_chat(void)
{
    static const char *const methods[] = { "required void on_message(const char *room, const char *text)",
        "optional void on_number(int number, double ratio)",
        "optional bool may_close(struct point at, enum color color), every",
        "optional void on_samples(const short *samples __counted_by(count), size_t count)",
        "optional void on_memory(void *memory, const char *text), borrowed",
        "optional void on_bare(void *memory, const char *text)", NULL };

    center = open_center();
    CHECK_OK(peal_type_declare(center, "enum color { RED = 1, GREEN = 2 }; struct point { int x; double y; };"));
    return protocol_of(center, "Chat", methods);
}

static peal_spy *spy_on(peal_protocol protocol)
{
    peal_spy *spy = NULL;

    check_must(peal_spy_create(protocol, NULL, 0, NULL, &spy), "a spy");
    return spy;
}

static void say(peal_protocol protocol, const char *room, const char *text)
{
    CHECK_OK(peal_broadcast(find_method(protocol, "on_message"), room, text));
}

CLAIM("T1", "a spy counts the calls of each method and of all")
{
    const peal_protocol chat = define_chat();
    peal_spy *spy = spy_on(chat);

    say(chat, "hall", "hello");
    say(chat, "hall", "again");
    CHECK_OK(peal_broadcast(find_method(chat, "on_number"), 3, 0.5));
    CHECK_EQUAL(peal_spy_count_calls(spy, "on_message"), 2);
    CHECK_EQUAL(peal_spy_count_calls(spy, "on_number"), 1);
    CHECK_EQUAL(peal_spy_count_calls(spy, "may_close"), 0);
    CHECK_EQUAL(peal_spy_count_calls(spy, "on_nothing"), 0);
    CHECK_EQUAL(peal_spy_count_calls(spy, NULL), 3);
    peal_spy_clear(spy);
    CHECK_EQUAL(peal_spy_count_calls(spy, NULL), 0);
    CHECK_EQUAL(peal_spy_count_calls(spy, "on_message"), 0);
    peal_spy_destroy(spy);
    CHECK_EQUAL(count_observers(chat), 0);
    close_center(center);
}

CLAIM("T1", "arguments are read after the caller's memory has changed")
{
    const peal_protocol chat = define_chat();
    peal_spy *spy = spy_on(chat);
    char room[] = "hall", text[] = "hello";
    const char *kept = NULL;
    int number = 0;

    say(chat, room, text);
    memset(text, 'x', sizeof text - 1);
    CHECK_OK(peal_broadcast(find_method(chat, "on_number"), 3, 0.5));
    CHECK_OK(peal_spy_get_argument(spy, "on_message", 0, "text", &kept, sizeof kept));
    CHECK_TEXT(kept, "hello");
    CHECK_OK(peal_spy_get_argument(spy, "on_number", 0, "number", &number, sizeof number));
    CHECK_EQUAL(number, 3);
    CHECK_STATUS(peal_spy_get_argument(spy, "on_number", 1, "number", &number, sizeof number), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_spy_get_argument(spy, "on_nothing", 0, "number", &number, sizeof number), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_spy_get_argument(spy, "on_number", 0, "text", &number, sizeof number), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_spy_get_argument(spy, "on_number", 0, "number", &number, 1), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_spy_get_argument(spy, "on_number", 0, "number", NULL, sizeof number), PEAL_ERROR_ARGUMENT);
    peal_spy_destroy(spy);
    close_center(center);
}

CLAIM("T1", "the calls of a spy are printed with their arguments, in the order in which they were made")
{
    const peal_protocol chat = define_chat();
    peal_spy *spy = spy_on(chat);
    struct {
        int x;
        double y;
    } at = { 1, 2.5 };
    const short samples[] = { 1, -2, 3 };
    char text[1024], short_text[16];
    size_t length = 0;
    int on_stack = 0;

    say(chat, "hall", "say \"hi\"\n");
    CHECK_OK(peal_broadcast(find_method(chat, "on_number"), -3, 0.1));
    CHECK_OK(peal_broadcast(find_method(chat, "may_close"), &at, 2));
    CHECK_OK(peal_broadcast(find_method(chat, "may_close"), &at, 7));
    CHECK_OK(peal_broadcast(find_method(chat, "on_samples"), samples, (size_t)3));
    CHECK_OK(peal_broadcast(find_method(chat, "on_memory"), &on_stack, "borrowed"));
    CHECK_OK(peal_broadcast(find_method(chat, "on_memory"), NULL, NULL));
    CHECK_OK(peal_broadcast(find_method(chat, "on_bare"), &on_stack, "on the stack"));
    CHECK_OK(peal_spy_print(spy, text, sizeof text, &length));
    CHECK_TEXT(text, "on_message(room: \"hall\", text: \"say \\\"hi\\\"\\n\")\n"
                     "on_number(number: -3, ratio: 0.1)\n"
                     "may_close(at: { x: 1, y: 2.5 }, color: GREEN)\n"
                     "may_close(at: { x: 1, y: 2.5 }, color: 7)\n"
                     "on_samples(samples: [1, -2, 3], count: 3)\n"
                     "on_memory(memory: (void *), text: \"borrowed\")\n"
                     "on_memory(memory: NULL, text: NULL)\n"
                     "on_bare(memory: (void *), text: (const char *))\n");
    CHECK_EQUAL(length, strlen(text));
    CHECK_STATUS(peal_spy_print(spy, short_text, sizeof short_text, &length), PEAL_TRUNCATED);
    CHECK_TEXT(short_text, "on_message(room");
    CHECK_EQUAL(length, strlen(text));
    CHECK_STATUS(peal_spy_print(spy, NULL, 0, &length), PEAL_TRUNCATED);
    peal_spy_destroy(spy);
    close_center(center);
}

CLAIM("T1", "a spy returns the result that the test has set, at first zero")
{
    const peal_protocol chat = define_chat();
    peal_spy *spy = spy_on(chat);
    struct {
        int x;
        double y;
    } at = { 0, 0 };
    int color = 1;
    void *const arguments[] = { &at, &color };
    bool result = true;
    const bool is_open = true;

    CHECK_OK(peal_send(find_method(chat, "may_close"), arguments, 2, &result, NULL));
    CHECK(!result);
    CHECK_OK(peal_spy_set_result(spy, "may_close", &is_open, sizeof is_open));
    CHECK_OK(peal_send(find_method(chat, "may_close"), arguments, 2, &result, NULL));
    CHECK(result);
    CHECK_STATUS(peal_spy_set_result(spy, "may_close", &color, sizeof color), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_spy_set_result(spy, "on_message", &color, 0), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_spy_set_result(spy, "on_nothing", &color, sizeof color), PEAL_ERROR_NOT_FOUND);
    peal_spy_destroy(spy);
    close_center(center);
}

CLAIM("T1", "a spy observes the methods that it was created with, by their names")
{
    static const char *const names[] = { "on_number", "on_message" };
    const peal_protocol chat = define_chat();
    peal_spy *spy = NULL, *none = NULL;
    char text[256];

    CHECK_OK(peal_spy_create(chat, names, 2, NULL, &spy));
    say(chat, "hall", "hello");
    CHECK_OK(peal_broadcast(find_method(chat, "on_number"), 1, 1.0));
    CHECK_OK(peal_broadcast(find_method(chat, "on_memory"), NULL, NULL));
    CHECK_OK(peal_spy_print(spy, text, sizeof text, NULL));
    CHECK_TEXT(text, "on_message(room: \"hall\", text: \"hello\")\non_number(number: 1, ratio: 1)\n");
    CHECK_STATUS(peal_spy_create(chat, (const char *const[]){ "on_nothing" }, 1, NULL, &none), PEAL_ERROR_NOT_FOUND);
    CHECK(none == NULL);
    /* The names lack the required method. */
    CHECK_STATUS(peal_spy_create(chat, names, 1, NULL, &none), PEAL_ERROR_CONFORMANCE);
    CHECK_STATUS(peal_spy_create((peal_protocol){ 0 }, NULL, 0, NULL, &none), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_spy_create(chat, NULL, 1, NULL, &none), PEAL_ERROR_ARGUMENT);
    const struct peal_observe_options short_options = { .size = 4 };
    CHECK_STATUS(peal_spy_create(chat, NULL, 0, &short_options, &none), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_spy_create(chat, NULL, 0, NULL, NULL), PEAL_ERROR_ARGUMENT);
    peal_spy_destroy(spy);
    peal_spy_destroy(NULL);
    close_center(center);
}

struct speaker {
    peal_protocol chat;
    size_t calls;
};

static void *speak(void *argument)
{
    const struct speaker *speaker = argument;

    for (size_t i = 0; i < speaker->calls; i++)
        say(speaker->chat, "hall", "hello");
    return NULL;
}

CLAIM("T1", "a wait for calls of other threads is ended by the last of them")
{
    enum { THREADS = 4 };
    const peal_protocol chat = define_chat();
    const size_t rounds = CHECK_ROUNDS(25000);
    struct speaker speaker = { chat, rounds };
    pthread_t threads[THREADS];
    peal_spy *spy = spy_on(chat);

    check_allow_seconds(60);
    for (size_t i = 0; i < THREADS; i++)
        check_must(pthread_create(&threads[i], NULL, speak, &speaker) == 0 ? PEAL_OK : PEAL_ERROR_LIMIT, "a thread");
    CHECK_OK(peal_spy_wait(spy, "on_message", THREADS * rounds, PEAL_FOREVER));
    CHECK_EQUAL(peal_spy_count_calls(spy, NULL), THREADS * rounds);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(peal_spy_wait(spy, NULL, THREADS * rounds, 0));
    CHECK_STATUS(peal_spy_wait(spy, NULL, THREADS * rounds + 1, 1), PEAL_ERROR_TIMEOUT);
    CHECK_STATUS(peal_spy_wait(spy, "on_nothing", 1, 1), PEAL_ERROR_NOT_FOUND);
    peal_spy_destroy(spy);
    close_center(center);
}

CLAIM("T1", "a spy with a queue records there, and a spy of a retired owner keeps its records")
{
    const peal_protocol chat = define_chat();
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_spy *spy = NULL;
    static const char *const names[] = { "on_message" };

    check_must(peal_owner_create("plugin", &options.owner), "an owner");
    check_must(peal_queue_create(NULL, &options.queue), "a queue");
    CHECK_OK(peal_spy_create(chat, names, 1, &options, &spy));
    say(chat, "hall", "hello");
    CHECK_OK(peal_spy_wait(spy, "on_message", 1, PEAL_FOREVER));
    CHECK_OK(peal_owner_retire(options.owner, PEAL_FOREVER));
    say(chat, "hall", "again");
    CHECK_EQUAL(peal_spy_count_calls(spy, NULL), 1);
    peal_spy_destroy(spy);
    CHECK_OK(peal_queue_destroy(options.queue));
    close_center(center);
}

/* ---- Schedules --------------------------------------------------------------------------------- */

enum { LANES = 3, STEPS = 5 };

static char order[LANES * STEPS + 1];
static size_t order_length;

static void write_order(void *self, const char *room, const char *text)
{
    (void)room;
    (void)text;
    order[order_length++] = *(const char *)self;
}

/* Runs three observers on queues of their own, five calls each. */
static void run_in_order_of(uint64_t seed, char out_order[sizeof order])
{
    static char names[LANES][2] = { "a", "b", "c" };
    const peal_protocol chat = define_chat();
    peal_schedule *schedule = NULL;
    size_t calls = 0;

    order_length = 0;
    check_must(peal_schedule_create(seed, &schedule), "a schedule");
    for (size_t i = 0; i < LANES; i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        CHECK_OK(peal_schedule_add_queue(schedule, NULL, &options.queue));
        observe_with(chat, names[i], "on_message", (peal_function)write_order, &options);
    }
    for (size_t i = 0; i < STEPS; i++)
        say(chat, "hall", "hello");
    CHECK_STATUS(peal_schedule_run(schedule, 4, &calls), PEAL_TRUNCATED);
    CHECK_EQUAL(calls, 4);
    CHECK_OK(peal_schedule_run(schedule, 0, &calls));
    CHECK_EQUAL(calls, LANES * STEPS - 4);
    order[order_length] = '\0';
    memcpy(out_order, order, sizeof order);
    peal_schedule_destroy(schedule);
    CHECK_EQUAL(count_observers(chat), 0);
    close_center(center);
}

CLAIM("T2", "the same seed gives the same order of calls, and other seeds give other orders")
{
    enum { SEEDS = 20 };
    char orders[SEEDS][sizeof order], again[sizeof order];
    size_t different = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run_in_order_of(seed, orders[seed]);
        run_in_order_of(seed, again);
        CHECK_TEXT(again, orders[seed]);
        CHECK_EQUAL(strlen(again), LANES * STEPS);
        different += seed > 0 && strcmp(orders[seed], orders[seed - 1]) != 0;
    }
    CHECK(different >= SEEDS - 2);
}

CLAIM("T2", "queues of a schedule are pumped ones, and paused queues do not run")
{
    const peal_protocol chat = define_chat();
    struct peal_queue_options serial = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_schedule *schedule = NULL;
    peal_queue queue = { 1 };
    size_t calls = 9;

    CHECK_STATUS(peal_schedule_create(1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_schedule_create(1, &schedule));
    CHECK_STATUS(peal_schedule_add_queue(schedule, &serial, &queue), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(queue.id, 0);
    CHECK_STATUS(peal_schedule_add_queue(NULL, NULL, &queue), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_schedule_run(NULL, 0, &calls), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(calls, 0);
    CHECK_OK(peal_schedule_run(schedule, 0, NULL));
    CHECK_OK(peal_schedule_add_queue(schedule, NULL, &options.queue));
    order_length = 0;
    observe_with(chat, "a", "on_message", (peal_function)write_order, &options);
    say(chat, "hall", "hello");
    CHECK_OK(peal_queue_pause(options.queue));
    CHECK_OK(peal_schedule_run(schedule, 0, &calls));
    CHECK_EQUAL(calls, 0);
    CHECK_OK(peal_queue_resume(options.queue));
    CHECK_OK(peal_schedule_run(schedule, 0, &calls));
    CHECK_EQUAL(calls, 1);
    peal_schedule_destroy(schedule);
    peal_schedule_destroy(NULL);
    close_center(center);
}

/* All that it looks at is known after the wait. PEAL_STRESS_ROUNDS in the environment is the number of rounds. */
CLAIM("T1", "runs of a spy, one after the other, each record the calls of a queue, and no run sees those of another")
{
    static const char *const methods[] = { "on_message" };
    const char *wanted = getenv("PEAL_STRESS_ROUNDS");
    const long rounds = wanted != NULL ? atol(wanted) : CHECK_ROUNDS(2000);
    const peal_protocol chat = define_chat();
    struct lane lane;

    check_allow_seconds(wanted != NULL ? 600 : 60);
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    const struct peal_observe_options options = options_on(lane.queue, NULL);
    for (long round = 0; round < rounds; round++) {
        const char *room = NULL;
        char text[20];
        peal_spy *spy = NULL;

        snprintf(text, sizeof text, "%ld", round);
        CHECK_OK(peal_spy_create(chat, methods, 1, &options, &spy));
        say(chat, text, "hello");
        CHECK_OK(peal_spy_wait(spy, "on_message", 1, PEAL_FOREVER));
        CHECK_OK(peal_spy_get_argument(spy, "on_message", 0, "room", &room, sizeof room));
        CHECK_TEXT(room, text);
        CHECK_EQUAL(peal_spy_count_calls(spy, NULL), 1);
        peal_spy_destroy(spy);
    }
    lane_close(&lane);
    close_center(center);
}

/* ---- The end of a test ------------------------------------------------------------------------- */

static void hear(void *self, const char *room, const char *text)
{
    (void)self;
    (void)room;
    (void)text;
}

static void *create_object(struct peal_creation *creation) { return creation; }

CLAIM("T4", "the check for leaks names the observers, services and waiting calls that a test has left, and then nothing")
{
    const peal_protocol chat = define_chat();
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("store");
    peal_service service;
    peal_observation first, second;
    struct lane lane;
    char text[200];

    CHECK_EQUAL(peal_test_check_leaks(center, text, sizeof text), 0);
    CHECK_TEXT(text, "");
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    const struct peal_observe_options options = options_on(lane.queue, NULL);
    first = observe_with(chat, &lane, "on_message", (peal_function)hear, &options);
    second = observe_with(chat, text, "on_message", (peal_function)hear, NULL);
    description.create = create_object;
    CHECK_OK(peal_service_register(center, &description, &service));
    say(chat, "hall", "hello");
    say(chat, "hall", "again");
    CHECK_EQUAL(peal_test_check_leaks(center, text, sizeof text), 5);
    CHECK_TEXT(text, "protocol Chat: 2 observers\nservice store: 0 uses\nqueue: 2 waiting calls\n");
    CHECK_EQUAL(peal_test_check_leaks(center, text, 9), 5);
    CHECK_TEXT(text, "protocol");
    CHECK_OK(peal_test_drain(20000));
    CHECK_EQUAL(peal_test_check_leaks(center, NULL, 0), 3);
    CHECK_OK(peal_observation_remove(first));
    CHECK_OK(peal_observation_remove(second));
    CHECK_OK(peal_service_remove(service));
    CHECK_EQUAL(peal_test_check_leaks(center, text, sizeof text), 0);
    lane_close(&lane);
    close_center(center);
}
