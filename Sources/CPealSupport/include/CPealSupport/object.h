/* The objects that the dynamic linker has loaded: the program and its libraries.
 *
 * Not Swift: dladdr and dlsym are the C library's, and Swift's core has no interface to them.
 */
#ifndef CPEAL_OBJECT_H
#define CPEAL_OBJECT_H

#include "CPealSupport/nullability.h"

#include <stdint.h>

/* Returns the address at which the loaded object begins that contains `address`; 0 if no object does. */
uintptr_t peal_object_base(const void *_Nonnull address);

/* Returns the symbol `name` of the loaded object that contains `address`, or of an object that it needs; NULL if there
 * is none. A symbol of the same name that another object defines is not found. */
void *_Nullable peal_object_symbol(const void *_Nonnull address, const char *_Nonnull name);

#endif
