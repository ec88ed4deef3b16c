/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes the arguments of a call from text, by the description of the method. The forms are those in which calls are
 * printed: 3, 2.5, true, RED, "text" or text, { x: 1, y: 2 } or { 1, 2 }, [1, 2, 3], <0a ff>, NULL. The word _ denotes the
 * length of a buffer, which is known from its elements.
 */
#ifndef PEAL_INSPECT_DECODE_H
#define PEAL_INSPECT_DECODE_H

#include <peal/peal.h>

/* Decoded arguments, and all memory that they point to. */
struct decoded {
    void *arguments[PEAL_PARAMETER_LIMIT];
    size_t counts[PEAL_PARAMETER_LIMIT]; /* of a buffer: its elements; SIZE_MAX for NULL */
    struct decoded_block *blocks;
    size_t size; /* of the blocks, in bytes */
    char message[256]; /* of a failure: a sentence */
};

/* Decodes one word for each parameter.
 *
 * Returns false on failure. The memory must be freed in either case. */
bool decode_arguments(struct decoded *decoded, const struct peal_type *method, char *const *words, size_t count);

void decoded_free(struct decoded *decoded);

#endif
