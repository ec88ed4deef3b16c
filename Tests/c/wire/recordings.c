/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/record.h>
#include <peal/wire.h>

#include "center.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const first_version[] = { "required void on_message(const char *room, const char *text)",
    "optional void on_samples(const short *samples __counted_by(count), size_t count)",
    "optional void on_number(struct point at, int64_t number)", NULL };
static const char *const third_version[] = { "required void on_message(const char *room, const char *text)",
    "optional void on_samples(const short *samples __counted_by(count), size_t count)",
    "optional void on_number(struct point at, int64_t number)", "optional void on_file(const char *name), since(2)",
    "optional bool on_close(const char *name), since(3)", NULL };

static const char *path(void)
{
    static char text[64];

    if (text[0] == '\0')
        snprintf(text, sizeof text, "/tmp/peal-recording-%d", (int)getpid());
    return text;
}

static peal_protocol define(peal_center center, const char *const *methods)
{
    CHECK_OK(peal_type_declare(center, "struct point { int x; double y; };"));
    return protocol_of(center, "Chat", methods);
}

static peal_recorder *record(peal_protocol protocol)
{
    peal_recorder *recorder = NULL;

    if (!CHECK_OK(peal_recorder_create(path(), NULL, &recorder)) || !CHECK_OK(peal_recorder_add(recorder, protocol)))
        check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
    return recorder;
}

static peal_replay *replay_into(peal_center center)
{
    peal_replay *replay = NULL;

    if (!CHECK_OK(peal_replay_create(path(), center, &replay)))
        check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
    return replay;
}

static struct peal_replay_info info_of(peal_replay *replay)
{
    struct peal_replay_info info = { .size = sizeof info };

    CHECK_OK(peal_replay_get_info(replay, &info));
    return info;
}

/* ---- Observers --------------------------------------------------------------------------------- */

/* The calls as text. */
struct journal {
    char text[512];
    size_t length;
};

static void note(void *target, const struct peal_call *call)
{
    struct journal *journal = target;
    char *out = journal->text + journal->length;
    const size_t left = sizeof journal->text - journal->length;
    int length = 0;

    if (call->index == 0) {
        length = snprintf(out, left, "%s:%s;", *(char **)call->arguments[0], *(char **)call->arguments[1]);
    } else if (call->index == 1) {
        const size_t count = *(size_t *)call->arguments[1];
        length = snprintf(out, left, "%zu:%d;", count, count > 0 ? (*(short **)call->arguments[0])[count - 1] : 0);
    } else if (call->index == 2) {
        length = snprintf(out, left, "%d,%lld;", *(int *)call->arguments[0], *(long long *)call->arguments[1]);
    }
    journal->length += (size_t)length;
}

static void observe(peal_protocol protocol, struct journal *journal)
{
    CHECK_OK(peal_observe_handler(protocol, journal, note, NULL, 0, NULL, NULL));
}

static void say(peal_protocol protocol)
{
    const struct {
        int x;
        double y;
    } point = { 7, 0.5 };
    const short samples[] = { 1, 2, -3 };

    CHECK_OK(peal_broadcast(find_method(protocol, "on_message"), "hall", "hello"));
    CHECK_OK(peal_broadcast(find_method(protocol, "on_samples"), samples, (size_t)3));
    CHECK_OK(peal_broadcast(find_method(protocol, "on_samples"), NULL, (size_t)0));
    CHECK_OK(peal_broadcast(find_method(protocol, "on_number"), &point, (int64_t)-4));
}

static const char expected[] = "hall:hello;3:-3;0:0;7,-4;";

