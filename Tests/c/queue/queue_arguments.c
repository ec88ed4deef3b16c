/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of a queued call: one copy for all observers, by the declared types; and types that cannot be queued.
 */
#include "center.h"
#include "destroyed.h"
#include "journal.h"
#include "lane.h"

#include <stdlib.h>
#include <string.h>

PEAL_TYPE(pair_text, struct pair { int64_t a; double b; });
PEAL_TYPE(wide_text, struct wide { char bytes[100]; struct pair pairs[3]; });

#define POST(METHOD)                                                                                            \
    METHOD(optional, void, on_text, (const char *text, int n))                                                  \
    METHOD(optional, void, on_bytes, (const uint8_t *bytes __counted_by(count), size_t count))                  \
    METHOD(optional, void, on_block, (const void *block __sized_by(size), size_t size))                         \
    METHOD(optional, void, on_numbers, (int32_t count, const double *numbers __counted_by_or_null(count)))      \
    METHOD(optional, void, on_scalars,                                                                          \
        (bool t, int8_t i8, uint16_t u16, int32_t i32, int64_t i64, float f, double d, long double ld, char c)) \
    METHOD(optional, void, on_structs, (struct pair p, struct wide w, struct pair q))                           \
    METHOD(optional, void, on_many,                                                                             \
        (const char *a, int64_t b, const char *c, double d, const char *e, int64_t f, const char *g, double h,  \
            const char *i, int64_t j, const char *k))                                                           \
    METHOD(optional, void, on_promised, (void *thing, int n), borrowed)                                         \
    METHOD(optional, int, count, (const char *text), sum)                                                       \
    METHOD(optional, void, on_scratch, (uint8_t *bytes __counted_by(size), size_t size))
PEAL_PROTOCOL(post, "Post", POST);

/* The arguments of both methods of a pair have equal sizes, and are of other kinds. */
#define TWINS(METHOD)                                                                              \
    METHOD(optional, void, on_signed, (int8_t count, const uint8_t *bytes __counted_by(count)))    \
    METHOD(optional, void, on_unsigned, (uint8_t count, const uint8_t *bytes __counted_by(count))) \
    METHOD(optional, void, on_float, (float f, int64_t i))                                         \
    METHOD(optional, void, on_double, (uint32_t u, double d))
PEAL_PROTOCOL(twins, "Twins", TWINS);

/* Methods that cannot be queued, each in a protocol of its own. */
#define LOOSE(METHOD) METHOD(optional, void, on_thing, (int n, void *thing))
PEAL_PROTOCOL(loose, "Loose", LOOSE);

static peal_center center;
static struct post_protocol post;
static struct lane lane;
static struct lane other;
static char a[] = "A";
static char b[] = "B";

enum { MOST = 8 };
static const void *seen[MOST];
static int seen_count;

static void see(const void *pointer)
{
    if (seen_count < MOST)
        seen[seen_count] = pointer;
    seen_count++;
}

static void on_text(void *self, const char *text, int n)
{
    see(text);
    journal_write("%s:%s%d", (char *)self, text != NULL ? text : "(null)", n);
}

static unsigned long sum_bytes(const void *bytes, size_t count)
{
    unsigned long sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += ((const uint8_t *)bytes)[i];
    return sum;
}

static void on_bytes(void *self, const uint8_t *bytes, size_t count)
{
    see(bytes);
    journal_write("%s:%lu/%lu", (char *)self, (unsigned long)count, sum_bytes(bytes, count));
}

static void on_block(void *self, const void *block, size_t size)
{
    see(block);
    journal_write("%s:%lu/%lu", (char *)self, (unsigned long)size, sum_bytes(block, size));
}

static void on_numbers(void *self, int32_t count, const double *numbers)
{
    double sum = 0;

    see(numbers);
    for (int32_t i = 0; numbers != NULL && i < count; i++)
        sum += numbers[i];
    journal_write("%s:%d/%g", (char *)self, (int)count, sum);
}

