/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties that several threads read, set and observe at once.
 */
#include "center.h"
#include "latch.h"
#include "lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PEAL_PROPERTY(count, "count", int64_t);
/* A value is whole if all its members are equal. The struct has padding, and is so large that a copy takes time. */
PEAL_TYPE(wide_text, struct wide { int64_t first; int32_t second; int64_t others[62]; });
PEAL_PROPERTY(wide, "wide", struct wide);
PEAL_TEXT_PROPERTY(title, "title");

enum { ROUNDS = 100000, THREADS = 4 };

static peal_center center;
static struct count_property count;
static struct wide_property wide;
static struct title_property title;
static bool is_over;

static struct wide wide_of(int64_t number)
{
    struct wide value;

    memset(&value, 0, sizeof value);
    value.first = number;
    value.second = (int32_t)number;
    for (int index = 0; index < 62; index++)
        value.others[index] = number;
    return value;
}

static bool is_whole(const struct wide *value)
{
    for (int index = 0; index < 62; index++)
        if (value->others[index] != value->first)
            return false;
    return value->second == (int32_t)value->first;
}

static void begin(void)
{
    center = open_center();
    is_over = false;
    CHECK_OK(peal_type_declare(center, wide_text));
    CHECK_OK(count_define(center, 0, NULL, &count));
    CHECK_OK(wide_define(center, wide_of(0), NULL, &wide));
    CHECK_OK(title_define(center, "", NULL, &title));
}

/* ---- Reading ----------------------------------------------------------------------------------- */

static void *read_wide(void *context)
{
    int64_t last = 0;
    size_t reads = 0;

    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        const struct wide value = wide_get(wide);
        if (!is_whole(&value) || value.first < last) {
            CHECK(is_whole(&value));
            CHECK(value.first >= last);
            break;
        }
        last = value.first;
        reads++;
    }
    return CHECK(reads > 0) ? context : NULL;
}

CLAIM("X5", "while two threads set a property, readers see whole structs in the order of the sets")
{
    check_allow_seconds(60);
    begin();
    const pthread_t one = thread_start(read_wide, NULL);
    const pthread_t other = thread_start(read_wide, NULL);
    for (int round = 1; round <= CHECK_ROUNDS(ROUNDS); round++)
        if (wide_set(wide, wide_of(round)) != PEAL_OK)
            CHECK(false);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    thread_join(one);
    thread_join(other);
    close_center(center);
}

static void *read_title(void *context)
{
    static const char letters[] = "abcdefgh";
    char buffer[600];

    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        size_t length = 0;
        if (title_get(title, buffer, sizeof buffer, &length) != PEAL_OK)
            CHECK(false);
        /* A text is one letter, repeated a number of times that depends on the letter. */
        const size_t which = length == 0 ? 0 : (size_t)(strchr(letters, buffer[0]) - letters);
        bool is_same = length == 0 || length == 1 + which * 70;
        for (size_t index = 0; index < length; index++)
            is_same &= buffer[index] == buffer[0];
        if (!CHECK(is_same))
            break;
    }
    return context;
}

CLAIM("X5", "readers see whole texts while the text of a property grows and shrinks")
{
    check_allow_seconds(60);
    begin();
    const pthread_t one = thread_start(read_title, NULL);
    const pthread_t other = thread_start(read_title, NULL);
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS) / 2; round++) {
        char text[600];
        const int which = round * 5 % 8;
        memset(text, "abcdefgh"[which], 1 + (size_t)which * 70);
        text[1 + which * 70] = 0;
        if (title_set(title, text) != PEAL_OK)
            CHECK(false);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    thread_join(one);
    thread_join(other);
    close_center(center);
}

/* ---- Setting ----------------------------------------------------------------------------------- */

static int64_t told, last_told;
static bool is_in_order;

static void follow(void *self, int64_t old_value, int64_t new_value)
{
    (void)self;
    is_in_order &= old_value == last_told;
    last_told = new_value;
    told++;
}

static void *set_many(void *context)
{
    const int64_t base = (int64_t)(uintptr_t)context * 1000000;

    for (int round = 1; round <= CHECK_ROUNDS(ROUNDS) / 4; round++)
        if (count_set(count, base + round) < 0)
            CHECK(false);
    return NULL;
}

