/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties: the notifications of changes, and when they are sent.
 */
#include "center.h"
#include "destroyed.h"
#include "journal.h"
#include "lane.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

PEAL_PROPERTY(volume, "volume", int32_t);
PEAL_TYPE(point_text, struct point { double x; int32_t tag; });
PEAL_PROPERTY(place, "place", struct point);
PEAL_TEXT_PROPERTY(title, "title");
PEAL_TYPE(big_text, struct big { int64_t values[40]; });
PEAL_PROPERTY(big, "big", struct big);

static peal_center center;
static struct lane lane;
static struct volume_property volume;

static void begin(void)
{
    center = open_center();
    journal_clear();
    CHECK_OK(volume_define(center, 5, NULL, &volume));
}
static void end(void) { close_center(center); }

static void note(void *self) { journal_write("%s!", (const char *)self); }
static void note_values(void *self, int32_t old_value, int32_t new_value)
{
    journal_write("%s:%d>%d", (const char *)self, old_value, new_value);
}
static void note_record(void *self, const struct peal_change *change)
{
    int32_t old_value, new_value;

    CHECK_EQUAL(change->size, sizeof *change);
    CHECK_EQUAL(change->value_size, sizeof old_value);
    CHECK_EQUAL(change->property.id, volume.property.id);
    CHECK(!change->is_text);
    memcpy(&old_value, change->old_value, sizeof old_value);
    memcpy(&new_value, change->new_value, sizeof new_value);
    journal_write("%s:%s%s%d>%d", (const char *)self, change->kind == PEAL_CHANGE_INITIAL ? "initial:" : "",
        change->is_prior ? "prior:" : "", old_value, new_value);
}

static const struct volume_observer by_nothing = { PEAL_OBSERVER(volume), .changed = note };
static const struct volume_observer by_values = { PEAL_OBSERVER(volume), .changed_values = note_values };
static const struct volume_observer by_record = { PEAL_OBSERVER(volume), .recorded = note_record };

static peal_observation observe(const char *name, const struct volume_observer *observer, uint32_t flags)
{
    peal_observation observation;

    CHECK_OK(volume_observe(volume, (void *)(uintptr_t)name, observer, flags, NULL, &observation));
    return observation;
}

/* ---- Values ------------------------------------------------------------------------------------ */

CLAIM("X5", "a property has its first value, and then the one that was set last")
{
    begin();
    CHECK_EQUAL(volume_get(volume), 5);
    CHECK_OK(volume_set(volume, -7));
    CHECK_EQUAL(volume_get(volume), -7);
    end();
    CHECK_EQUAL(volume_get(volume), 0);
    CHECK_FAILURE(volume_set(volume, 1), PEAL_ERROR_HANDLE);
}

CLAIM("X5", "a property's structs, small and large, are read as they were set")
{
    struct place_property place;
    struct big_property big;
    struct big value;

    begin();
    CHECK_OK(peal_type_declare(center, point_text));
    CHECK_OK(peal_type_declare(center, big_text));
    const struct point first = { 1.5, 3 };
    CHECK_OK(place_define(center, first, NULL, &place));
    CHECK_REAL(place_get(place).x, 1.5);
    const struct point second = { -2.5, 4 };
    CHECK_OK(place_set(place, second));
    CHECK_REAL(place_get(place).x, -2.5);
    CHECK_EQUAL(place_get(place).tag, 4);
    for (int index = 0; index < 40; index++)
        value.values[index] = index;
    CHECK_OK(big_define(center, value, NULL, &big));
    for (int round = 0; round < 3; round++) {
        value.values[39] = 100 + round;
        CHECK_OK(big_set(big, value));
        const struct big read = big_get(big);
        CHECK(memcmp(&read, &value, sizeof value) == 0);
    }
    end();
}

CLAIM("X5", "a property's scalars of every size are read as they were set")
{
    static const char *const types[] = { "bool", "int8_t", "uint16_t", "float", "double", "void *", "long double",
        "double _Complex", "struct point" };
    static const size_t sizes[] = { 1, 1, 2, 4, 8, 8, sizeof(long double), 16, sizeof(struct point) };

    begin();
    CHECK_OK(peal_type_declare(center, point_text));
    for (size_t index = 0; index < CHECK_COUNT_OF(types); index++) {
        unsigned char in[16] = { 1 }, out[17];
        peal_property property;
        char type[32];

        check_case(types[index]);
        memset(out, 0xee, sizeof out);
        CHECK_OK(peal_property_define(center, types[index], types[index], NULL, NULL, &property));
        CHECK_OK(peal_property_set(property, in, sizes[index]));
        CHECK_OK(peal_property_get(property, out, sizes[index]));
        CHECK(memcmp(in, out, sizes[index]) == 0);
        CHECK_EQUAL(out[sizes[index]], 0xee);
        CHECK_OK(peal_property_type(property, type, sizeof type, NULL));
        CHECK_TEXT(type, types[index]);
        CHECK_OK(peal_property_name(property, type, sizeof type, NULL));
        CHECK_TEXT(type, types[index]);
    }
    check_case(NULL);
    end();
}

