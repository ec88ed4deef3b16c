/* Finds this program's own files. */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { PLACE_CAPACITY = 4096 };

/* Fills the path of a file beside the executable. Returns false if the executable cannot be found. */
bool place_beside_executable(char path[PLACE_CAPACITY], const char *name);

#endif
