/* Observers that do next to nothing: what they cost is what a broadcast costs. */
#ifndef TRIVIAL_H
#define TRIVIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "host.h"

enum { TRIVIAL_LIMIT = 16 };

/* Registers `count` of them. */
bool trivial_add(struct host *host, size_t count);

#endif
