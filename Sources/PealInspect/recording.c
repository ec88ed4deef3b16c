/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include "answer.h"
#include "names.h"
#include "user.h"
#include "wire.h"

#include "../PealText/print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    REPORT_PERIOD = 1000,          /* between two reports, in milliseconds */
    TURN = 10000000,               /* nanoseconds of a list or a replay, after which other clients get their turn */
    LINES = 1000,                  /* of a list in one turn */
    LONGEST_WAIT = 100,            /* for the next call, in milliseconds */
    ARGUMENT_LIMIT = 200           /* bytes and elements of one printed argument */
};

enum recording_kind { RECORDING_RECORD, RECORDING_REPLAY, RECORDING_CALLS };

static const char *const kinds[] = { "record", "replay", "calls" };

struct recording {
    int kind; /* enum recording_kind */
    const struct wire *wire;
    peal_recorder *recorder;
    peal_replay *replay;
    double speed;
    uint64_t begin;    /* of the replay's first call, monotonic */
    uint64_t first;    /* the recorded time of that call */
    uint64_t reported; /* the time of the last report */
    uint64_t turn_end; /* when other clients get their turn */
    bool has_begun;
    bool has_call; /* `call` was read and not made */
    struct peal_replay_call call;
    uint64_t calls, read; /* of the file */
    uint64_t made, failed; /* or listed, for RECORDING_CALLS */
};

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int kind_of(const char *name)
{
    for (int kind = 0; kind < 3; kind++)
        if (strcmp(kinds[kind], name) == 0)
            return kind;
    return -1;
}

bool recording_is_kind(const char *name) { return kind_of(name) >= 0; }

/* ---- Record ------------------------------------------------------------------------------------ */

static void add_line(struct text *output, const char *kind, const char *name, const char *reason)
{
    json_begin(output, NULL);
    json_text(output, "kind", kind);
    json_text(output, "name", name);
    if (reason != NULL)
        json_text(output, "reason", reason);
    json_end_line(output);
}

/* Returns true if the protocol is recorded from now on. A protocol of the library is not recorded. */
static bool add_protocol(struct recording *recording, peal_protocol protocol, struct text *output)
{
    struct peal_protocol_info info = { .size = sizeof info };

    if (peal_protocol_get_info(protocol, &info) < 0 || info.is_built_in)
        return false;
    const bool is_recorded = recording->wire->recorder_add(recording->recorder, protocol) == PEAL_OK;
    add_line(
        output, is_recorded ? "recorded" : "skipped", info.name, is_recorded ? NULL : recording->wire->last_message());
    return is_recorded;
}

/* Returns the protocol that a word names. Adds an error if there is none. */
static bool find_named(char *word, peal_protocol *out_protocol, struct text *output)
{
    char *method;

    if (find_protocol(word, out_protocol, &method) && method == NULL)
        return true;
    json_error(output, "no protocol is named '%s'", word);
    return false;
}

/* Returns false after an error. A protocol that was named must be recorded. */
static bool add_named(struct recording *recording, const struct request *request, struct text *output)
{
    for (size_t i = 2; i < request->count; i++) {
        peal_protocol protocol;
        if (!find_named(request->words[i], &protocol, output))
            return false;
        if (recording->wire->recorder_add(recording->recorder, protocol) < 0) {
            json_error(output, "%s", recording->wire->last_message());
            return false;
        }
        add_line(output, "recorded", request->words[i], NULL);
    }
    return true;
}

/* Records all protocols of the default center that can be recorded. */
static bool add_all(struct recording *recording, struct text *output)
{
    peal_protocol *protocols;
    size_t count, added = 0;

    READ_LIST(protocols, count, peal_protocol_list, peal_center_default(), );
    for (size_t i = 0; i < count; i++)
        added += add_protocol(recording, protocols[i], output);
    free(protocols);
    if (added == 0)
        json_error(output, "no protocol of the program can be recorded");
    return added > 0;
}

static bool begin_record(struct recording *recording, const struct request *request, struct text *output)
{
    peal_protocol protocol;

    /* A call of the first protocol would replace the file before the last name is found to be wrong. */
    for (size_t i = 2; i < request->count; i++)
        if (!find_named(request->words[i], &protocol, output))
            return false;
    /* The child of a fork would replace the file that its parent records in. */
    if (server_has_forked())
        return false;
    if (recording->wire->recorder_open(request->words[1], NULL, &recording->recorder) < 0) {
        json_error(output, "%s", recording->wire->last_message());
        return false;
    }
    return request->count > 2 ? add_named(recording, request, output) : add_all(recording, output);
}

