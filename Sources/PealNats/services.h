/* SPDX-License-Identifier: Apache-2.0
 *
 * services.h - proxies of protocols that other processes provide. All proxies of a protocol share an export, which has no
 * observer here, and whose peers are the processes that provide the protocol.
 */
#ifndef PEAL_NATS_SERVICES_H
#define PEAL_NATS_SERVICES_H

struct export;

/* Ends the proxies of an export, and waits until no call of them is running. */
void services_destroy_proxies(struct export *export);
/* In the child of a fork: ends the proxies of the parent. */
void services_leave(struct export *export);

#endif
