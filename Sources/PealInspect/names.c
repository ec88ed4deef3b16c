/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "answer.h"
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Protocols --------------------------------------------------------------------------------- */

/* Finds a protocol by its name. A failure of peal_protocol_find would be reported to taps as one of the program. */
static bool find_named(peal_center center, const char *name, peal_protocol *out_protocol)
{
    peal_protocol *protocols;
    size_t count;
    char each[256];
    bool is_found = false;

    READ_LIST(protocols, count, peal_protocol_list, center, );
    for (size_t i = 0; !is_found && i < count; i++) {
        is_found = peal_protocol_name(protocols[i], each, sizeof each, NULL) == PEAL_OK && strcmp(each, name) == 0;
        *out_protocol = protocols[i];
    }
    free(protocols);
    return is_found;
}

static bool find_in(peal_center center, char *name, peal_protocol *out_protocol, char **out_method)
{
    char *point = strrchr(name, '.');

    *out_method = NULL;
    if (find_named(center, name, out_protocol))
        return true;
    if (point == NULL)
        return false;
    *point = '\0';
    if (find_named(center, name, out_protocol)) {
        *out_method = point + 1;
        return true;
    }
    *point = '.';
    return false;
}

bool find_protocol(char *name, peal_protocol *out_protocol, char **out_method)
{
    peal_center *centers;
    size_t count;
    bool is_found = find_in(peal_center_default(), name, out_protocol, out_method);

    READ_LIST(centers, count, peal_center_list, );
    for (size_t i = 0; !is_found && i < count; i++)
        is_found = find_in(centers[i], name, out_protocol, out_method);
    free(centers);
    return is_found;
}

/* ---- Names ------------------------------------------------------------------------------------- */

unsigned ordinal_of(uint64_t id) { return (unsigned)(id & 0xfffffff) + 1; }

void name_observer(char *buffer, size_t capacity, const struct peal_observation_info *info)
{
    char function[256], target[256] = "";
    const bool has_function = symbol_name(info->function, function, sizeof function);

    /* Many targets are static variables. */
    if (info->target != NULL && !symbol_name(info->target, target, sizeof target))
        snprintf(target, sizeof target, "%p", info->target);
    if (info->label[0] != '\0')
        snprintf(buffer, capacity, "%s", info->label);
    else if (info->target != NULL)
        snprintf(buffer, capacity, "%s%starget %s", has_function ? function : "", has_function ? ", " : "", target);
    else if (has_function)
        snprintf(buffer, capacity, "%s", function);
    else if (!symbol_place(info->function, buffer, capacity))
        snprintf(buffer, capacity, "no target");
}

static bool name_observation(char *buffer, size_t capacity, uint64_t id)
{
    struct peal_observation_info info = { .size = sizeof info };
    struct peal_protocol_info protocol = { .size = sizeof protocol };
    char name[256];

    /* It calls the hooks of a weak target. */
    if (server_has_forked() || peal_observation_get_info((peal_observation){ id }, &info) < 0)
        return false;
    name_observer(name, sizeof name, &info);
    if (peal_protocol_get_info(info.protocol, &protocol) < 0)
        return false;
    snprintf(buffer, capacity, "observer of %s (%s)", protocol.name, name);
    return true;
}

static bool name_queue(char *buffer, size_t capacity, uint64_t id)
{
    static const char *const kinds[] = { "serial queue", "pumped queue", "executor queue", "main queue" };
    struct peal_queue_info info = { .size = sizeof info };

    if (peal_queue_get_info((peal_queue){ id }, &info) < 0)
        return false;
    if (info.label[0] != '\0')
        snprintf(buffer, capacity, "%s", info.label);
    else if (info.kind == PEAL_QUEUE_MAIN)
        snprintf(buffer, capacity, "main queue");
    else
        snprintf(buffer, capacity, "%s %u", (size_t)info.kind < 4 ? kinds[info.kind] : "queue", ordinal_of(id));
    return true;
}

static bool name_timer(char *buffer, size_t capacity, uint64_t id)
{
    struct peal_timer_info info = { .size = sizeof info };

    if (peal_timer_get_info((peal_timer){ id }, &info) < 0 || info.label[0] == '\0')
        return false;
    snprintf(buffer, capacity, "%s", info.label);
    return true;
}

