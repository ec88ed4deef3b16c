/* SPDX-License-Identifier: Apache-2.0
 *
 * The refusals of peal_observe_service, and how duplicates and counts see lazy observers.
 */
#include "guest.h"

#include <string.h>

static const peal_protocol no_protocol = { 0 };
static const peal_protocol made_up = { 0x2123456789abcdef };

static peal_center center;
static struct guest guest;

static void open_house(void)
{
    center = open_guest_house();
    memset(&guest, 0, sizeof guest);
    guest_register(&guest, center, "guest");
    journal_clear();
}

/* Checks that a registration is refused with a sentence, writes a zero handle and runs the destroy callback once. */
static void check_refusal(peal_protocol protocol, const char *service, const struct peal_observe_options *options,
    peal_status expected, const char *part)
{
    peal_observation observation = { 77 };
    struct peal_observe_options own = PEAL_OBSERVE_OPTIONS;

    if (options != NULL)
        own = *options;
    own.destroy = guest_ended;
    CHECK_FAILURE(peal_observe_service(protocol, service, &own, &observation), expected);
    CHECK_CONTAINS(peal_last_message(), part);
    CHECK_EQUAL(observation.id, 0);
    CHECK_JOURNAL("~guest");
    CHECK_EQUAL(guest.attempts, 0);
}

CLAIM("F1", "a lazy registration for a protocol that is zero, never created or ended is refused")
{
    peal_protocol ended;

    open_house();
    check_refusal(no_protocol, "guest", NULL, PEAL_ERROR_HANDLE, "protocol");
    check_refusal(made_up, "guest", NULL, PEAL_ERROR_HANDLE, "protocol");
    ended = chat.protocol;
    close_center(center);
    check_refusal(ended, "guest", NULL, PEAL_ERROR_HANDLE, "protocol");
}

CLAIM("F1", "a lazy registration with a service's name that is NULL, no text or unknown is refused, and similar names are listed")
{
    open_house();
    check_refusal(chat.protocol, NULL, NULL, PEAL_ERROR_ARGUMENT, "service");
    check_refusal(chat.protocol, "\xff\xfe", NULL, PEAL_ERROR_ARGUMENT, "UTF-8");
    check_refusal(chat.protocol, "", NULL, PEAL_ERROR_NOT_FOUND, "service");
    check_refusal(chat.protocol, "gest", NULL, PEAL_ERROR_NOT_FOUND, "guest");
    close_center(center);
}

CLAIM("F1", "a lazy registration of a service that does not provide the protocol is refused, and the protocol is named")
{
    static const char *const methods[] = { "void on_it(void)", NULL };
    peal_protocol unprovided;

    open_house();
    unprovided = protocol_of(center, "Unprovided", methods);
    check_refusal(unprovided, "guest", NULL, PEAL_ERROR_NOT_FOUND, "Unprovided");
    close_center(center);
}

CLAIM("F1", "a lazy registration does not find a service of another center")
{
    peal_center elsewhere;
    struct chat_protocol theirs;

    open_house();
    elsewhere = open_center();
    CHECK_OK(chat_define(elsewhere, &theirs));
    check_refusal(theirs.protocol, "guest", NULL, PEAL_ERROR_NOT_FOUND, "guest");
    close_center(elsewhere);
    close_center(center);
}

static bool retain(void *reference)
{
    (void)reference;
    return true;
}
static void release(void *reference, void *target)
{
    (void)reference;
    (void)target;
}

CLAIM("F1", "a lazy registration with the options for weak targets is refused")
{
    static const struct peal_weak_type weak = { retain, release };
    static char object[] = "object";
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_reference reference;

    open_house();
    options.weak = &weak;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_ARGUMENT, "weak");
    options.weak = NULL;
    CHECK_OK(peal_reference_create(object, NULL, &reference));
    options.reference = reference;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_ARGUMENT, "reference");
    CHECK_OK(peal_reference_release(reference));
    close_center(center);
}

CLAIM("F1", "the options of a lazy registration are checked as those of every observer")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const peal_queue no_queue = { 0x6123456789abcdef };
    const peal_owner no_owner = { 0x8123456789abcdef };
    peal_observation observation = { 77 };

    open_house();
    options.flags = 1u << 30;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_ARGUMENT, "flags");
    options.flags = PEAL_OBSERVE_REPLACE | PEAL_OBSERVE_ALLOW_DUPLICATE;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_ARGUMENT, "exclude");
    options.flags = 0;
    options.queue = no_queue;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_HANDLE, "queue");
    options.queue.id = 0;
    options.owner = no_owner;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_HANDLE, "owner");
    options.owner.id = 0;
    options.size = sizeof options + 8;
    check_refusal(chat.protocol, "guest", &options, PEAL_ERROR_ARGUMENT, "size");
    options.size = 8;
    options.destroy = guest_ended;
    CHECK_FAILURE(peal_observe_service(chat.protocol, "guest", &options, &observation), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(observation.id, 0);
    CHECK_JOURNAL("");
    close_center(center);
}

CLAIM("F1", "the options and the handle to fill of a lazy registration may be NULL")
{
    open_house();
    CHECK_OK(peal_observe_service(chat.protocol, "guest", NULL, NULL));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 guest1.1");
    close_center(center);
}