CLAIM("R1", "a replay makes the recorded calls in their order, any number of times")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    struct journal journal = { "", 0 };
    peal_recorder *recorder = record(chat);
    struct peal_recorder_info state = { .size = sizeof state };

    say(chat);
    CHECK_OK(peal_recorder_get_info(recorder, &state));
    CHECK(state.bytes > 0 && state.lost == 0);
    peal_recorder_destroy(recorder);
    CHECK_EQUAL(count_observers(chat), 0);
    say(chat); /* not recorded */
    observe(chat, &journal);
    peal_replay *replay = replay_into(center);
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_TEXT(journal.text, expected);
    peal_replay_rewind(replay);
    journal.length = 0;
    CHECK_OK(peal_replay_run(replay, 2));
    CHECK_TEXT(journal.text, expected);
    const struct peal_replay_info info = info_of(replay);
    CHECK(info.calls == 4 && info.skipped == 0 && info.made == 8 && info.failed == 0 && info.is_closed);
    peal_replay_destroy(replay);
    close_center(center);
}

/* While the clock is disturbed, this thread is stopped after every third reading of it. */
static __thread bool clock_is_disturbed;
static __thread unsigned disturbances;

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static __thread unsigned readings;
    const struct timespec pause = { 0, 3000000 };
    const int result = (int)syscall(SYS_clock_gettime, clock, out);

    if (clock_is_disturbed && readings++ % 3 == 0) {
        disturbances++;
        syscall(SYS_nanosleep, &pause, NULL);
    }
    return result;
}

CLAIM("R1", "the times of calls are right, also if the recorder was interrupted while it measured the counter's rate")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    const struct timespec pause = { 0, 20000000 };
    struct peal_replay_call first = { .size = sizeof first }, second = { .size = sizeof second };
    struct timespec begin, end;

    clock_is_disturbed = true;
    peal_recorder *recorder = record(chat);
    clock_is_disturbed = false;
    CHECK(disturbances > 2);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", "hello"));
    nanosleep(&pause, NULL);
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", "again"));
    clock_gettime(CLOCK_MONOTONIC, &end);
    peal_recorder_destroy(recorder);
    peal_replay *replay = replay_into(center);
    CHECK_OK(peal_replay_next(replay, &first));
    CHECK_OK(peal_replay_next(replay, &second));
    const double passed = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    CHECK(second.time - first.time > 0.999 * 20000000 && second.time - first.time < 1.001 * passed);
    peal_replay_destroy(replay);
    close_center(center);
}

CLAIM("R1", "at original speed a replay takes as long as the recording")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    peal_recorder *recorder = record(chat);
    const struct timespec pause = { 0, 60000000 };
    struct timespec begin, end;

    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", "hello"));
    nanosleep(&pause, NULL);
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", "again"));
    peal_recorder_destroy(recorder);
    peal_replay *replay = replay_into(center);
    struct peal_replay_call first = { .size = sizeof first }, second = { .size = sizeof second };
    CHECK_OK(peal_replay_next(replay, &first));
    CHECK_TEXT(first.protocol, "Chat");
    CHECK_TEXT(first.method_name, "on_message");
    CHECK_TEXT(*(char **)first.arguments[1], "hello");
    CHECK_EQUAL(first.thread, gettid());
    CHECK_OK(peal_replay_next(replay, &second));
    CHECK(second.time - first.time >= 60000000 && second.time == info_of(replay).duration);
    CHECK_STATUS(peal_replay_next(replay, &second), PEAL_ERROR_NOT_FOUND);
    peal_replay_rewind(replay);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_ORIGINAL_SPEED));
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    CHECK(seconds > 0.0599);
    CHECK_STATUS(peal_replay_run(replay, -1), PEAL_ERROR_ARGUMENT);
    peal_replay_destroy(replay);
    close_center(center);
}

CLAIM("R2", "the calls of a program that is killed are in the file")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    enum { CALLS = 5000 };
    const pid_t child = fork();

    if (child == 0) {
        peal_recorder *recorder = record(chat);
        for (int64_t i = 0; i < CALLS; i++)
            say(chat);
        (void)recorder;
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    peal_replay *replay = replay_into(center);
    CHECK_EQUAL(info_of(replay).calls, 4 * CALLS);
    CHECK(!info_of(replay).is_closed);
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_EQUAL(info_of(replay).made, 4 * CALLS);
    CHECK_EQUAL(info_of(replay).failed, 0);
    peal_replay_destroy(replay);
    close_center(center);
}

