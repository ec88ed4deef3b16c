/* The three standard streams, some of which may be closed. */
#ifndef STANDARD_H
#define STANDARD_H

#include <stdbool.h>

/* Opens descriptors for closed standard streams, so that no file or database that is opened later gets
 * these numbers. Using such a stream is still an error. A write to a closed pipe is an error instead of a signal. */
void standard_guard(void);

/* Writes buffered output. Returns false with errno if standard output did not accept all of it. */
bool standard_flush(void);

#endif
