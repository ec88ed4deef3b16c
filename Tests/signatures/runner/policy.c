/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <string.h>

const char *const policy_names[] = {
    [PEAL_POLICY_METHOD] = "the method's policy",
    [PEAL_POLICY_ALL] = "all",
    [PEAL_POLICY_FIRST_TRUE] = "first_true",
    [PEAL_POLICY_FIRST_NONZERO] = "first_nonzero",
    [PEAL_POLICY_LAST] = "last",
    [PEAL_POLICY_SUM] = "sum",
    [PEAL_POLICY_MIN] = "min",
    [PEAL_POLICY_MAX] = "max",
    [PEAL_POLICY_ANY] = "any",
    [PEAL_POLICY_EVERY] = "every",
    [PEAL_POLICY_COLLECT] = "collect",
    [PEAL_POLICY_CHAIN] = "chain",
    [PEAL_POLICY_FOLD] = "fold",
};

bool policy_fits(peal_policy policy, const struct type *result)
{
    if (policy == PEAL_POLICY_ALL)
        return true;
    if (result->kind == TYPE_VOID)
        return false;
    const enum leaf_kind kind = value_kind(result);
    const bool integer = value_is_integer(result);
    const bool is_bool = result->kind == TYPE_NUMBER && kind == LEAF_BOOL;
    const bool floating = result->kind == TYPE_NUMBER && kind >= LEAF_FLOAT && kind <= LEAF_LONG_DOUBLE;
    switch (policy) {
    case PEAL_POLICY_LAST:
    case PEAL_POLICY_COLLECT:
    case PEAL_POLICY_FOLD: return true;
    case PEAL_POLICY_FIRST_TRUE:
    case PEAL_POLICY_ANY:
    case PEAL_POLICY_EVERY: return integer || is_bool;
    case PEAL_POLICY_SUM:
    case PEAL_POLICY_MIN:
    case PEAL_POLICY_MAX: return integer || floating;
    case PEAL_POLICY_FIRST_NONZERO:
        return integer || is_bool || floating || result->kind == TYPE_ENUM || result->kind == TYPE_POINTER;
    default: return false;
    }
}

enum draw policy_draw(peal_policy policy, struct random *random)
{
    switch (policy) {
    case PEAL_POLICY_SUM: return (enum draw)(DRAW_SMALL + random_below(random, 3));
    case PEAL_POLICY_FIRST_TRUE:
    case PEAL_POLICY_FIRST_NONZERO:
    case PEAL_POLICY_MIN:
    case PEAL_POLICY_MAX:
    case PEAL_POLICY_ANY:
    case PEAL_POLICY_EVERY: return DRAW_SMALL;
    default: return DRAW_BITS;
    }
}

static const void *at(const struct type *result, const void *results, size_t index)
{
    return (const char *)results + index * result->size;
}

size_t policy_calls(peal_policy policy, const struct type *result, const void *results, size_t count)
{
    if (policy != PEAL_POLICY_FIRST_TRUE && policy != PEAL_POLICY_FIRST_NONZERO)
        return count;
    for (size_t i = 0; i < count; i++)
        if (!value_is_zero(result, at(result, results, i)))
            return i + 1;
    return count;
}

static void store_truth(const struct type *result, bool truth, void *out_result)
{
    const uint64_t value = truth;
    memcpy(out_result, &value, result->size);
}

__extension__ typedef __int128 wide;

static void add_integers(const struct type *result, const void *results, size_t count, void *out_result)
{
    const unsigned bits = (unsigned)result->size * 8 - (result->is_signed ? 1 : 0);
    const uint64_t highest = UINT64_MAX >> (64 - bits);
    wide sum = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = value_widened(result, at(result, results, i));
        if (result->is_signed)
            sum += (int64_t)value;
        else
            sum += value;
    }
    if (sum > (wide)highest)
        sum = highest;
    if (result->is_signed && sum < -1 - (wide)highest)
        sum = -1 - (wide)highest;
    const uint64_t low = (uint64_t)sum;
    memcpy(out_result, &low, result->size);
}

static bool integer_is_less(const struct type *result, const void *one, const void *other)
{
    const uint64_t left = value_widened(result, one), right = value_widened(result, other);
    return result->is_signed ? (int64_t)left < (int64_t)right : left < right;
}

#define FOLD_FLOATING(T)                                  \
    do {                                                  \
        T folded = *(const T *)results;                   \
        for (size_t i = 1; i < count; i++) {              \
            const T value = ((const T *)results)[i];      \
            if (policy == PEAL_POLICY_SUM)                \
                folded += value;                          \
            else if (policy == PEAL_POLICY_MIN)           \
                folded = value < folded ? value : folded; \
            else                                          \
                folded = value > folded ? value : folded; \
        }                                                 \
        memcpy(out_result, &folded, sizeof folded);       \
    } while (0)

static void fold_numbers(
    peal_policy policy, const struct type *result, const void *results, size_t count, void *out_result)
{
    switch (value_kind(result)) {
    case LEAF_FLOAT: FOLD_FLOATING(float); return;
    case LEAF_DOUBLE: FOLD_FLOATING(double); return;
    case LEAF_LONG_DOUBLE: FOLD_FLOATING(long double); return;
    default: break;
    }
    if (policy == PEAL_POLICY_SUM) {
        add_integers(result, results, count, out_result);
        return;
    }
    const void *best = results;
    for (size_t i = 1; i < count; i++) {
        const void *value = at(result, results, i);
        if (policy == PEAL_POLICY_MIN ? integer_is_less(result, value, best) : integer_is_less(result, best, value))
            best = value;
    }
    memcpy(out_result, best, result->size);
}

void policy_result(peal_policy policy, const struct type *result, const void *results, size_t count,
    const void *argument, void *out_result)
{
    size_t truths = 0;
    for (size_t i = 0; i < count; i++)
        truths += !value_is_zero(result, at(result, results, i));
    memset(out_result, 0, result->size);
    switch (policy) {
    case PEAL_POLICY_ANY: store_truth(result, truths > 0, out_result); return;
    case PEAL_POLICY_EVERY: store_truth(result, truths == count, out_result); return;
    case PEAL_POLICY_SUM:
    case PEAL_POLICY_MIN:
    case PEAL_POLICY_MAX:
        if (count)
            fold_numbers(policy, result, results, count, out_result);
        return;
    case PEAL_POLICY_CHAIN: memcpy(out_result, count ? at(result, results, count - 1) : argument, result->size); return;
    default: {
        const size_t calls = policy_calls(policy, result, results, count);
        if (calls)
            memcpy(out_result, at(result, results, calls - 1), result->size);
    }
    }
}
