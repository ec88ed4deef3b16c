/* SPDX-License-Identifier: Apache-2.0 */
#include "spy.h"

#include <stdlib.h>

/* Reads the arguments one after the other into `memory`, each aligned for every type. Without memory, returns the
 * number of bytes that this needs. */
static size_t read_arguments(const struct peal_type *method, peal_invocation invocation, char *memory, void **arguments)
{
    enum { ALIGNMENT = 32 };
    size_t length = 0, index = 0;

    for (const struct peal_type_member *each = method->members; each != NULL; each = each->next, index++) {
        if (memory != NULL
            && peal_invocation_get_argument(invocation, index, memory + length, each->type->value_size) >= 0)
            arguments[index] = memory + length;
        length += (each->type->value_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return length;
}

void spy_print_call(struct text *text, const struct spied_method *method, peal_invocation invocation)
{
    void *arguments[PEAL_PARAMETER_LIMIT] = { NULL };
    const struct printed_call call = { method->type, arguments, peal_invocation_retains_arguments(invocation), 0,
        false };
    void *memory = malloc(read_arguments(method->type, invocation, NULL, NULL) + 1);

    if (memory == NULL) {
        text->is_refused = true;
        return;
    }
    read_arguments(method->type, invocation, memory, arguments);
    text_add(text, "%s(", method->name);
    print_arguments(text, &call);
    text_add(text, ")\n");
    free(memory);
}
