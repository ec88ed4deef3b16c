/* SPDX-License-Identifier: Apache-2.0 */
#include "handler.h"

#include "expect.h"

#include <string.h>

/* The group whose methods the handler receives. */
static const struct group *observed;
static const peal_method *observed_methods;

static void handle(void *target, const struct peal_call *call)
{
    struct seen seen[PARAMETERS_MOST];
    uint64_t small = 0;
    if (call->index >= observed->count || call->method.id != observed_methods[call->index].id) {
        fail("a handler was called for the method %zu, or for another one", call->index);
        return;
    }
    const struct signature *signature = observed->signatures[call->index];
    const struct type *result = signature->result;
    const bool is_small = value_is_integer(result);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const struct type *type = signature->parameters[i];
        const char *value = call->arguments[i];
        if ((uintptr_t)value % type->alignment != 0)
            fail("parameter %zu (%s) is not aligned to %zu", i + 1, type->name, type->alignment);
        seen[i] = (struct seen){ value, value_is_integer(type) ? value_widened(type, value) : 0 };
    }
    if ((call->result == NULL) != (result->size == 0))
        fail("there is%s room for a result", call->result ? "" : " no");
    for (size_t i = 0; i < result->size; i++)
        if (((const char *)call->result)[i] != 0) {
            fail("byte %zu of the room for the result is not zero", i);
            break;
        }
    received(signature->index, target, seen, is_small ? &small : call->result);
    if (is_small)
        memcpy(call->result, &small, result->size);
}

peal_status observe_by_handler(
    const struct group *group, peal_protocol protocol, const peal_method *methods, void *target)
{
    observed = group;
    observed_methods = methods;
    return peal_observe_handler(protocol, target, handle, NULL, 0, NULL, NULL);
}
