/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.c - nanoseconds of messages and recordings.
 *
 *     bench-wire [--quick]
 *
 * The call has an int, a double, a text of 20 bytes and a buffer of 60 bytes, some 100 bytes together. Each contender
 * runs in turns of 10,000 operations, and a line is its fastest turn of 200: the figure of a machine without other work.
 * `copy` copies the same bytes by memcpy, field by field. `send` broadcasts to one observer, and `recorded` too, while
 * a recorder writes each call into a file.
 */
#define _GNU_SOURCE
#include <peal/peal.h>
#include <peal/record.h>
#include <peal/wire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPERATIONS = 10000, TURNS = 200 };

#define FEED(METHOD)                \
    METHOD(required, void, on_item, \
        (int number, double ratio, const char *text, const unsigned char *bytes __counted_by(count), size_t count))
PEAL_PROTOCOL(feed, "Feed", FEED);

static int number = 123456;
static double ratio = 0.1;
static const char *text = "a text of 20 letters";
static unsigned char memory[60];
static const unsigned char *bytes = memory;
static size_t count = sizeof memory;
static void *arguments[] = { &number, &ratio, &text, &bytes, &count };

static struct feed_protocol feed;
static peal_wire_plan *plan;
static unsigned char message[256], copy[256];
static size_t message_size;
static _Alignas(16) unsigned char arena[1024];

static void ignore(void *self, int a, double b, const char *c, const unsigned char *d, size_t e)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    (*(size_t *)self)++;
}

/* ---- Contenders -------------------------------------------------------------------------------- */

static void run_copy(void)
{
    unsigned char *out = copy;

    memcpy(out, &number, sizeof number);
    memcpy(out + 4, &ratio, sizeof ratio);
    const size_t length = strlen(text);
    memcpy(out + 12, text, length + 1);
    memcpy(out + 13 + length, bytes, count);
    __asm__ volatile("" ::: "memory");
}

static void run_encode(void)
{
    const struct peal_wire_header header = PEAL_WIRE_HEADER;

    peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &message_size);
}

static void run_decode(void)
{
    void *const *decoded;
    size_t decoded_count;

    peal_wire_decode_call(plan, message, message_size, arena, sizeof arena, &decoded, &decoded_count);
}

static void run_send(void) { peal_send(feed.on_item, arguments, 5, NULL, NULL); }

static void run_typed(void) { PEAL_BROADCAST(feed, &feed, on_item, number, ratio, text, bytes, count); }

/* ---- Measuring --------------------------------------------------------------------------------- */

static double nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void measure(const char *name, void (*run)(void), int turns)
{
    double best = 1e18;

    for (int turn = 0; turn < turns; turn++) {
        const double begin = nanoseconds();
        for (int i = 0; i < OPERATIONS; i++)
            run();
        const double each = (nanoseconds() - begin) / OPERATIONS;
        best = each < best ? each : best;
    }
    printf("wire %-14s %7.1f\n", name, best);
}

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, peal_wire_last_message());
    exit(1);
}

int main(int argument_count, char **argument_values)
{
    static size_t calls;
    static const struct feed observer = { PEAL_TABLE(feed), ignore };
    const int turns = argument_count > 1 && strcmp(argument_values[1], "--quick") == 0 ? 2 : TURNS;
    struct peal_recorder_options options = PEAL_RECORDER_OPTIONS;
    peal_recorder *recorder;
    char path[64];

    if (feed_define(peal_center_default(), &feed) < 0 || feed_observe(&feed, &calls, &observer, NULL, NULL) < 0
        || peal_wire_plan_create(feed.on_item, NULL, &plan) < 0)
        fail("a protocol");
    measure("copy", run_copy, turns);
    measure("encode", run_encode, turns);
    measure("decode", run_decode, turns);
    measure("send", run_send, turns);
    measure("broadcast", run_typed, turns);
    snprintf(path, sizeof path, "/dev/shm/bench-wire-%d", (int)getpid());
    options.capacity = (uint64_t)1 << 32;
    if (peal_recorder_create(path, &options, &recorder) < 0 || peal_recorder_add(recorder, feed.protocol) < 0)
        fail("a recorder");
    measure("send-rec", run_send, turns);
    measure("broadcast-rec", run_typed, turns);
    peal_recorder_destroy(recorder);
    unlink(path);
    peal_wire_plan_destroy(plan);
    return 0;
}