CLAIM("X5", "the same definition of a property finds it with its value, and another one is a conflict")
{
    struct volume_property again;
    peal_property other;
    struct peal_property_options options = PEAL_PROPERTY_OPTIONS;

    begin();
    CHECK_OK(volume_set(volume, 9));
    CHECK_OK(volume_define(center, 1, NULL, &again));
    CHECK_EQUAL(again.property.id, volume.property.id);
    CHECK_EQUAL(volume_get(again), 9);
    CHECK_OK(peal_property_define(center, "volume", "signed int", NULL, NULL, &other));
    CHECK_FAILURE(peal_property_define(center, "volume", "double", NULL, NULL, &other), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "volume is defined already, as int32_t, not double");
    CHECK_EQUAL(other.id, 0);
    options.flags = PEAL_PROPERTY_IGNORE_EQUAL;
    CHECK_FAILURE(volume_define(center, 1, &options, &again), PEAL_ERROR_CONFLICT);
    CHECK_OK(volume_find(center, &again));
    CHECK_OK(peal_property_find(center, "volume", NULL, &other));
    CHECK_FAILURE(peal_property_find(center, "volume", "float", &other), PEAL_ERROR_TYPE);
    CHECK_FAILURE(peal_property_find(center, "tone", NULL, &other), PEAL_ERROR_NOT_FOUND);
    end();
}

CLAIM("X5", "a compare-and-set changes the value only if it is the expected one, and notifies only then")
{
    bool is_set = true;

    begin();
    observe("a", &by_values, 0);
    CHECK_OK(volume_compare_and_set(volume, 4, 6, &is_set));
    CHECK(!is_set);
    CHECK_EQUAL(volume_get(volume), 5);
    CHECK_OK(volume_compare_and_set(volume, 5, 6, &is_set));
    CHECK(is_set);
    CHECK_EQUAL(volume_get(volume), 6);
    CHECK_JOURNAL("a:5>6");
    end();
}

CLAIM("X5", "the bytes between members do not count where a property compares structs")
{
    struct place_property place;
    struct point value, same;
    bool is_set = false;

    begin();
    CHECK_OK(peal_type_declare(center, point_text));
    memset(&value, 0x11, sizeof value);
    memset(&same, 0x77, sizeof same);
    value.x = same.x = 1;
    value.tag = same.tag = 2;
    CHECK_OK(place_define(center, value, NULL, &place));
    CHECK_OK(peal_property_compare_and_set(place.property, &same, &value, sizeof value, &is_set));
    CHECK(is_set);
    end();
}

CLAIM("X5", "a property that ignores equal values notifies of changes only")
{
    struct peal_property_options options = PEAL_PROPERTY_OPTIONS;

    center = open_center();
    journal_clear();
    options.flags = PEAL_PROPERTY_IGNORE_EQUAL;
    CHECK_OK(volume_define(center, 5, &options, &volume));
    observe("a", &by_values, 0);
    CHECK_OK(volume_set(volume, 5));
    CHECK_OK(volume_set(volume, 6));
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a:5>6");
    bool is_set = false;
    CHECK_OK(volume_compare_and_set(volume, 6, 6, &is_set));
    CHECK(is_set);
    CHECK_JOURNAL("");
    end();
}

/* ---- Texts ------------------------------------------------------------------------------------- */

static void note_texts(void *self, const char *old_value, const char *new_value)
{
    (void)self;
    journal_write("[%s]>[%s]", old_value, new_value);
}
static void note_text_record(void *self, const struct peal_change *change)
{
    (void)self;
    CHECK(change->is_text);
    CHECK_EQUAL(change->value_size, strlen(change->new_value) + 1);
    journal_write("(%s)>(%s)", (const char *)change->old_value, (const char *)change->new_value);
}

