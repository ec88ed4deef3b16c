/* Reads lines from a file, in constant memory. */
#ifndef READER_H
#define READER_H

#include "source.h"

enum {
    READER_BUFFER = 256 * 1024,     /* initial size, which grows for longer lines */
    READER_LINE_LIMIT = 1024 * 1024 /* longest line; the rest of a longer line is skipped and counted */
};

struct reader {
    struct source source; /* the first member, because a reader is a source */
    int file;
    int signals; /* a descriptor that ends a wait for the file */
    bool owns_file, at_end, skipping, has_paused;
    char *buffer;
    size_t capacity, limit;
    size_t start;   /* of the next line */
    size_t scanned; /* there is no newline between start and this */
    size_t end;     /* of the bytes read */
};

/* Opens a path, or standard input for "-". Lines end with a newline, or a carriage return and a newline. The
 * last line may end with the file. On failure the reader need not be closed, and errno is set.
 *
 * signals: a descriptor, or -1. While it is readable the reader returns SOURCE_PAUSE instead of waiting. */
bool reader_open(struct reader *reader, const char *path, size_t line_limit, int signals);
void reader_close(struct reader *reader);

#endif
