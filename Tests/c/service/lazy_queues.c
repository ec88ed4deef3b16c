/* SPDX-License-Identifier: Apache-2.0
 *
 * Lazy observers with queues, completions and gatherings.
 */
#include "guest.h"
#include "lane.h"
#include "latch.h"

#include <string.h>

static const struct latch shut = LATCH_INITIALIZER;

static peal_center center;
static struct guest guest;
static struct lane lane;
static peal_observation lazy;

/* Registers A, the guest and B on the queue. */
static void open_house(uint32_t flags)
{
    struct peal_observe_options options = options_on(lane.queue, NULL);

    center = open_guest_house();
    memset(&guest, 0, sizeof guest);
    guest_register(&guest, center, "guest");
    plain_observe("A", &options);
    options.destroy = guest_ended;
    options.flags = flags;
    lazy = guest_observe(&guest, &options);
    options.destroy = NULL;
    options.flags = 0;
    plain_observe("B", &options);
    journal_clear();
}

CLAIM("O13", "a lazy observer with a queue is created by the broadcasting thread, and called on the queue, in order")
{
    EVERY_KIND(lane)
    {
        open_house(0);
        CHECK_OK(peal_broadcast(chat.on_other, 1));
        lane_settle(&lane);
        CHECK_JOURNAL("A1 B1");
        CHECK_EQUAL(guest.attempts, 0);
        CHECK_OK(peal_broadcast(chat.on_message, 2));
        CHECK_EQUAL(guest.creations, 1);
        lane_settle(&lane);
        CHECK_JOURNAL("+guest1 A2 guest1.2 B2");
        CHECK_OK(peal_broadcast(chat.on_message, 3));
        lane_settle(&lane);
        CHECK_JOURNAL("A3 guest1.3 B3");
        CHECK_OK(peal_observation_remove(lazy));
        lane_settle(&lane);
        CHECK_JOURNAL("~guest");
        close_center(center);
        lane_settle(&lane);
        CHECK_JOURNAL("-guest1");
    }
}

