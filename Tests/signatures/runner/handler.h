/* SPDX-License-Identifier: Apache-2.0
 *
 * handler.h - observers with a handler instead of generated functions.
 */
#ifndef SIGNATURES_HANDLER_H
#define SIGNATURES_HANDLER_H

#include "signature.h"

/* Registers a target for all methods of a protocol. `methods` has their handles, in the order of the group. */
peal_status observe_by_handler(
    const struct group *group, peal_protocol protocol, const peal_method *methods, void *target);

#endif
