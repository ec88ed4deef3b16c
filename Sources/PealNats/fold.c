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

/* The sum wraps, as that of a broadcast does. */
#define FOLD_NUMBER(type, sum_type)                                       \
    do {                                                                  \
        type left, right;                                                 \
        memcpy(&left, value, sizeof left);                                \
        memcpy(&right, result, sizeof right);                             \
        if (policy == PEAL_POLICY_SUM)                                    \
            left = (type)((sum_type)left + (sum_type)right);              \
        else if (policy == PEAL_POLICY_MIN ? right < left : right > left) \
            left = right;                                                 \
        memcpy(value, &left, sizeof left);                                \
    } while (0)

static void fold_number(const struct bridge_method *method, peal_policy policy, void *value, const void *result)
{
    const bool is_signed = method->result_kind == PEAL_KIND_SIGNED;

    if (method->result_kind == PEAL_KIND_FLOAT) {
        if (method->result_size == sizeof(float))
            FOLD_NUMBER(float, float);
        else
            FOLD_NUMBER(double, double);
        return;
    }
    switch (method->result_size) {
    case 1:
        if (is_signed)
            FOLD_NUMBER(int8_t, uint64_t);
        else
            FOLD_NUMBER(uint8_t, uint64_t);
        break;
    case 2:
        if (is_signed)
            FOLD_NUMBER(int16_t, uint64_t);
        else
            FOLD_NUMBER(uint16_t, uint64_t);
        break;
    case 4:
        if (is_signed)
            FOLD_NUMBER(int32_t, uint64_t);
        else
            FOLD_NUMBER(uint32_t, uint64_t);
        break;
    default:
        if (is_signed)
            FOLD_NUMBER(int64_t, uint64_t);
        else
            FOLD_NUMBER(uint64_t, uint64_t);
        break;
    }
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
