/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.h - one result of the results of a process's observers, by the policy of the method.
 */
#ifndef PEAL_NATS_FOLD_H
#define PEAL_NATS_FOLD_H

#include "methods.h"

/* Folds a result into `value`, which `count` results were folded into before. */
void fold_result(const struct bridge_method *method, void *value, size_t count, const void *result);

#endif
