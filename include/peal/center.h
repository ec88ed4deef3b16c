/* SPDX-License-Identifier: Apache-2.0
 *
 * center.h - isolated namespaces of protocols and observers.
 */
#ifndef PEAL_CENTER_H
#define PEAL_CENTER_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Returns the center that all parts of the process share. It exists until the process ends.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_center peal_center_default(void);

/* Creates a center, for a test or for a part of the program that needs its own namespace.
 *
 * out_center: filled, zero on failure; *owned*: end it with peal_center_destroy.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_LIMIT at a million centers; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_center_create(peal_center *out_center);

/* Ends a center: removes its services, whose instances are removed in reverse order of creation,
 * removes its observers, and makes every handle into it stale. Instances that are in use are destroyed by
 * the end of their last use. Destroy callbacks run as after peal_observation_remove: before this returns,
 * unless a broadcast of one of the observer's methods is running. Calls that wait for an outer broadcast
 * to end (PEAL_DEFERRED) are dropped. A callback of one of the center's broadcasts may call this
 * function: that broadcast then calls no further observer.
 *
 * center: *consumed*; made by peal_center_create. The default center is refused with
 *   PEAL_ERROR_STATE.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_center_destroy(peal_center center);

PEAL_END_DECLARATIONS

#endif
