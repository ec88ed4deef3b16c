/* SPDX-License-Identifier: Apache-2.0
 *
 * names.h - the names of a center's protocols and methods, for lookups of which any number may fail. A failure of
 * peal_protocol_find or peal_method_find looks for a similar name among all of them, which costs too much for each name of a
 * file.
 */
#ifndef PEAL_WIRE_NAMES_H
#define PEAL_WIRE_NAMES_H

#include <peal/types.h>

struct names {
    peal_center center;
    void *tree; /* NULL until the first lookup, which lists the protocols */
};

/* Finds a method of the center, as it was when a name of its protocol was found first. Keeps a sentence.
 *
 * out_protocol, out_method: their ids are 0 if the center does not have them, or if the method is ambiguous.
 * Returns PEAL_OK; PEAL_ERROR_MEMORY. */
peal_status names_find(struct names *names, const char *protocol, const char *method, peal_protocol *out_protocol,
    peal_method *out_method);

void names_free(struct names *names);

#endif
