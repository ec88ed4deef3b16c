/* The three standard streams, whatever the caller left of them. */
#ifndef STANDARD_H
#define STANDARD_H

#include <stdbool.h>

/* Fills the places of closed standard streams, so that no file or database that is opened later gets
 * their numbers; using one is still an error. A write to a closed pipe is an error too, and no signal. */
void standard_guard(void);

/* Writes buffered output. False when standard output took less than all, with errno. */
bool standard_flush(void);

#endif
