/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stdlib.h>
#include <string.h>

/* A thread that uses an element takes it out and puts it back, so an element has one user and needs no lock. All methods
 * that use a slot of handles, one after the other, have one element. */
enum { KNOWN = 4096 };
static struct known_method *known[KNOWN];

static void forget(struct known_method *method)
{
    if (method == NULL)
        return;
    if (method->type != NULL)
        peal_type_destroy(method->type);
    free(method->name);
    free(method);
}

static struct known_method *describe(uint64_t id)
{
    struct known_method *method = calloc(1, sizeof *method);
    struct peal_method_info info = { .size = sizeof info };
    struct peal_protocol_info protocol = { .size = sizeof protocol };
    const peal_method handle = { id };

    if (method == NULL)
        return NULL;
    method->id = id;
    if (peal_method_get_info(handle, &info) >= 0 && peal_protocol_get_info(info.protocol, &protocol) >= 0) {
        const size_t length = strlen(protocol.name) + strlen(info.name) + 2;
        method->name = malloc(length);
        if (method->name != NULL) {
            strcpy(method->name, protocol.name);
            strcat(method->name, ".");
            strcat(method->name, info.name);
        }
        method->center = ordinal_of(info.center.id);
        if (peal_method_describe(handle, &method->type) < 0)
            method->type = NULL;
    } else {
        method->name = strdup("an ended method");
    }
    if (method->name != NULL)
        return method;
    forget(method);
    return NULL;
}

struct known_method *known_method_take(uint64_t id)
{
    struct known_method *method = __atomic_exchange_n(&known[id % KNOWN], NULL, __ATOMIC_ACQ_REL);

    if (method != NULL && method->id == id)
        return method;
    forget(method);
    return describe(id);
}

void known_method_put(struct known_method *method)
{
    /* Another thread may have described the same method meanwhile. */
    if (method != NULL)
        forget(__atomic_exchange_n(&known[method->id % KNOWN], method, __ATOMIC_ACQ_REL));
}
