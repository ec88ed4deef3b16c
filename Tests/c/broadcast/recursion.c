/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "journal.h"
#include "latch.h"

#include <string.h>

PEAL_TYPE(point_text, struct point { int x, y; });

#define BELL(METHOD)                                                                             \
    METHOD(optional, void, ring, (int n))                                                        \
    METHOD(optional, void, ring_later, (int n), defer)                                           \
    METHOD(optional, void, ring_alone, (int n), reject)                                          \
    METHOD(optional, void, ring_again, (int n), recursive)                                       \
    METHOD(optional, void, text_later, (const char *text), defer)                                \
    METHOD(optional, void, point_later, (struct point p, double d), defer)                       \
    METHOD(optional, void, bytes_later, (const uint8_t *bytes __counted_by(n), size_t n), defer) \
    METHOD(optional, void, pointer_later, (int *number), defer, borrowed)                        \
    METHOD(optional, int, sum_later, (int n), sum, defer)                                        \
    METHOD(optional, bool, poll_alone, (int n), any, reject)
PEAL_PROTOCOL(bell, "Bell", BELL);

static peal_center center;
static struct bell_protocol bell;
static char a[] = "A";
static char b[] = "B";
static void (*a_does)(int n);

static void hear(void *self, const char *what, int n)
{
    journal_write("%s%s%d", (char *)self, what, n);
    if (self == a && a_does != NULL)
        a_does(n);
}

static void ring(void *self, int n) { hear(self, "", n); }
static void later(void *self, int n) { hear(self, "-", n); }
static void alone(void *self, int n) { hear(self, "!", n); }

static void text(void *self, const char *said)
{
    journal_write("%s:%s", (char *)self, said != NULL ? said : "null");
    if (self == a && a_does != NULL)
        a_does(said != NULL ? said[0] : 0);
}

static void point(void *self, struct point p, double d)
{
    journal_write("%s(%d,%d,%g)", (char *)self, p.x, p.y, d);
    if (self == a && a_does != NULL)
        a_does(p.x);
}

static void bytes(void *self, const uint8_t *list, size_t n)
{
    journal_write("%s[%zu:%d]", (char *)self, n, n > 0 ? (int)list[n - 1] : -1);
    if (self == a && a_does != NULL)
        a_does((int)n);
}

static void pointer(void *self, int *number)
{
    journal_write("%s*%d", (char *)self, *number);
    if (self == a && a_does != NULL)
        a_does(*number);
}

static int sum(void *self, int n)
{
    hear(self, "+", n);
    return n;
}

static bool poll_it(void *self, int n)
{
    hear(self, "?", n);
    return true;
}

static const struct bell table = {
    PEAL_TABLE(bell),
    .ring = ring,
    .ring_later = later,
    .ring_alone = alone,
    .ring_again = ring,
    .text_later = text,
    .point_later = point,
    .bytes_later = bytes,
    .pointer_later = pointer,
    .sum_later = sum,
    .poll_alone = poll_it,
};

static void open_bell(void (*does)(int n))
{
    center = open_center();
    a_does = does;
    CHECK_OK(peal_type_declare(center, point_text));
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, a, &table, NULL, NULL));
    CHECK_OK(bell_observe(&bell, b, &table, NULL, NULL));
    journal_clear();
}

static void ring_on(int n)
{
    if (n < 3)
        CHECK_OK(peal_broadcast(bell.ring, n + 1));
}

CLAIM("B5", "by default a broadcast inside a callback of the same method runs at once")
{
    open_bell(ring_on);
    CHECK_OK(peal_broadcast(bell.ring, 1));
    CHECK_JOURNAL("A1 A2 A3 B3 B2 B1");
    close_center(center);
}

static void ring_again_on(int n)
{
    if (n < 2)
        CHECK_OK(peal_broadcast(bell.ring_again, n + 1));
}

CLAIM("B5", "a method with the option `recursive` is broadcast at once inside its own callback")
{
    open_bell(ring_again_on);
    CHECK_OK(peal_broadcast(bell.ring_again, 1));
    CHECK_JOURNAL("A1 A2 B2 B1");
    close_center(center);
}

static void defer_two(int n)
{
    if (n == 1) {
        CHECK_STATUS(peal_broadcast(bell.ring_later, 2), PEAL_DEFERRED);
        CHECK_STATUS(peal_broadcast(bell.ring_later, 3), PEAL_DEFERRED);
        journal_write("returned");
    }
}