CLAIM("X5", "the text of a property is copied, read into a buffer, and passed to observers as a text")
{
    static const struct title_observer observer = { PEAL_OBSERVER(title), .changed_values = note_texts,
        .recorded = note_text_record };
    struct title_property title;
    char source[] = "one", buffer[64];
    size_t length = 0;

    begin();
    CHECK_OK(title_define(center, "", NULL, &title));
    CHECK_OK(title_observe(title, NULL, &observer, 0, NULL, NULL));
    CHECK_OK(title_set(title, source));
    source[0] = 'X';
    CHECK_OK(title_get(title, buffer, sizeof buffer, &length));
    CHECK_TEXT(buffer, "one");
    CHECK_EQUAL(length, 3);
    CHECK_JOURNAL("[]>[one] ()>(one)");
    CHECK_OK(title_set(title, "a much longer text than there was room for"));
    CHECK_JOURNAL(
        "[one]>[a much longer text than there was room for] (one)>(a much longer text than there was room for)");
    CHECK_STATUS(title_get(title, buffer, 7, &length), PEAL_TRUNCATED);
    CHECK_TEXT(buffer, "a much");
    CHECK_EQUAL(length, 42);
    CHECK_OK(title_set(title, "\xc3\xa9\xc3\xa9"));
    CHECK_STATUS(title_get(title, buffer, 4, NULL), PEAL_TRUNCATED);
    CHECK_TEXT(buffer, "\xc3\xa9");
    CHECK_STATUS(title_get(title, NULL, 0, &length), PEAL_TRUNCATED);
    CHECK_EQUAL(length, 4);
    bool is_set = false;
    const char *const wrong = "no", *const right = "\xc3\xa9\xc3\xa9", *const next = "next";
    CHECK_OK(peal_property_compare_and_set(title.property, &wrong, &next, sizeof next, &is_set));
    CHECK(!is_set);
    CHECK_OK(peal_property_compare_and_set(title.property, &right, &next, sizeof next, &is_set));
    CHECK(is_set);
    end();
}

/* The texts that the observer expects. */
static struct {
    const char *old_text;
    const char *new_text;
    size_t calls;
} texts;

static void compare_text_record(void *self, const struct peal_change *change)
{
    (void)self;
    CHECK_TEXT((const char *)change->old_value, texts.old_text);
    CHECK_TEXT((const char *)change->new_value, texts.new_text);
    CHECK_EQUAL(change->value_size, strlen(texts.new_text) + 1);
    texts.calls++;
}

CLAIM("X5", "a set reads no byte after a text, and observers get texts of each short length whole")
{
    enum { LONGEST = 136 };
    static const struct title_observer observer = { PEAL_OBSERVER(title), .recorded = compare_text_record };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct title_property title;
    char old_text[LONGEST + 1] = "", buffer[LONGEST + 1];
    char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(pages != MAP_FAILED);
    CHECK(mprotect(pages + page, page, PROT_NONE) == 0);
    begin();
    CHECK_OK(title_define(center, "", NULL, &title));
    CHECK_OK(title_observe(title, NULL, &observer, 0, NULL, NULL));
    for (size_t turn = 0; turn <= LONGEST; turn++) {
        /* Short and long texts in turns. A reader must not find the end of a longer text. */
        const size_t length = (turn & 1) != 0 ? LONGEST - turn : turn;
        char *const text = pages + page - length - 1;
        for (size_t index = 0; index < length; index++)
            text[index] = (char)('!' + (char)((turn + index) % 90));
        text[length] = 0;
        texts.old_text = old_text;
        texts.new_text = text;
        CHECK_OK(title_set(title, text));
        CHECK_EQUAL(texts.calls, turn + 1);
        CHECK_OK(title_get(title, buffer, sizeof buffer, NULL));
        CHECK_TEXT(buffer, text);
        memcpy(old_text, text, length + 1);
    }
    end();
    CHECK(munmap(pages, 2 * page) == 0);
}

CLAIM("X5", "the text of a property may grow and shrink")
{
    struct title_property title;
    static char text[100001], buffer[100001];
    size_t length;

    begin();
    CHECK_OK(title_define(center, "begin", NULL, &title));
    for (size_t size = 1; size <= 100000; size *= 10) {
        memset(text, 'a' + (int)(size % 7), size);
        text[size] = 0;
        CHECK_OK(title_set(title, text));
        CHECK_OK(title_get(title, buffer, sizeof buffer, &length));
        CHECK_EQUAL(length, size);
        CHECK(strcmp(text, buffer) == 0);
    }
    CHECK_OK(title_set(title, "short"));
    CHECK_OK(title_get(title, buffer, sizeof buffer, NULL));
    CHECK_TEXT(buffer, "short");
    end();
}

/* ---- Notifications ----------------------------------------------------------------------------- */

