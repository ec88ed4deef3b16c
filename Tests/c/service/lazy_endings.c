/* SPDX-License-Identifier: Apache-2.0
 *
 * How lazy observers end, and how they become lazy again.
 */
#include "guest.h"

#include <string.h>

static peal_center center;
static struct guest guest;
static peal_observation lazy;

static void open_with(const struct peal_observe_options *options)
{
    center = open_guest_house();
    memset(&guest, 0, sizeof guest);
    guest_register(&guest, center, "guest");
    plain_observe("A", NULL);
    lazy = guest_observe(&guest, options);
    plain_observe("B", NULL);
    journal_clear();
}

/* Registers the guest lazily, with a destroy callback. */
static void open_house(uint32_t flags)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.flags = flags;
    options.destroy = guest_ended;
    open_with(&options);
}

CLAIM("O13", "a lazy observer that is removed before the first broadcast is never created, and its destroy callback gets NULL")
{
    open_house(0);
    CHECK_OK(peal_observation_remove(lazy));
    CHECK_JOURNAL("~guest");
    CHECK_FAILURE(peal_observation_remove(lazy), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A1 B1");
    CHECK_EQUAL(guest.attempts, 0);
    close_center(center);
    CHECK_JOURNAL("");
}

CLAIM("O13", "after the removal of a lazy observer its instance is not called any more, and stays the service's")
{
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    CHECK_OK(peal_observation_remove(lazy));
    CHECK_JOURNAL("~guest");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 B2");
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_JOURNAL("-guest1");
    close_center(center);
}

CLAIM("O7", "a waiting removal of a lazy observer returns at once when no call of the instance runs")
{
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    CHECK_OK(peal_observation_remove_with(lazy, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    CHECK_JOURNAL("~guest");
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_JOURNAL("-guest1");
    close_center(center);
}

CLAIM("O7", "a waiting removal of a lazy observer returns at once before the first broadcast")
{
    open_house(0);
    CHECK_OK(peal_observation_remove_with(lazy, PEAL_REMOVE_WAIT | PEAL_REMOVE_DRAIN, PEAL_FOREVER));
    CHECK_JOURNAL("~guest");
    close_center(center);
}

static void remove_and_wait(struct guest *which, int n)
{
    (void)which;
    (void)n;
    CHECK_STATUS(peal_observation_remove_with(lazy, PEAL_REMOVE_WAIT, PEAL_FOREVER), PEAL_NOT_WAITED);
    journal_write("removed");
}

CLAIM("O7", "a waiting removal of a lazy observer in its own call does not wait and reports this, and its destroy callback runs after the call")
{
    open_house(0);
    guest.in_message = remove_and_wait;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 guest1.1 removed B1 ~guest");
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

CLAIM("O13", "when the instance of a lazy observer is removed the observation stays, and is lazy again")
{
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_JOURNAL("-guest1");
    CHECK(peal_observation_is_active(lazy));
    CHECK_OK(peal_broadcast(chat.on_other, 2));
    CHECK_JOURNAL("A2 B2");
    CHECK_OK(peal_broadcast(chat.on_message, 3));
    CHECK_JOURNAL("+guest2 A3 guest2.3 B3");
    close_center(center);
}

CLAIM("O13", "the end of a session makes an observer lazy again, unless its service persists")
{
    static struct guest stays;
    size_t removed = 0;

    open_house(0);
    memset(&stays, 0, sizeof stays);
    stays.is_persistent = true;
    guest_register(&stays, center, "stays");
    guest_observe(&stays, NULL);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 +stays1 A1 guest1.1 B1 stays1.1");
    CHECK_OK(peal_session_end(center, &removed));
    CHECK_EQUAL(removed, 1);
    CHECK_JOURNAL("-guest1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("+guest2 A2 guest2.2 B2 stays1.2");
    close_center(center);
}

static void remove_instance(struct guest *which, int n)
{
    (void)n;
    which->in_message = NULL;
    CHECK_STATUS(peal_service_remove_instance(which->service), PEAL_NOT_WAITED);
    journal_write("gone");
}

CLAIM("O13", "the instance of a lazy observer that removes itself in its call is destroyed after that broadcast")
{
    open_house(0);
    guest.in_message = remove_instance;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 guest1.1 gone B1 -guest1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("+guest2 A2 guest2.2 B2");
    close_center(center);
}

static void broadcast_again(struct guest *which, int n)
{
    remove_instance(which, n);
    CHECK_OK(peal_broadcast(chat.on_message, 5));
}

CLAIM("O13", "when the instance of a lazy observer removes itself, a nested broadcast creates another, which the outer one does not call")
{
    open_house(0);
    guest.in_message = broadcast_again;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 guest1.1 gone +guest2 A5 guest2.5 B5 B1 -guest1");
    close_center(center);
}

CLAIM("O13", "a lazy observation ends when its service is unregistered before the first broadcast")
{
    open_house(0);
    CHECK_OK(peal_service_remove(guest.service));
    CHECK_JOURNAL("~guest");
    CHECK(!peal_observation_is_active(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A1 B1");
    close_center(center);
}

CLAIM("O13", "a lazy observation ends when its service is unregistered after the instance was created")
{
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    CHECK_OK(peal_service_remove(guest.service));
    CHECK_CONTAINS(journal_text(), "~guest");
    CHECK_CONTAINS(journal_text(), "-guest1");
    CHECK(!peal_observation_is_active(lazy));
    journal_clear();
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A1 B1");
    close_center(center);
}

CLAIM("O13", "a lazy observation ends with its center, whether or not the instance was created")
{
    open_house(0);
    close_center(center);
    CHECK_JOURNAL("~guest");
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    close_center(center);
    CHECK_CONTAINS(journal_text(), "~guest");
    CHECK_CONTAINS(journal_text(), "-guest1");
    CHECK_EQUAL(guest.destroyed, 1);
}

CLAIM("O13", "a lazy observation ends when the owner of its service is retired")
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION("owned");
    const struct peal_provision provides[] = { { "Chat", &guest_chat }, { NULL, NULL } };
    struct guest_instance instance = { &guest, 3 };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation;
    peal_owner owner;

    open_house(0);
    CHECK_OK(peal_owner_create("plugin", &owner));
    description.provides = provides;
    description.context = &instance;
    description.owner = owner;
    CHECK_OK(peal_service_register(center, &description, NULL));
    options.destroy = guest_ended;
    CHECK_OK(peal_observe_service(chat.protocol, "owned", &options, &observation));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1 guest3.1");
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_JOURNAL("~guest");
    CHECK(!peal_observation_is_active(observation));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 guest1.2 B2");
    close_center(center);
}

CLAIM("O10", "a lazy ONCE observer is created and called once, and its observation ends")
{
    open_house(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_broadcast(chat.on_other, 1));
    CHECK_JOURNAL("A1 B1");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("+guest1 A2 guest1.2 B2 ~guest");
    CHECK(!peal_observation_is_active(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 3));
    CHECK_JOURNAL("A3 B3");
    CHECK_EQUAL(count_observers(chat.protocol), 2);
    CHECK_EQUAL(guest.attempts, 1);
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

CLAIM("O10", "a lazy ONCE observer is called once by a typed broadcast, and once by a call of it alone")
{
    peal_invocation invocation;

    open_house(PEAL_OBSERVE_ONCE);
    PEAL_BROADCAST(chat, &chat, on_message, 1);
    CHECK_JOURNAL("+guest1 A1 guest1.1 B1 ~guest");
    close_center(center);
    open_house(PEAL_OBSERVE_ONCE);
    CHECK_OK(peal_invocation_of(chat.on_message, &invocation, 2));
    CHECK_OK(peal_invocation_invoke(invocation, lazy));
    CHECK_JOURNAL("+guest1 guest1.2 ~guest");
    CHECK_FAILURE(peal_invocation_invoke(invocation, lazy), PEAL_ERROR_HANDLE);
    CHECK_OK(peal_invocation_destroy(invocation));
    close_center(center);
}

CLAIM("O10", "a creation that fails does not use up a lazy ONCE observer")
{
    open_house(PEAL_OBSERVE_ONCE);
    guest.fails = true;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A1 B1");
    CHECK(peal_observation_is_active(lazy));
    guest.fails = false;
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("+guest1 A2 guest1.2 B2 ~guest");
    close_center(center);
}

CLAIM("O10", "a broadcast does not create the instance of a blocked lazy observer")
{
    peal_invocation invocation;

    open_house(PEAL_OBSERVE_BLOCKED);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("A1 B1");
    CHECK_OK(peal_invocation_of(chat.on_message, &invocation, 2));
    CHECK_FAILURE(peal_invocation_invoke(invocation, lazy), PEAL_ERROR_STATE);
    CHECK_OK(peal_invocation_destroy(invocation));
    CHECK_OK(peal_observation_block(lazy));
    CHECK_OK(peal_observation_unblock(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 B2");
    CHECK_EQUAL(guest.attempts, 0);
    CHECK_OK(peal_observation_unblock(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 3));
    CHECK_JOURNAL("+guest1 A3 guest1.3 B3");
    CHECK_FAILURE(peal_observation_unblock(lazy), PEAL_ERROR_STATE);
    close_center(center);
}

CLAIM("O10", "blocks of a lazy observer apply to its instance, and to the next instance")
{
    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    CHECK_OK(peal_observation_block(lazy));
    CHECK_OK(peal_observation_block(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 B2");
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_JOURNAL("-guest1");
    CHECK_OK(peal_observation_unblock(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 3));
    CHECK_JOURNAL("A3 B3");
    CHECK_OK(peal_observation_unblock(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 4));
    CHECK_JOURNAL("+guest2 A4 guest2.4 B4");
    close_center(center);
}

static void block_within(struct guest *which)
{
    (void)which;
    CHECK_OK(peal_observation_block(lazy));
}

CLAIM("O10", "a lazy observer that is blocked within its creation is not called until it is unblocked")
{
    open_house(0);
    guest.in_create = block_within;
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 A1 B1");
    CHECK_OK(peal_observation_unblock(lazy));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 guest1.2 B2");
    CHECK_EQUAL(guest.attempts, 1);
    close_center(center);
}

CLAIM("S5", "a lazy observation keeps its instance in use until the instance is removed")
{
    struct peal_service_use use;

    open_house(0);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_service_get(center, "guest", &use));
    journal_clear();
    CHECK_STATUS(peal_service_remove_instance(guest.service), PEAL_NOT_WAITED);
    CHECK_JOURNAL("");
    CHECK_OK(peal_use_release(use.use));
    CHECK_JOURNAL("-guest1");
    close_center(center);
}
