/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

#include <stdlib.h>
#include <string.h>

struct chat_protocol chat;
struct news_protocol news;

static void write_call(struct guest_instance *instance, int n)
{
    __atomic_fetch_add(&instance->guest->calls, 1, __ATOMIC_RELAXED);
    journal_write("%s%d.%d", instance->guest->name, instance->number, n);
}

static void on_message(void *self, int n)
{
    struct guest_instance *const instance = self;

    write_call(instance, n);
    if (instance->guest->in_message != NULL)
        instance->guest->in_message(instance->guest, n);
}

static int on_count(void *self, int n)
{
    write_call(self, n);
    return 10 * n;
}

static void on_plain(void *self, int n) { write_call(self, n); }

static void on_ask(void *self, int n, peal_completion done)
{
    write_call(self, n);
    CHECK_OK(peal_complete(done, 1));
}

const struct chat guest_chat = { PEAL_TABLE(chat), .on_message = on_message, .on_count = on_count, .on_later = on_plain,
    .on_ask = on_ask, .on_reject = on_plain };
static const struct news guest_news = { PEAL_TABLE(news), .on_news = on_plain };

static void *create(struct peal_creation *creation)
{
    struct guest *const guest = creation->context;
    struct guest_instance *instance;

    __atomic_fetch_add(&guest->attempts, 1, __ATOMIC_RELAXED);
    if (guest->in_create != NULL)
        guest->in_create(guest);
    if (guest->fails) {
        creation->code = 7;
        strcpy(creation->message, "no bed");
        return NULL;
    }
    instance = malloc(sizeof *instance);
    if (instance == NULL)
        check_give_up("memory", __FILE__, __LINE__);
    instance->guest = guest;
    instance->number = __atomic_add_fetch(&guest->creations, 1, __ATOMIC_RELAXED);
    journal_write("+%s%d", guest->name, instance->number);
    return instance;
}

static bool initialize(void *self, struct peal_creation *creation)
{
    struct guest *const guest = ((struct guest_instance *)self)->guest;

    (void)creation;
    if (guest->in_init != NULL)
        guest->in_init(guest);
    return true;
}

static void destroy(void *self)
{
    struct guest_instance *const instance = self;

    journal_write("-%s%d", instance->guest->name, instance->number);
    __atomic_fetch_add(&instance->guest->destroyed, 1, __ATOMIC_RELAXED);
    free(instance);
}

peal_center open_guest_house(void)
{
    const peal_center center = open_center();

    check_must(chat_define(center, &chat), "Chat");
    check_must(news_define(center, &news), "News");
    journal_clear();
    return center;
}

void guest_register(struct guest *guest, peal_center center, const char *name)
{
    const struct peal_provision provides[] = { { "Chat", &guest_chat }, { "News", &guest_news }, { NULL, NULL } };
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);

    guest->name = name;
    guest->center = center;
    description.provides = provides;
    description.flags = guest->is_persistent ? PEAL_SERVICE_PERSISTENT : 0;
    description.context = guest;
    description.create = create;
    description.init = initialize;
    description.destroy = destroy;
    check_must(peal_service_register(center, &description, &guest->service), name);
}

peal_observation guest_observe(struct guest *guest, const struct peal_observe_options *options)
{
    peal_observation observation = { 0 };

    check_must(peal_observe_service(chat.protocol, guest->name, options, &observation), guest->name);
    return observation;
}

void guest_ended(void *target)
{
    CHECK_POINTER(target, NULL);
    journal_write("~guest");
}

static void plain_message(void *self, int n) { journal_write("%s%d", (const char *)self, n); }

static int plain_count(void *self, int n)
{
    plain_message(self, n);
    return n;
}

peal_observation plain_observe(const char *name, const struct peal_observe_options *options)
{
    static const struct chat table = { PEAL_TABLE(chat), .on_message = plain_message, .on_other = plain_message,
        .on_count = plain_count };
    peal_observation observation = { 0 };

    check_must(chat_observe(&chat, (void *)(uintptr_t)name, &table, options, &observation), name);
    return observation;
}
