/* Reads lines from a file, in constant memory. */
#ifndef READER_H
#define READER_H

#include "source.h"

enum {
    READER_BUFFER = 256 * 1024,     /* grows for a longer line, */
    READER_LINE_LIMIT = 1024 * 1024 /* up to this many bytes of it; the rest is skipped and counted */
};

struct reader {
    struct source source; /* first: the reader is a source */
    int file;
    int signals; /* a descriptor that ends a wait for the file */
    bool owns_file, at_end, skipping, has_paused;
    char *buffer;
    size_t capacity, limit;
    size_t start;   /* of the next line */
    size_t scanned; /* no newline lies between start and here */
    size_t end;     /* of what was read */
};

/* Opens a path, or standard input for "-". Lines end with a newline, or a carriage return and one;
 * the last may end with the file. On failure the reader needs no close, and errno is set.
 *
 * signals: a descriptor; while it is readable the reader pauses instead of waiting. -1: none. */
bool reader_open(struct reader *reader, const char *path, size_t line_limit, int signals);
void reader_close(struct reader *reader);

#endif
