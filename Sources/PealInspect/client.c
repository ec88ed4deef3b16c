/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include "recording.h"
#include "user.h"
#include "watch.h"

#include <peal/inspection.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static int64_t seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void end_stream(struct client *client)
{
    if (client->watch != NULL)
        watch_close(client->watch);
    if (client->recording != NULL)
        recording_close(client->recording);
    client->watch = NULL;
    client->recording = NULL;
}

/* Ends the connection unless the program has the user that opened it, and no other one. The program may have changed its
 * user since then, so this is tested for each request, and for each part of a stream. Root gets no exception: it can
 * become the user of the program. */
static void check_user(struct client *client)
{
    if (client->is_ending || user_is(client->user))
        return;
    end_stream(client);
    json_error(&client->output, "this socket answers the user of the program alone");
    client->is_ending = true;
}

void client_begin(struct client *client, int descriptor)
{
    struct ucred peer;
    socklen_t length = sizeof peer;

    *client = (struct client){ .descriptor = descriptor, .user = (uid_t)-1, .progress = seconds_now() };
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
        client->user = peer.uid;
    check_user(client);
}

void client_end(struct client *client)
{
    end_stream(client);
    text_free(&client->input);
    text_free(&client->output);
}

/* ---- Requests ---------------------------------------------------------------------------------- */

static const char help[] = "hello | tree | describe [PROTOCOL[.METHOD]] | send PROTOCOL.METHOD [ARGUMENT]... | "
                           "record FILE [PROTOCOL]... | replay FILE [SPEED] | calls FILE | "
                           "monitor [FILTER] | events [FILTER [BUFFER]] | slices [FILTER [BUFFER]] | top [FILTER]";

/* Returns true if requests may act on the program; else adds the error, which names the remedy. */
static bool may_control(struct text *output, uint32_t flags)
{
    if ((flags & PEAL_INSPECTION_CONTROL) != 0)
        return true;
    json_error(output,
        "the program's inspection is read-only, so it refuses send, record and replay; start the program with "
        "PEAL_INSPECT=control, or with PEAL_INSPECTION_CONTROL in the flags of peal_inspection_start");
    return false;
}

/* Answers a request. Returns false if a stream began, whose end is not known. */
static bool answer(struct client *client, const struct request *request, uint32_t flags)
{
    struct text *output = &client->output;
    const char *name = request->words[0];
    char *first = request->count > 1 ? request->words[1] : NULL;

    if (strcmp(name, "hello") == 0 && request->count == 1) {
        answer_hello(output);
    } else if (strcmp(name, "tree") == 0 && request->count == 1) {
        answer_tree(output);
    } else if (strcmp(name, "describe") == 0 && request->count <= 2) {
        answer_describe(output, first);
    } else if (strcmp(name, "send") == 0 && request->count >= 2) {
        if (may_control(output, flags))
            answer_send(output, request);
    } else if (recording_is_kind(name) && request->count >= 2 && (name[2] == 'c' || request->count <= 3)) {
        /* A list makes no calls. */
        if ((name[0] == 'c' || may_control(output, flags))
            && (client->recording = recording_open(request, output)) != NULL)
            return false;
    } else if (request->count <= 3 && watch_is_kind(name)) {
        char message[256];
        const unsigned long long buffer = request->count > 2 ? strtoull(request->words[2], NULL, 10) : 0;
        client->watch = watch_open(name, first != NULL && *first != '\0' ? first : NULL,
            buffer < BUFFER_LIMIT ? (size_t)buffer : BUFFER_LIMIT, message, sizeof message);
        if (client->watch != NULL && watch_has_records(client->watch)) {
            json_begin(output, NULL);
            json_text(output, "kind", "begun");
            json_end_line(output);
        }
        if (client->watch != NULL)
            return false;
        json_error(output, "%s", message);
    } else {
        json_error(
            output, "the request '%.40s' is unknown or has the wrong number of words; there are: %s", name, help);
    }
    return true;
}

static void add_end(struct text *output)
{
    json_begin(output, NULL);
    json_bool(output, "end", true);
    json_end_line(output);
}

/* Ends an answer. */
static void end_answer(struct client *client)
{
    add_end(&client->output);
    if (client->output.is_refused) {
        text_free(&client->output);
        client->sent = 0;
        json_error(&client->output, "out of memory");
        client->is_ending = true;
    }
}

static void answer_line(struct client *client, char *line, size_t length, uint32_t flags)
{
    struct request request;
    const char *message;

    if (!request_parse(line, length, &request, &message))
        json_error(&client->output, "%s", message);
    else if (!answer(client, &request, flags))
        return;
    end_answer(client);
}

static bool has_stream(const struct client *client) { return client->watch != NULL || client->recording != NULL; }