CLAIM("X5", "concurrent sets of a property by several threads are notified once each, in the order of the sets, by one thread at a time")
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = follow };
    pthread_t threads[THREADS];

    check_allow_seconds(60);
    begin();
    told = last_told = 0;
    is_in_order = true;
    CHECK_OK(count_observe(count, NULL, &observer, 0, NULL, NULL));
    for (uintptr_t index = 0; index < THREADS; index++)
        threads[index] = thread_start(set_many, (void *)index);
    for (int index = 0; index < THREADS; index++)
        thread_join(threads[index]);
    CHECK(is_in_order);
    CHECK_EQUAL(told, THREADS * (CHECK_ROUNDS(ROUNDS) / 4));
    CHECK_EQUAL(last_told, count_get(count));
    close_center(center);
}

static void *add_many(void *context)
{
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS) / 10; round++) {
        bool is_set = false;
        while (!is_set) {
            const int64_t now = count_get(count);
            if (count_compare_and_set(count, now, now + 1, &is_set) < 0) {
                CHECK(false);
                return context;
            }
        }
    }
    return context;
}

CLAIM("X5", "additions to a property by compare-and-set of many threads are all counted")
{
    pthread_t threads[THREADS];

    check_allow_seconds(60);
    begin();
    for (int index = 0; index < THREADS; index++)
        threads[index] = thread_start(add_many, NULL);
    for (int index = 0; index < THREADS; index++)
        thread_join(threads[index]);
    CHECK_EQUAL(count_get(count), THREADS * (CHECK_ROUNDS(ROUNDS) / 10));
    close_center(center);
}

static size_t heard_kinds[2];

static void hear_change(void *self) { ++*(size_t *)self; }
static void hear_record(void *self, const struct peal_change *change)
{
    CHECK_EQUAL(change->value_size, sizeof(int64_t));
    ++*(size_t *)self;
}

static void *set_until_over(void *context)
{
    for (int64_t value = 1; !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); value++)
        if (count_set(count, value) < 0)
            CHECK(false);
    return context;
}

CLAIM("X5", "the first observer of a kind is registered while another thread sets the property, and gets all later changes")
{
    static const struct count_observer by_change = { PEAL_OBSERVER(count), .changed = hear_change },
                                       by_record = { PEAL_OBSERVER(count), .prior = hear_record };

    check_allow_seconds(60);
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS) / 100; round++) {
        begin();
        const pthread_t thread = thread_start(set_until_over, NULL);
        CHECK_OK(count_observe(count, &heard_kinds[0], &by_change, 0, NULL, NULL));
        CHECK_OK(count_observe(count, &heard_kinds[1], &by_record, 0, NULL, NULL));
        __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
        thread_join(thread);
        heard_kinds[0] = heard_kinds[1] = 0;
        CHECK_OK(count_set(count, -1));
        CHECK_EQUAL(heard_kinds[0], 1);
        CHECK_EQUAL(heard_kinds[1], 1);
        close_center(center);
    }
}

/* ---- Forced orders ----------------------------------------------------------------------------- */

static struct latch inside, may_leave;
static char heard[200];

static void wait_inside(void *self, int64_t old_value, int64_t new_value)
{
    char word[40];

    (void)self;
    snprintf(word, sizeof word, "%lld>%lld ", (long long)old_value, (long long)new_value);
    if (strlen(heard) < 100)
        strcat(heard, word);
    if (new_value == 1) {
        latch_open(&inside);
        latch_wait(&may_leave);
    }
}

static void *set_one(void *context)
{
    CHECK_OK(count_set(count, 1));
    return context;
}

static void begin_inside(pthread_t *thread)
{
    static const struct latch shut = LATCH_INITIALIZER;
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = wait_inside };

    begin();
    inside = may_leave = shut;
    heard[0] = 0;
    CHECK_OK(count_observe(count, NULL, &observer, 0, NULL, NULL));
    *thread = thread_start(set_one, NULL);
    latch_wait(&inside);
}

