/* SPDX-License-Identifier: Apache-2.0
 *
 * emit.h - writes the C of one source: its types, and its groups of signatures.
 */
#ifndef SIGNATURES_EMIT_H
#define SIGNATURES_EMIT_H

#include "signature.h"

/* The header with the declarations, which the compiler and peal both read. */
void emit_types_header(const struct pool *pool, struct text *out);

/* The descriptions of the types; needs the header. */
void emit_type_tables(const struct pool *pool, size_t chunk, struct text *out);

/* One protocol: observers, table, calls and descriptions. `only` is the one signature to write, or
 * SIZE_MAX for all. Returns whether anything was written. */
int emit_group(const struct drawn_group *group, uint64_t seed, const struct pool *pool, size_t only, struct text *out);

#endif
