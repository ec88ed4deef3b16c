/* SPDX-License-Identifier: Apache-2.0
 *
 * guest.h - a service that observes lazily, and writes its events into the journal:
 *
 *     +guest1     its first instance is created        -guest1   and destroyed
 *     guest1.5    on_message(5) of the first instance  ~guest    the destroy callback of an observation
 *
 * When the library refuses, a function ends the program as failed. Claims about refusals call the library
 * directly.
 */
#ifndef PEAL_TEST_GUEST_H
#define PEAL_TEST_GUEST_H

#include "center.h"
#include "journal.h"

PEAL_BEGIN_DECLARATIONS

#define CHAT(METHOD)                                              \
    METHOD(optional, void, on_message, (int n))                   \
    METHOD(optional, void, on_other, (int n))                     \
    METHOD(optional, int, on_count, (int n), sum)                 \
    METHOD(optional, void, on_later, (int n), defer)              \
    METHOD(optional, void, on_ask, (int n, peal_completion done)) \
    METHOD(optional, void, on_reject, (int n), reject)
PEAL_PROTOCOL(chat, "Chat", CHAT);

#define NEWS(METHOD) METHOD(optional, void, on_news, (int n))
PEAL_PROTOCOL(news, "News", NEWS);

struct guest_instance {
    struct guest *guest;
    int number; /* from 1 */
};

struct guest {
    const char *name;
    peal_center center;
    peal_service service;
    bool is_persistent;
    bool fails;
    int attempts; /* creations, including those that failed */
    int creations;
    int destroyed;
    int calls;
    /* Additional actions, or NULL. */
    void (*in_create)(struct guest *guest);
    void (*in_init)(struct guest *guest);
    void (*in_message)(struct guest *guest, int n);
};

extern struct chat_protocol chat;
extern struct news_protocol news;
/* Implements all methods of Chat but on_other. */
extern const struct chat guest_chat;

/* Opens a center with Chat and News. */
peal_center open_guest_house(void);

/* Registers a service that provides Chat and News. */
void guest_register(struct guest *guest, peal_center center, const char *name);

/* Registers the service as a lazy observer of Chat. */
peal_observation guest_observe(struct guest *guest, const struct peal_observe_options *options);

/* A destroy callback of a lazy observation: it gets NULL, and writes "~guest". */
void guest_ended(void *target);

/* A plain observer of Chat, whose target is its name: on_message(5) writes "A5". */
peal_observation plain_observe(const char *name, const struct peal_observe_options *options);

PEAL_END_DECLARATIONS

#endif