static void on_scalars(
    void *self, bool t, int8_t i8, uint16_t u16, int32_t i32, int64_t i64, float f, double d, long double ld, char c)
{
    CHECK(t);
    CHECK_EQUAL(i8, -8);
    CHECK_EQUAL(u16, 65535);
    CHECK_EQUAL(i32, -32);
    CHECK_EQUAL(i64, INT64_MIN);
    CHECK_REAL(f, 0.5f);
    CHECK_REAL(d, 1e300);
    CHECK_REAL(ld, 1.0L / 3);
    CHECK_EQUAL(c, 'c');
    journal_write("%s:scalars", (char *)self);
}

static void on_structs(void *self, struct pair p, struct wide w, struct pair q)
{
    CHECK_EQUAL(p.a, 1);
    CHECK_REAL(p.b, 2);
    CHECK_TEXT(w.bytes, "wide");
    CHECK_EQUAL(w.pairs[2].a, 3);
    CHECK_EQUAL(q.a, 4);
    journal_write("%s:structs", (char *)self);
}

static void on_many(void *self, const char *s1, int64_t n1, const char *s2, double d1, const char *s3, int64_t n2,
    const char *s4, double d2, const char *s5, int64_t n3, const char *s6)
{
    journal_write("%s:%s%d%s%g%s%d%s%g%s%d%s", (char *)self, s1, (int)n1, s2, d1, s3, (int)n2, s4, d2, s5, (int)n3, s6);
}

static void on_promised(void *self, void *thing, int n)
{
    see(thing);
    journal_write("%s:promised%d", (char *)self, n);
}

static int count(void *self, const char *text)
{
    journal_write("%s#%s", (char *)self, text);
    return 1;
}

/* Writes to its argument, which an observer with a queue must not do. */
static void on_scratch(void *self, uint8_t *bytes, size_t size)
{
    see(bytes);
    bytes[0]++;
    journal_write("%s:%d/%d", (char *)self, (int)size, bytes[0]);
}

static const struct post table = { PEAL_TABLE(post), on_text, on_bytes, on_block, on_numbers, on_scalars, on_structs,
    on_many, on_promised, count, on_scratch };

static void enter(void *target, peal_queue queue)
{
    const struct peal_observe_options options = options_on(queue, NULL);

    CHECK_OK(post_observe(&post, target, &table, &options, NULL));
}

static void open_post(void)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center, pair_text));
    CHECK_OK(peal_type_declare(center, wide_text));
    CHECK_OK(post_define(center, &post));
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&other, PEAL_QUEUE_PUMPED);
    enter(a, lane.queue);
    enter(b, lane.queue);
    journal_clear();
    seen_count = 0;
}

static void close_post(void)
{
    close_center(center);
    lane_close(&lane);
    lane_close(&other);
    journal_clear();
}

/* ---- Copied ------------------------------------------------------------------------------------ */

CLAIM("Q3", "a string is copied for a queue: the caller may overwrite or free its own once the broadcast returns")
{
    char *text = strdup("first");
    int n = 2;
    const char *pointer;
    void *const arguments[] = { &pointer, &n };

    open_post();
    CHECK_OK(peal_broadcast(post.on_text, text, 1));
    memcpy(text, "again", 5);
    pointer = text;
    CHECK_OK(peal_send(post.on_text, arguments, 2, NULL, NULL));
    memset(text, '!', 5);
    free(text);
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_JOURNAL("A:first1 B:first1 A:again2 B:again2");
    CHECK(seen[0] != text);
    close_post();
}

CLAIM("Q3", "strings that are copied for a queue may be empty, NULL, and long")
{
    char *const longest = malloc(1 << 20);

    REQUIRE(longest != NULL);
    memset(longest, 'x', (1 << 20) - 1);
    longest[(1 << 20) - 1] = '\0';
    open_post();
    CHECK_OK(peal_broadcast(post.on_text, "", 1));
    CHECK_OK(peal_broadcast(post.on_text, NULL, 2));
    CHECK_OK(peal_broadcast(post.count, longest));
    free(longest);
    CHECK_OK(peal_queue_pump(lane.queue, 2, NULL));
    CHECK_JOURNAL("A:1 B:1 A:(null)2 B:(null)2");
    CHECK_EQUAL(pump_all(lane.queue), 2);
    close_post();
}

