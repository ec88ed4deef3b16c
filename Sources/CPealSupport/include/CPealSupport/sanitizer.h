/* Announces to the sanitizers memory that they cannot see. Not Swift: their interface is C. */
#ifndef CPEAL_SANITIZER_H
#define CPEAL_SANITIZER_H

#include "CPealSupport/nullability.h"

#include <stddef.h>

/* A function in which the named sanitizers observe nothing. */
#define PEAL_NOT_INSTRUMENTED(...) __attribute__((noinline, no_sanitize(__VA_ARGS__)))

/* Allocations of this thread between the two calls are permanent, and not leaks. The leak sanitizer does not follow the
 * pointers that Swift stores with tag bits, so it would report leaks in the default center. Without that sanitizer
 * these functions have no effect. */
void peal_leaks_ignore_begin(void);
void peal_leaks_ignore_end(void);

/* Pages of the library that contain pointers. The leak sanitizer reads only the memory of malloc by itself. */
void peal_leaks_note_root(const void *_Nonnull memory, size_t size);
void peal_leaks_forget_root(const void *_Nonnull memory, size_t size);

#endif
