/* SPDX-License-Identifier: Apache-2.0
 *
 * Taps beside threads that broadcast: they open and close at any time, and each sees whole broadcasts.
 */
#include "center.h"
#include "latch.h"

#include <stdlib.h>
#include <string.h>

#define NEWS(METHOD)                           \
    METHOD(optional, void, on_news, (int n))   \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, void, on_other, (int n))
PEAL_PROTOCOL(news, "News", NEWS);

enum { THREADS = 4, OBSERVERS = 3, READ = 512 };

static peal_center center;
static struct news_protocol news;
static bool is_over;
static int targets[OBSERVERS];

static void on_news(void *self, int n)
{
    (void)n;
    __atomic_fetch_add((int *)self, 1, __ATOMIC_RELAXED);
}
static int count(void *self, int n)
{
    (void)self;
    return n;
}

static void begin(void)
{
    static const struct news table = { PEAL_TABLE(news), .on_news = on_news, .count = count, .on_other = on_news };

    center = open_center();
    is_over = false;
    check_must(news_define(center, &news), "the protocol");
    for (int i = 0; i < OBSERVERS; i++)
        check_must(news_observe(&news, &targets[i], &table, NULL, NULL), "an observer");
}

static void *broadcast(void *context)
{
    int sum = 0;

    (void)context;
    for (int n = 0; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); n++) {
        check_must(peal_broadcast(news.on_news, n), "a broadcast");
        PEAL_BROADCAST(news, &news, on_other, n);
        check_must(peal_ask(news.count, &sum, 2), "a broadcast with a result");
        if (sum != 2 * OBSERVERS)
            check_give_up("a tap has changed a result", __FILE__, __LINE__);
    }
    return NULL;
}

struct seen {
    unsigned long records;
    bool is_closed;
};

static void see(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    struct seen *seen = context;

    (void)arguments;
    (void)result;
    if (__atomic_load_n(&seen->is_closed, __ATOMIC_ACQUIRE))
        check_give_up("a closed tap was called", __FILE__, __LINE__);
    if (record->broadcast == 0)
        check_give_up("a record without a broadcast", __FILE__, __LINE__);
    __atomic_fetch_add(&seen->records, 1, __ATOMIC_RELAXED);
}

static void forget(void *context)
{
    struct seen *seen = context;

    __atomic_store_n(&seen->is_closed, true, __ATOMIC_RELEASE);
    memset(seen, 0xff, sizeof *seen);
    free(seen);
}