CLAIM("Q2", "one copy of the arguments serves all observers of a broadcast, on one queue and on many")
{
    static char c[] = "C";
    const char *const text = "text";

    open_post();
    enter(c, other.queue);
    CHECK_OK(peal_broadcast(post.on_text, text, 1));
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_EQUAL(pump_all(other.queue), 1);
    CHECK_JOURNAL("A:text1 B:text1 C:text1");
    CHECK_EQUAL(seen_count, 3);
    CHECK(seen[0] != text);
    CHECK_POINTER(seen[1], seen[0]);
    CHECK_POINTER(seen[2], seen[0]);
    close_post();
}

CLAIM("Q2", "a write to a copied buffer reaches the observers that are called later on queues, but neither the "
            "broadcaster nor an observer without a queue nor another broadcast")
{
    static char c[] = "C";
    static char d[] = "D";
    const peal_queue nowhere = { 0 };
    uint8_t bytes[] = { 10, 0 };

    open_post();
    enter(c, other.queue);
    enter(d, nowhere);
    CHECK_OK(peal_broadcast(post.on_scratch, bytes, sizeof bytes));
    CHECK_EQUAL(bytes[0], 11); /* D has written to the caller's own buffer */
    CHECK_OK(peal_broadcast(post.on_scratch, bytes, sizeof bytes));
    CHECK_EQUAL(bytes[0], 12);
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_EQUAL(pump_all(other.queue), 2);
    CHECK_JOURNAL("D:2/11 D:2/12 A:2/11 B:2/12 A:2/12 B:2/13 C:2/13 C:2/14");
    CHECK_EQUAL(bytes[0], 12);
    close_post();
}

CLAIM("Q2", "observers without a queue get the caller's own arguments, not the copy")
{
    static char c[] = "C";
    const peal_queue nowhere = { 0 };
    const char *const text = "text";

    open_post();
    enter(c, nowhere);
    CHECK_OK(peal_broadcast(post.on_text, text, 1));
    CHECK_POINTER(seen[0], text);
    close_post();
}

CLAIM("Q3", "a buffer with a declared length is copied for a queue with its bytes")
{
    uint8_t bytes[] = { 1, 2, 3, 0, 4 };
    double numbers[] = { 0.5, 1, 2 };

    open_post();
    CHECK_OK(peal_broadcast(post.on_bytes, bytes, sizeof bytes));
    CHECK_OK(peal_broadcast(post.on_block, bytes, (size_t)4));
    CHECK_OK(peal_broadcast(post.on_numbers, 3, numbers));
    CHECK_OK(peal_broadcast(post.on_numbers, 0, NULL));
    memset(bytes, 0xff, sizeof bytes);
    memset(numbers, 0xff, sizeof numbers);
    CHECK_EQUAL(pump_all(lane.queue), 8);
    CHECK_JOURNAL("A:5/10 B:5/10 A:4/6 B:4/6 A:3/3.5 B:3/3.5 A:0/0 B:0/0");
    CHECK_POINTER(seen[1], seen[0]);
    CHECK_EQUAL((uintptr_t)seen[4] % sizeof(double), 0);
    close_post();
}

CLAIM("Q3", "buffers that are copied for a queue may be empty")
{
    open_post();
    CHECK_OK(peal_broadcast(post.on_bytes, (const uint8_t *)"x", (size_t)0));
    CHECK_OK(peal_broadcast(post.on_bytes, NULL, (size_t)0));
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_JOURNAL("A:0/0 B:0/0 A:0/0 B:0/0");
    close_post();
}

CLAIM("Q3", "a buffer with a count below zero is copied as empty, and NULL stays NULL whatever its count")
{
    const double number = 1;

    open_post();
    CHECK_OK(peal_broadcast(post.on_numbers, -1, &number));
    CHECK_OK(peal_broadcast(post.on_numbers, 3, NULL));
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_JOURNAL("A:-1/0 B:-1/0 A:3/0 B:3/0");
    CHECK_POINTER(seen[2], NULL);
    close_post();
}