CLAIM("O13", "a typed broadcast reaches the queue of a lazy observer, and counts one call")
{
    int n = 2;
    void *const arguments[] = { &n };
    size_t calls = 0;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    PEAL_BROADCAST(chat, &chat, on_message, 1);
    lane_settle(&lane);
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1");
    CHECK_OK(peal_send(chat.on_message, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    lane_settle(&lane);
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_OK(peal_send(chat.on_message, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 3);
    lane_settle(&lane);
    close_center(center);
    lane_close(&lane);
}

CLAIM("O13", "a typed loop, which visits no queue, does not create the instance of a lazy observer with a queue")
{
    int visits = 0;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    PEAL_EACH(chat, &chat, on_message, each)
        visits++;
    CHECK_EQUAL(visits, 0);
    CHECK_EQUAL(guest.attempts, 0);
    close_center(center);
    lane_close(&lane);
}

CLAIM("Q6", "waiting calls are dropped when the instance of their lazy observer is removed")
{
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_JOURNAL("+guest1 -guest1");
    lane_settle(&lane);
    CHECK_JOURNAL("A1 B1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    lane_settle(&lane);
    CHECK_JOURNAL("+guest2 A2 guest2.2 B2");
    close_center(center);
    lane_close(&lane);
}

CLAIM("Q6", "the removal of a lazy observer drops its waiting calls, and a removal that drains delivers them first")
{
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_observation_remove(lazy));
    lane_settle(&lane);
    CHECK_JOURNAL("+guest1 A1 B1 ~guest");
    close_center(center);
    lane_close(&lane);

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_observation_remove_with(lazy, PEAL_REMOVE_DRAIN, 0));
    CHECK(!peal_observation_is_active(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    lane_settle(&lane);
    CHECK_CONTAINS(journal_text(), "A1 guest1.1 B1");
    CHECK_CONTAINS(journal_text(), "A2 B2");
    CHECK_CONTAINS(journal_text(), "~guest");
    CHECK(strstr(journal_text(), "guest1.2") == NULL);
    close_center(center);
    lane_close(&lane);
    CHECK_EQUAL(guest.destroyed, 1);
}

CLAIM("Q6", "a removal of a lazy observer that drains and waits returns when its calls have been delivered")
{
    lane_open(&lane, PEAL_QUEUE_SERIAL);
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_observation_remove_with(lazy, PEAL_REMOVE_DRAIN | PEAL_REMOVE_WAIT, PEAL_FOREVER));
    CHECK_EQUAL(guest.calls, 1);
    lane_settle(&lane);
    close_center(center);
    lane_close(&lane);
    CHECK_EQUAL(guest.destroyed, 1);
}

CLAIM("O10", "of two waiting calls of a lazy ONCE observer one is made, also while its removal drains")
{
    for (int drains = 0; drains < 2; drains++) {
        lane_open(&lane, PEAL_QUEUE_PUMPED);
        open_house(PEAL_OBSERVE_ONCE);
        CHECK_OK(peal_broadcast(chat.on_message, 1));
        CHECK_OK(peal_broadcast(chat.on_message, 2));
        if (drains == 1)
            CHECK_OK(peal_observation_remove_with(lazy, PEAL_REMOVE_DRAIN, 0));
        lane_settle(&lane);
        CHECK_EQUAL(guest.calls, 1);
        CHECK_CONTAINS(journal_text(), "A1 guest1.1 B1 A2 B2");
        CHECK_CONTAINS(journal_text(), "~guest");
        CHECK(!peal_observation_is_active(lazy));
        close_center(center);
        lane_close(&lane);
    }
}

CLAIM("O13", "a lazy observer ends with its queue")
{
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    lane_settle(&lane);
    journal_clear();
    CHECK_OK(peal_queue_destroy(lane.queue));
    CHECK_CONTAINS(journal_text(), "~guest");
    CHECK(!peal_observation_is_active(lazy));
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_EQUAL(guest.destroyed, 1);
    close_center(center);
    lane_close(&lane);
}

CLAIM("O13", "calling a lazy observation with a queue alone is refused, and creates no instance")
{
    peal_invocation invocation;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    CHECK_OK(peal_invocation_of(chat.on_message, &invocation, 2));
    CHECK_FAILURE(peal_invocation_invoke(invocation, lazy), PEAL_ERROR_STATE);
    CHECK_EQUAL(guest.attempts, 0);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
    lane_close(&lane);
}

#define CARRIER(METHOD) METHOD(optional, void, on_parcel, (void *parcel))
PEAL_PROTOCOL(carrier, "Carrier", CARRIER);

static void on_parcel(void *self, void *parcel)
{
    (void)self;
    (void)parcel;
}

CLAIM("Q3", "a lazy observer with a queue is refused when a method has a bare pointer")
{
    static const struct carrier table = { PEAL_TABLE(carrier), on_parcel };
    const struct peal_provision provides[] = { { "Carrier", &table }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("carrier");
    struct peal_observe_options options;
    struct carrier_protocol carrier;

    lane_open(&lane, PEAL_QUEUE_PUMPED);
    open_house(0);
    CHECK_OK(carrier_define(center, &carrier));
    description.provides = provides;
    description.context = &guest;
    CHECK_OK(peal_service_register(center, &description, NULL));
    options = options_on(lane.queue, NULL);
    CHECK_FAILURE(peal_observe_service(carrier.protocol, "carrier", &options, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "parcel");
    options.flags = PEAL_OBSERVE_BORROWED;
    CHECK_OK(peal_observe_service(carrier.protocol, "carrier", &options, NULL));
    CHECK_OK(peal_broadcast(carrier.on_parcel, (void *)&guest));
    lane_settle(&lane);
    close_center(center);
    lane_close(&lane);
}

/* ---- Answers ----------------------------------------------------------------------------------- */

struct answers {
    struct latch latch;
    int replies;
    int sum;
    bool has_lazy;
    int completed;
};

static void reply(void *context, peal_observation from, const void *result)
{
    struct answers *const answers = context;

    answers->replies++;
    answers->sum += *(const int *)result;
    answers->has_lazy |= from.id == lazy.id;
}

static void done(void *context, const struct peal_completion_info *report)
{
    struct answers *const answers = context;

    answers->completed = (int)report->completed;
    latch_open(&answers->latch);
}

CLAIM("O13", "gathering creates the instance of a lazy observer, and its reply names the observation")
{
    struct peal_gather_options options = PEAL_GATHER_OPTIONS;
    struct answers answers;
    struct lane desk;
    int n = 2;
    void *const arguments[] = { &n };

    EVERY_KIND(lane)
    {
        memset(&answers, 0, sizeof answers);
        answers.latch = shut;
        open_house(0);
        lane_open(&desk, PEAL_QUEUE_SERIAL);
        options.queue = desk.queue;
        options.reply = reply;
        options.done = done;
        options.context = &answers;
        CHECK_OK(peal_gather(chat.on_count, arguments, 1, &options, NULL));
        CHECK_EQUAL(guest.attempts, 1);
        lane_settle(&lane);
        latch_wait(&answers.latch);
        CHECK_EQUAL(answers.replies, 3);
        CHECK_EQUAL(answers.sum, 2 + 20 + 2);
        CHECK(answers.has_lazy);
        lane_close(&desk);
        close_center(center);
    }
}

static int completed;
static void count_done(void *context, const struct peal_completion_info *report)
{
    (void)context;
    completed = (int)report->completed;
}

CLAIM("O13", "the broadcast of a method with a completion creates the instance of a lazy observer, which answers")
{
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion completion;

    for (int typed = 0; typed < 2; typed++) {
        completed = -1;
        center = open_guest_house();
        memset(&guest, 0, sizeof guest);
        guest_register(&guest, center, "guest");
        guest_observe(&guest, NULL);
        options.done = count_done;
        CHECK_OK(peal_completion_create(&options, &completion));
        if (typed == 1)
            PEAL_BROADCAST(chat, &chat, on_ask, 4, completion);
        else
            CHECK_OK(peal_broadcast(chat.on_ask, 4, completion));
        CHECK_JOURNAL("+guest1 guest1.4");
        CHECK_EQUAL(completed, 1);
        close_center(center);
    }
}