CLAIM("V3, F4", "no function of a tap runs after its tap was closed, while threads broadcast")
{
    pthread_t threads[THREADS];

    begin();
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(broadcast, NULL);
    for (int round = 0; round < CHECK_ROUNDS(500); round++) {
        struct peal_tap_options options = PEAL_TAP_OPTIONS;
        struct seen *seen = calloc(1, sizeof *seen);
        peal_tap tap;

        if (!CHECK(seen != NULL))
            break;
        options.function = see;
        options.context = seen;
        options.destroy = forget;
        options.filter = round % 2 == 0 ? "News.on_*" : NULL;
        CHECK_OK(peal_tap_create(center, &options, &tap));
        /* The last record may be one of a broadcast that began before. */
        if (round % 16 == 0)
            WAIT_UNTIL(__atomic_load_n(&seen->records, __ATOMIC_RELAXED) > 0);
        CHECK_OK(peal_tap_destroy(tap));
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    close_center(center);
}

/* The state of one thread's records, as the reader has seen them. */
struct writer {
    uint32_t thread;
    uint64_t broadcast;
    uint64_t time;
    unsigned open_calls;
    unsigned long ended;
};

static struct writer writers[THREADS + 1];

static struct writer *writer_of(uint32_t thread)
{
    for (int i = 0; i < THREADS; i++)
        if (writers[i].thread == thread || writers[i].thread == 0) {
            writers[i].thread = thread;
            return &writers[i];
        }
    check_give_up("a record of an unknown thread", __FILE__, __LINE__);
    return &writers[THREADS];
}

/* The records of each thread are whole broadcasts, one after the other. After a gap, the check begins again. */
static void check_record(const struct peal_tap_record *record)
{
    struct writer *writer = writer_of(record->thread);
    bool is_right = true;

    if (record->event == PEAL_TAP_LOST) {
        writer->broadcast = 0;
        writer->open_calls = 0;
        return;
    }
    switch (record->event) {
    case PEAL_TAP_BROADCAST_BEGIN:
        is_right = record->broadcast > writer->broadcast;
        writer->broadcast = record->broadcast;
        break;
    case PEAL_TAP_CALL_BEGIN: writer->open_calls++; break;
    case PEAL_TAP_CALL_END:
        is_right = writer->broadcast == 0 || writer->open_calls == 1;
        writer->open_calls = 0;
        break;
    case PEAL_TAP_BROADCAST_END:
        writer->ended++;
        is_right = record->count == OBSERVERS && writer->open_calls == 0;
        break;
    default: is_right = false;
    }
    if (writer->broadcast != 0 && record->broadcast != writer->broadcast)
        is_right = false;
    if (!is_right)
        check_give_up("the records of a thread are out of order", __FILE__, __LINE__);
}

CLAIM("V1, V6, F4", "the rings of busy threads have whole broadcasts in order, and each gap is marked")
{
    static struct peal_tap_record records[READ];
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    pthread_t threads[THREADS];
    struct peal_tap_info info = { .size = sizeof info };
    uint64_t read_records = 0, gaps = 0, lost = 0;
    size_t read = 0;
    peal_tap tap;

    begin();
    memset(writers, 0, sizeof writers);
    options.capacity = 256;
    options.events = PEAL_TAP_BROADCAST_BEGIN | PEAL_TAP_BROADCAST_END | PEAL_TAP_CALL_BEGIN | PEAL_TAP_CALL_END;
    REQUIRE_OK(peal_tap_create(center, &options, &tap));
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(broadcast, NULL);
    bool is_last = false;
    do {
        is_last = read_records > CHECK_ROUNDS(200000u) && gaps > 0;
        if (is_last) {
            __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
            for (int i = 0; i < THREADS; i++)
                thread_join(threads[i]);
        }
        do {
            CHECK_OK(peal_tap_read(tap, records, READ, &read, &lost));
            for (size_t i = 0; i < read; i++) {
                check_record(&records[i]);
                gaps += records[i].event == PEAL_TAP_LOST ? records[i].count : 0;
            }
            read_records += read;
        } while (is_last && read == READ);
    } while (!is_last);
    CHECK(gaps > 0 && gaps <= lost);
    CHECK_OK(peal_tap_get_info(tap, &info));
    CHECK_EQUAL(info.records, read_records);
    CHECK_EQUAL(info.lost, lost);
    CHECK_OK(peal_tap_destroy(tap));
    close_center(center);
}

static void *open_and_close(void *context)
{
    (void)context;
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        struct peal_tap_options options = PEAL_TAP_OPTIONS;
        struct peal_tap_record records[4];
        struct peal_counts counts = { .size = sizeof counts };
        size_t read = 0;
        peal_tap tap;

        options.flags = round % 2 == 0 ? 0 : PEAL_TAP_COUNT;
        options.capacity = 16;
        check_must(peal_tap_create((peal_center){ 0 }, &options, &tap), "a tap");
        (void)peal_tap_read(tap, records, 4, &read, NULL);
        check_must(peal_method_get_counts(news.count, &counts), "the counts");
        check_must(peal_tap_destroy(tap), "the end of a tap");
    }
    return NULL;
}

CLAIM("V3, F4", "several threads open, read and close taps while others broadcast and register")
{
    pthread_t threads[THREADS], tools[2];

    begin();
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(broadcast, NULL);
    for (int i = 0; i < 2; i++)
        tools[i] = thread_start(open_and_close, NULL);
    for (int round = 0; round < CHECK_ROUNDS(200); round++) {
        static int more;
        const peal_center other = open_center();
        const peal_method method = method_of(other, "Other", "void f(int n)");
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_protocol protocol;

        CHECK_OK(peal_protocol_find(other, "Other", &protocol));
        const peal_observation observation = observe_with(protocol, &more, "f", (peal_function)on_news, &options);
        CHECK_OK(peal_broadcast(method, 1));
        CHECK_OK(peal_observation_remove(observation));
        CHECK_OK(peal_broadcast(method, 1));
        close_center(other);
        CHECK_EQUAL(more, round + 1);
    }
    for (int i = 0; i < 2; i++)
        thread_join(tools[i]);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    close_center(center);
}