static void on_signed(void *self, int8_t count, const uint8_t *bytes)
{
    (void)bytes;
    journal_write("%s:signed%d", (char *)self, count);
}
static void on_unsigned(void *self, uint8_t count, const uint8_t *bytes)
{
    journal_write("%s:unsigned%d/%lu", (char *)self, count, sum_bytes(bytes, count));
}
static void on_float(void *self, float f, int64_t i) { journal_write("%s:%g,%d", (char *)self, (double)f, (int)i); }
static void on_double(void *self, uint32_t u, double d) { journal_write("%s:%u,%g", (char *)self, u, d); }

CLAIM("Q3", "the arguments of methods that agree in sizes and differ in kinds are each copied as their own kind")
{
    static const struct twins twins_table = { PEAL_TABLE(twins), on_signed, on_unsigned, on_float, on_double };
    struct peal_observe_options options;
    struct twins_protocol twins;
    uint8_t bytes[200];

    open_post();
    options = options_on(lane.queue, NULL);
    CHECK_OK(twins_define(center, &twins));
    CHECK_OK(twins_observe(&twins, a, &twins_table, &options, NULL));
    memset(bytes, 1, sizeof bytes);
    CHECK_OK(peal_broadcast(twins.on_signed, -56, bytes));
    CHECK_OK(peal_broadcast(twins.on_unsigned, 200, bytes));
    CHECK_OK(peal_broadcast(twins.on_float, 0.5, (int64_t)-7));
    CHECK_OK(peal_broadcast(twins.on_double, 4000000000U, 0.25));
    memset(bytes, 2, sizeof bytes);
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_JOURNAL("A:signed-56 A:unsigned200/200 A:0.5,-7 A:4000000000,0.25");
    close_post();
}

CLAIM("Q3", "scalars and structs arrive unchanged on a queue")
{
    struct pair p = { 1, 2 };
    struct pair q = { 4, 5 };
    struct wide w;

    memset(&w, 0, sizeof w);
    strcpy(w.bytes, "wide");
    w.pairs[2].a = 3;
    open_post();
    CHECK_OK(peal_broadcast(post.on_scalars, true, -8, 65535, -32, (int64_t)INT64_MIN, 0.5, 1e300, 1.0L / 3, 'c'));
    CHECK_OK(peal_broadcast(post.on_structs, &p, &w, &q));
    memset(&p, 0xff, sizeof p);
    memset(&w, 0xff, sizeof w);
    memset(&q, 0xff, sizeof q);
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_JOURNAL("A:scalars B:scalars A:structs B:structs");
    close_post();
}

CLAIM("Q3", "many strings among many arguments arrive in their parameters on a queue")
{
    open_post();
    CHECK_OK(peal_broadcast(post.on_many, "a", (int64_t)1, "b", 2.5, "c", (int64_t)3, "d", 4.5, "e", (int64_t)5, "f"));
    (void)pump_all(lane.queue);
    CHECK_JOURNAL("A:a1b2.5c3d4.5e5f B:a1b2.5c3d4.5e5f");
    close_post();
}

CLAIM("Q3", "PEAL_BROADCAST captures strings, buffers, scalars, structs and arguments on the stack for a queue")
{
    char text[] = "text";
    uint8_t bytes[] = { 1, 2, 3 };
    const struct pair p = { 1, 2 };
    const struct pair q = { 4, 5 };
    struct wide w;
    int thing = 0;

    memset(&w, 0, sizeof w);
    strcpy(w.bytes, "wide");
    w.pairs[2].a = 3;
    open_post();
    peal_clear_failure();
    PEAL_BROADCAST(post, &post, on_text, text, 7);
    PEAL_BROADCAST(post, &post, on_bytes, bytes, sizeof bytes);
    PEAL_BROADCAST(post, &post, on_scalars, true, -8, 65535, -32, INT64_MIN, 0.5f, 1e300, 1.0L / 3, 'c');
    PEAL_BROADCAST(post, &post, on_structs, p, w, q);
    PEAL_BROADCAST(post, &post, on_many, "a", 1, "b", 2.5, "c", 3, "d", 4.5, "e", 5, "f");
    PEAL_BROADCAST(post, &post, on_promised, &thing, 8);
    PEAL_BROADCAST(post, &post, count, text);
    CHECK_OK(peal_last_status());
    memset(text, '!', sizeof text);
    memset(bytes, 0xff, sizeof bytes);
    memset(&w, 0xff, sizeof w);
    CHECK_COUNTS(lane.queue, 14, 0, 0, 0);
    (void)pump_all(lane.queue);
    CHECK_JOURNAL("A:text7 B:text7 A:3/6 B:3/6 A:scalars B:scalars A:structs B:structs "
                  "A:a1b2.5c3d4.5e5f B:a1b2.5c3d4.5e5f A:promised8 B:promised8 A#text B#text");
    close_post();
}

