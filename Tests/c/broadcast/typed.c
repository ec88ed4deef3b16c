/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"

#include <string.h>

#define SINK(METHOD)                                  \
    METHOD(optional, bool, wants, (const char *line)) \
    METHOD(optional, void, on_line, (const char *line, int n))
PEAL_PROTOCOL(sink, "Sink", SINK);

struct person {
    const char *name;
    bool wanting;
};

PEAL_TYPE(pair_text, struct pair { int x, y; });
#define MIX(METHOD)                \
    METHOD(required, void, on_mix, \
        (const char *text, uint8_t byte, float number, const int *numbers, struct pair pair, void (*done)(void)))
PEAL_PROTOCOL(mix, "Mix", MIX);

static struct sink_protocol sink;
static struct person people[4] = { { "A", true }, { "B", true }, { "C", false }, { "D", true } };
static peal_observation observations[4];

static bool wants(void *self, const char *line)
{
    const struct person *person = self;

    (void)line;
    journal_write("%s?", person->name);
    return person->wanting;
}

static void on_line(void *self, const char *line, int n)
{
    journal_write("%s:%s%d", ((struct person *)self)->name, line, n);
}

static void on_done(void) { journal_write("done"); }

static void on_mix(
    void *self, const char *text, uint8_t byte, float number, const int *numbers, struct pair pair, void (*done)(void))
{
    (void)self;
    journal_write("%s %d %g", text ? text : "null", byte, (double)number);
    if (numbers)
        journal_write("%d", numbers[0]);
    else
        journal_write("null");
    journal_write("%d,%d", pair.x, pair.y);
    if (done)
        done();
    else
        journal_write("null");
}

static void destroyed(void *target) { journal_write("~%s", ((struct person *)target)->name); }

static const struct sink table = { PEAL_TABLE(sink), .wants = wants, .on_line = on_line };

static peal_center open_sink(void)
{
    const peal_center center = open_center();
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    options.destroy = destroyed;
    CHECK_OK(sink_define(center, &sink));
    for (int i = 0; i < 4; i++)
        CHECK_OK(sink_observe(&sink, &people[i], &table, &options, &observations[i]));
    journal_clear();
    return center;
}

static void finish(peal_center center)
{
    close_center(center);
    journal_clear();
}

CLAIM("B1", "PEAL_BROADCAST calls every observer with the arguments written out")
{
    const peal_center center = open_sink();

    PEAL_BROADCAST(sink, &sink, on_line, "x", 1);
    CHECK_JOURNAL("A:x1 B:x1 C:x1 D:x1");
    finish(center);
}

CLAIM("B1", "PEAL_BROADCAST is one statement, also in an if without braces")
{
    const peal_center center = open_sink();

    if (people[0].wanting)
        PEAL_BROADCAST(sink, &sink, on_line, "yes", 1);
    else
        PEAL_BROADCAST(sink, &sink, on_line, "no", 1);
    CHECK_JOURNAL("A:yes1 B:yes1 C:yes1 D:yes1");
    finish(center);
}

CLAIM("B1", "PEAL_BROADCAST evaluates its arguments exactly once, for four observers and for none")
{
    const peal_center center = open_sink();
    const char *words[] = { "a", "b", "c" };
    int n = 0, word = 0;

    PEAL_BROADCAST(sink, &sink, on_line, words[word++], ++n);
    CHECK_JOURNAL("A:a1 B:a1 C:a1 D:a1");
    CHECK_EQUAL(n, 1);
    CHECK_EQUAL(word, 1);
    for (int i = 0; i < 4; i++)
        CHECK_OK(peal_observation_remove(observations[i]));
    PEAL_BROADCAST(sink, &sink, on_line, words[word++], ++n);
    CHECK_EQUAL(n, 2);
    CHECK_EQUAL(word, 2);
    finish(center);
}

static int counted_by_broadcast(int *count)
{
    journal_write("evaluated");
    return ++*count;
}

CLAIM("B1", "PEAL_BROADCAST evaluates an argument before the first call, and a call that changes its variable does not change the argument")
{
    const peal_center center = open_sink();
    int n = 0;

    PEAL_BROADCAST(sink, &sink, on_line, people[0].name, counted_by_broadcast(&n));
    CHECK_JOURNAL("evaluated A:A1 B:A1 C:A1 D:A1");
    finish(center);
}

CLAIM("B1", "PEAL_BROADCAST takes what a call takes: arrays, bit-fields, structs, constants and null pointers")
{
    const peal_center center = open_center();
    struct mix_protocol mix;
    const struct mix table_of_mix = { PEAL_TABLE(mix), .on_mix = on_mix };
    struct {
        unsigned small : 3;
    } bits = { 5 };
    int numbers[2] = { 7, 8 };
    char text[] = "text";

    REQUIRE_OK(peal_type_declare(center, pair_text));
    REQUIRE_OK(mix_define(center, &mix));
    REQUIRE_OK(mix_observe(&mix, NULL, &table_of_mix, NULL, NULL));
    PEAL_BROADCAST(mix, &mix, on_mix, text, bits.small, 2, numbers, ((struct pair){ 3, 4 }), on_done);
    PEAL_BROADCAST(mix, &mix, on_mix, 0, 'c', 2.5, NULL, (struct pair){ 0 }, NULL);
    CHECK_JOURNAL("text 5 2 7 3,4 done null 99 2.5 null 0,0 null");
    close_center(center);
    journal_clear();
}

