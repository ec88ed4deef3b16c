/* SPDX-License-Identifier: Apache-2.0
 *
 * Subscriptions that end while libnats reads a message for them. The program replaces functions of libnats, to stop the reading
 * thread where libnats before version 3.6 has a subscription without a reference. Later versions make a message before they
 * find its subscription, and in another way, so the claims about a stopped thread are left out there.
 */
#include "latch.h"
#include "party.h"

#include <nats/nats.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const peal_queue no_queue;

/* Declares `real`, the function of libnats that this program's function of the same name replaces. */
#define FIND_REAL(name)            \
    __typeof__(name) *real = NULL; \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

static const char *stopped; /* atomic: a part of the text of the message whose reading is stopped; NULL: none */
static struct latch is_stopped = LATCH_INITIALIZER;
static struct latch may_go_on = LATCH_INITIALIZER;
static size_t subscribed; /* atomic: subscriptions that were made */
static size_t destroyed;  /* atomic: and those that were destroyed */

/* A function of libnats without a public declaration. It makes a message after its subscription was found. */
natsStatus natsMsg_create(natsMsg **out_message, const char *subject, int subject_length, const char *reply,
    int reply_length, const char *bytes, int length, int header_length);

natsStatus natsMsg_create(natsMsg **out_message, const char *subject, int subject_length, const char *reply,
    int reply_length, const char *bytes, int length, int header_length)
{
    FIND_REAL(natsMsg_create);
    const char *text = __atomic_load_n(&stopped, __ATOMIC_ACQUIRE);
    /* Not the message of a publisher, who has it confirmed. */
    const bool is_read = reply_length == 0 || memmem(reply, (size_t)reply_length, "$JS.ACK.", 8) != NULL;

    if (text != NULL && is_read && memmem(bytes, (size_t)length, text, strlen(text)) != NULL) {
        latch_open(&is_stopped);
        latch_wait(&may_go_on);
    }
    return real(out_message, subject, subject_length, reply, reply_length, bytes, length, header_length);
}

/* Lets the stopped thread continue. A bridge closes its connection after its subscriptions have ended. */
void natsConnection_Close(natsConnection *connection)
{
    FIND_REAL(natsConnection_Close);

    latch_open(&may_go_on);
    real(connection);
}

natsStatus natsConnection_Subscribe(natsSubscription **out_subscription, natsConnection *connection,
    const char *subject, natsMsgHandler handler, void *closure)
{
    FIND_REAL(natsConnection_Subscribe);

    __atomic_fetch_add(&subscribed, 1, __ATOMIC_RELAXED);
    return real(out_subscription, connection, subject, handler, closure);
}

void natsSubscription_Destroy(natsSubscription *subscription)
{
    FIND_REAL(natsSubscription_Destroy);

    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
    real(subscription);
}

/* Closes the importing party while the thread that reads its messages is stopped. */
static void close_while_stopped(struct party *from, struct party *to)
{
    latch_shut(&is_stopped);
    latch_shut(&may_go_on);
    __atomic_store_n(&stopped, "stopped", __ATOMIC_RELEASE);
    party_say(from, 1, "stopped");
    latch_wait(&is_stopped);
    party_close(to);
    CHECK_EQUAL(party_heard(to), 0);
    __atomic_store_n(&stopped, NULL, __ATOMIC_RELEASE);
    party_close(from);
}

static bool can_stop(void) { return nats_GetVersionNumber() < 0x030600; }

CLAIM("N6", "a message is read while its subscription ends")
{
    struct party from, to;

    if (!can_stop())
        return;
    pair_open(&from, &to);
    close_while_stopped(&from, &to);
}

CLAIM("N6", "a durable message is read while its subscription ends")
{
    struct party from, to;

    if (!can_stop())
        return;
    next_realm();
    party_publish_durably(&from);
    party_import_durably(&to, "collector", no_queue);
    close_while_stopped(&from, &to);
}

/* Protocols that one process imports. Each has a subscription of its own while it is observed. */
enum { IMPORTS = 40, MOST_KEPT = 16 };

static void ignore_call(void *self, int32_t number, const char *text)
{
    (void)self;
    (void)number;
    (void)text;
}

static void import_and_observe(struct party *party, int i, peal_observation *observation)
{
    static const char *const methods[] = { "optional void on_message(int32_t number, const char *text)", NULL };
    static const struct peal_binding binding = { "on_message", (peal_function)ignore_call, NULL };
    struct peal_protocol_description description = { .size = sizeof description, .methods = (const char **)methods };
    char name[16];
    peal_protocol protocol;

    snprintf(name, sizeof name, "Chat%d", i);
    description.name = name;
    CHECK_OK(peal_protocol_define(party->center, &description, &protocol, NULL, 0));
    CHECK_OK(peal_bridge_import(party->bridge, protocol, NULL));
    CHECK_OK(peal_observe_bindings(protocol, party, &binding, 1, NULL, observation));
}

CLAIM("N6", "subscriptions that have ended are destroyed while their connection lasts")
{
    peal_observation observations[IMPORTS];
    struct party party;

    next_realm();
    party_open(&party, NULL);
    const size_t known = __atomic_load_n(&subscribed, __ATOMIC_RELAXED);
    for (int i = 0; i < IMPORTS; i++)
        import_and_observe(&party, i, &observations[i]);
    /* An import also subscribes to the announcements of other processes. */
    WAIT_UNTIL(__atomic_load_n(&subscribed, __ATOMIC_RELAXED) - known >= 2 * IMPORTS);
    const size_t before = __atomic_load_n(&destroyed, __ATOMIC_RELAXED);
    for (int i = 0; i < IMPORTS; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
    WAIT_UNTIL(__atomic_load_n(&destroyed, __ATOMIC_RELAXED) - before >= IMPORTS - MOST_KEPT);
    party_close(&party);
}