CLAIM("X5", "an observer's function decides whether it is notified without values, with old and new values, or with a record")
{
    begin();
    observe("a", &by_nothing, 0);
    observe("b", &by_values, 0);
    observe("c", &by_record, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a! b:5>6 c:5>6");
    end();
}

CLAIM("X5", "an observer of a property that is the first of its kind joins those of other kinds")
{
    static const struct volume_observer by_two = { PEAL_OBSERVER(volume), .changed = note, .recorded = note_record };
    peal_observation first;

    begin();
    first = observe("a", &by_record, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a:5>6");
    observe("b", &by_nothing, 0);
    CHECK_OK(volume_set(volume, 7));
    CHECK_JOURNAL("b! a:6>7");
    observe("c", &by_values, PEAL_PROPERTY_INITIAL);
    CHECK_JOURNAL("c:7>7");
    observe("d", &by_two, 0);
    CHECK_OK(peal_observation_remove(first));
    CHECK_OK(volume_set(volume, 8));
    CHECK_JOURNAL("b! d! c:7>8 d:7>8");
    end();
}

static void note_prior(void *self, const struct peal_change *change)
{
    note_record(self, change);
    journal_write("now=%d", volume_get(volume));
}

CLAIM("X5", "prior observers of a property are notified before the value changes, and before all others")
{
    static const struct volume_observer observer = { PEAL_OBSERVER(volume), .prior = note_prior,
        .recorded = note_record };

    begin();
    observe("a", &by_values, 0);
    observe("b", &observer, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("b:prior:5>6 now=5 a:5>6 b:5>6");
    bool is_set;
    CHECK_OK(volume_compare_and_set(volume, 6, 7, &is_set));
    CHECK_JOURNAL("b:prior:6>7 now=7 a:6>7 b:6>7");
    end();
}

static void set_from_prior(void *self, const struct peal_change *change)
{
    note_record(self, change);
    if (volume_get(volume) == 5)
        CHECK_STATUS(volume_set(volume, 50), PEAL_DEFERRED);
}

CLAIM("X5", "a set from a prior observer takes effect before the set that it was notified of, and observers are notified in that order")
{
    static const struct volume_observer observer = { PEAL_OBSERVER(volume), .prior = set_from_prior };

    begin();
    observe("a", &by_values, 0);
    observe("p", &observer, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("p:prior:5>6 p:prior:5>50 a:5>50 a:50>6");
    CHECK_EQUAL(volume_get(volume), 6);
    end();
}

CLAIM("X5", "an initial observer of a property is notified of the value at once, and of later changes")
{
    static const struct volume_observer all = { PEAL_OBSERVER(volume), .changed = note, .changed_values = note_values,
        .recorded = note_record };

    begin();
    observe("a", &all, PEAL_PROPERTY_INITIAL);
    CHECK_JOURNAL("a! a:5>5 a:initial:5>5");
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a! a:5>6 a:5>6");
    end();
}

CLAIM("X5", "an initial observer of a property with a queue is notified of the value on that queue")
{
    EVERY_KIND(lane)
    {
        begin();
        struct peal_observe_options options = options_on(lane.queue, NULL);
        CHECK_OK(volume_observe(volume, (char *)"q", &by_values, PEAL_PROPERTY_INITIAL, &options, NULL));
        CHECK_OK(volume_set(volume, 6));
        lane_settle(&lane);
        CHECK_JOURNAL("q:5>5 q:5>6");
        end();
    }
}

CLAIM("X5", "a registration reports that a full queue refused the notification of the initial value")
{
    begin();
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, (char *)"a", &by_values, PEAL_PROPERTY_INITIAL, &options, NULL));
    CHECK_STATUS(volume_observe(volume, (char *)"b", &by_values, PEAL_PROPERTY_INITIAL, &options, NULL), PEAL_REJECTED);
    pump_all(lane.queue);
    CHECK_JOURNAL("a:5>5");
    CHECK_OK(volume_set(volume, 6));
    pump_all(lane.queue);
    CHECK_JOURNAL("a:5>6 b:5>6");
    lane_close(&lane);
    end();
}

static void observe_on_full_queue(void *self, int32_t old_value, int32_t new_value)
{
    struct peal_observe_options options = options_on(lane.queue, NULL);

    (void)old_value;
    (void)new_value;
    CHECK_STATUS(volume_observe(volume, self, &by_values, PEAL_PROPERTY_INITIAL, &options, NULL), PEAL_REJECTED);
}

CLAIM("X5", "a registration within a notification reports that a full queue refused the initial value")
{
    static const struct volume_observer observer = { PEAL_OBSERVER(volume), .changed_values = observe_on_full_queue };

    begin();
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, (char *)"a", &by_values, PEAL_PROPERTY_INITIAL, &options, NULL));
    observe("b", &observer, 0);
    CHECK_STATUS(volume_set(volume, 6), PEAL_REJECTED);
    pump_all(lane.queue);
    CHECK_JOURNAL("a:5>5");
    lane_close(&lane);
    end();
}

CLAIM("X5", "the text that an initial observer with a queue is notified of is a copy")
{
    static const struct title_observer observer = { PEAL_OBSERVER(title), .changed_values = note_texts,
        .recorded = note_text_record };
    struct title_property title;
    char text[] = "first";

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    CHECK_OK(title_define(center, text, NULL, &title));
    text[0] = '?';
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(title_observe(title, NULL, &observer, PEAL_PROPERTY_INITIAL, &options, NULL));
    CHECK_OK(title_set(title, "second"));
    pump_all(lane.queue);
    CHECK_JOURNAL("[first]>[first] (first)>(first) [first]>[second] (first)>(second)");
    lane_close(&lane);
    end();
}

/* ---- Sets within an observer's call ------------------------------------------------------------ */

