/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - the characters of names and labels.
 */
#include "center.h"
#include "destroyed.h"

#include <string.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static char target;

static void ignore(void *self, int n)
{
    (void)self;
    (void)n;
}
static const struct bell table = { PEAL_TABLE(bell), ignore };

static void *make(struct peal_creation *creation) { return creation->context; }
static void fire(void *self) { (void)self; }

/* ---- Everything that has a name or a label ------------------------------------------------------ */

static peal_status define_protocol(const char *name)
{
    static const char *const methods[] = { "void go(void)", NULL };
    peal_protocol made;

    return try_protocol(center, name, NULL, methods, &made);
}
static peal_status define_property(const char *name)
{
    const int zero = 0;
    peal_property made;

    return peal_property_define(center, name, "int", &zero, NULL, &made);
}
static peal_status create_owner(const char *name)
{
    peal_owner made = { 0 };
    const peal_status status = peal_owner_create(name, &made);

    if (status == PEAL_OK)
        CHECK_OK(peal_owner_retire(made, PEAL_FOREVER));
    return status;
}
static peal_status register_service(const char *name, const char *label)
{
    struct peal_service_description description = PEAL_SERVICE_DESCRIPTION(name);

    description.label = label;
    description.create = make;
    description.context = &target;
    description.release = count_destroy;
    return peal_service_register(center, &description, NULL);
}
static peal_status name_service(const char *name) { return register_service(name, NULL); }
static peal_status label_service(const char *label) { return register_service("labelled", label); }
static peal_status register_module(const char *name, const char *class_name)
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION(name);

    description.class_name = class_name;
    return peal_module_register(center, &description, NULL);
}
static peal_status name_module(const char *name) { return register_module(name, NULL); }
static peal_status name_class(const char *name) { return register_module("classified", name); }
static peal_status create_queue(const char *name, const char *label)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    peal_queue made = { 0 };

    options.name = name;
    options.label = label;
    const peal_status status = peal_queue_create(&options, &made);
    if (status == PEAL_OK)
        CHECK_OK(peal_queue_destroy(made));
    return status;
}
static peal_status name_queue(const char *name) { return create_queue(name, NULL); }
static peal_status label_queue(const char *label) { return create_queue(NULL, label); }
static peal_status label_timer(const char *label)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, &target, 1000000);
    peal_timer made = { 0 };

    options.label = label;
    const peal_status status = peal_timer_create(&options, &made);
    if (status == PEAL_OK)
        CHECK_OK(peal_timer_destroy(made));
    return status;
}
static peal_status label_observer(const char *label)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.label = label;
    options.destroy = count_destroy;
    return bell_observe(&bell, &target, &table, &options, NULL);
}

static peal_status (*const give[])(const char *text) = { define_protocol, define_property, create_owner, name_service,
    label_service, name_module, name_class, name_queue, label_queue, label_timer, label_observer };

static void open_bell(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    destroyed = 0;
}

CLAIM("F13", "a name or a label with a control character is refused, and the sentence gives its place")
{
    static const char *const refused[] = { "abc\n", "abc\rx", "abc\tdef", "abc\033[31m", "abc\177", "abc\302\205",
        "abc\302\233m", "abc\001" };

    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(give); i++)
        for (size_t j = 0; j < CHECK_COUNT_OF(refused); j++) {
            const bool is_long = strncmp(refused[j] + 3, "\302", 1) == 0;
            CHECK_FAILURE(give[i](refused[j]), PEAL_ERROR_ARGUMENT);
            CHECK_CONTAINS(peal_last_message(), "control character");
            CHECK_CONTAINS(peal_last_message(), is_long ? "byte 5" : "byte 4");
        }
    close_center(center);
}

CLAIM("F13", "a name or a label that is not UTF-8 is refused")
{
    static const char *const refused[] = { "abc\377", "abc\355\240\200", "abc\300\200", "abc\303" };

    open_bell();
    for (size_t i = 0; i < CHECK_COUNT_OF(give); i++)
        for (size_t j = 0; j < CHECK_COUNT_OF(refused); j++)
            CHECK(give[i](refused[j]) < 0);
    close_center(center);
}

CLAIM("F13", "a name or a label may have blanks, commas, quotes and each letter of UTF-8")
{
    static const char *const accepted[] = { "command echo", "a,b", "\"quoted\" \\ *", "-a", "Gr\303\274\303\237e",
        "\302\240no-break" };

    for (size_t j = 0; j < CHECK_COUNT_OF(accepted); j++) {
        open_bell();
        for (size_t i = 0; i < CHECK_COUNT_OF(give); i++)
            CHECK_OK(give[i](accepted[j]));
        close_center(center);
    }
}