CLAIM("O3", "a second lazy registration of the same service and protocol is refused as a duplicate, and the first stays")
{
    peal_observation first;

    open_house();
    first = guest_observe(&guest, NULL);
    check_refusal(chat.protocol, "guest", NULL, PEAL_ERROR_DUPLICATE, "service");
    CHECK(peal_observation_is_active(first));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    journal_clear();
    CHECK_FAILURE(peal_observe_service(chat.protocol, "guest", NULL, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_OK(peal_observe_service(news.protocol, "guest", NULL, NULL));
    close_center(center);
}

CLAIM("O3", "a broadcast calls the instance once for each of its lazy registrations with ALLOW_DUPLICATE")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    open_house();
    options.flags = PEAL_OBSERVE_ALLOW_DUPLICATE;
    guest_observe(&guest, &options);
    plain_observe("A", NULL);
    guest_observe(&guest, &options);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 guest1.1 A1 guest1.1");
    CHECK_EQUAL(guest.attempts, 1);
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

CLAIM("O3", "REPLACE ends the old lazy registration and appends the new one, with the same instance")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation first;

    open_house();
    options.destroy = guest_ended;
    first = guest_observe(&guest, &options);
    plain_observe("A", NULL);
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_JOURNAL("+guest1 guest1.1 A1");
    options.destroy = NULL;
    options.flags = PEAL_OBSERVE_REPLACE;
    guest_observe(&guest, &options);
    CHECK_JOURNAL("~guest");
    CHECK(!peal_observation_is_active(first));
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("A2 guest1.2");
    CHECK_EQUAL(count_observers(chat.protocol), 2);
    close_center(center);
}

CLAIM("O13", "a lazy observer is counted once, before its instance is created and after")
{
    open_house();
    plain_observe("A", NULL);
    guest_observe(&guest, NULL);
    for (int round = 0; round < 2; round++) {
        CHECK_EQUAL(count_observers(chat.protocol), 2);
        CHECK_EQUAL(count_listed(chat.on_message), 2);
        CHECK_EQUAL(count_listed(chat.on_other), 1);
        CHECK_EQUAL(count_listed(chat.on_later), 1);
        CHECK_OK(peal_broadcast(chat.on_message, 1));
    }
    CHECK_OK(peal_service_remove_instance(guest.service));
    CHECK_EQUAL(count_observers(chat.protocol), 2);
    CHECK_EQUAL(count_listed(chat.on_message), 2);
    CHECK_OK(peal_service_remove(guest.service));
    CHECK_EQUAL(count_observers(chat.protocol), 1);
    CHECK_EQUAL(count_listed(chat.on_message), 1);
    close_center(center);
}

static void count_finds(void *context, const char *what, const void *function)
{
    (void)function;
    if (strcmp(what, "observer of Chat.on_message") == 0)
        ++*(int *)context;
}

CLAIM("L3", "the search for function pointers finds those of a lazy observer once, whether or not it was created")
{
    open_house();
    guest_observe(&guest, NULL);
    for (int round = 0; round < 2; round++) {
        int found = 0;

        CHECK_OK(peal_find_pointers_into((const void *)&guest, count_finds, &found, NULL));
        CHECK_EQUAL(found, 1);
        CHECK_OK(peal_broadcast(chat.on_message, 1));
    }
    close_center(center);
}

CLAIM("O12", "an owner lists a lazy observation once, and retiring it ends the observation")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation lazy, listed[4];
    peal_owner owner;
    size_t count = 0;

    open_house();
    CHECK_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    options.destroy = guest_ended;
    lazy = guest_observe(&guest, &options);
    for (int round = 0; round < 2; round++) {
        CHECK_OK(peal_owner_list_observations(owner, listed, 4, &count));
        CHECK_EQUAL(count, 1);
        CHECK_EQUAL(listed[0].id, lazy.id);
        CHECK_OK(peal_broadcast(chat.on_message, 1));
    }
    CHECK_JOURNAL("+guest1 guest1.1 guest1.1");
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_JOURNAL("~guest");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_JOURNAL("");
    close_center(center);
    CHECK_JOURNAL("-guest1");
}

CLAIM("O12", "no instance is created for a lazy observation whose owner is retired before the first broadcast")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_owner owner;

    open_house();
    CHECK_OK(peal_owner_create("plugin", &owner));
    options.owner = owner;
    options.destroy = guest_ended;
    guest_observe(&guest, &options);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_JOURNAL("~guest");
    CHECK_OK(peal_broadcast(chat.on_message, 2));
    CHECK_EQUAL(guest.attempts, 0);
    close_center(center);
}

static void register_more(struct guest *which)
{
    (void)which;
    plain_observe("C", NULL);
}

CLAIM("O12", "registrations of a creation do not belong to the broadcaster's owner")
{
    peal_owner owner;
    size_t count = 0;

    open_house();
    guest_observe(&guest, NULL);
    guest.in_create = register_more;
    CHECK_OK(peal_owner_create("plugin", &owner));
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(peal_broadcast(chat.on_message, 1));
    CHECK_OK(peal_owner_leave());
    CHECK_JOURNAL("+guest1 guest1.1 C1");
    CHECK_OK(peal_owner_list_observations(owner, NULL, 0, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    close_center(center);
}
