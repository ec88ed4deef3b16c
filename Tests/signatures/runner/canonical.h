/* SPDX-License-Identifier: Apache-2.0
 *
 * canonical.h - the canonical text of a protocol, read by an empty center.
 */
#ifndef SIGNATURES_CANONICAL_H
#define SIGNATURES_CANONICAL_H

#include <peal/peal.h>

/* Declares and defines in a center of its own what the protocol's canonical text has, and compares the texts and the
 * fingerprints. */
void check_canonical(peal_protocol protocol, const char *name);

#endif