static void leave(pthread_t thread)
{
    latch_open(&may_leave);
    thread_join(thread);
}

CLAIM("X5", "a set of a property while another thread notifies takes effect at once and is notified by that thread, in order")
{
    pthread_t thread;
    bool is_set = false;

    begin_inside(&thread);
    CHECK_STATUS(count_set(count, 2), PEAL_DEFERRED);
    CHECK_EQUAL(count_get(count), 2);
    CHECK_STATUS(count_compare_and_set(count, 2, 3, &is_set), PEAL_DEFERRED);
    CHECK(is_set);
    CHECK_TEXT(heard, "0>1 ");
    leave(thread);
    CHECK_TEXT(heard, "0>1 1>2 2>3 ");
    close_center(center);
}

enum { MOST_WAITING = 65536 };

static struct latch is_full;
static peal_status one_too_many;

static void *fill_up(void *context)
{
    for (int round = 0; round < MOST_WAITING; round++)
        if (count_set(count, 2 + round) != PEAL_DEFERRED)
            CHECK(false);
    latch_open(&is_full);
    one_too_many = count_set(count, -1);
    return context;
}

CLAIM("X5", "a set waits while the property has no room for another waiting change, and fails when that lasts")
{
    pthread_t telling, setting;

    check_allow_seconds(60);
    begin_inside(&telling);
    latch_shut(&is_full);
    setting = thread_start(fill_up, NULL);
    thread_join(setting);
    CHECK_STATUS(one_too_many, PEAL_ERROR_LIMIT);
    leave(telling);
    CHECK_EQUAL(count_get(count), 1 + MOST_WAITING);
    close_center(center);

    begin_inside(&telling);
    latch_shut(&is_full);
    setting = thread_start(fill_up, NULL);
    latch_wait(&is_full);
    /* Gives the other thread time to begin its wait for room. The result does not depend on it. */
    usleep(20000);
    leave(telling);
    thread_join(setting);
    CHECK(one_too_many == PEAL_OK || one_too_many == PEAL_DEFERRED);
    CHECK_EQUAL(count_get(count), -1);
    close_center(center);
}

static int64_t initial_value, after_initial;
static void hear_initial(void *self, const struct peal_change *change)
{
    int64_t value;

    (void)self;
    memcpy(&value, change->new_value, sizeof value);
    if (change->kind == PEAL_CHANGE_INITIAL)
        initial_value = value;
    else
        after_initial = after_initial * 10 + value;
}

CLAIM("X5", "an initial observer that is registered while another thread notifies gets its value in "
            "its position of the order")
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .recorded = hear_initial };
    pthread_t thread;

    begin_inside(&thread);
    initial_value = after_initial = 0;
    CHECK_STATUS(count_set(count, 2), PEAL_DEFERRED);
    CHECK_STATUS(count_observe(count, &center, &observer, PEAL_PROPERTY_INITIAL, NULL, NULL), PEAL_DEFERRED);
    CHECK_STATUS(count_set(count, 3), PEAL_DEFERRED);
    leave(thread);
    CHECK_EQUAL(initial_value, 2);
    CHECK_EQUAL(after_initial, 3);
    close_center(center);
}

CLAIM("X5", "a property that is removed while another thread notifies stops notifying, and its slot is reused")
{
    pthread_t thread;
    struct count_property next;

    begin_inside(&thread);
    CHECK_STATUS(count_set(count, 2), PEAL_DEFERRED);
    CHECK_OK(peal_property_remove(count.property));
    CHECK_FAILURE(count_set(count, 3), PEAL_ERROR_HANDLE);
    CHECK_OK(count_define(center, 7, NULL, &next));
    CHECK_OK(count_set(next, 8));
    leave(thread);
    CHECK_TEXT(heard, "0>1 ");
    CHECK_EQUAL(count_get(next), 8);
    close_center(center);
}

