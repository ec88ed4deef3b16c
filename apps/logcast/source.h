/* A source of lines. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_result {
    SOURCE_LINE,
    SOURCE_PAUSE, /* no line yet; handle signals, read the clock, and call again */
    SOURCE_END,
    SOURCE_FAILED
};

struct source {
    const char *name;
    /* Fills text and length. The text is followed by a zero, and valid until the next call. */
    enum source_result (*next)(struct source *source, const char **text, size_t *length);
    bool is_remote; /* The lines are those of other processes, and are passed by pipeline_take instead of `next`. */
    uint64_t bytes; /* read so far */
    uint64_t size;  /* bytes of the whole source, or 0 if unknown */
    uint64_t cut;   /* lines that were longer than the limit */
    int error;      /* errno after SOURCE_FAILED */
};

#endif
