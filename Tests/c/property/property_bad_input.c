/* SPDX-License-Identifier: Apache-2.0
 *
 * The failure of each function of property.h for invalid arguments.
 */
#include "center.h"
#include "lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PEAL_PROPERTY(volume, "volume", int32_t);
PEAL_TEXT_PROPERTY(title, "title");

static peal_center center;
static struct volume_property volume;
static struct title_property title;

static void begin(void)
{
    center = open_center();
    CHECK_OK(volume_define(center, 5, NULL, &volume));
    CHECK_OK(title_define(center, "first", NULL, &title));
}
static void end(void) { close_center(center); }

/* Checks that a type is refused, and that the sentence contains the word. */
static void refuse_type(const char *type, peal_status status, const char *word)
{
    peal_property property = { 77 };

    check_case(type);
    CHECK_FAILURE(peal_property_define(center, "bad", type, NULL, NULL, &property), status);
    CHECK_CONTAINS(peal_last_message(), word);
    CHECK_EQUAL(property.id, 0);
    check_case(NULL);
}

static void keep(void *object) { (void)object; }

CLAIM("F1", "a property of a type that has no values is refused, with the reason")
{
    const struct peal_object_type counted = PEAL_OBJECT_TYPE(keep, keep);

    begin();
    refuse_type("", PEAL_ERROR_SYNTAX, "type of property bad");
    refuse_type("void", PEAL_ERROR_TYPE, "void");
    refuse_type("flaot", PEAL_ERROR_TYPE, "float");
    refuse_type("int32_t; int", PEAL_ERROR_SYNTAX, "type of property bad");
    refuse_type("struct unknown", PEAL_ERROR_TYPE, "struct unknown");
    refuse_type("int[4]", PEAL_ERROR_TYPE, "bad");
    refuse_type("union value", PEAL_ERROR_TYPE, "bad");
    CHECK_OK(peal_type_set_object(center, "struct widget", &counted));
    refuse_type("struct widget *", PEAL_ERROR_TYPE, "peal_reference");
    end();
}

