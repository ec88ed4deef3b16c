/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include "commands.h"

#include <string.h>
#include <sys/socket.h>

enum { LONGEST_SILENCE = 5000, LONGEST_END = 30000 /* milliseconds at the end */ };

struct stream stream_begin(struct connection *connection, const char *const *words, size_t count, double seconds)
{
    struct stream stream = { .connection = connection, .result = -1 };

    stream.end = seconds > 0 ? now_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
    if (!send_request(connection, words, count))
        stream.result = report_lost(connection);
    return stream;
}

static bool end_with(struct stream *stream, int result)
{
    stream->result = result;
    return false;
}

/* Lets the program send the rest. Returns false if the command must end. */
static bool stop_in_time(struct stream *stream, uint64_t now)
{
    if (!stream->is_stopping && (now >= stream->end || is_interrupted)) {
        if (stream->stops_at_once)
            return end_with(stream, EXIT_OK);
        stream->is_stopping = true;
        stream->was_interrupted = is_interrupted;
        stream->stopped = stream->last_line = now;
        shutdown(stream->connection->descriptor, SHUT_WR);
    }
    /* The rest may have no end, if the program wants that. A second signal ends the command itself. */
    if (!stream->is_stopping
        || (is_interrupted == stream->was_interrupted && now - stream->stopped < (uint64_t)LONGEST_END * 1000000))
        return true;
    report_error("the program %ld was still sending records when the command ended", stream->connection->pid);
    return end_with(stream, EXIT_LOST);
}

/* Waits for a line, and not much longer than until the stream must stop. */
static int wait_for_line(const struct stream *stream, uint64_t now, char **out_line)
{
    const uint64_t left = stream->is_stopping ? 1000 : (stream->end - now) / 1000000;
    const int status = read_line(stream->connection, 0, out_line);

    if (status != 0)
        return status;
    fflush(stdout);
    return read_line(stream->connection, (int)(left < 1000 ? left + 1 : 1000), out_line);
}

bool stream_read_line(struct stream *stream, char **out_line)
{
    while (stream->result < 0) {
        const uint64_t now = now_ns();
        if (!stop_in_time(stream, now))
            return false;
        const int status = wait_for_line(stream, now, out_line);
        if (status < 0)
            return end_with(stream, report_lost(stream->connection));
        if (status > 0 && strcmp(*out_line, "{\"end\":true}") == 0)
            return end_with(stream, EXIT_OK);
        if (status > 0) {
            stream->last_line = now;
            return true;
        }
        if (stream->is_stopping && now_ns() - stream->last_line >= (uint64_t)LONGEST_SILENCE * 1000000) {
            report_error("the program %ld has not sent its last records for %d seconds", stream->connection->pid,
                LONGEST_SILENCE / 1000);
            return end_with(stream, EXIT_LOST);
        }
    }
    return false;
}

bool stream_read(struct stream *stream, struct value **out_value)
{
    char *line;

    if (!stream_read_line(stream, &line))
        return false;
    *out_value = value_parse(line);
    if (*out_value == NULL) {
        stream->connection->is_malformed = true;
        return end_with(stream, report_lost(stream->connection));
    }
    if (value_get(*out_value, "error") == NULL)
        return true;
    report_error("%s", value_text(*out_value, "error"));
    value_free(*out_value);
    return end_with(stream, EXIT_FAILED);
}