CLAIM("R3", "a recording is replayed into a later version of its protocol")
{
    const peal_center old_center = open_center(), center = open_center();
    const peal_protocol old_chat = define(old_center, first_version);
    const peal_protocol chat = define(center, third_version);
    struct journal journal = { "", 0 };
    peal_recorder *recorder = record(old_chat);

    say(old_chat);
    peal_recorder_destroy(recorder);
    close_center(old_center);
    observe(chat, &journal);
    peal_replay *replay = replay_into(center);
    char text[64] = "x";
    CHECK_OK(peal_replay_print_skipped(replay, text, sizeof text, NULL));
    CHECK_TEXT(text, "");
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_TEXT(journal.text, expected);
    peal_replay_destroy(replay);
    close_center(center);
}

CLAIM("R3", "calls of methods that have changed, or do not exist, are skipped, with the reason")
{
    static const char *const other[] = { "required void on_message(const char *room, int text)",
        "optional void on_samples(const short *samples __counted_by(count), size_t count)", NULL };
    const peal_center old_center = open_center(), center = open_center(), none = open_center();
    const peal_protocol old_chat = define(old_center, first_version);
    char text[1024];
    size_t length = 0;

    define(center, other);
    peal_recorder *recorder = record(old_chat);
    say(old_chat);
    peal_recorder_destroy(recorder);
    peal_replay *replay = replay_into(center);
    CHECK(info_of(replay).calls == 4 && info_of(replay).skipped == 2);
    CHECK_OK(peal_replay_print_skipped(replay, text, sizeof text, &length));
    CHECK_EQUAL(length, strlen(text));
    CHECK_CONTAINS(text, "Chat.on_message: the method or one of its types has changed: recorded was "
                         "\"required void on_message(const char *p1, const char *p2)");
    CHECK_CONTAINS(text, "Chat.on_number: the protocol does not have the method\n");
    CHECK_STATUS(peal_replay_print_skipped(replay, text, 5, &length), PEAL_TRUNCATED);
    CHECK_TEXT(text, "Chat");
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_EQUAL(info_of(replay).made, 2);
    peal_replay_destroy(replay);
    replay = replay_into(none);
    CHECK_EQUAL(info_of(replay).skipped, 4);
    CHECK_OK(peal_replay_print_skipped(replay, text, sizeof text, NULL));
    CHECK_CONTAINS(text, "Chat.on_message: the center does not have the protocol\n");
    struct peal_replay_call call = { .size = sizeof call };
    CHECK_OK(peal_replay_next(replay, &call));
    CHECK(call.method.id == 0 && call.arguments == NULL);
    CHECK_TEXT(call.method_name, "on_message");
    peal_replay_destroy(replay);
    close_center(old_center);
    close_center(center);
    close_center(none);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

enum { THREADS = 4, CALLS_OF_A_THREAD = 20000 };

static peal_method number_method;

static void *count_up(void *argument)
{
    struct {
        int x;
        double y;
    } point = { *(int *)argument, 0 };

    for (int64_t i = 0; i < CHECK_ROUNDS(CALLS_OF_A_THREAD); i++)
        CHECK_OK(peal_broadcast(number_method, &point, i));
    return NULL;
}

CLAIM("R2", "calls of several threads are all recorded, those of each thread in its order")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    peal_recorder *recorder = record(chat);
    pthread_t threads[THREADS];
    int indices[THREADS];
    int64_t next[THREADS] = { 0 };

    number_method = find_method(chat, "on_number");
    for (int i = 0; i < THREADS; i++) {
        indices[i] = i;
        pthread_create(&threads[i], NULL, count_up, &indices[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    peal_recorder_destroy(recorder);
    peal_replay *replay = replay_into(center);
    struct peal_replay_call call = { .size = sizeof call };
    bool is_in_order = true;
    while (peal_replay_next(replay, &call) == PEAL_OK) {
        const int thread = *(int *)call.arguments[0];
        is_in_order = is_in_order && thread < THREADS && *(int64_t *)call.arguments[1] == next[thread]++;
    }
    CHECK(is_in_order);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(next[i], CHECK_ROUNDS(CALLS_OF_A_THREAD));
    peal_replay_destroy(replay);
    close_center(center);
}

/* ---- Files ------------------------------------------------------------------------------------- */

CLAIM("R4", "calls that do not fit into the file are counted")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    struct peal_recorder_options options = PEAL_RECORDER_OPTIONS;
    struct peal_recorder_info state = { .size = sizeof state };
    peal_recorder *recorder;
    struct stat facts;

    options.capacity = 8192;
    REQUIRE_OK(peal_recorder_create(path(), &options, &recorder));
    CHECK_OK(peal_recorder_add(recorder, chat));
    for (int i = 0; i < 100; i++)
        say(chat);
    CHECK_OK(peal_recorder_get_info(recorder, &state));
    CHECK(state.lost > 100 && state.lost < 400 && state.bytes > 8192 - 64 && state.bytes <= 8192);
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", "\xff"));
    peal_recorder_destroy(recorder);
    CHECK(stat(path(), &facts) == 0 && facts.st_size <= 8192);
    peal_replay *replay = replay_into(center);
    CHECK_EQUAL(info_of(replay).calls + info_of(replay).lost, 401);
    CHECK(info_of(replay).is_closed);
    peal_replay_destroy(replay);
    close_center(center);
}

CLAIM("R4", "a text of any length is recorded")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    enum { LONG = 6 << 20 };
    char *text = malloc(LONG + 1);
    peal_recorder *recorder = record(chat);
    struct peal_replay_call call = { .size = sizeof call };

    memset(text, 'x', LONG);
    text[LONG] = '\0';
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", text));
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", "short"));
    peal_recorder_destroy(recorder);
    peal_replay *replay = replay_into(center);
    CHECK_OK(peal_replay_next(replay, &call));
    CHECK(strcmp(*(char **)call.arguments[1], text) == 0);
    CHECK_OK(peal_replay_next(replay, &call));
    CHECK_TEXT(*(char **)call.arguments[1], "short");
    peal_replay_destroy(replay);
    free(text);
    close_center(center);
}

static void write_file(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path(), "wb");

    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

CLAIM("R4", "a file of any content is read or refused")
{
    const peal_center center = open_center();
    const peal_protocol chat = define(center, first_version);
    static unsigned char original[4096], bytes[4096];
    peal_replay *replay;
    uint64_t state = 7;
    unsigned opened = 0;

    peal_recorder *recorder = record(chat);
    say(chat);
    peal_recorder_destroy(recorder);
    FILE *file = fopen(path(), "rb");
    const size_t size = fread(original, 1, sizeof original, file);
    fclose(file);
    REQUIRE(size > 200 && size < sizeof original);
    for (int i = 0; i < CHECK_ROUNDS(1000); i++) {
        memcpy(bytes, original, size);
        for (int change = 0; change < 3; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[(state >> 33) % size] = (unsigned char)(state >> 20 & (i % 2 == 0 ? 0xff : 0x0f));
        }
        write_file(bytes, i % 16 == 0 ? (size_t)(state >> 40) % size : size);
        if (peal_replay_create(path(), center, &replay) < 0)
            continue;
        opened++;
        CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
        peal_replay_destroy(replay);
    }
    CHECK(opened > 10);
    write_file((const unsigned char *)"no recording", 12);
    CHECK_STATUS(peal_replay_create(path(), center, &replay), PEAL_ERROR_SYNTAX);
    close_center(center);
}

CLAIM("R4", "wrong arguments, files that the system refuses, and methods that cannot be recorded give a status")
{
    static const char *const bare[] = { "required void on_memory(void *memory)", NULL };
    const peal_center center = open_center();
    const peal_center none = { 0 };
    const peal_protocol no_protocol = { 0 };
    peal_recorder *recorder = (peal_recorder *)&recorder;
    peal_replay *replay = (peal_replay *)&replay;

    CHECK_STATUS(peal_recorder_create("/nowhere/file", NULL, &recorder), PEAL_ERROR_CREATION);
    CHECK_POINTER(recorder, NULL);
    CHECK_CONTAINS(peal_wire_last_message(), "/nowhere/file: No such file");
    CHECK_STATUS(peal_recorder_create(NULL, NULL, &recorder), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_replay_create("/nowhere/file", center, &replay), PEAL_ERROR_NOT_FOUND);
    CHECK_POINTER(replay, NULL);
    CHECK_STATUS(peal_replay_create("/tmp", center, &replay), PEAL_ERROR_NOT_FOUND);
    REQUIRE_OK(peal_recorder_create(path(), NULL, &recorder));
    CHECK_STATUS(peal_recorder_add(recorder, no_protocol), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_recorder_add(recorder, protocol_of(center, "Bare", bare)), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_wire_last_message(), "Bare.on_memory: column ");
    peal_recorder_destroy(recorder);
    CHECK_STATUS(peal_replay_create(path(), none, &replay), PEAL_ERROR_HANDLE);
    peal_recorder_destroy(NULL);
    peal_replay_destroy(NULL);
    unlink(path());
    close_center(center);
}

static void refuse_thirteen(void *target, const struct peal_call *call)
{
    const int number = *(const int *)call->arguments[0];

    struct journal *journal = target;

    *(bool *)call->result = number != 13;
    journal->length += (size_t)snprintf(
        journal->text + journal->length, sizeof journal->text - journal->length, "%d;", number);
}

CLAIM("R1", "a method with a result is recorded, and its result is that of the other observers")
{
    static const char *const with_result[] = { "required bool may_close(int number), every", NULL };
    const peal_center center = open_center();
    const peal_protocol protocol = protocol_of(center, "Asking", with_result);
    struct journal live = { 0 }, replayed = { 0 };
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    const bool answer_of_nobody = true;
    peal_recorder *recorder = NULL;
    peal_method may_close;
    peal_observation observer;
    bool may = false;

    REQUIRE_OK(peal_method_find(protocol, "may_close", &may_close));
    REQUIRE_OK(peal_recorder_create(path(), NULL, &recorder));
    REQUIRE_OK(peal_recorder_add(recorder, protocol));
    for (int number = 12; number < 15; number++) {
        void *const arguments[] = { &number };
        /* The recorder alone. */
        options.default_result = &answer_of_nobody;
        may = false;
        CHECK_OK(peal_send_with(may_close, arguments, 1, &options, &may, NULL));
        CHECK(may);
        REQUIRE_OK(peal_observe_handler(protocol, &live, refuse_thirteen, NULL, 0, NULL, &observer));
        CHECK_OK(peal_send(may_close, arguments, 1, &may, NULL));
        CHECK_EQUAL(may, number != 13);
        CHECK_OK(peal_observation_remove(observer));
    }
    peal_recorder_destroy(recorder);
    CHECK_TEXT(live.text, "12;13;14;");
    REQUIRE_OK(peal_observe_handler(protocol, &replayed, refuse_thirteen, NULL, 0, NULL, &observer));
    peal_replay *replay = replay_into(center);
    CHECK_OK(peal_replay_run(replay, 0));
    CHECK_EQUAL(info_of(replay).made, 6);
    CHECK_TEXT(replayed.text, "12;12;13;13;14;14;");
    peal_replay_destroy(replay);
    close_center(center);
}
