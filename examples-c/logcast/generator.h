/* Makes a log of any length, the same each time, in constant memory: to measure with. */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "source.h"

struct generator {
    struct source source; /* first: the generator is a source */
    uint64_t made, count;
    uint64_t pause; /* after so many */
    uint32_t random;
    char line[96];
    size_t length;
};

/* Lines like those of a package log, three a second, from the first of January 2026 on. */
void generator_open(struct generator *generator, uint64_t count);

#endif