/* is_last: ends the recorder, so that the number of lost calls is final. */
static void report_record(struct recording *recording, bool is_last, struct text *output)
{
    struct peal_recorder_info info = { .size = sizeof info };

    (void)recording->wire->recorder_get_info(recording->recorder, &info);
    if (is_last) {
        info.lost = recording->wire->recorder_close(recording->recorder);
        recording->recorder = NULL;
    }
    json_begin(output, NULL);
    json_text(output, "kind", "recording");
    json_bool(output, "is_last", is_last);
    json_number(output, "bytes", info.bytes);
    json_number(output, "lost", info.lost);
    if (info.reason != NULL)
        json_text(output, "reason", info.reason);
    json_end_line(output);
}

/* ---- Replay ------------------------------------------------------------------------------------ */

static void add_skipped(struct recording *recording, struct text *output)
{
    char *lines;

    READ_TEXT(lines, recording->wire->replay_print_skipped, recording->replay);
    if (lines == NULL)
        return;
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        add_line(output, "skipped", "", line);
    free(lines);
}

static bool begin_replay(struct recording *recording, const struct request *request, struct text *output)
{
    struct peal_replay_info info = { .size = sizeof info };
    char *end = NULL;

    recording->speed = PEAL_REPLAY_ORIGINAL_SPEED;
    if (request->count > 2) {
        recording->speed = strtod(request->words[2], &end);
        if (*end != '\0' || end == request->words[2] || !(recording->speed >= 0 && recording->speed < 1e9)) {
            json_error(output, "the speed '%s' is not a factor of 0 or more", request->words[2]);
            return false;
        }
    }
    if (recording->wire->replay_open(request->words[1], peal_center_default(), &recording->replay) < 0) {
        json_error(output, "%s", recording->wire->last_message());
        return false;
    }
    (void)recording->wire->replay_get_info(recording->replay, &info);
    recording->calls = info.calls;
    json_begin(output, NULL);
    json_text(output, "kind", "content");
    json_number(output, "calls", info.calls);
    json_number(output, "skipped", info.skipped);
    json_number(output, "lost", info.lost);
    json_number(output, "duration", info.duration);
    json_bool(output, "is_closed", info.is_closed);
    json_end_line(output);
    add_skipped(recording, output);
    return true;
}

enum reading { READ_CALL, READ_LATER, READ_NOTHING };

/* Reads the next call that was not skipped. All calls of a file may be skipped, so this may take several turns. */
static enum reading read_call(struct recording *recording)
{
    while (!recording->has_call) {
        if (now() > recording->turn_end || server_has_forked())
            return READ_LATER;
        recording->call = (struct peal_replay_call){ .size = sizeof recording->call };
        const peal_status status = recording->wire->replay_next(recording->replay, &recording->call);
        if (status == PEAL_ERROR_NOT_FOUND || status == PEAL_ERROR_MEMORY)
            return READ_NOTHING;
        recording->read++;
        recording->failed += status < 0;
        recording->has_call = status == PEAL_OK && recording->call.method.id != 0;
    }
    if (!recording->has_begun) {
        recording->has_begun = true;
        recording->begin = now();
        recording->first = recording->call.time;
    }
    return READ_CALL;
}

/* The time until the call is due, in nanoseconds. */
static uint64_t time_left(const struct recording *recording)
{
    if (recording->speed == 0 || recording->call.time <= recording->first)
        return 0;
    const double wanted = (double)(recording->call.time - recording->first) / recording->speed;
    const double passed = (double)(now() - recording->begin);
    return wanted <= passed ? 0 : wanted - passed < 1e18 ? (uint64_t)(wanted - passed) : (uint64_t)1000000000000000000;
}

/* Reports what became of the calls that were read. Those that are left at the end were cut from the file since it was
 * opened, or there is no memory for them. */
