/* SPDX-License-Identifier: Apache-2.0
 *
 * growing_lists.c - the cost of listing and counting few objects among many others; see growing.h.
 */
#include "growing.h"

#include <string.h>

#define BELL(METHOD)                         \
    METHOD(optional, void, on_ring, (int n)) \
    METHOD(optional, void, on_mute, (void))
PEAL_PROTOCOL(bell, "Bell", BELL);

enum { TIMES = 40, CAPACITY = 8 };

static peal_center center;
static peal_center others[MANY];
static struct bell_protocol bell;
static peal_owner owner;
static peal_property property;
static char targets[MANY + 1];
static size_t count;

static void ring(void *self, int n)
{
    (void)self;
    (void)n;
}
static void mute(void *self) { (void)self; }
static const struct bell ringing = { PEAL_TABLE(bell), .on_ring = ring };
static const struct bell muting = { PEAL_TABLE(bell), .on_mute = mute };

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
static const struct peal_weak_type weak = { retain, release };

/* ---- The few objects, and the many others ------------------------------------------------------- */

static void *make(struct peal_creation *creation) { return creation->context; }

static void add_service(peal_center to, size_t i)
{
    char name[32];

    snprintf(name, sizeof name, "service %zu", i);
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);
    description.create = make;
    description.context = targets;
    CHECK_OK(peal_service_register(to, &description, NULL));
}

/* A protocol that adopts Bell, each with two observers. */
static void begin(void)
{
    static const char *const adopts[] = { "Bell", NULL };
    static const char *const more[] = { "optional void more(void)", NULL };
    const struct peal_property_options int_options = PEAL_PROPERTY_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_protocol adopter;
    int zero = 0;

    options.owner = owner;
    options.weak = &weak;
    CHECK_OK(try_protocol(center, "Adopter", adopts, more, &adopter));
    CHECK_OK(bell_observe(&bell, &targets[MANY], &muting, &options, NULL));
    CHECK_OK(peal_property_define(center, "level", "int", &zero, &int_options, &property));
    add_service(center, MANY);
}

static void add_protocols(void)
{
    static const char *const texts[] = { "optional void on_ring(int n)", NULL };

    begin();
    for (size_t i = 0; i < count; i++) {
        char name[32];
        peal_protocol made;
        snprintf(name, sizeof name, "Other %zu", i);
        CHECK_OK(try_protocol(center, name, NULL, texts, &made));
        (void)observe_with(made, &targets[i], "on_ring", (peal_function)ring, NULL);
    }
}
static void add_observers(void)
{
    begin();
    for (size_t i = 0; i < count; i++)
        CHECK_OK(bell_observe(&bell, &targets[i], &ringing, NULL, NULL));
}
static void add_services(void)
{
    begin();
    for (size_t i = 0; i < count; i++)
        add_service(center, i);
}
static void add_centers(void)
{
    begin();
    for (size_t i = 0; i < count; i++) {
        struct bell_protocol made;
        CHECK_OK(peal_center_create(&others[i]));
        CHECK_OK(bell_define(others[i], &made));
        add_service(others[i], i);
    }
}

/* ---- The counted operations --------------------------------------------------------------------- */

