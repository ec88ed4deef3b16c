#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signals.h"

/* Makes room after the existing bytes. Returns false without memory. */
static bool make_room(struct reader *reader)
{
    if (reader->start > 0) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->scanned -= reader->start;
        reader->end -= reader->start;
        reader->start = 0;
    }
    if (reader->end < reader->capacity)
        return true;
    const size_t capacity = reader->capacity * 2;
    char *buffer = realloc(reader->buffer, capacity + 1); /* one more byte, for a final zero */
    if (buffer == NULL)
        return false;
    reader->buffer = buffer;
    reader->capacity = capacity;
    return true;
}

/* Reads more. Before each read, and when a signal arrives while it waits, it returns SOURCE_PAUSE once, so that the
 * caller handles signals. SOURCE_LINE means that there may be a line. */
static enum source_result fill(struct reader *reader)
{
    if (!reader->has_paused || !signals_wait(reader->file, reader->signals)) {
        reader->has_paused = true;
        return SOURCE_PAUSE;
    }
    reader->has_paused = false;
    const ssize_t count = read(reader->file, reader->buffer + reader->end, reader->capacity - reader->end);
    if (count < 0)
        return errno == EINTR ? SOURCE_PAUSE : SOURCE_FAILED;
    reader->at_end = count == 0;
    reader->end += (size_t)count;
    reader->source.bytes += (uint64_t)count;
    return SOURCE_LINE;
}

/* Fills the line from `start` to `stop`. Returns false if it is the rest of a line that was cut. */
static bool take(struct reader *reader, size_t stop, bool has_newline, const char **out_text, size_t *out_length)
{
    const bool rest_of_cut_line = reader->skipping;
    char *text = reader->buffer + reader->start;
    size_t length = stop - reader->start;
    reader->start = reader->scanned = stop + (has_newline ? 1 : 0);
    reader->skipping = false;
    if (rest_of_cut_line)
        return false;
    if (has_newline && length > 0 && text[length - 1] == '\r')
        length--;
    if (length > reader->limit) {
        length = reader->limit;
        reader->source.cut++;
    }
    text[length] = '\0'; /* overwrites the line's end, a byte that was cut off, or the additional byte */
    *out_text = text;
    *out_length = length;
    return true;
}

static enum source_result next(struct source *source, const char **text, size_t *length)
{
    struct reader *reader = (struct reader *)source;
    for (;;) {
        const char *newline = memchr(reader->buffer + reader->scanned, '\n', reader->end - reader->scanned);
        if (newline != NULL) {
            if (take(reader, (size_t)(newline - reader->buffer), true, text, length))
                return SOURCE_LINE;
            continue;
        }
        reader->scanned = reader->end;
        if (reader->at_end) {
            if (reader->start == reader->end)
                return SOURCE_END;
            if (take(reader, reader->end, false, text, length))
                return SOURCE_LINE;
            continue;
        }
        if (reader->skipping) {
            reader->start = reader->scanned = reader->end = 0;
        } else if (reader->end - reader->start > reader->limit + 1) {
            /* One byte above the limit may be the carriage return of a line that fits. */
            take(reader, reader->end, false, text, length);
            reader->skipping = true;
            return SOURCE_LINE;
        }
        const enum source_result filled = make_room(reader) ? fill(reader) : SOURCE_FAILED;
        if (filled == SOURCE_FAILED)
            source->error = errno;
        if (filled != SOURCE_LINE)
            return filled;
    }
}

/* Opens a path without blocking, because a FIFO may have no writer yet, and signals must be handled meanwhile.
 * fill waits for a writer's first bytes. */
static int open_path(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0)
        fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return file;
}

static bool refuse(struct reader *reader, int error)
{
    reader_close(reader);
    errno = error;
    return false;
}

bool reader_open(struct reader *reader, const char *path, size_t line_limit, int signals)
{
    struct stat status;
    memset(reader, 0, sizeof *reader);
    reader->source.name = path;
    reader->source.next = next;
    reader->limit = line_limit;
    reader->signals = signals;
    reader->capacity = READER_BUFFER;
    reader->owns_file = strcmp(path, "-") != 0;
    reader->file = reader->owns_file ? open_path(path) : STDIN_FILENO;
    if (reader->file < 0)
        return false;
    if (!reader->owns_file)
        reader->source.name = "standard input";
    if (fstat(reader->file, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return refuse(reader, EISDIR);
        if (S_ISREG(status.st_mode) && status.st_size > 0)
            reader->source.size = (uint64_t)status.st_size;
    }
    reader->buffer = malloc(reader->capacity + 1);
    return reader->buffer != NULL || refuse(reader, ENOMEM);
}

void reader_close(struct reader *reader)
{
    free(reader->buffer);
    if (reader->owns_file)
        close(reader->file);
}
