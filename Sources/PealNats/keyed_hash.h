/* SPDX-License-Identifier: Apache-2.0
 *
 * keyed_hash.h - numbers that only the owner of a key can compute: SipHash-2-4 with 128 bits, by Aumasson and Bernstein.
 */
#ifndef PEAL_NATS_KEYED_HASH_H
#define PEAL_NATS_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { KEY_SIZE = 16, HASH_SIZE = 16 };

void keyed_hash(const uint8_t *key, const void *bytes, size_t size, uint8_t *out_hash);
/* Returns the first 64 bits of the hash, as a number. */
uint64_t keyed_number(const uint8_t *key, const void *bytes, size_t size);

#endif
