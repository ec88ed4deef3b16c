/* SPDX-License-Identifier: Apache-2.0 */
#include "party.h"

#include "center.h"
#include "server.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned realm_count;
static char realm[32];

void next_realm(void) { snprintf(realm, sizeof realm, "r%u-%u", (unsigned)getpid(), ++realm_count); }

const char *realm_of_claim(void)
{
    if (realm_count == 0)
        next_realm();
    return realm;
}

static void must(peal_status status, const char *what)
{
    char reason[512];

    if (status == PEAL_OK)
        return;
    snprintf(reason, sizeof reason, "%s: %s: %s", what, peal_status_name(status), peal_bridge_last_message());
    check_give_up(reason, __FILE__, __LINE__);
}

void party_open_with(struct party *party, const struct peal_bridge_options *options)
{
    memset(party, 0, sizeof *party);
    party->center = open_center();
    check_must(chat_define(party->center, &party->chat), "define Chat");
    must(peal_bridge_create(party->center, options, &party->bridge), "open");
}

void party_open(struct party *party, const char *name)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = shared_server_url();
    options.realm = name != NULL ? name : realm_of_claim();
    options.presence = PRESENCE_MILLISECONDS;
    party_open_with(party, &options);
}

void party_open_application(struct party *party, const char *application)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    options.url = shared_server_url();
    options.realm = realm_of_claim();
    options.application = application;
    options.presence = PRESENCE_MILLISECONDS;
    party_open_with(party, &options);
}

void party_publish_durably(struct party *party)
{
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    options.durable = true;
    party_open(party, NULL);
    party_export(party, &options);
}

void party_import_durably(struct party *party, const char *application, peal_queue queue)
{
    struct peal_import_options options = PEAL_IMPORT_OPTIONS;

    options.durable = true;
    party_open_application(party, application);
    party_import(party, &options);
    party_observe(party, queue);
}

void party_close(struct party *party)
{
    peal_bridge_destroy(party->bridge);
    close_center(party->center);
}

void party_export(struct party *party, const struct peal_export_options *options)
{
    must(peal_bridge_export(party->bridge, party->chat.protocol, options), "export");
}

void party_import(struct party *party, const struct peal_import_options *options)
{
    must(peal_bridge_import(party->bridge, party->chat.protocol, options), "import");
}

/* A call of another process may run beside one of this process. */
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_message(void *self, int32_t number, const char *text)
{
    struct party *party = self;

    pthread_mutex_lock(&text_lock);
    snprintf(party->text, sizeof party->text, "%s", text);
    pthread_mutex_unlock(&text_lock);
    if (number <= __atomic_exchange_n(&party->last, number, __ATOMIC_RELAXED))
        __atomic_fetch_add(&party->disorders, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&party->sum, number, __ATOMIC_RELAXED);
    if (party->on_call != NULL)
        party->on_call(party, number);
    __atomic_fetch_add(&party->heard, 1, __ATOMIC_RELEASE);
}

static void on_close(void *self) { __atomic_fetch_add(&((struct party *)self)->closes, 1, __ATOMIC_RELEASE); }

void party_observe(struct party *party, peal_queue queue)
{
    static const struct chat table = { PEAL_TABLE(chat), .on_message = on_message, .on_close = on_close };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.queue = queue;
    check_must(chat_observe(&party->chat, party, &table, &options, &party->observation), "observe");
}

void party_ignore(struct party *party)
{
    (void)peal_observation_remove_with(party->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    party->observation.id = 0;
}

void party_wait(struct party *party, size_t peers)
{
    must(peal_bridge_wait_for_peers(party->bridge, party->chat.protocol, peers, WAIT_MILLISECONDS), "wait for peers");
}

void party_say(struct party *party, int32_t number, const char *text)
{
    check_must(peal_broadcast(party->chat.on_message, number, text), "broadcast");
}

size_t party_heard(struct party *party) { return __atomic_load_n(&party->heard, __ATOMIC_ACQUIRE); }

struct peal_bridge_info party_info(struct party *party)
{
    struct peal_bridge_info info = { .size = sizeof info };

    must(peal_bridge_get_info(party->bridge, (peal_protocol){ 0 }, &info), "info");
    return info;
}

uint64_t party_sent(struct party *party)
{
    must(peal_bridge_flush(party->bridge, WAIT_MILLISECONDS), "flush");
    return party_info(party).sent;
}

void pair_open(struct party *from, struct party *to)
{
    next_realm();
    party_open(from, NULL);
    party_open(to, NULL);
    party_export(from, NULL);
    party_import(to, NULL);
    party_observe(to, (peal_queue){ 0 });
    party_wait(from, 1);
}

void pair_close(struct party *from, struct party *to)
{
    party_close(from);
    party_close(to);
}
