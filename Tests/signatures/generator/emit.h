/* SPDX-License-Identifier: Apache-2.0
 *
 * emit.h - writes one C source: its types, and its groups of signatures.
 */
#ifndef SIGNATURES_EMIT_H
#define SIGNATURES_EMIT_H

#include "signature.h"

/* Writes the header with the declarations, which both the compiler and peal read. */
void emit_types_header(const struct pool *pool, struct text *out);

/* Writes the descriptions of the types, which include the header. */
void emit_type_tables(const struct pool *pool, size_t chunk, struct text *out);

/* Writes one protocol: observers, table, calls and descriptions. `only` is the index of the one signature to write, or
 * SIZE_MAX for all. Returns true if it has written one. */
int emit_group(const struct drawn_group *group, uint64_t seed, const struct pool *pool, size_t only, struct text *out);

#endif
