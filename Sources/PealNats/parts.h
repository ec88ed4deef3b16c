/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - the exports and imports of a bridge. The thread that makes a part reserves its protocol first, and updates the part
 * alone until the part is in the list of the bridge. From then on the worker alone updates it. So no lock is held while a part
 * registers observers or waits for callbacks.
 */
#ifndef PEAL_NATS_PARTS_H
#define PEAL_NATS_PARTS_H

#include <peal/nats.h>

struct export;
struct import;

/* A bridge has at most one part of each kind for a protocol. */
enum part_kind {
    PART_EXPORT,
    PART_SERVICE, /* which the proxies of a protocol share; an export too */
    PART_IMPORT,
    PART_PROVISION /* an import too */
};

/* The right of a thread to make a part. */
struct reservation {
    struct reservation *next;
    enum part_kind kind;
    peal_protocol protocol;
};

/* Returns false if the bridge has such a part, or another thread is making one. */
bool parts_reserve(
    struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol, struct reservation *out_reservation);
/* The same. Waits for the other thread. */
bool parts_reserve_or_wait(
    struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol, struct reservation *out_reservation);
void parts_cancel(struct peal_bridge *bridge, struct reservation *reservation);

/* Add the part to the list of the bridge, wake the worker, and end the reservation. */
void parts_add_export(struct peal_bridge *bridge, struct export *export, struct reservation *reservation);
void parts_add_import(struct peal_bridge *bridge, struct import *import, struct reservation *reservation);

/* Return a part of the list, or NULL. */
struct export *parts_find_export(struct peal_bridge *bridge, enum part_kind kind, peal_protocol protocol);

/* Return the first part of a list. The parts after it stay, and new ones are added before it. */
struct export *parts_exports(struct peal_bridge *bridge);
struct import *parts_imports(struct peal_bridge *bridge);

#endif