static void set_next(void *self, int32_t old_value, int32_t new_value)
{
    note_values(self, old_value, new_value);
    if (new_value < 8) {
        CHECK_STATUS(volume_set(volume, new_value + 1), PEAL_DEFERRED);
        CHECK_EQUAL(volume_get(volume), new_value + 1);
    }
}

CLAIM("X5", "a set inside an observer's call takes effect at once and is notified after the call: all observers see the changes in order")
{
    static const struct volume_observer setting = { PEAL_OBSERVER(volume), .changed_values = set_next };

    begin();
    observe("a", &setting, 0);
    observe("b", &by_values, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a:5>6 b:5>6 a:6>7 b:6>7 a:7>8 b:7>8");
    end();
}

static int sets_done;
static peal_status last_set;
static void set_forever(void *self, int32_t old_value, int32_t new_value)
{
    (void)self, (void)old_value;
    last_set = volume_set(volume, new_value + 1);
    sets_done += last_set >= 0;
}

CLAIM("X5", "an observer that sets the property at each notification reaches a limit, and its set gets a status")
{
    static const struct volume_observer setting = { PEAL_OBSERVER(volume), .changed_values = set_forever };

    begin();
    sets_done = 0;
    observe("a", &setting, 0);
    CHECK_OK(volume_set(volume, 0));
    CHECK_EQUAL(sets_done, 65536);
    CHECK_STATUS(last_set, PEAL_ERROR_LIMIT);
    CHECK_CONTAINS(peal_last_message(), "end the recursion");
    CHECK_EQUAL(volume_get(volume), 65536);
    sets_done = 0;
    CHECK_OK(volume_set(volume, 0));
    CHECK_EQUAL(sets_done, 65536);
    end();
}

static void observe_inside(void *self, int32_t old_value, int32_t new_value)
{
    note_values(self, old_value, new_value);
    if (new_value != 6)
        return;
    CHECK_STATUS(volume_set(volume, 7), PEAL_DEFERRED);
    observe("new", &by_values, PEAL_PROPERTY_INITIAL);
}

CLAIM("X5", "an initial observer that is registered inside an observer's call is notified of the current value, then of later ones")
{
    static const struct volume_observer inside = { PEAL_OBSERVER(volume), .changed_values = observe_inside };

    begin();
    observe("a", &inside, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a:5>6 new:6>6 a:6>7 new:6>7");
    end();
}

static peal_observation first_one, second_one;
static void remove_both(void *self, int32_t old_value, int32_t new_value)
{
    note_values(self, old_value, new_value);
    CHECK_OK(peal_observation_remove(first_one));
    CHECK_OK(peal_observation_remove(second_one));
}

CLAIM("X5", "observers of a property may be removed inside a call, blocked, and called once, as all observers")
{
    static const struct volume_observer removing = { PEAL_OBSERVER(volume), .changed_values = remove_both };
    struct peal_observe_options once = PEAL_OBSERVE_OPTIONS;

    begin();
    first_one = observe("a", &removing, 0);
    second_one = observe("b", &by_values, 0);
    const peal_observation third = observe("c", &by_values, 0);
    CHECK_OK(peal_observation_block(third));
    once.flags = PEAL_OBSERVE_ONCE;
    once.priority = -1;
    CHECK_OK(volume_observe(volume, (char *)"d", &by_values, 0, &once, NULL));
    CHECK_OK(volume_set(volume, 6));
    CHECK_OK(peal_observation_unblock(third));
    CHECK_OK(volume_set(volume, 7));
    CHECK_JOURNAL("a:5>6 d:5>6 c:6>7");
    CHECK_STATUS(volume_observe(volume, (char *)"c", &by_nothing, 0, NULL, NULL), PEAL_ERROR_DUPLICATE);
    end();
}

static void remove_property(void *self, int32_t old_value, int32_t new_value)
{
    note_values(self, old_value, new_value);
    CHECK_STATUS(volume_set(volume, new_value + 1), PEAL_DEFERRED);
    CHECK_OK(peal_property_remove(volume.property));
    CHECK_FAILURE(volume_set(volume, 1), PEAL_ERROR_HANDLE);
}

CLAIM("X5", "a property may be removed by its own observer: waiting changes are dropped, and the name may be used again")
{
    static const struct volume_observer removing = { PEAL_OBSERVER(volume), .changed_values = remove_property };
    const struct volume_property *unused = &volume;

    (void)unused;
    begin();
    observe("a", &removing, 0);
    observe("b", &by_values, 0);
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("a:5>6");
    CHECK_FAILURE(peal_property_remove(volume.property), PEAL_ERROR_HANDLE);
    const struct volume_property stale = volume;
    CHECK_OK(volume_define(center, 1, NULL, &volume));
    CHECK_FAILURE(volume_set(stale, 3), PEAL_ERROR_HANDLE);
    CHECK_OK(volume_set(volume, 2));
    CHECK_EQUAL(volume_get(volume), 2);
    CHECK_JOURNAL("");
    end();
}

/* ---- Life -------------------------------------------------------------------------------------- */

CLAIM("X5", "the observation of a property ends when its weak target is dead")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static char target[] = "w";

    begin();
    destroyed = 0;
    CHECK_OK(peal_reference_create(target, NULL, &options.reference));
    options.destroy = count_destroy;
    CHECK_OK(volume_observe(volume, target, &by_values, 0, &options, NULL));
    CHECK_OK(volume_set(volume, 6));
    CHECK_OK(peal_reference_release(options.reference));
    CHECK_OK(volume_set(volume, 7));
    CHECK_JOURNAL("w:5>6");
    CHECK_EQUAL(destroyed, 1);
    end();
}

CLAIM("X5", "the observation of a property in a scoped variable ends with the scope")
{
    begin();
    {
        peal_observation shown PEAL_CLEANUP(peal_observation_cleanup) = observe("s", &by_values, 0);
        CHECK_OK(volume_set(volume, 6));
        CHECK(peal_observation_is_active(shown));
    }
    CHECK_OK(volume_set(volume, 7));
    CHECK_JOURNAL("s:5>6");
    end();
}

CLAIM("X5", "destroy callbacks of a property's observers run once, also when the registration fails")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    static const struct volume_observer nothing = { PEAL_OBSERVER(volume), .changed = NULL };

    begin();
    destroyed = 0;
    options.destroy = count_destroy;
    CHECK_FAILURE(volume_observe(volume, NULL, &nothing, 0, &options, NULL), PEAL_ERROR_CONFORMANCE);
    CHECK_EQUAL(destroyed, 1);
    CHECK_OK(volume_observe(volume, (char *)"a", &by_values, 0, &options, NULL));
    CHECK_FAILURE(
        volume_observe(volume, (char *)"a", &by_values, PEAL_PROPERTY_INITIAL, &options, NULL), PEAL_ERROR_DUPLICATE);
    CHECK_EQUAL(destroyed, 2);
    CHECK_OK(peal_property_remove(volume.property));
    CHECK_EQUAL(destroyed, 3);
    end();
}

