/* Where this program's own files are. */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { PLACE_CAPACITY = 4096 };

/* The path of a file beside the executable. False when it cannot be found. */
bool place_beside_executable(char path[PLACE_CAPACITY], const char *name);

#endif
