/* SPDX-License-Identifier: Apache-2.0
 *
 * center.h - isolated universes of protocols and observers.
 */
#ifndef PEAL_CENTER_H
#define PEAL_CENTER_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* The center that all parts of the process share. It lives as long as the process.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_center peal_center_default(void);

/* Makes a center of its own, for a test or for a part that wants to be alone.
 *
 * out_center: filled, zero on failure; *owned*: end it with peal_center_destroy.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT; PEAL_ERROR_LIMIT at a million centers; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_center_create(peal_center *out_center);

/* Ends a center: unregisters its services, whose instances are removed in reverse order of creation,
 * removes its observers, and makes every handle into it stale. Instances that are in use are destroyed by
 * the end of their last use. Destroy callbacks run
 * as after peal_observation_remove: before this returns, unless a broadcast is at one of the
 * observer's methods. Calls that wait for an outer broadcast to end (PEAL_DEFERRED) are dropped.
 * May be called from a callback of one of its own broadcasts: that broadcast calls nobody else.
 *
 * center: *consumed*; one of peal_center_create. The default center is refused with
 *   PEAL_ERROR_STATE.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_STATE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_center_destroy(peal_center center);

PEAL_END_DECLARATIONS

#endif
