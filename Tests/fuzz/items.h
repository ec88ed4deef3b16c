/* SPDX-License-Identifier: Apache-2.0
 *
 * items.h - changes of CBOR that keep its structure: the length in the head of a text or of bytes fits the content. A
 * fuzzer that changes bytes alone rarely gets past the first head.
 */
#ifndef PEAL_FUZZ_ITEMS_H
#define PEAL_FUZZ_ITEMS_H

#include <stddef.h>
#include <stdint.h>

/* Changes one item, chosen by the seed. Returns the new size; the old one if the bytes have no item. */
size_t change_item(uint8_t *bytes, size_t size, size_t capacity, unsigned seed);

#endif