CLAIM("L1", "retiring an owner removes its observers of properties, and the properties that only it defined")
{
    peal_owner owner;
    struct volume_property own, shared;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    CHECK_OK(peal_owner_create("mixer", &owner));
    CHECK_OK(peal_owner_enter(owner));
    CHECK_OK(volume_define(center, 1, NULL, &shared));
    CHECK_OK(peal_property_define(center, "own", "int32_t", NULL, NULL, &own.property));
    CHECK_OK(peal_owner_leave());
    CHECK_EQUAL(shared.property.id, volume.property.id);
    options.owner = owner;
    CHECK_OK(volume_observe(volume, (char *)"o", &by_values, 0, &options, NULL));
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_OK(volume_set(volume, 6));
    CHECK_JOURNAL("");
    CHECK_FAILURE(volume_set(own, 1), PEAL_ERROR_HANDLE);
    peal_property found;
    CHECK_FAILURE(peal_property_find(center, "own", NULL, &found), PEAL_ERROR_NOT_FOUND);
    end();
}

CLAIM("L3", "the search for function pointers finds the functions of a property's observers")
{
    size_t before = 0, with = 0;

    begin();
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)note_values, NULL, NULL, &before));
    observe("a", &by_values, 0);
    CHECK_OK(peal_find_pointers_into((const void *)(uintptr_t)note_values, NULL, NULL, &with));
    CHECK_EQUAL(with, before + 1);
    end();
}

/* ---- Queues ------------------------------------------------------------------------------------ */

CLAIM("X5", "a property's observer with a queue is notified there of each change, with copies of the values")
{
    EVERY_KIND(lane)
    {
        begin();
        struct peal_observe_options options = options_on(lane.queue, NULL);
        CHECK_OK(volume_observe(volume, (char *)"v", &by_values, 0, &options, NULL));
        CHECK_OK(volume_observe(volume, (char *)"r", &by_record, 0, &options, NULL));
        CHECK_OK(volume_set(volume, 6));
        CHECK_OK(volume_set(volume, 7));
        lane_settle(&lane);
        CHECK_JOURNAL("v:5>6 r:5>6 v:6>7 r:6>7");
        end();
    }
}

CLAIM("X5", "on a queue that keeps the latest, a property's change that waits is replaced by the next one")
{
    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, (char *)"latest", &by_values, PEAL_PROPERTY_KEEP_LATEST, &options, NULL));
    CHECK_OK(volume_observe(volume, (char *)"all", &by_values, 0, &options, NULL));
    for (int value = 6; value <= 9; value++)
        CHECK_OK(volume_set(volume, value));
    pump_all(lane.queue);
    CHECK_JOURNAL("all:5>6 all:6>7 all:7>8 latest:8>9 all:8>9");
    CHECK_COUNTS(lane.queue, 0, 5, 3, 0);
    CHECK_OK(volume_set(volume, 10));
    pump_all(lane.queue);
    CHECK_JOURNAL("latest:9>10 all:9>10");
    lane_close(&lane);
    end();
}

