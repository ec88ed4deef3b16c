/* SPDX-License-Identifier: Apache-2.0 */
#include "fold.h"

#include <string.h>

static bool is_nonzero(const struct bridge_method *method, const void *value)
{
    const uint8_t *bytes = value;
    double number = 0;
    float single = 0;

    if (method->result_kind == PEAL_KIND_FLOAT && method->result_size == sizeof number)
        return memcpy(&number, value, sizeof number), number != 0;
    if (method->result_kind == PEAL_KIND_FLOAT && method->result_size == sizeof single)
        return memcpy(&single, value, sizeof single), single != 0;
    for (size_t i = 0; i < method->result_size; i++) {
        if (bytes[i] != 0)
            return true;
    }
    return false;
}

/* As the policies of a broadcast: an integer sum saturates at the limits of its type. */
#define FOLD_NUMBER(type, add)                                            \
    do {                                                                  \
        type left, right;                                                 \
        memcpy(&left, value, sizeof left);                                \
        memcpy(&right, result, sizeof right);                             \
        if (policy == PEAL_POLICY_SUM)                                    \
            add;                                                          \
        else if (policy == PEAL_POLICY_MIN ? right < left : right > left) \
            left = right;                                                 \
        memcpy(value, &left, sizeof left);                                \
    } while (0)
#define FOLD_FLOAT(type) FOLD_NUMBER(type, left += right)
#define FOLD_SIGNED(type, least, most) \
    FOLD_NUMBER(type, left = __builtin_add_overflow(left, right, &left) ? (right < 0 ? (least) : (most)) : left)
#define FOLD_UNSIGNED(type, most) FOLD_NUMBER(type, left = __builtin_add_overflow(left, right, &left) ? (most) : left)

static void fold_signed(size_t size, peal_policy policy, void *value, const void *result)
{
    switch (size) {
    case 1: FOLD_SIGNED(int8_t, INT8_MIN, INT8_MAX); break;
    case 2: FOLD_SIGNED(int16_t, INT16_MIN, INT16_MAX); break;
    case 4: FOLD_SIGNED(int32_t, INT32_MIN, INT32_MAX); break;
    default: FOLD_SIGNED(int64_t, INT64_MIN, INT64_MAX); break;
    }
}

static void fold_unsigned(size_t size, peal_policy policy, void *value, const void *result)
{
    switch (size) {
    case 1: FOLD_UNSIGNED(uint8_t, UINT8_MAX); break;
    case 2: FOLD_UNSIGNED(uint16_t, UINT16_MAX); break;
    case 4: FOLD_UNSIGNED(uint32_t, UINT32_MAX); break;
    default: FOLD_UNSIGNED(uint64_t, UINT64_MAX); break;
    }
}

static void fold_number(const struct bridge_method *method, peal_policy policy, void *value, const void *result)
{
    if (method->result_kind == PEAL_KIND_SIGNED)
        fold_signed(method->result_size, policy, value, result);
    else if (method->result_kind != PEAL_KIND_FLOAT)
        fold_unsigned(method->result_size, policy, value, result);
    else if (method->result_size == sizeof(float))
        FOLD_FLOAT(float);
    else
        FOLD_FLOAT(double);
}

void fold_result(const struct bridge_method *method, void *value, size_t count, const void *result)
{
    if (count == 0) {
        memcpy(value, result, method->result_size);
        return;
    }
    switch (method->policy) {
    case PEAL_POLICY_SUM:
    case PEAL_POLICY_MIN:
    case PEAL_POLICY_MAX: fold_number(method, method->policy, value, result); break;
    case PEAL_POLICY_FIRST_TRUE:
    case PEAL_POLICY_FIRST_NONZERO:
    case PEAL_POLICY_ANY:
        if (!is_nonzero(method, value))
            memcpy(value, result, method->result_size);
        break;
    case PEAL_POLICY_EVERY:
        if (is_nonzero(method, value))
            memcpy(value, result, method->result_size);
        break;
    default: memcpy(value, result, method->result_size); break;
    }
}
