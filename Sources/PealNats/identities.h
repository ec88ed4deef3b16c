/* SPDX-License-Identifier: Apache-2.0
 *
 * identities.h - publishers that continue after a restart. The server stores a random secret for each identity and protocol.
 */
#ifndef PEAL_NATS_IDENTITIES_H
#define PEAL_NATS_IDENTITIES_H

#include <peal/nats.h>

struct export;

/* Gives the export's source the identity: reads the secret of the identity, or stores one. */
peal_status identity_adopt(struct export *export, const char *identity, uint64_t next_number);

#endif