CLAIM("X5", "while a batch of one thread delays a property's changes, those of other threads wait for it")
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = follow };
    pthread_t thread;

    begin();
    told = last_told = 0;
    is_in_order = true;
    CHECK_OK(count_observe(count, NULL, &observer, 0, NULL, NULL));
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(count_set(count, 5), PEAL_DEFERRED);
    thread = thread_start(add_many, NULL);
    thread_join(thread);
    CHECK_EQUAL(count_get(count), 5 + CHECK_ROUNDS(ROUNDS) / 10);
    CHECK_EQUAL(told, 0);
    /* A change by this thread, after those of the others. */
    CHECK_STATUS(count_set(count, 3), PEAL_DEFERRED);
    CHECK_OK(peal_batch_end());
    CHECK(is_in_order);
    CHECK_EQUAL(told, CHECK_ROUNDS(ROUNDS) / 10 + 2);
    CHECK_EQUAL(last_told, 3);
    close_center(center);
}

static struct latch has_set;

/* Opens a batch around one set, and ends it when it may. */
static void *set_in_batch(void *value)
{
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(count_set(count, *(int64_t *)value), PEAL_DEFERRED);
    latch_open(&has_set);
    latch_wait(&may_leave);
    CHECK_OK(peal_batch_end());
    return NULL;
}

/* Both threads set the property in a batch, and this one twice. `ends_last`: this thread ends its batch last. */
static void set_in_two_batches(bool ends_last)
{
    static const struct latch shut = LATCH_INITIALIZER;
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = follow };
    int64_t two = 2;

    begin();
    told = last_told = 0;
    is_in_order = true;
    has_set = may_leave = shut;
    CHECK_OK(count_observe(count, NULL, &observer, 0, NULL, NULL));
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(count_set(count, 1), PEAL_DEFERRED);
    const pthread_t thread = thread_start(set_in_batch, &two);
    latch_wait(&has_set);
    CHECK_STATUS(count_set(count, 3), PEAL_DEFERRED);
    CHECK_EQUAL(told, 0);
    if (ends_last)
        leave(thread);
    CHECK_EQUAL(told, 0);
    CHECK_OK(peal_batch_end());
    CHECK_EQUAL(told, ends_last ? 3 : 1);
    if (!ends_last)
        leave(thread);
    CHECK(is_in_order);
    CHECK_EQUAL(told, 3);
    CHECK_EQUAL(last_told, 3);
    close_center(center);
}

CLAIM("X5", "the changes of two threads' batches are notified in the order of the sets, whichever batch ends first")
{
    set_in_two_batches(true);
    set_in_two_batches(false);
}

CLAIM("X5", "an initial observer that is registered in a batch is notified at its end, of the value that the batch has set before")
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .recorded = hear_initial };

    begin();
    initial_value = after_initial = 0;
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(count_set(count, 2), PEAL_DEFERRED);
    CHECK_STATUS(count_observe(count, &center, &observer, PEAL_PROPERTY_INITIAL, NULL, NULL), PEAL_DEFERRED);
    CHECK_STATUS(count_set(count, 3), PEAL_DEFERRED);
    CHECK_EQUAL(initial_value, 0);
    CHECK_OK(peal_batch_end());
    CHECK_EQUAL(initial_value, 2);
    CHECK_EQUAL(after_initial, 3);
    close_center(center);
}

static void *remove_count(void *next)
{
    CHECK_OK(peal_property_remove(count.property));
    CHECK_OK(count_define(center, 7, NULL, next));
    return NULL;
}

CLAIM("X5", "a property that another thread removes while a batch delays its change notifies no observer, and its slot is reused")
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = follow };
    struct count_property next;

    begin();
    told = last_told = 0;
    CHECK_OK(count_observe(count, NULL, &observer, 0, NULL, NULL));
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(count_set(count, 1), PEAL_DEFERRED);
    thread_join(thread_start(remove_count, &next));
    CHECK_FAILURE(count_set(count, 2), PEAL_ERROR_HANDLE);
    CHECK_STATUS(count_set(next, 8), PEAL_DEFERRED);
    CHECK_OK(peal_batch_end());
    CHECK_EQUAL(told, 0);
    CHECK_OK(count_set(next, 9));
    CHECK_EQUAL(count_get(next), 9);
    close_center(center);
}