CLAIM("X5", "on a queue that keeps the latest, the initial notification of one observer replaces no change of another one")
{
    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, (char *)"one", &by_values, PEAL_PROPERTY_KEEP_LATEST, &options, NULL));
    CHECK_OK(volume_set(volume, 6));
    CHECK_OK(volume_observe(
        volume, (char *)"two", &by_values, PEAL_PROPERTY_KEEP_LATEST | PEAL_PROPERTY_INITIAL, &options, NULL));
    CHECK_OK(volume_observe(
        volume, (char *)"three", &by_values, PEAL_PROPERTY_KEEP_LATEST | PEAL_PROPERTY_INITIAL, &options, NULL));
    pump_all(lane.queue);
    CHECK_JOURNAL("one:5>6 two:6>6 three:6>6");
    CHECK_OK(volume_set(volume, 7));
    CHECK_OK(volume_set(volume, 8));
    pump_all(lane.queue);
    CHECK_JOURNAL("one:7>8 two:7>8 three:7>8");
    CHECK_COUNTS(lane.queue, 0, 6, 3, 0);
    lane_close(&lane);
    end();
}

CLAIM("X5", "a set of a property reports when a full queue refused a call, and the value is set")
{
    begin();
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, (char *)"q", &by_values, 0, &options, NULL));
    CHECK_OK(volume_set(volume, 6));
    CHECK_STATUS(volume_set(volume, 7), PEAL_REJECTED);
    CHECK_EQUAL(volume_get(volume), 7);
    pump_all(lane.queue);
    CHECK_JOURNAL("q:5>6");
    lane_close(&lane);
    end();
}

/* ---- Batches ----------------------------------------------------------------------------------- */

CLAIM("X5", "after a batch, observers are notified once of each property that it changed, with the value before the batch")
{
    struct volume_property tone;
    struct title_property title;
    static const struct title_observer titles = { PEAL_OBSERVER(title), .changed_values = note_texts };

    begin();
    CHECK_OK(peal_property_define(center, "tone", "int32_t", NULL, NULL, &tone.property));
    CHECK_OK(title_define(center, "old", NULL, &title));
    observe("v", &by_values, 0);
    CHECK_OK(volume_observe(tone, (char *)"t", &by_values, 0, NULL, NULL));
    CHECK_OK(title_observe(title, NULL, &titles, 0, NULL, NULL));
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(tone, 1), PEAL_DEFERRED);
    CHECK_STATUS(volume_set(volume, 6), PEAL_DEFERRED);
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(tone, 2), PEAL_DEFERRED);
    CHECK_STATUS(title_set(title, "one"), PEAL_DEFERRED);
    CHECK_STATUS(title_set(title, "a longer one than that, by far: it needs memory of its own"), PEAL_DEFERRED);
    CHECK_STATUS(title_set(title, "new"), PEAL_DEFERRED);
    CHECK_OK(peal_batch_end());
    CHECK_STATUS(volume_set(volume, 7), PEAL_DEFERRED);
    CHECK_EQUAL(volume_get(volume), 7);
    CHECK_JOURNAL("");
    CHECK_OK(peal_batch_end());
    CHECK_JOURNAL("t:0>2 v:5>7 [old]>[new]");
    CHECK_OK(volume_set(volume, 8));
    CHECK_JOURNAL("v:7>8");
    CHECK_FAILURE(peal_batch_end(), PEAL_ERROR_STATE);
    end();
}

CLAIM("X5", "a batch that sets a property to another value and back notifies no observer where equal "
            "values are ignored")
{
    struct peal_property_options options = PEAL_PROPERTY_OPTIONS;
    static const struct title_observer titles = { PEAL_OBSERVER(title), .changed_values = note_texts };
    struct volume_property quiet, loud;
    struct title_property title;

    begin();
    options.flags = PEAL_PROPERTY_IGNORE_EQUAL;
    CHECK_OK(peal_property_define(center, "quiet", "int32_t", NULL, &options, &quiet.property));
    CHECK_OK(peal_property_define(center, "loud", "int32_t", NULL, NULL, &loud.property));
    CHECK_OK(title_define(center, "old", &options, &title));
    CHECK_OK(volume_observe(quiet, (char *)"q", &by_values, 0, NULL, NULL));
    CHECK_OK(volume_observe(loud, (char *)"l", &by_values, 0, NULL, NULL));
    CHECK_OK(title_observe(title, NULL, &titles, 0, NULL, NULL));
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(quiet, 5), PEAL_DEFERRED);
    CHECK_STATUS(volume_set(quiet, 0), PEAL_DEFERRED);
    CHECK_STATUS(volume_set(loud, 5), PEAL_DEFERRED);
    CHECK_STATUS(volume_set(loud, 0), PEAL_DEFERRED);
    CHECK_STATUS(title_set(title, "another"), PEAL_DEFERRED);
    CHECK_STATUS(title_set(title, "old"), PEAL_DEFERRED);
    CHECK_OK(peal_batch_end());
    CHECK_JOURNAL("l:0>0");
    CHECK_OK(volume_set(quiet, 7));
    CHECK_OK(title_set(title, "new"));
    CHECK_JOURNAL("q:0>7 [old]>[new]");
    end();
}

