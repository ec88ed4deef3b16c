/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

/* Methods are added and never removed, so a reader needs no lock. */
static struct known_method *buckets[BUCKETS];

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
    if (method->type != NULL)
        peal_type_destroy(method->type);
    free(method);
    return NULL;
}

const struct known_method *known_method(uint64_t id)
{
    struct known_method **bucket = &buckets[id % BUCKETS];
    struct known_method *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);

    for (struct known_method *each = first; each != NULL; each = each->next)
        if (each->id == id)
            return each;
    struct known_method *method = describe(id);
    if (method == NULL)
        return NULL;
    /* Two threads may add the same method. Both descriptions are right. */
    method->next = first;
    while (!__atomic_compare_exchange_n(bucket, &method->next, method, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return method;
}