static void *batch_and_leave(void *context)
{
    CHECK_OK(peal_batch_begin());
    CHECK_STATUS(count_set(count, 4), PEAL_DEFERRED);
    return context;
}

CLAIM("X5", "the end of a thread ends the batch that it has open")
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = follow };

    begin();
    told = last_told = 0;
    is_in_order = true;
    CHECK_OK(count_observe(count, NULL, &observer, 0, NULL, NULL));
    thread_join(thread_start(batch_and_leave, NULL));
    CHECK_EQUAL(told, 1);
    CHECK_OK(count_set(count, 5));
    CHECK_EQUAL(told, 2);
    CHECK(is_in_order);
    close_center(center);
}

/* ---- Queues ------------------------------------------------------------------------------------ */

static void ignore(void *self, int64_t old_value, int64_t new_value) { (void)self, (void)old_value, (void)new_value; }

static peal_status keep_latest(const char *name, struct count_property *property, peal_queue queue)
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = ignore };
    const struct peal_observe_options options = options_on(queue, NULL);

    CHECK_OK(peal_property_define(center, name, "int64_t", NULL, NULL, &property->property));
    return count_observe(*property, NULL, &observer, PEAL_PROPERTY_KEEP_LATEST, &options, NULL);
}

static void *set_other(void *property)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        CHECK_STATUS(count_set(*(struct count_property *)property, 1), PEAL_REJECTED);
    return NULL;
}

CLAIM("X5", "on a full queue the latest change of a property takes the room of the earlier one, which no other thread gets")
{
    struct count_property kept, other;
    struct lane lane;
    pthread_t thread;

    begin();
    lane_open_bounded(&lane, PEAL_QUEUE_PUMPED, 1, PEAL_OVERFLOW_REJECT, 0);
    CHECK_OK(keep_latest("kept", &kept, lane.queue));
    CHECK_OK(keep_latest("other", &other, lane.queue));
    CHECK_OK(count_set(kept, 1));
    __atomic_store_n(&is_over, false, __ATOMIC_RELEASE);
    thread = thread_start(set_other, &other);
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS); round++)
        CHECK_OK(count_set(kept, round));
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    thread_join(thread);
    CHECK_EQUAL(pump_all(lane.queue), 1);
    lane_close(&lane);
    close_center(center);
}

/* ---- Races ------------------------------------------------------------------------------------- */

static void *race(void *context)
{
    static const struct count_observer observer = { PEAL_OBSERVER(count), .changed_values = ignore };
    unsigned state = (unsigned)(uintptr_t)context + 7;

    for (int round = 0; round < CHECK_ROUNDS(ROUNDS) / 20; round++) {
        struct count_property property = { { 0 } };
        peal_observation observation = { 0 };
        state = state * 1664525u + 1013904223u;
        if (count_define(center, 1, NULL, &property) != PEAL_OK)
            CHECK(false);
        (void)count_set(property, round);
        (void)count_get(property);
        if ((state >> 20) % 4 == 0)
            (void)count_observe(property, &state, &observer, (state >> 10) % 2, NULL, &observation);
        if ((state >> 16) % 8 == 0) {
            (void)peal_batch_begin();
            (void)count_set(property, round);
            (void)peal_batch_end();
        }
        (void)count_set(property, -round);
        if (observation.id != 0)
            (void)peal_observation_remove(observation);
        if ((state >> 12) % 4 == 0)
            (void)peal_property_remove(property.property);
    }
    return NULL;
}

CLAIM("X5", "after many threads have defined, set, observed and removed one property, the property works")
{
    pthread_t threads[THREADS];
    bool is_set = false;

    check_allow_seconds(60);
    begin();
    CHECK_OK(peal_property_remove(count.property));
    for (uintptr_t index = 0; index < THREADS; index++)
        threads[index] = thread_start(race, (void *)index);
    for (int index = 0; index < THREADS; index++)
        thread_join(threads[index]);
    CHECK_OK(count_define(center, 1, NULL, &count));
    CHECK_OK(count_set(count, 12));
    CHECK_OK(count_compare_and_set(count, 12, 13, &is_set));
    CHECK(is_set);
    CHECK_EQUAL(count_get(count), 13);
    close_center(center);
}