CLAIM("X5", "a property that is removed while a batch delays its change notifies no observer")
{
    begin();
    observe("v", &by_values, 0);
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(volume, 6), PEAL_DEFERRED);
    CHECK_OK(peal_property_remove(volume.property));
    CHECK_OK(volume_define(center, 1, NULL, &volume));
    CHECK_STATUS(volume_set(volume, 2), PEAL_DEFERRED);
    CHECK_OK(peal_batch_end());
    CHECK_JOURNAL("");
    CHECK_EQUAL(volume_get(volume), 2);
    end();
}

CLAIM("X5", "a batch of properties may have any number of sets")
{
    begin();
    observe("v", &by_values, 0);
    CHECK_OK(volume_set(volume, 6));
    journal_clear();
    CHECK_OK(peal_batch_begin());
    for (int value = 0; value < 70000; value++)
        if (volume_set(volume, value) != PEAL_DEFERRED)
            CHECK(false);
    CHECK_OK(peal_batch_end());
    CHECK_JOURNAL("v:6>69999");
    end();
}

CLAIM("X5", "the end of a batch reports when a full queue refused a call, and the values are set")
{
    begin();
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    struct peal_observe_options options = options_on(lane.queue, NULL);
    CHECK_OK(volume_observe(volume, (char *)"q", &by_values, 0, &options, NULL));
    CHECK_OK(volume_set(volume, 6));
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(volume, 7), PEAL_DEFERRED);
    CHECK_STATUS(peal_batch_end(), PEAL_REJECTED);
    CHECK_EQUAL(volume_get(volume), 7);
    pump_all(lane.queue);
    CHECK_JOURNAL("q:5>6");
    lane_close(&lane);
    end();
}

CLAIM("X5", "the changes of a batch that a property's observer begins and ends are notified after the observer's call")
{
    begin();
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(volume, 6), PEAL_DEFERRED);
    observe("i", &by_values, 0);
    CHECK_OK(peal_batch_end());
    CHECK_JOURNAL("i:5>6");
    end();
}

/* Sets another property in a batch of its own, and then reads the values that it was called with. */
static struct volume_property nested;
static void set_in_batch_and_note(void *self, int32_t old_value, int32_t new_value)
{
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(volume_set(nested, 100 * new_value), PEAL_DEFERRED);
    CHECK_OK(peal_batch_end());
    note_values(self, old_value, new_value);
}

CLAIM("X5", "an observer notified at the end of a batch may run a batch of its own, and keeps its values")
{
    static const struct volume_observer nests = { PEAL_OBSERVER(volume), .changed_values = set_in_batch_and_note };

    begin();
    CHECK_OK(peal_property_define(center, "nested", "int32_t", NULL, NULL, &nested.property));
    CHECK_OK(volume_observe(nested, (char *)"n", &by_values, 0, NULL, NULL));
    observe("v", &nests, 0);
    observe("w", &by_values, 0);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_OK(peal_batch_begin());
        CHECK_STATUS(volume_set(volume, 6), PEAL_DEFERRED);
        CHECK_OK(peal_batch_end());
        CHECK_OK(volume_set(volume, 5));
    }
    CHECK_JOURNAL("n:0>600 v:5>6 w:5>6 n:600>500 v:6>5 w:6>5 n:500>600 v:5>6 w:5>6 n:600>500 v:6>5 w:6>5");
    end();
}

CLAIM("X5", "a batch notifies of any number of properties, in the order of their first sets")
{
    enum { MANY = 24 };
    struct volume_property properties[MANY];
    char names[MANY][8], expected[MANY * 16] = "", *next = expected;

    begin();
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "p%d", i);
        CHECK_OK(peal_property_define(center, names[i], "int32_t", NULL, NULL, &properties[i].property));
        CHECK_OK(volume_observe(properties[i], names[i], &by_values, 0, NULL, NULL));
    }
    for (int turn = 0; turn < 2; turn++) {
        next = expected;
        CHECK_OK(peal_batch_begin());
        for (int i = 0; i < MANY; i++) {
            CHECK_STATUS(volume_set(properties[i], turn + 1), PEAL_DEFERRED);
            next += sprintf(next, "%sp%d:%d>%d", i > 0 ? " " : "", i, turn, turn + 1);
        }
        CHECK_OK(peal_batch_end());
        CHECK_JOURNAL(expected);
        journal_clear();
    }
    end();
}
