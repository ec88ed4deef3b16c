/* Where lines come from. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_result {
    SOURCE_LINE,
    SOURCE_PAUSE, /* no line yet: handle signals and read the clock, then call again */
    SOURCE_END,
    SOURCE_FAILED
};

struct source {
    const char *name;
    /* Fills text and length. The text is valid until the next call; a zero follows it. */
    enum source_result (*next)(struct source *source, const char **text, size_t *length);
    uint64_t bytes; /* read so far */
    uint64_t size;  /* of all, or 0 where it is not known */
    uint64_t cut;   /* lines that were longer than the limit */
    int error;      /* errno after SOURCE_FAILED */
};

#endif