/* Writes "service NAME" for a kind of object whose state has a name. */
#define NAME_BY(kind, type, function, info_type)              \
    do {                                                      \
        struct info_type info = { .size = sizeof info };      \
        if (function((type){ id }, &info) < 0)                \
            return false;                                     \
        snprintf(buffer, capacity, "%s %s", kind, info.name); \
        return true;                                          \
    } while (0)

static bool name_living(char *buffer, size_t capacity, uint64_t id)
{
    switch (peal_handle_kind(id)) {
    case PEAL_HANDLE_METHOD: {
        struct known_method *method = known_method_take(id);
        snprintf(buffer, capacity, "%s", method != NULL ? method->name : "a method");
        known_method_put(method);
        return true;
    }
    case PEAL_HANDLE_OBSERVATION: return name_observation(buffer, capacity, id);
    case PEAL_HANDLE_QUEUE: return name_queue(buffer, capacity, id);
    case PEAL_HANDLE_TIMER: return name_timer(buffer, capacity, id);
    case PEAL_HANDLE_PROTOCOL: NAME_BY("protocol", peal_protocol, peal_protocol_get_info, peal_protocol_info);
    case PEAL_HANDLE_SERVICE: NAME_BY("service", peal_service, peal_service_get_info, peal_service_info);
    case PEAL_HANDLE_MODULE: NAME_BY("module", peal_module, peal_module_get_info, peal_module_info);
    case PEAL_HANDLE_PROPERTY: NAME_BY("property", peal_property, peal_property_get_info, peal_property_info);
    case PEAL_HANDLE_OWNER: NAME_BY("owner", peal_owner, peal_owner_get_info, peal_owner_info);
    default: return false;
    }
}

const char *kind_name(uint64_t id)
{
    static const char *const kinds[] = { "tap", "center", "protocol", "method", "observer", "invocation", "queue",
        "reference", "owner", "completion", "service", "use", "module", "proxy", "timer", "property" };

    return kinds[id >> 60];
}

void name_object(char *buffer, size_t capacity, uint64_t id)
{
    if (!name_living(buffer, capacity, id))
        snprintf(buffer, capacity, "%s %u", kind_name(id), ordinal_of(id));
}

/* ---- Names of ended objects -------------------------------------------------------------------- */

struct remembered {
    uint64_t id;
    char name[];
};

/* A thread that uses an element takes it out and puts it back, so an element has one user and needs no lock. */
enum { REMEMBERED = 4096 };
static struct remembered *remembered[REMEMBERED];

static struct remembered **element_of(uint64_t id)
{
    return &remembered[(ordinal_of(id) + (id >> 60) * 257) % REMEMBERED];
}

void remember_object(uint64_t id)
{
    char name[600];

    name_object(name, sizeof name, id);
    const size_t size = strlen(name) + 1;
    struct remembered *object = malloc(sizeof *object + size);
    if (object == NULL)
        return;
    object->id = id;
    memcpy(object->name, name, size);
    free(__atomic_exchange_n(element_of(id), object, __ATOMIC_ACQ_REL));
}

static void remember_observers_of(peal_protocol protocol)
{
    peal_observation *observers;
    size_t count;

    READ_LIST(observers, count, peal_protocol_list_observations, protocol, );
    for (size_t i = 0; i < count && i < REMEMBERED; i++)
        remember_object(observers[i].id);
    free(observers);
}

void remember_observers(void)
{
    peal_center *centers;
    peal_protocol *protocols;
    size_t center_count, count;

    READ_LIST(centers, center_count, peal_center_list, );
    for (size_t i = 0; i < center_count; i++) {
        READ_LIST(protocols, count, peal_protocol_list, centers[i], );
        for (size_t k = 0; k < count; k++)
            remember_observers_of(protocols[k]);
        free(protocols);
    }
    free(centers);
}

void name_ended(char *buffer, size_t capacity, uint64_t id)
{
    struct remembered *object = __atomic_exchange_n(element_of(id), NULL, __ATOMIC_ACQ_REL), *none = NULL;

    if (object != NULL && object->id == id)
        snprintf(buffer, capacity, "%s", object->name);
    else
        snprintf(buffer, capacity, "%s %u", kind_name(id), ordinal_of(id));
    /* Another tap may need the name too. */
    if (object != NULL
        && !__atomic_compare_exchange_n(element_of(id), &none, object, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        free(object);
}