/* Answers one request of the input, if there is a whole one. A stream lasts as long as its connection. */
static bool answer_next(struct client *client, uint32_t flags)
{
    char *end;

    /* Also after each request, whose call may have changed the user. */
    check_user(client);
    if (client->is_ending || has_stream(client) || client->input.length == 0 || client->output.length > 0)
        return false;
    end = memchr(client->input.bytes, '\n', client->input.length);
    if (end == NULL) {
        if (client->input.length < REQUEST_LENGTH_LIMIT)
            return false;
        json_error(&client->output, "a request has more than 65,536 bytes");
        client->is_ending = true;
        return true;
    }
    const size_t length = (size_t)(end - client->input.bytes);
    answer_line(client, client->input.bytes, length, flags);
    text_drop(&client->input, length + 1);
    return true;
}

/* ---- Input and output -------------------------------------------------------------------------- */

/* Returns false at the end of the connection. */
static bool receive(struct client *client)
{
    char bytes[4096];
    const ssize_t length = recv(client->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);

    if (length < 0)
        return errno == EAGAIN || errno == EINTR;
    /* A client that has sent its last request still reads the answer, and the rest of a stream. */
    if (length == 0 && client->watch != NULL) {
        watch_finish(client->watch);
        return true;
    }
    if (length == 0 && client->recording != NULL) {
        if (recording_finish(client->recording, &client->output)) {
            end_stream(client);
            end_answer(client);
            client->is_ending = true;
        }
        return true;
    }
    if (length == 0) {
        if (client->output.length == 0 && client->input.length == 0)
            return false;
        client->is_ending = true;
        return true;
    }
    /* During a stream only the end of the connection matters. */
    if (!has_stream(client) && !client->is_ending)
        text_add_bytes(&client->input, bytes, (size_t)length);
    return !client->input.is_refused;
}

/* Returns false at the end of the connection. */
static bool transmit(struct client *client)
{
    struct text *output = &client->output;

    /* The child of a fork must not execute the next request. */
    if (server_has_forked())
        return false;
    while (client->sent < output->length) {
        const ssize_t length = send(client->descriptor, output->bytes + client->sent, output->length - client->sent,
            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (length < 0) {
            const bool is_open = errno == EAGAIN || errno == EINTR;
            /* A client that is always a little late must not make the output grow. */
            if (client->sent > output->length / 2) {
                text_drop(output, client->sent);
                client->sent = 0;
            }
            return is_open && seconds_now() - client->progress < STALL_SECONDS;
        }
        client->sent += (size_t)length;
        client->progress = seconds_now();
    }
    if (output->length > 0)
        text_free(output);
    client->sent = 0;
    client->progress = seconds_now();
    return !client->is_ending;
}

short client_events(const struct client *client)
{
    /* The end of a stream must be noticed while its lines wait. */
    const bool is_streaming = client->watch != NULL && !watch_is_finished(client->watch);

    if (client->output.length > 0)
        return (short)(is_streaming ? POLLIN | POLLOUT : POLLOUT);
    return (short)(client->watch == NULL || is_streaming ? POLLIN : 0);
}

/* Adds the lines of a stream, and closes it after its last line. */
static void collect(struct client *client)
{
    const bool can_send = client->output.length - client->sent < OUTPUT_LIMIT;

    watch_collect(client->watch, &client->output, can_send);
    if (!can_send || !watch_is_finished(client->watch) || !watch_is_empty(client->watch))
        return;
    watch_add_total(client->watch, &client->output);
    watch_close(client->watch);
    client->watch = NULL;
}

/* A stream has no end then: the client must learn that the program has ended. */
void client_flush(struct client *client, int milliseconds)
{
    check_user(client);
    if (client->watch != NULL)
        watch_finish(client->watch);
    if (client->recording != NULL)
        (void)recording_finish(client->recording, &client->output);
    while ((client->watch != NULL || client->output.length > 0) && milliseconds > 0) {
        if (client->watch != NULL)
            collect(client);
        if (!transmit(client))
            return;
        /* The socket is full. */
        struct pollfd wait = { client->descriptor, POLLOUT, 0 };
        if (client->output.length > 0 && poll(&wait, 1, 10) <= 0)
            milliseconds -= 10;
        check_user(client);
    }
}

bool client_run(struct client *client, short events, uint32_t flags)
{
    bool is_open = true;

    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0)
        is_open = receive(client);
    while (is_open && answer_next(client, flags))
        is_open = transmit(client);
    if (is_open && client->watch != NULL) {
        collect(client);
        if (client->watch == NULL) {
            end_answer(client);
            client->is_ending = true;
        }
    }
    /* The calls that it makes, or lists, wait for a client that does not read. */
    if (is_open && client->recording != NULL && client->output.length == 0
        && !recording_continue(client->recording, client->user, &client->output)) {
        recording_close(client->recording);
        client->recording = NULL;
        end_answer(client);
    }
    /* A stream whose lines have no memory ends with an error, because the next lines would hide the gap. */
    if (is_open && client->output.is_refused && has_stream(client)) {
        end_stream(client);
        end_answer(client);
    }
    return is_open && transmit(client);
}
