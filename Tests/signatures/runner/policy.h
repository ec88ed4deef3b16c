/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.h - the required result of a broadcast, computed a second time from the rules of the headers.
 */
#ifndef SIGNATURES_POLICY_H
#define SIGNATURES_POLICY_H

#include "value.h"

extern const char *const policy_names[];

/* Returns true if a policy can be given at a call to a method of a result type. CHAIN is not counted. */
bool policy_fits(peal_policy policy, const struct type *result);

/* How results are drawn, so that the policy's answer does not hang on an order of adding. */
enum draw policy_draw(peal_policy policy, struct random *random);

/* The number of observers that are called. */
size_t policy_calls(peal_policy policy, const struct type *result, const void *results, size_t count);

/* Fills the one result of a policy that has one. `argument`: for CHAIN without an observer to call. */
void policy_result(peal_policy policy, const struct type *result, const void *results, size_t count,
    const void *argument, void *out_result);

#endif
