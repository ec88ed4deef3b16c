/* SPDX-License-Identifier: Apache-2.0
 *
 * Presence: changes that several threads make.
 */
#include "center.h"
#include "latch.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHAT(METHOD) METHOD(required, void, on_message, (int n))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static void on_message(void *self, int n) { (void)self, (void)n; }
static const struct chat table = { PEAL_TABLE(chat), .on_message = on_message };

static peal_center center;
static struct peal_presence_events_protocol presence;
static struct chat_protocol chat;

static void begin(const struct peal_presence_events *watcher)
{
    center = open_center();
    CHECK_OK(chat_define(center, &chat));
    CHECK_OK(peal_presence_events_define(center, &presence));
    CHECK_OK(peal_presence_events_observe(&presence, NULL, watcher, NULL, NULL));
}

/* ---- A change during an announcement ----------------------------------------------------------- */

static struct latch announcing, may_end;
static pthread_t announcer;
static int observed_count, unobserved_count;

static void wait_first(void *self, const char *protocol, const char *method)
{
    (void)self, (void)protocol, (void)method;
    CHECK(pthread_equal(pthread_self(), announcer));
    if (observed_count++ > 0)
        return;
    latch_open(&announcing);
    latch_wait(&may_end);
}
static void count_unobserved(void *self, const char *protocol, const char *method)
{
    (void)self, (void)protocol, (void)method;
    CHECK(pthread_equal(pthread_self(), announcer));
    CHECK_EQUAL(observed_count, ++unobserved_count);
}
static const struct peal_presence_events slow = { PEAL_TABLE(peal_presence_events), .method_observed = wait_first,
    .method_unobserved = count_unobserved };

static void *register_one(void *context)
{
    announcer = pthread_self();
    CHECK_OK(chat_observe(&chat, context, &table, NULL, context));
    return NULL;
}

static void begin_slow(peal_observation *observation, pthread_t *thread)
{
    latch_shut(&announcing);
    latch_shut(&may_end);
    observed_count = unobserved_count = 0;
    begin(&slow);
    *thread = thread_start(register_one, observation);
    latch_wait(&announcing);
}

CLAIM("P11", "changes during an announcement wait for it, without their threads, and keep their order")
{
    peal_observation first = { 0 }, second = { 0 };
    peal_observation list[4];
    size_t count = 0;
    pthread_t thread;

    begin_slow(&first, &thread);
    /* The first observer is registered, and its announcement runs. */
    CHECK_OK(peal_method_list_observations(chat.on_message, list, 4, &count));
    REQUIRE_OK(count == 1 ? PEAL_OK : PEAL_ERROR_STATE);
    CHECK_OK(peal_observation_remove(list[0]));
    for (int i = 0; i < 100; i++) {
        CHECK_OK(chat_observe(&chat, &second, &table, NULL, &second));
        CHECK_OK(peal_observation_remove(second));
    }
    CHECK_EQUAL(observed_count, 1);
    latch_open(&may_end);
    thread_join(thread);
    CHECK_EQUAL(observed_count, 101);
    CHECK_EQUAL(unobserved_count, 101);
    close_center(center);
}

CLAIM("P11", "a center may end during an announcement")
{
    peal_observation first = { 0 }, second = { 0 };
    pthread_t thread;

    begin_slow(&first, &thread);
    CHECK_OK(chat_observe(&chat, &second, &table, NULL, &second));
    close_center(center);
    latch_open(&may_end);
    thread_join(thread);
    CHECK_EQUAL(observed_count, 1);
    CHECK_EQUAL(unobserved_count, 0);
}

CLAIM("P11, F6", "the child of a fork announces, also if a thread of the parent was announcing")
{
    peal_observation first = { 0 };
    pthread_t thread;
    int status = 0;

    begin_slow(&first, &thread);
    const pid_t child = fork();
    if (child == 0) {
        peal_observation second = { 0 };
        struct chat_protocol other;
        (void)alarm(20);
        announcer = pthread_self();
        const peal_center fresh = peal_center_default();
        struct peal_presence_events_protocol found;
        /* In the parent's center, where the announcing thread does not exist any more, and in another one. */
        const bool is_done = peal_protocol_remove_observations(chat.protocol, NULL) == PEAL_OK && unobserved_count == 1
                          && chat_define(fresh, &other) == PEAL_OK
                          && peal_presence_events_define(fresh, &found) == PEAL_OK
                          && peal_presence_events_observe(&found, NULL, &slow, NULL, NULL) == PEAL_OK
                          && chat_observe(&other, NULL, &table, NULL, &second) == PEAL_OK && observed_count == 2;
        _exit(is_done ? 0 : 1);
    }
    CHECK(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    latch_open(&may_end);
    thread_join(thread);
    close_center(center);
}

/* ---- Many threads ------------------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 500 };

static int state;     /* 1: the method has observers, as announced */
static int announced; /* announcements that run now */
static int mistakes;

static void note(int next)
{
    if (__atomic_fetch_add(&announced, 1, __ATOMIC_SEQ_CST) != 0 || state == next)
        mistakes++;
    state = next;
    __atomic_fetch_sub(&announced, 1, __ATOMIC_SEQ_CST);
}
static void note_observed(void *self, const char *protocol, const char *method)
{
    (void)self, (void)protocol, (void)method;
    note(1);
}
static void note_unobserved(void *self, const char *protocol, const char *method)
{
    (void)self, (void)protocol, (void)method;
    note(0);
}
static const struct peal_presence_events noting = { PEAL_TABLE(peal_presence_events), .method_observed = note_observed,
    .method_unobserved = note_unobserved };

static void *come_and_go(void *target)
{
    for (int i = 0; i < CHECK_ROUNDS(ROUNDS); i++) {
        struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        peal_observation observation = { 0 };
        options.flags = i % 3 == 0 ? PEAL_OBSERVE_ONCE : 0;
        CHECK_OK(chat_observe(&chat, target, &table, &options, &observation));
        if (i % 3 == 0)
            CHECK_OK(peal_broadcast(chat.on_message, 1));
        else
            CHECK_OK(peal_observation_remove(observation));
    }
    return NULL;
}

CLAIM("P11", "observed and unobserved alternate, one at a time, whatever threads register and remove")
{
    pthread_t threads[THREADS];
    int targets[THREADS] = { 0 };

    state = mistakes = 0;
    begin(&noting);
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(come_and_go, &targets[i]);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_EQUAL(mistakes, 0);
    CHECK_EQUAL(state, 0);
    CHECK_EQUAL(count_listed(chat.on_message), 0);
    close_center(center);
}