CLAIM("Q6", "the copied arguments of calls that are dropped, refused or never run are freed")
{
    /* The leak sanitizer finds a copy that is not freed. */
    peal_observation observation = { 0 };
    struct peal_observe_options options;
    struct lane small;
    static char c[] = "C";

    open_post();
    lane_open_bounded(&small, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    options = options_on(small.queue, NULL);
    REQUIRE_OK(post_observe(&post, c, &table, &options, &observation));
    CHECK_OK(peal_broadcast(post.on_text, "delivered to A and B, dropped for C", 1));
    CHECK_STATUS(peal_broadcast(post.on_text, "refused by C", 2), PEAL_REJECTED);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_EQUAL(pump_all(lane.queue), 4);
    CHECK_OK(peal_broadcast(post.on_text, "left behind", 3));
    CHECK_COUNTS(small.queue, 0, 0, 1, 1);
    close_post();
    lane_close(&small);
}

/* ---- Borrowed ---------------------------------------------------------------------------------- */

static void on_thing(void *self, int n, void *thing)
{
    see(thing);
    journal_write("%s:thing%d", (char *)self, n);
}

static const struct loose loose_table = { PEAL_TABLE(loose), on_thing };

CLAIM("Q3", "an observer with a queue is refused for a method with a bare pointer, and method and parameter are named")
{
    struct loose_protocol loose;

    EVERY_KIND(lane)
    {
        const struct peal_observe_options options = options_on(lane.queue, count_destroy);
        peal_observation observation = { 17 };

        center = open_center();
        destroyed = 0;
        REQUIRE_OK(loose_define(center, &loose));
        CHECK_FAILURE(loose_observe(&loose, a, &loose_table, &options, &observation), PEAL_ERROR_TYPE);
        CHECK_CONTAINS(peal_last_message(), "on_thing");
        CHECK_CONTAINS(peal_last_message(), "thing");
        CHECK_CONTAINS(peal_last_message(), "PEAL_OBSERVE_BORROWED");
        CHECK_EQUAL(observation.id, 0);
        CHECK_EQUAL(destroyed, 1);
        CHECK_EQUAL(count_observers(loose.protocol), 0);
        close_center(center);
    }
}

CLAIM("Q3", "a method with a bare pointer is no obstacle for an observer that lacks the method, nor for one without a queue")
{
    static const struct loose empty = { PEAL_TABLE(loose), NULL };
    struct loose_protocol loose;

    EVERY_KIND(lane)
    {
        const struct peal_observe_options options = options_on(lane.queue, NULL);

        center = open_center();
        REQUIRE_OK(loose_define(center, &loose));
        CHECK_OK(loose_observe(&loose, a, &empty, &options, NULL));
        CHECK_OK(loose_observe(&loose, b, &loose_table, NULL, NULL));
        close_center(center);
    }
}

CLAIM("Q3", "an observer with a queue that promises that pointers outlive the call gets them uncopied")
{
    struct loose_protocol loose;
    int thing = 0;

    EVERY_KIND(lane)
    {
        struct peal_observe_options options = options_on(lane.queue, NULL);

        options.flags = PEAL_OBSERVE_BORROWED;
        center = open_center();
        seen_count = 0;
        journal_clear();
        REQUIRE_OK(loose_define(center, &loose));
        REQUIRE_OK(loose_observe(&loose, a, &loose_table, &options, NULL));
        CHECK_OK(peal_broadcast(loose.on_thing, 1, &thing));
        lane_settle(&lane);
        CHECK_JOURNAL("A:thing1");
        CHECK_POINTER(seen[0], &thing);
        close_center(center);
    }
}

CLAIM("Q3", "a method that promises that its pointers outlive the call needs no promise of its observers")
{
    int thing = 0;

    open_post();
    CHECK_OK(peal_broadcast(post.on_promised, &thing, 1));
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_POINTER(seen[0], &thing);
    CHECK_POINTER(seen[1], &thing);
    close_post();
}

CLAIM("Q3", "a queue is refused for every pointer without a rule for copies: writable strings, pointers to pointers, structs")
{
    static const char *const texts[] = {
        "void on_it(char *text)",
        "void on_it(const char **texts)",
        "void on_it(const int *number)",
        "void on_it(const struct unknown *thing)",
        "void on_it(void *bytes)",
    };

    EVERY_KIND(lane)
    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        const struct peal_observe_options options = options_on(lane.queue, NULL);
        const char *const methods[] = { texts[i], NULL };
        const struct peal_binding binding = { "on_it", (peal_function)on_thing, NULL };
        peal_protocol protocol;

        check_case(texts[i]);
        center = open_center();
        protocol = protocol_of(center, "It", methods);
        CHECK_FAILURE(peal_observe_bindings(protocol, a, &binding, 1, &options, NULL), PEAL_ERROR_TYPE);
        CHECK_CONTAINS(peal_last_message(), "on_it");
        close_center(center);
    }
}

