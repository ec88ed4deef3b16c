/* SPDX-License-Identifier: Apache-2.0
 *
 * resident.h - the memory that a process really takes.
 */
#ifndef BENCHMARKS_RESIDENT_H
#define BENCHMARKS_RESIDENT_H

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the bytes of the pages that the process has written, without those that malloc can return to the system. A
 * large allocation takes no memory where nothing has been written. Returns 0 if the system does not report them. */
static inline size_t resident_memory(void)
{
    char text[2048];
    (void)malloc_trim(0);
    const int file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        (void)close(file);
    text[size < 0 ? 0 : size] = 0;
    const char *const found = strstr(text, "Anonymous:");
    return found == NULL ? 0 : (size_t)strtoul(found + strlen("Anonymous:"), NULL, 10) * 1024;
}

#endif
