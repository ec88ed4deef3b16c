/* SPDX-License-Identifier: Apache-2.0
 *
 * group.h - checks the signatures of one source in two centers. The first defines them from their
 * texts, and the second from the declarations that the first one prints.
 */
#ifndef SIGNATURES_GROUP_H
#define SIGNATURES_GROUP_H

#include "signature.h"

/* Calls the observers directly, without peal. */
void chunk_check_itself(const struct chunk *chunk);

/* Checks a source. `printed` is a directory for C files that declare each function as written and as
 * printed, for a compiler to compare, or NULL. */
void chunk_check(const struct chunk *chunk, const char *printed);

#endif