CLAIM("B5", "a method that defers runs inner broadcasts after the outer one, in order, with their arguments")
{
    open_bell(defer_two);
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    CHECK_JOURNAL("A-1 returned B-1 A-2 B-2 A-3 B-3");
    close_center(center);
}

static void defer_a_chain(int n)
{
    if (n < 5)
        CHECK_STATUS(peal_broadcast(bell.ring_later, n + 1), PEAL_DEFERRED);
}

CLAIM("B5", "a deferred broadcast may defer another")
{
    open_bell(defer_a_chain);
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    CHECK_JOURNAL("A-1 B-1 A-2 B-2 A-3 B-3 A-4 B-4 A-5 B-5");
    close_center(center);
}

static int deferred_chain_end;

static void defer_far(int n)
{
    journal_clear();
    if (n < deferred_chain_end)
        CHECK_STATUS(peal_broadcast(bell.ring_later, n + 1), PEAL_DEFERRED);
}

CLAIM("B5", "deferred broadcasts do not nest: a chain of ten thousand stays below the limit of depth")
{
    deferred_chain_end = CHECK_ROUNDS(10000);
    open_bell(defer_far);
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    CHECK_CONTAINS(journal_text(), "B-");
    close_center(center);
}

CLAIM("B5", "a method that defers is broadcast at once outside of any broadcast")
{
    size_t calls = 0;
    int n = 5;
    void *const arguments[] = { &n };

    open_bell(NULL);
    CHECK_OK(peal_send(bell.ring_later, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 2);
    CHECK_JOURNAL("A-5 B-5");
    close_center(center);
}

static void ring_later_from_ring(int n)
{
    if (n == 1)
        CHECK_OK(peal_broadcast(bell.ring_later, 2));
}

CLAIM("B5", "a method that defers is broadcast at once inside a broadcast of another method")
{
    open_bell(ring_later_from_ring);
    CHECK_OK(peal_broadcast(bell.ring, 1));
    CHECK_JOURNAL("A1 A-2 B-2 B1");
    close_center(center);
}

static void ask_deferred(int n)
{
    int result = 99;
    size_t calls = 99;
    int next = n + 1;
    void *const arguments[] = { &next };

    if (n == 1) {
        CHECK_STATUS(peal_send(bell.sum_later, arguments, 1, &result, &calls), PEAL_DEFERRED);
        CHECK_EQUAL(calls, 0);
        CHECK_EQUAL(result, 0);
    }
}

CLAIM("B5", "a broadcast that is deferred has the result of a broadcast without observers")
{
    int n = 1;
    void *const arguments[] = { &n };
    int result = 0;

    open_bell(ask_deferred);
    CHECK_OK(peal_send(bell.sum_later, arguments, 1, &result, NULL));
    CHECK_EQUAL(result, 2);
    CHECK_JOURNAL("A+1 B+1 A+2 B+2");
    close_center(center);
}

static void defer_changing_text(int first)
{
    char said[] = "second";

    if (first == 'f') {
        CHECK_STATUS(peal_broadcast(bell.text_later, said), PEAL_DEFERRED);
        memset(said, '#', sizeof said - 1);
        CHECK_STATUS(peal_broadcast(bell.text_later, (const char *)NULL), PEAL_DEFERRED);
    }
}

CLAIM("B5", "a deferred broadcast copies its text: the caller may change its own at once")
{
    open_bell(defer_changing_text);
    CHECK_OK(peal_broadcast(bell.text_later, "first"));
    CHECK_JOURNAL("A:first B:first A:second B:second A:null B:null");
    close_center(center);
}

static void defer_changing_point(int x)
{
    struct point p = { 3, 4 };
    double d = 0.5;
    void *const arguments[] = { &p, &d };

    if (x == 1) {
        CHECK_STATUS(peal_send(bell.point_later, arguments, 2, NULL, NULL), PEAL_DEFERRED);
        p.x = 77;
        d = 77;
    }
}

CLAIM("B5", "a deferred broadcast copies structs and numbers")
{
    struct point p = { 1, 2 };

    open_bell(defer_changing_point);
    CHECK_OK(peal_broadcast(bell.point_later, &p, 1.5));
    CHECK_JOURNAL("A(1,2,1.5) B(1,2,1.5) A(3,4,0.5) B(3,4,0.5)");
    close_center(center);
}

static void defer_changing_bytes(int n)
{
    uint8_t list[4] = { 5, 6, 7, 8 };

    if (n == 2) {
        CHECK_STATUS(peal_broadcast(bell.bytes_later, list, (size_t)4), PEAL_DEFERRED);
        CHECK_STATUS(peal_broadcast(bell.bytes_later, list, (size_t)0), PEAL_DEFERRED);
        memset(list, 0, sizeof list);
    }
}

CLAIM("B5", "a deferred broadcast copies a counted buffer")
{
    static const uint8_t list[2] = { 1, 2 };

    open_bell(defer_changing_bytes);
    CHECK_OK(peal_broadcast(bell.bytes_later, list, (size_t)2));
    CHECK_JOURNAL("A[2:2] B[2:2] A[4:8] B[4:8] A[0:-1] B[0:-1]");
    close_center(center);
}

static int first_number = 1;
static int second_number = 2;

static void defer_pointer(int n)
{
    if (n == 1) {
        CHECK_STATUS(peal_broadcast(bell.pointer_later, &second_number), PEAL_DEFERRED);
        second_number = 22;
    }
}

CLAIM("B5", "a deferred broadcast passes a borrowed pointer on uncopied")
{
    open_bell(defer_pointer);
    CHECK_OK(peal_broadcast(bell.pointer_later, &first_number));
    CHECK_JOURNAL("A*1 B*1 A*22 B*22");
    close_center(center);
}

CLAIM("B5", "the definition of a method that defers and has a bare pointer without a promise is refused")
{
    static const char *const texts[] = { "void later(int *number), defer", NULL };

    center = open_center();
    CHECK_FAILURE(try_protocol(center, "Bare", NULL, texts, NULL), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "number");
    close_center(center);
}

static peal_observation b_observation;

static void defer_and_remove_b(int n)
{
    if (n == 1) {
        CHECK_STATUS(peal_broadcast(bell.ring_later, 2), PEAL_DEFERRED);
        CHECK_OK(peal_observation_remove(b_observation));
    }
}

CLAIM("B5", "a deferred broadcast reaches the observers that are registered when it runs")
{
    center = open_center();
    a_does = defer_and_remove_b;
    REQUIRE_OK(peal_type_declare(center, point_text));
    REQUIRE_OK(bell_define(center, &bell));
    REQUIRE_OK(bell_observe(&bell, a, &table, NULL, NULL));
    REQUIRE_OK(bell_observe(&bell, b, &table, NULL, &b_observation));
    journal_clear();
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    CHECK_JOURNAL("A-1 A-2");
    close_center(center);
}

static void defer_and_end(int n)
{
    if (n == 1) {
        CHECK_STATUS(peal_broadcast(bell.ring_later, 2), PEAL_DEFERRED);
        CHECK_OK(peal_center_destroy(center));
    }
}

CLAIM("B5", "a deferred broadcast in a center that ends is dropped")
{
    open_bell(defer_and_end);
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    CHECK_JOURNAL("A-1");
}

static void ring_alone_inside(int n)
{
    size_t calls = 99;
    int next = n + 1;
    void *const arguments[] = { &next };

    if (n == 1) {
        CHECK_FAILURE(peal_broadcast(bell.ring_alone, 2), PEAL_ERROR_RECURSION);
        CHECK_CONTAINS(peal_last_message(), "ring_alone");
        CHECK_FAILURE(peal_send(bell.ring_alone, arguments, 1, NULL, &calls), PEAL_ERROR_RECURSION);
        CHECK_OK(peal_broadcast(bell.ring, 3));
    }
}

CLAIM("B5", "a method that rejects recursion gives a status inside its own callback and calls no observer, and other methods are not affected")
{
    open_bell(ring_alone_inside);
    CHECK_OK(peal_broadcast(bell.ring_alone, 1));
    CHECK_JOURNAL("A!1 A3 B3 B!1");
    CHECK_OK(peal_broadcast(bell.ring_alone, 4));
    CHECK_JOURNAL("A!4 B!4");
    close_center(center);
}

static void ring_alone_deeper(int n)
{
    if (n == 1)
        CHECK_OK(peal_broadcast(bell.ring, 2));
    else if (n == 2)
        CHECK_FAILURE(peal_broadcast(bell.ring_alone, 3), PEAL_ERROR_RECURSION);
}

CLAIM("B5", "a method that rejects recursion also does so when another method is broadcast in between")
{
    open_bell(ring_alone_deeper);
    CHECK_OK(peal_broadcast(bell.ring_alone, 1));
    CHECK_JOURNAL("A!1 A2 B2 B!1");
    close_center(center);
}

static void typed_inside(int n)
{
    if (n != 1)
        return;
    peal_clear_failure();
    PEAL_BROADCAST(bell, &bell, ring_alone, 2);
    journal_write("(%s)", peal_status_name(peal_last_status()));
    peal_clear_failure();
    PEAL_BROADCAST(bell, &bell, ring_later, 2);
    journal_write("(%s)", peal_status_name(peal_last_status()));
}

CLAIM("B5", "a typed broadcast of a method that defers or rejects fails inside the method's callback and calls no observer")
{
    open_bell(typed_inside);
    CHECK_OK(peal_broadcast(bell.ring_alone, 1));
    CHECK_JOURNAL("A!1 (PEAL_ERROR_RECURSION) A-2 B-2 (PEAL_OK) B!1");
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    CHECK_JOURNAL("A-1 A!2 B!2 (PEAL_OK) (PEAL_ERROR_RECURSION) B-1");
    PEAL_BROADCAST(bell, &bell, ring_alone, 1);
    CHECK_JOURNAL("A!1 (PEAL_ERROR_RECURSION) A-2 B-2 (PEAL_OK) B!1");
    PEAL_BROADCAST(bell, &bell, ring_later, 1);
    CHECK_JOURNAL("A-1 A!2 B!2 (PEAL_OK) (PEAL_ERROR_RECURSION) B-1");
    close_center(center);
}

static struct latch inside = LATCH_INITIALIZER;
static struct latch outside = LATCH_INITIALIZER;

static void wait_inside(int n)
{
    if (n == 1) {
        latch_open(&inside);
        latch_wait(&outside);
    }
}

static void *ring_alone_elsewhere(void *context)
{
    (void)context;
    latch_wait(&inside);
    CHECK_OK(peal_broadcast(bell.ring_alone, 2));
    CHECK_OK(peal_broadcast(bell.ring_later, 3));
    latch_open(&outside);
    return NULL;
}

/* Another thread removes an observer and waits for its calls, for which it reads the hazards of all threads. The messages of the two threads are
 * relaxed, so the thread sanitizer would report what both access. */
static bool has_deferred;
static bool has_removed;

static void *remove_elsewhere(void *context)
{
    WAIT_UNTIL(__atomic_load_n(&has_deferred, __ATOMIC_RELAXED));
    CHECK_OK(peal_observation_remove_with(*(const peal_observation *)context, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    __atomic_store_n(&has_removed, true, __ATOMIC_RELAXED);
    return NULL;
}

static void defer_and_await_removal(int n)
{
    if (n != 1)
        return;
    CHECK_STATUS(peal_broadcast(bell.ring_later, 2), PEAL_DEFERRED);
    __atomic_store_n(&has_deferred, true, __ATOMIC_RELAXED);
    WAIT_UNTIL(__atomic_load_n(&has_removed, __ATOMIC_RELAXED));
}

CLAIM("B5", "deferral is safe while another thread removes an observer")
{
    peal_center elsewhere = open_center();
    struct bell_protocol others;
    peal_observation other;
    pthread_t thread;

    CHECK_OK(peal_type_declare(elsewhere, point_text));
    CHECK_OK(bell_define(elsewhere, &others));
    CHECK_OK(bell_observe(&others, b, &table, NULL, &other));
    open_bell(defer_and_await_removal);
    thread = thread_start(remove_elsewhere, &other);
    CHECK_OK(peal_broadcast(bell.ring_later, 1));
    thread_join(thread);
    CHECK_JOURNAL("A-1 B-1 A-2 B-2");
    close_center(center);
    close_center(elsewhere);
}

CLAIM("B5", "recursion is tracked for each thread: a broadcast of another thread is neither rejected nor deferred")
{
    pthread_t thread;

    open_bell(wait_inside);
    thread = thread_start(ring_alone_elsewhere, NULL);
    CHECK_OK(peal_broadcast(bell.ring_alone, 1));
    thread_join(thread);
    CHECK_JOURNAL("A!1 A!2 B!2 A-3 B-3 B!1");
    close_center(center);
}