CLAIM("F1", "the definition of a property checks names, options and the handle to fill")
{
    char longest[300];
    struct peal_property_options options = PEAL_PROPERTY_OPTIONS;
    peal_property property;

    begin();
    memset(longest, 'n', sizeof longest);
    longest[256] = 0;
    CHECK_FAILURE(peal_property_define(center, longest, "int", NULL, NULL, &property), PEAL_ERROR_ARGUMENT);
    longest[255] = 0;
    CHECK_OK(peal_property_define(center, longest, "int", NULL, NULL, &property));
    CHECK_FAILURE(peal_property_define(center, "", "int", NULL, NULL, &property), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_define(center, NULL, "int", NULL, NULL, &property), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_define(center, "x", NULL, NULL, NULL, &property), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_define(center, "\xff", "int", NULL, NULL, &property), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_define(center, "x", "int", NULL, NULL, NULL), PEAL_ERROR_ARGUMENT);
    const peal_center none = { 0 };
    CHECK_FAILURE(peal_property_define(none, "x", "int", NULL, NULL, &property), PEAL_ERROR_HANDLE);
    options.flags = 64;
    CHECK_FAILURE(peal_property_define(center, "x", "int", NULL, &options, &property), PEAL_ERROR_ARGUMENT);
    options.flags = 0;
    options.size = 3;
    CHECK_FAILURE(peal_property_define(center, "x", "int", NULL, &options, &property), PEAL_ERROR_ARGUMENT);
    options.size = sizeof options;
    options.owner.id = 12345;
    CHECK_FAILURE(peal_property_define(center, "x", "int", NULL, &options, &property), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_property_find(center, "x", NULL, &property), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_property_find(center, "volume", NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_find(center, NULL, NULL, &property), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_find(center, "volume", "nonsense", &property), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_find(none, "volume", NULL, &property), PEAL_ERROR_HANDLE);
    const char *const null_text = NULL;
    CHECK_FAILURE(peal_property_define(center, "x", "const char *", &null_text, NULL, &property), PEAL_ERROR_ARGUMENT);
    end();
}

CLAIM("F1", "a property that is set or read as another type gives an error that names its type, and does not change")
{
    double real = 1;
    int32_t whole = 0;

    begin();
    CHECK_FAILURE(peal_property_set(volume.property, &real, sizeof real), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "property volume is int32_t, of 4 bytes; the value given has 8");
    CHECK_FAILURE(peal_property_get(volume.property, &real, sizeof real), PEAL_ERROR_TYPE);
    CHECK_REAL(real, 1);
    CHECK_FAILURE(peal_property_set(volume.property, &real, 0), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_set(volume.property, &real, SIZE_MAX), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_compare_and_set(volume.property, &real, &real, sizeof real, NULL), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_get_text(volume.property, NULL, 0, NULL), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_get(title.property, &real, sizeof real), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "peal_property_get_text");
    CHECK_FAILURE(peal_property_get(title.property, &real, SIZE_MAX), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_set(title.property, &whole, sizeof whole), PEAL_ERROR_TYPE);
    CHECK_EQUAL(volume_get(volume), 5);
    end();
}

CLAIM("F1", "a property refuses NULL values, NULL texts and texts that are too long")
{
    int32_t value = 6;
    char buffer[8];
    size_t length = 0;
    char *endless = malloc((1 << 20) + 1);

    REQUIRE(endless != NULL);
    begin();
    CHECK_FAILURE(peal_property_set(volume.property, NULL, 4), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_get(volume.property, NULL, 4), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_compare_and_set(volume.property, NULL, &value, 4, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_compare_and_set(volume.property, &value, NULL, 4, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(title_set(title, NULL), PEAL_ERROR_ARGUMENT);
    memset(endless, 'x', 1 << 20);
    endless[1 << 20] = 0;
    CHECK_FAILURE(title_set(title, endless), PEAL_ERROR_LIMIT);
    endless[(1 << 20) - 1] = 0;
    CHECK_OK(title_set(title, endless));
    CHECK_FAILURE(peal_property_get_text(title.property, NULL, 4, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_property_get_text(title.property, buffer, SIZE_MAX, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_property_get_text(title.property, buffer, 1, &length), PEAL_TRUNCATED);
    CHECK_TEXT(buffer, "");
    CHECK_EQUAL(length, (1 << 20) - 1);
    end();
    free(endless);
}

CLAIM("F1", "an invalid property handle gives a status in each function")
{
    static const struct volume_observer observer = { PEAL_OBSERVER(volume), .changed = keep };
    struct volume_property stale;
    int32_t value = 3;
    char buffer[8];

    begin();
    CHECK_OK(peal_property_define(center, "gone", "int32_t", NULL, NULL, &stale.property));
    CHECK_OK(peal_property_remove(stale.property));
    const struct volume_property handles[] = { { { 0 } }, { { UINT64_MAX } }, { { 15ull << 60 | 1 } },
        { { center.id } }, stale };
    for (size_t index = 0; index < CHECK_COUNT_OF(handles); index++) {
        const peal_property property = handles[index].property;
        CHECK_FAILURE(peal_property_get(property, &value, 4), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_property_get_text(property, buffer, 8, NULL), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_property_set(property, &value, 4), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_property_compare_and_set(property, &value, &value, 4, NULL), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_property_remove(property), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_property_name(property, buffer, 8, NULL), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_property_type(property, buffer, 8, NULL), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(volume_observe(handles[index], NULL, &observer, 0, NULL, NULL), PEAL_ERROR_HANDLE);
        CHECK_EQUAL(value, 3);
    }
    end();
}

CLAIM("F1", "zero is no property's handle, also when the first slots are free again")
{
    enum { COUNT = 256 };
    const peal_property zero = { 0 };
    int32_t value = 3;

    center = open_center();
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        peal_property property;

        snprintf(name, sizeof name, "gone%d", i);
        CHECK_OK(peal_property_define(center, name, "int32_t", NULL, NULL, &property));
    }
    end();
    CHECK_FAILURE(peal_property_get(zero, &value, 4), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_property_set(zero, &value, 4), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(value, 3);
}

static void hear(void *self, int32_t old_value, int32_t new_value) { (void)self, (void)old_value, (void)new_value; }
static void hear_pointer(void *self, void *old_value, void *new_value) { (void)self, (void)old_value, (void)new_value; }

CLAIM("F1", "a property's observer without functions, of another size, or with unknown flags is refused")
{
    struct volume_observer observer = { PEAL_OBSERVER(volume), .changed_values = hear };
    peal_observation observation = { 77 };

    begin();
    CHECK_FAILURE(volume_observe(volume, NULL, &observer, 16, NULL, &observation), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(observation.id, 0);
    CHECK_FAILURE(volume_observe(volume, NULL, &observer, PEAL_PROPERTY_KEEP_LATEST, NULL, NULL), PEAL_ERROR_ARGUMENT);
    observer.size = 16;
    CHECK_FAILURE(volume_observe(volume, NULL, &observer, 0, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    observer.size = sizeof observer;
    observer.changed_values = NULL;
    CHECK_FAILURE(volume_observe(volume, NULL, &observer, 0, NULL, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "has no function");
    CHECK_FAILURE(peal_property_observe(volume.property, NULL, NULL, 0, NULL, NULL), PEAL_ERROR_ARGUMENT);
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    options.size = 1;
    observer.changed_values = hear;
    CHECK_FAILURE(volume_observe(volume, NULL, &observer, 0, &options, NULL), PEAL_ERROR_ARGUMENT);
    end();
}

CLAIM("F1", "a property's observer with a queue may get values that are pointers only if it promises that they outlive the call")
{
    static const struct peal_property_observer values = { sizeof values, NULL, (peal_function)hear_pointer, NULL,
        NULL };
    peal_property property;
    struct lane lane;

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(peal_property_define(center, "cursor", "void *", NULL, NULL, &property));
    CHECK_FAILURE(peal_property_observe(property, NULL, &values, 0, &options, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "bare pointer");
    options.flags = PEAL_OBSERVE_BORROWED;
    CHECK_OK(peal_property_observe(property, NULL, &values, PEAL_PROPERTY_INITIAL, &options, NULL));
    lane_close(&lane);
    end();
}

/* ---- Depth ------------------------------------------------------------------------------------- */

enum { CHAIN = PEAL_DEPTH_LIMIT + 32 };
static struct volume_property chain[CHAIN];
static int reached;
static peal_status deepest;
static void set_the_next(void *self, int32_t old_value, int32_t new_value)
{
    const int next = (int)(intptr_t)self + 1;

    (void)old_value;
    if (next > reached)
        reached = next;
    if (next < CHAIN) {
        const peal_status status = volume_set(chain[next], new_value);
        if (status < 0)
            deepest = status;
    }
}

CLAIM("F1", "properties whose observers set each other without end reach the limit of depth, with a status")
{
    static const struct volume_observer observer = { PEAL_OBSERVER(volume), .changed_values = set_the_next };

    begin();
    for (int index = 0; index < CHAIN; index++) {
        char name[16];
        snprintf(name, sizeof name, "chain%d", index);
        CHECK_OK(peal_property_define(center, name, "int32_t", NULL, NULL, &chain[index].property));
        CHECK_OK(volume_observe(chain[index], (void *)(intptr_t)index, &observer, 0, NULL, NULL));
    }
    reached = 0;
    deepest = PEAL_OK;
    CHECK_OK(volume_set(chain[0], 9));
    CHECK_STATUS(deepest, PEAL_ERROR_DEPTH);
    CHECK(reached > PEAL_DEPTH_LIMIT / 2 && reached < CHAIN);
    CHECK_EQUAL(volume_get(chain[reached - 1]), 9);
    CHECK_EQUAL(volume_get(chain[reached]), 0);
    end();
}