static void report_replay(struct recording *recording, struct text *output)
{
    const bool is_list = recording->kind == RECORDING_CALLS;

    json_begin(output, NULL);
    json_text(output, "kind", is_list ? "listed" : "replayed");
    json_number(output, is_list ? "listed" : "made", recording->made);
    json_number(output, "failed", recording->failed);
    json_number(output, "left", recording->calls > recording->read ? recording->calls - recording->read : 0);
    json_end_line(output);
}

static bool continue_replay(struct recording *recording, uid_t user, struct text *output)
{
    enum reading reading;

    while ((reading = read_call(recording)) == READ_CALL) {
        if (time_left(recording) > 0 || now() > recording->turn_end || !user_is(user) || server_has_forked())
            return true;
        const struct peal_replay_call *call = &recording->call;
        recording->has_call = false;
        recording->made++;
        recording->failed += peal_send(call->method, call->arguments, call->argument_count, NULL, NULL) < 0;
    }
    if (reading == READ_LATER)
        return true;
    report_replay(recording, output);
    return false;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static void add_call(const struct peal_replay_call *call, struct text *output)
{
    struct known_method *method = known_method_take(call->method.id);
    struct text arguments = { 0 };

    if (method != NULL && method->type != NULL) {
        const struct printed_call printed = { method->type, call->arguments, true, ARGUMENT_LIMIT, false };
        print_arguments(&arguments, &printed);
    }
    known_method_put(method);
    json_begin(output, NULL);
    json_text(output, "kind", "call");
    json_number(output, "time", call->time);
    json_number(output, "thread", call->thread);
    json_text(output, "protocol", call->protocol);
    json_text(output, "method", call->method_name);
    json_text(output, "arguments", arguments.bytes != NULL ? arguments.bytes : "");
    json_end_line(output);
    text_free(&arguments);
}

static bool continue_calls(struct recording *recording, struct text *output)
{
    for (int lines = 0; lines < LINES; lines++) {
        const enum reading reading = read_call(recording);
        if (reading == READ_LATER)
            return true;
        if (reading == READ_NOTHING) {
            report_replay(recording, output);
            return false;
        }
        add_call(&recording->call, output);
        recording->has_call = false;
        recording->made++;
    }
    return true;
}

/* ---- Streams ----------------------------------------------------------------------------------- */

struct recording *recording_open(const struct request *request, struct text *output)
{
    const int kind = kind_of(request->words[0]);
    const char *message = "out of memory";
    const struct wire *wire = wire_load(&message);
    struct recording *recording = wire != NULL ? calloc(1, sizeof *recording) : NULL;

    if (recording == NULL) {
        json_error(output, "%s%s", wire == NULL ? "recordings need libpeal-wire: " : "", message);
        return NULL;
    }
    recording->kind = kind;
    recording->wire = wire;
    recording->reported = now();
    if (kind == RECORDING_RECORD ? begin_record(recording, request, output) : begin_replay(recording, request, output))
        return recording;
    recording_close(recording);
    return NULL;
}

bool recording_continue(struct recording *recording, uid_t user, struct text *output)
{
    const bool is_due = now() - recording->reported >= (uint64_t)REPORT_PERIOD * 1000000;

    if (is_due)
        recording->reported = now();
    recording->turn_end = now() + TURN;
    switch (recording->kind) {
    case RECORDING_RECORD:
        if (is_due)
            report_record(recording, false, output);
        return true;
    case RECORDING_REPLAY:
        if (is_due)
            report_replay(recording, output);
        return continue_replay(recording, user, output);
    default: return continue_calls(recording, output);
    }
}

bool recording_finish(struct recording *recording, struct text *output)
{
    switch (recording->kind) {
    case RECORDING_RECORD: report_record(recording, true, output); return true;
    case RECORDING_REPLAY: report_replay(recording, output); return true;
    default: return false;
    }
}

int recording_period(const struct recording *recording)
{
    if (recording->kind == RECORDING_RECORD)
        return REPORT_PERIOD;
    if (recording->kind == RECORDING_CALLS || !recording->has_call)
        return 0;
    const uint64_t left = time_left(recording) / 1000000;
    return left < LONGEST_WAIT ? (int)left : LONGEST_WAIT;
}

void recording_close(struct recording *recording)
{
    if (recording->recorder != NULL)
        recording->wire->recorder_close(recording->recorder);
    if (recording->replay != NULL)
        recording->wire->replay_close(recording->replay);
    free(recording);
}
