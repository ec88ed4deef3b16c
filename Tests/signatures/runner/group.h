/* SPDX-License-Identifier: Apache-2.0
 *
 * group.h - takes the signatures of one source through two centers: the one where they are defined
 * from their texts, and one where they are defined from what the first printed.
 */
#ifndef SIGNATURES_GROUP_H
#define SIGNATURES_GROUP_H

#include "signature.h"

/* Calls observers directly, and nothing of peal. */
void chunk_check_itself(const struct chunk *chunk);

/* Everything. `printed`: a directory for C files that declare each function as written and as
 * printed, for a compiler to compare; NULL for none. */
void chunk_check(const struct chunk *chunk, const char *printed);

#endif
