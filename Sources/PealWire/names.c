/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "failure.h"

#include <peal/enumerate.h>
#include <peal/inspect.h>
#include <peal/protocol.h>

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A name of a protocol of the center, or of a method of a protocol. */
struct name {
    uint64_t protocol; /* of a method; 0 for a protocol */
    uint64_t id;       /* of a protocol; of a method once it is searched for, 0 if it is ambiguous */
    bool is_complete;  /* the methods of the protocol are listed; the method was searched for */
    const char *text;
    char own_text[];
};

static int compare(const void *left, const void *right)
{
    const struct name *a = left, *b = right;

    if (a->protocol != b->protocol)
        return a->protocol < b->protocol ? -1 : 1;
    return strcmp(a->text, b->text);
}

static struct name *find(const struct names *names, uint64_t protocol, const char *text)
{
    const struct name wanted = { .protocol = protocol, .text = text };
    struct name *const *found = tfind(&wanted, &names->tree, compare);

    return found != NULL ? *found : NULL;
}

static peal_status read_name(uint64_t protocol, uint64_t id, char *buffer, size_t capacity, size_t *out_length)
{
    if (protocol == 0)
        return peal_protocol_name((peal_protocol){ id }, buffer, capacity, out_length);
    return peal_method_name((peal_method){ id }, buffer, capacity, out_length);
}

/* Adds the name of a protocol, or of a method of one, which several adopted methods may share. */
static peal_status add(struct names *names, uint64_t protocol, uint64_t id)
{
    size_t length = 0;

    /* It may have ended since it was listed. */
    if (read_name(protocol, id, NULL, 0, &length) < 0)
        return PEAL_OK;
    struct name *name = malloc(sizeof *name + length + 1);
    if (name == NULL)
        return PEAL_ERROR_MEMORY;
    *name = (struct name){ .protocol = protocol, .id = protocol == 0 ? id : 0, .text = name->own_text };
    struct name **kept = NULL;
    if (read_name(protocol, id, name->own_text, length + 1, NULL) == PEAL_OK)
        kept = tsearch(name, &names->tree, compare);
    if (kept == NULL || *kept != name)
        free(name);
    return kept != NULL ? PEAL_OK : PEAL_ERROR_MEMORY;
}

static size_t list(const struct names *names, uint64_t protocol, uint64_t *ids, size_t capacity)
{
    size_t count = 0;

    if (protocol == 0)
        (void)peal_protocol_list(names->center, (peal_protocol *)(void *)ids, capacity, &count);
    else
        (void)peal_protocol_list_methods((peal_protocol){ protocol }, (peal_method *)(void *)ids, capacity, &count);
    return count;
}

/* Adds the names of all protocols, or of all methods of a protocol. */
static peal_status add_all(struct names *names, uint64_t protocol)
{
    peal_status status = PEAL_OK;
    const size_t capacity = list(names, protocol, NULL, 0);
    uint64_t *ids = calloc(capacity + 1, sizeof *ids);

    if (ids == NULL)
        return PEAL_ERROR_MEMORY;
    /* Another thread may have defined more since they were counted. */
    const size_t count = list(names, protocol, ids, capacity);
    for (size_t i = 0; status == PEAL_OK && i < count && i < capacity; i++)
        status = add(names, protocol, ids[i]);
    free(ids);
    return status;
}

static peal_status search(
    struct names *names, const char *protocol, const char *method, peal_protocol *out_protocol, peal_method *out_method)
{
    peal_status status = names->tree == NULL ? add_all(names, 0) : PEAL_OK;
    struct name *found = status == PEAL_OK ? find(names, 0, protocol) : NULL;

    if (found == NULL)
        return status;
    out_protocol->id = found->id;
    if (!found->is_complete)
        status = add_all(names, found->id);
    if (status < 0)
        return status;
    found->is_complete = true;
    found = find(names, out_protocol->id, method);
    if (found == NULL)
        return PEAL_OK;
    /* Its own method has the name, if there is one, or the only adopted one. */
    if (!found->is_complete && peal_method_find(*out_protocol, method, out_method) == PEAL_OK)
        found->id = out_method->id;
    found->is_complete = true;
    out_method->id = found->id;
    return PEAL_OK;
}

peal_status names_find(
    struct names *names, const char *protocol, const char *method, peal_protocol *out_protocol, peal_method *out_method)
{
    out_protocol->id = out_method->id = 0;
    const peal_status status = search(names, protocol, method, out_protocol, out_method);

    return status < 0 ? wire_fail(status, "out of memory") : PEAL_OK;
}

void names_free(struct names *names)
{
    tdestroy(names->tree, free);
    names->tree = NULL;
}
