/* Where this program's own files are. */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { PLACE_CAPACITY = 4096 };

/* The path of something that lies beside the executable. False when it cannot be told. */
bool place_beside_executable(char path[PLACE_CAPACITY], const char *name);

#endif