CLAIM("F1", "the flag that promises that pointers outlive the call has no effect without a queue")
{
    struct loose_protocol loose;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    int thing = 0;

    options.flags = PEAL_OBSERVE_BORROWED;
    center = open_center();
    REQUIRE_OK(loose_define(center, &loose));
    REQUIRE_OK(loose_observe(&loose, a, &loose_table, &options, NULL));
    seen_count = 0;
    CHECK_OK(peal_broadcast(loose.on_thing, 1, &thing));
    CHECK_POINTER(seen[0], &thing);
    close_center(center);
    journal_clear();
}

/* ---- Kept -------------------------------------------------------------------------------------- */

struct widget {
    int shares;
};

static void widget_retain(void *object) { ((struct widget *)object)->shares++; }
static void widget_release(void *object) { ((struct widget *)object)->shares--; }

static void on_widget(void *self, struct widget *widget)
{
    CHECK_EQUAL(widget->shares, 2);
    journal_write("%s:widget", (char *)self);
}

CLAIM("Q3", "a registered object is retained once for all waiting calls of a broadcast, and released after the last")
{
    const struct peal_object_type type = PEAL_OBJECT_TYPE(widget_retain, widget_release);
    const char *const methods[] = { "void on_widget(struct widget *widget)", NULL };
    const struct peal_binding binding = { "on_widget", (peal_function)on_widget, NULL };
    struct widget widget = { 1 };
    peal_protocol protocol;
    peal_method method;

    center = open_center();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    lane_open(&other, PEAL_QUEUE_PUMPED);
    REQUIRE_OK(peal_type_set_object(center, "struct widget", &type));
    protocol = protocol_of(center, "Widgets", methods);
    method = find_method(protocol, "on_widget");
    for (int i = 0; i < 2; i++) {
        const struct peal_observe_options options = options_on(i == 0 ? lane.queue : other.queue, NULL);

        REQUIRE_OK(peal_observe_bindings(protocol, a, &binding, 1, &options, NULL));
        REQUIRE_OK(peal_observe_bindings(protocol, b, &binding, 1, &options, NULL));
    }
    CHECK_OK(peal_broadcast(method, &widget));
    CHECK_EQUAL(widget.shares, 2);
    CHECK_EQUAL(pump_all(lane.queue), 2);
    CHECK_EQUAL(widget.shares, 2);
    CHECK_EQUAL(pump_all(other.queue), 2);
    CHECK_EQUAL(widget.shares, 1);
    CHECK_OK(peal_broadcast(method, &widget));
    CHECK_EQUAL(widget.shares, 2);
    close_center(center);
    CHECK_EQUAL(widget.shares, 1);
    lane_close(&lane);
    lane_close(&other);
    journal_clear();
}
