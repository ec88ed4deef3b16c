/* SPDX-License-Identifier: Apache-2.0
 *
 * canonical.h - checks the canonical text of a protocol.
 */
#ifndef SIGNATURES_CANONICAL_H
#define SIGNATURES_CANONICAL_H

#include <peal/peal.h>

/* Declares the types and defines the protocol of a canonical text in an empty center. Compares the canonical texts and
 * the fingerprints of the two protocols. */
void check_canonical(peal_protocol protocol, const char *name);

#endif
