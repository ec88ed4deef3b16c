/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.h - the required result of a broadcast, computed independently from the rules of the headers.
 */
#ifndef SIGNATURES_POLICY_H
#define SIGNATURES_POLICY_H

#include "value.h"

extern const char *const policy_names[];

/* Returns true if a call can use the policy with this type of result. Ignores CHAIN. */
bool policy_fits(peal_policy policy, const struct type *result);

/* Returns how results are drawn, so that the policy's result does not depend on the order of additions. */
enum draw policy_draw(peal_policy policy, struct random *random);

/* Returns the number of observers that are called. */
size_t policy_calls(peal_policy policy, const struct type *result, const void *results, size_t count);

/* Fills the single result of a policy that has one. CHAIN without observers returns `argument`. */
void policy_result(peal_policy policy, const struct type *result, const void *results, size_t count,
    const void *argument, void *out_result);

#endif