CLAIM("B1", "the body of a typed loop reads each observer's result, and break stops the loop")
{
    const peal_center center = open_sink();
    bool all = true;

    PEAL_EACH(sink, &sink, wants, each)
        if (!each.table->wants(each.target, "x")) {
            all = false;
            break;
        }
    CHECK(!all);
    CHECK_JOURNAL("A? B? C?");
    finish(center);
}

CLAIM("B1", "continue in the body of a typed loop proceeds with the next observer")
{
    const peal_center center = open_sink();

    PEAL_EACH(sink, &sink, on_line, each) {
        if (!((struct person *)each.target)->wanting)
            continue;
        each.table->on_line(each.target, "x", 1);
    }
    CHECK_JOURNAL("A:x1 B:x1 D:x1");
    finish(center);
}

static const struct person *first_unwilling(void)
{
    PEAL_EACH(sink, &sink, wants, each)
        if (!each.table->wants(each.target, "x"))
            return each.target;
    return NULL;
}

CLAIM("B1", "return in the body of a typed loop leaves the loop and the function")
{
    const peal_center center = open_sink();

    CHECK_POINTER(first_unwilling(), &people[2]);
    finish(center);
}

CLAIM("B1", "goto in the body of a typed loop leaves the loop")
{
    const peal_center center = open_sink();
    int visited = 0;

    PEAL_EACH(sink, &sink, on_line, each) {
        if (++visited == 2)
            goto out;
    }
out:
    CHECK_EQUAL(visited, 2);
    finish(center);
}

CLAIM("B1", "a typed loop that is left early releases its list: thousands of such loops do not nest")
{
    const peal_center center = open_sink();

    for (int i = 0; i < 10000; i++) {
        PEAL_EACH(sink, &sink, on_line, each)
            break;
        (void)first_unwilling();
        journal_clear();
    }
    peal_clear_failure();
    PEAL_BROADCAST(sink, &sink, on_line, "x", 1);
    CHECK_OK(peal_last_status());
    CHECK_JOURNAL("A:x1 B:x1 C:x1 D:x1");
    CHECK_OK(peal_observation_remove(observations[0]));
    CHECK_JOURNAL("~A");
    finish(center);
}

CLAIM("B1", "a typed loop within a typed loop visits all pairs of observers")
{
    const peal_center center = open_sink();
    int pairs = 0;

    PEAL_EACH(sink, &sink, on_line, outer)
        PEAL_EACH(sink, &sink, wants, inner)
            pairs++;
    CHECK_EQUAL(pairs, 16);
    finish(center);
}

CLAIM("O8", "an observer that is removed inside a typed loop is destroyed at once, or after the loop if it is the one being visited")
{
    const peal_center center = open_sink();

    PEAL_EACH(sink, &sink, on_line, each) {
        if (each.target == &people[1]) {
            CHECK_OK(peal_observation_remove(observations[1]));
            CHECK_OK(peal_observation_remove(observations[2]));
            journal_write("removed");
        }
        journal_write("%s", ((struct person *)each.target)->name);
    }
    CHECK_JOURNAL("A ~C removed B D ~B");
    finish(center);
}

CLAIM("B1", "a typed loop without observers visits none and is no failure")
{
    const peal_center center = open_center();
    int visited = 0;

    REQUIRE_OK(sink_define(center, &sink));
    peal_clear_failure();
    PEAL_EACH(sink, &sink, on_line, each)
        visited++;
    CHECK_EQUAL(visited, 0);
    CHECK_OK(peal_last_status());
    close_center(center);
}

CLAIM("B1", "the table of a typed loop has the function of the visited method, and no other")
{
    const peal_center center = open_sink();
    int visited = 0;

    PEAL_EACH(sink, &sink, wants, each) {
        visited++;
        CHECK_EQUAL(each.table->size, sizeof(struct sink));
        CHECK(each.table->wants != NULL);
        CHECK(each.table->on_line == NULL);
    }
    CHECK_EQUAL(visited, 4);
    finish(center);
}

CLAIM("B1", "a typed loop visits an observer that was registered by names, through a table as any other")
{
    const peal_center center = open_center();
    const struct peal_binding binding = { "on_line", (peal_function)on_line, NULL };

    REQUIRE_OK(sink_define(center, &sink));
    REQUIRE_OK(peal_observe_bindings(sink.protocol, &people[3], &binding, 1, NULL, NULL));
    journal_clear();
    PEAL_EACH(sink, &sink, on_line, each) {
        each.table->on_line(each.target, "x", 2);
        CHECK_EQUAL(each.table->size, sizeof(struct sink));
        CHECK(each.table->wants == NULL);
    }
    CHECK_JOURNAL("D:x2");
    finish(center);
}
