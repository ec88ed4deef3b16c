/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels: the texts by which people recognise observers, queues, timers and services.
 */
#include "center.h"
#include "destroyed.h"

#include <stdio.h>
#include <string.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;

static void ring(void *self, int n) { (void)self, (void)n; }
static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };
static void fire(void *target) { (void)target; }
static void *create(struct peal_creation *creation)
{
    static char instance;

    (void)creation;
    return &instance;
}

static void begin(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
}

static peal_observation observe(void *target, const char *label)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;

    options.label = label;
    CHECK_OK(bell_observe(&bell, target, &table, &options, &observation));
    return observation;
}

static const char *label_of(peal_observation observation)
{
    static struct peal_observation_info info;

    info.size = sizeof info;
    CHECK_OK(peal_observation_get_info(observation, &info));
    return info.label;
}

CLAIM("P10", "an observer has the label of its options, and none without")
{
    char label[] = "the log window", a, b, c;

    begin();
    const peal_observation window = observe(&a, label);
    memset(label, 'x', sizeof label - 1);
    CHECK_TEXT(label_of(window), "the log window");
    CHECK_TEXT(label_of(observe(&b, NULL)), "");
    CHECK_TEXT(label_of(observe(&c, "")), "");
    close_center(center);
}

static void handle(void *target, const struct peal_call *call)
{
    (void)target;
    (void)call;
}

CLAIM("P10", "an observer has the address of its function or its handler, by which tools name it")
{
    struct peal_observation_info info = { .size = sizeof info };
    peal_observation handler;

    begin();
    CHECK_OK(peal_observation_get_info(observe(NULL, NULL), &info));
    CHECK(info.function == (const void *)(uintptr_t)table.on_ring);
    CHECK_OK(peal_observe_handler(bell.protocol, NULL, handle, NULL, 0, NULL, &handler));
    CHECK_OK(peal_observation_get_info(handler, &info));
    CHECK(info.function == (const void *)(uintptr_t)handle);
    close_center(center);
}

CLAIM("P10", "a lazy observer has the function of its table before it has an instance")
{
    static const struct peal_provision provides[] = { { "Bell", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("clock");
    struct peal_observation_info info = { .size = sizeof info };
    peal_observation lazy;

    begin();
    description.create = create;
    description.provides = provides;
    CHECK_OK(peal_service_register(center, &description, NULL));
    CHECK_OK(peal_observe_service(bell.protocol, "clock", NULL, &lazy));
    CHECK_OK(peal_observation_get_info(lazy, &info));
    CHECK(info.function == (const void *)(uintptr_t)table.on_ring);
    close_center(center);
}

CLAIM("P10", "a queue, a timer and a service have the labels of their options")
{
    struct peal_queue_options queue_options = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_timer_options timer_options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(1));
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("clock");
    struct peal_queue_info queue_info = { .size = sizeof queue_info };
    struct peal_timer_info timer_info = { .size = sizeof timer_info };
    struct peal_service_info service_info = { .size = sizeof service_info };
    peal_queue queue;
    peal_timer timer;
    peal_service service;

    begin();
    queue_options.label = "drawing";
    CHECK_OK(peal_queue_create(&queue_options, &queue));
    CHECK_OK(peal_queue_get_info(queue, &queue_info));
    CHECK_TEXT(queue_info.label, "drawing");
    timer_options.label = "blink";
    timer_options.queue = queue;
    CHECK_OK(peal_timer_create(&timer_options, &timer));
    CHECK_OK(peal_timer_get_info(timer, &timer_info));
    CHECK_TEXT(timer_info.label, "blink");
    description.create = create;
    description.label = "time of day";
    CHECK_OK(peal_service_register(center, &description, &service));
    CHECK_OK(peal_service_get_info(service, &service_info));
    CHECK_TEXT(service_info.label, "time of day");
    CHECK_OK(peal_timer_destroy(timer));
    CHECK_OK(peal_queue_destroy(queue));
    close_center(center);
}

CLAIM("P10", "a long label is cut between two characters")
{
    char label[80], a;

    begin();
    memset(label, 'n', sizeof label);
    memcpy(label + 62, "\xc3\xa9", 3);
    const peal_observation observation = observe(&a, label);
    CHECK_EQUAL(strlen(label_of(observation)), 62);
    close_center(center);
}

CLAIM("P10", "a label that is not UTF-8 is refused, and the destroy callback runs")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    char a;

    begin();
    options.label = "\xff";
    options.destroy = count_destroy;
    CHECK_FAILURE(bell_observe(&bell, &a, &table, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
}

CLAIM("P10", "each of many observers has its own label, also after others have ended")
{
    enum { MANY = 500 };
    static char targets[MANY];
    static peal_observation observations[MANY];
    char label[32];

    begin();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            snprintf(label, sizeof label, "observer %d of %d", i, round);
            observations[i] = observe(&targets[i], label);
        }
        for (int i = 0; i < MANY; i += 2)
            CHECK_OK(peal_observation_remove(observations[i]));
        for (int i = 1; i < MANY; i += 2) {
            snprintf(label, sizeof label, "observer %d of %d", i, round);
            CHECK_TEXT(label_of(observations[i]), label);
        }
        CHECK_OK(peal_protocol_remove_observations(bell.protocol, NULL));
    }
    CHECK_TEXT(label_of(observe(&targets[0], NULL)), "");
    close_center(center);
}