/* What is known of the observers of a method and of a protocol, of an owner and of a property. */
static void list_observers(void)
{
    peal_observation observations[CAPACITY];
    peal_method methods[CAPACITY];
    size_t found = 0;

    for (int i = 0; i < TIMES; i++) {
        struct peal_protocol_info protocol = { .size = sizeof protocol };
        struct peal_method_info method = { .size = sizeof method };
        struct peal_property_info level = { .size = sizeof level };
        struct peal_owner_info owned = { .size = sizeof owned };
        CHECK_OK(peal_method_list_observations(bell.on_mute, observations, CAPACITY, &found));
        CHECK_EQUAL(found, 1);
        CHECK_OK(peal_method_count_observers(bell.on_mute, &found));
        CHECK_EQUAL(found, 1);
        CHECK_OK(peal_protocol_list_methods(bell.protocol, methods, CAPACITY, &found));
        CHECK_OK(peal_owner_list_observations(owner, observations, CAPACITY, &found));
        CHECK_EQUAL(found, 1);
        CHECK_OK(peal_owner_get_info(owner, &owned));
        CHECK_OK(peal_protocol_get_info(bell.protocol, &protocol));
        CHECK_OK(peal_method_get_info(bell.on_mute, &method));
        CHECK_OK(peal_property_get_info(property, &level));
    }
}
/* The same, with the observers of the whole protocol. */
static void list_protocol(void)
{
    peal_observation observations[CAPACITY];
    size_t found = 0;

    list_observers();
    for (int i = 0; i < TIMES; i++) {
        CHECK_OK(peal_protocol_list_observations(bell.protocol, observations, CAPACITY, &found));
        CHECK_EQUAL(found, 1);
        CHECK_OK(peal_protocol_count_observers(bell.protocol, &found));
        CHECK_EQUAL(found, 1);
    }
}
/* What is known of a center as a whole. */
static void list_center(void)
{
    peal_protocol protocols[CAPACITY];
    peal_property properties[CAPACITY];
    peal_service services[CAPACITY];
    peal_module modules[CAPACITY];
    size_t found = 0;

    list_protocol();
    for (int i = 0; i < TIMES; i++) {
        struct peal_center_info info = { .size = sizeof info };
        (void)peal_protocol_list(center, protocols, CAPACITY, &found);
        (void)peal_property_list(center, properties, CAPACITY, &found);
        (void)peal_service_list(center, services, CAPACITY, &found);
        (void)peal_module_list(center, modules, CAPACITY, &found);
        CHECK_OK(peal_center_get_info(center, &info));
    }
}
static void list_all_centers(void)
{
    size_t found = 0;

    (void)peal_center_list(NULL, 0, &found);
    CHECK(found > count);
}

/* Programs look for what may not be there. */
static void find_none(void)
{
    for (int i = 0; i < TIMES; i++) {
        peal_protocol protocol;
        peal_service service;
        peal_module module;
        CHECK_FAILURE(peal_protocol_find(center, "Other none", &protocol), PEAL_ERROR_NOT_FOUND);
        CHECK_FAILURE(peal_service_find(center, "service none", &service), PEAL_ERROR_NOT_FOUND);
        CHECK_FAILURE(peal_module_find(center, "module none", &module), PEAL_ERROR_NOT_FOUND);
    }
}

/* The first search in a center makes its services and modules. */
static void add_protocols_and_find(void)
{
    add_protocols();
    find_none();
}
static void add_services_and_find(void)
{
    add_services();
    find_none();
}

static const struct operation operations[] = {
    OPERATION("list-among-protocols", add_protocols, list_protocol, CONSTANT),
    OPERATION("list-among-observers", add_observers, list_observers, CONSTANT),
    OPERATION("list-among-services", add_services, list_protocol, CONSTANT),
    OPERATION("list-among-centers", add_centers, list_center, CONSTANT),
    OPERATION("find-none-among-protocols", add_protocols_and_find, find_none, CONSTANT),
    OPERATION("find-none-among-services", add_services_and_find, find_none, CONSTANT),
    OPERATION("list-centers", add_centers, list_all_centers, LINEAR),
};

static void count_one(const struct operation *operation, size_t number)
{
    count = number;
    memset(others, 0, sizeof others);
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(peal_owner_create("lister", &owner));
    count_run(operation, number);
    close_center(center);
    for (size_t i = 0; i < number && others[i].id != 0; i++)
        close_center(others[i]);
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
}

CLAIM("F7", "listing, counting and looking for an unknown name do not cost more in a large center or process")
{
    count_all(operations, CHECK_COUNT_OF(operations), count_one);
}
