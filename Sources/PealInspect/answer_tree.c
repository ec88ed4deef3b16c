/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const queue_kinds[] = { "serial", "pumped", "executor", "main" };
static const char *const overflows[] = { "reject", "drop_oldest", "drop_newest", "keep_latest", "wait" };
static const char *const service_states[] = { "registered", "creating", "initializing", "ready" };
static const char *const module_states[] = { "registered", "starting", "running", "stopping", "stopped", "failed" };

/* Names of later versions of the library are unknown here. */
#define NAME_OF(names, index) ((size_t)(index) < sizeof(names) / sizeof *(names) ? (names)[index] : "unknown")

static void begin(struct text *text, const char *kind, uint64_t id)
{
    json_begin(text, NULL);
    json_text(text, "kind", kind);
    json_id(text, "id", id);
}

static void add_id(struct text *text, const char *key, uint64_t id)
{
    if (id != 0)
        json_id(text, key, id);
}

static void add_text(struct text *text, const char *key, const char *value)
{
    if (*value != '\0')
        json_text(text, key, value);
}

/* ---- Protocols --------------------------------------------------------------------------------- */

static void add_method(struct text *text, peal_protocol protocol, peal_method method)
{
    struct peal_method_info info = { .size = sizeof info };
    peal_observation *observers;
    size_t count;
    char *declaration;

    if (peal_method_get_info(method, &info) < 0)
        return;
    READ_TEXT(declaration, peal_method_declaration, method);
    begin(text, "method", method.id);
    json_id(text, "protocol", protocol.id);
    if (info.origin.id != protocol.id)
        json_id(text, "origin", info.origin.id);
    json_text(text, "name", info.name);
    json_text(text, "declaration", declaration != NULL ? declaration : "");
    json_begin_array(text, "observers");
    READ_LIST(observers, count, peal_method_list_observations, method, );
    for (size_t i = 0; i < count; i++)
        json_id(text, NULL, observers[i].id);
    json_end_array(text);
    json_end_line(text);
    free(observers);
    free(declaration);
}

static void add_observer(struct text *text, peal_protocol protocol, peal_observation observation)
{
    struct peal_observation_info info = { .size = sizeof info };
    char name[600], function[256], target[32];

    /* The state of an observer calls the hooks of its weak target. An observer of a protocol that adopts this one is
     * listed there. */
    if (server_has_forked() || peal_observation_get_info(observation, &info) < 0 || info.protocol.id != protocol.id)
        return;
    name_observer(name, sizeof name, &info);
    snprintf(target, sizeof target, "%p", info.target);
    begin(text, "observer", observation.id);
    json_id(text, "protocol", protocol.id);
    json_text(text, "name", name);
    json_text(text, "target", target);
    add_text(text, "label", info.label);
    if (symbol_name(info.function, function, sizeof function))
        json_text(text, "function", function);
    add_id(text, "queue", info.queue.id);
    add_id(text, "owner", info.owner.id);
    if (info.priority != 0)
        json_signed(text, "priority", info.priority);
    if ((info.flags & PEAL_OBSERVE_ONCE) != 0)
        json_bool(text, "once", true);
    if ((info.flags & PEAL_OBSERVE_PASSIVE) != 0)
        json_bool(text, "passive", true);
    if ((info.flags & PEAL_OBSERVE_BLOCKED) != 0)
        json_bool(text, "blocked", true);
    if (info.is_weak)
        json_bool(text, "weak", true);
    if (info.is_dead)
        json_bool(text, "dead", true);
    json_end_line(text);
}

static void add_protocol(struct text *text, peal_protocol protocol)
{
    struct peal_protocol_info info = { .size = sizeof info };
    peal_protocol *adopted;
    peal_method *methods;
    peal_observation *observers;
    size_t count;

    if (peal_protocol_get_info(protocol, &info) < 0)
        return;
    begin(text, "protocol", protocol.id);
    json_id(text, "center", info.center.id);
    json_text(text, "name", info.name);
    json_number(text, "version", info.version);
    if (info.is_built_in)
        json_bool(text, "built_in", true);
    json_begin_array(text, "adopts");
    READ_LIST(adopted, count, peal_protocol_list_adopted, protocol, );
    for (size_t i = 0; i < count; i++)
        json_id(text, NULL, adopted[i].id);
    free(adopted);
    json_end_array(text);
    json_end_line(text);
    READ_LIST(methods, count, peal_protocol_list_methods, protocol, );
    for (size_t i = 0; i < count; i++)
        add_method(text, protocol, methods[i]);
    free(methods);
    READ_LIST(observers, count, peal_protocol_list_observations, protocol, );
    for (size_t i = 0; i < count; i++)
        add_observer(text, protocol, observers[i]);
    free(observers);
}

/* ---- Parts of a center ------------------------------------------------------------------------- */

static void add_service(struct text *text, peal_center center, peal_service service)
{
    struct peal_service_info info = { .size = sizeof info };

    if (peal_service_get_info(service, &info) < 0)
        return;
    begin(text, "service", service.id);
    json_id(text, "center", center.id);
    json_text(text, "name", info.name);
    add_text(text, "label", info.label);
    json_text(text, "state", NAME_OF(service_states, info.state));
    json_number(text, "uses", info.uses);
    json_number(text, "creations", info.creations);
    json_number(text, "creation_ns", info.creation_time);
    add_text(text, "created_by", info.created_by);
    add_text(text, "last_failure", info.last_failure);
    json_end_line(text);
}

static void add_module(struct text *text, peal_center center, peal_module module)
{
    struct peal_module_info info = { .size = sizeof info };

    if (peal_module_get_info(module, &info) < 0)
        return;
    begin(text, "module", module.id);
    json_id(text, "center", center.id);
    json_text(text, "name", info.name);
    json_text(text, "state", NAME_OF(module_states, info.state));
    json_number(text, "order", info.order);
    json_number(text, "start_ns", info.start_time);
    add_text(text, "class", info.class_name);
    add_text(text, "dependencies", info.dependencies);
    add_text(text, "last_failure", info.last_failure);
    if (info.is_overdue)
        json_bool(text, "overdue", true);
    json_end_line(text);
}

static void add_property(struct text *text, peal_center center, peal_property property)
{
    struct peal_property_info info = { .size = sizeof info };

    if (peal_property_get_info(property, &info) < 0)
        return;
    begin(text, "property", property.id);
    json_id(text, "center", center.id);
    json_text(text, "name", info.name);
    json_text(text, "type", info.type);
    json_number(text, "observers", info.observers);
    json_end_line(text);
}

/* In the order of their definition, as far as ids were not used before. */
static int compare_protocols(const void *left, const void *right)
{
    const uint64_t a = ((const peal_protocol *)left)->id, b = ((const peal_protocol *)right)->id;

    return a < b ? -1 : a > b;
}

static void add_center(struct text *text, peal_center center)
{
    struct peal_center_info info = { .size = sizeof info };
    peal_protocol *protocols;
    peal_service *services;
    peal_module *modules;
    peal_property *properties;
    size_t count;

    if (peal_center_get_info(center, &info) < 0)
        return;
    begin(text, "center", center.id);
    json_bool(text, "default", info.is_default);
    json_end_line(text);
    READ_LIST(protocols, count, peal_protocol_list, center, );
    if (count > 0)
        qsort(protocols, count, sizeof *protocols, compare_protocols);
    for (size_t i = 0; i < count; i++)
        add_protocol(text, protocols[i]);
    free(protocols);
    READ_LIST(services, count, peal_service_list, center, );
    for (size_t i = 0; i < count; i++)
        add_service(text, center, services[i]);
    free(services);
    READ_LIST(modules, count, peal_module_list, center, );
    for (size_t i = 0; i < count; i++)
        add_module(text, center, modules[i]);
    free(modules);
    READ_LIST(properties, count, peal_property_list, center, );
    for (size_t i = 0; i < count; i++)
        add_property(text, center, properties[i]);
    free(properties);
}

/* ---- Parts of the process ---------------------------------------------------------------------- */

static void add_queue(struct text *text, peal_queue queue)
{
    struct peal_queue_info info = { .size = sizeof info };

    if (peal_queue_get_info(queue, &info) < 0)
        return;
    char name[64];
    name_object(name, sizeof name, queue.id);
    begin(text, "queue", queue.id);
    json_text(text, "name", name);
    json_text(text, "type", NAME_OF(queue_kinds, info.kind));
    json_number(text, "waiting", info.waiting);
    json_number(text, "delivered", info.delivered);
    json_number(text, "dropped", info.dropped);
    json_number(text, "rejected", info.rejected);
    if (info.capacity != 0) {
        json_number(text, "capacity", info.capacity);
        json_text(text, "overflow", NAME_OF(overflows, info.overflow));
    }
    add_id(text, "owner", info.owner.id);
    json_end_line(text);
}

static void add_timer(struct text *text, peal_timer timer)
{
    struct peal_timer_info info = { .size = sizeof info };

    if (peal_timer_get_info(timer, &info) < 0)
        return;
    char name[64];
    name_object(name, sizeof name, timer.id);
    begin(text, "timer", timer.id);
    json_text(text, "name", name);
    json_bool(text, "running", info.is_running);
    json_number(text, "fired", info.fired);
    json_number(text, "missed", info.missed);
    json_signed(text, "period_ns", info.period_ns);
    json_signed(text, "remaining_ns", info.remaining_ns);
    json_signed(text, "latest_ns", info.latest_ns);
    add_id(text, "queue", info.queue.id);
    add_id(text, "owner", info.owner.id);
    json_end_line(text);
}

static void add_owner(struct text *text, peal_owner owner)
{
    struct peal_owner_info info = { .size = sizeof info };

    if (peal_owner_get_info(owner, &info) < 0)
        return;
    begin(text, "owner", owner.id);
    json_text(text, "name", info.name);
    json_number(text, "observers", info.observations);
    json_number(text, "others", info.others);
    json_end_line(text);
}

void answer_tree(struct text *text)
{
    peal_center *centers;
    peal_queue *queues;
    peal_timer *timers;
    peal_owner *owners;
    size_t count;

    answer_hello(text);
    READ_LIST(queues, count, peal_queue_list, );
    for (size_t i = 0; i < count; i++)
        add_queue(text, queues[i]);
    free(queues);
    READ_LIST(owners, count, peal_owner_list, );
    for (size_t i = 0; i < count; i++)
        add_owner(text, owners[i]);
    free(owners);
    READ_LIST(centers, count, peal_center_list, );
    for (size_t i = 0; i < count; i++)
        add_center(text, centers[i]);
    free(centers);
    READ_LIST(timers, count, peal_timer_list, );
    for (size_t i = 0; i < count; i++)
        add_timer(text, timers[i]);
    free(timers);
    answer_running(text);
}

/* ---- The process ------------------------------------------------------------------------------- */

void answer_hello(struct text *text)
{
    peal_center *centers;
    peal_protocol *protocols;
    size_t center_count, count, protocol_total = 0, observer_total = 0, queue_count = 0;
    char version[32];

    snprintf(
        version, sizeof version, "%u.%u.%u", peal_version() / 10000, peal_version() / 100 % 100, peal_version() % 100);
    READ_LIST(centers, center_count, peal_center_list, );
    for (size_t i = 0; i < center_count; i++) {
        READ_LIST(protocols, count, peal_protocol_list, centers[i], );
        protocol_total += count;
        /* The count calls the hooks of weak targets. */
        for (size_t k = 0; k < count && !server_has_forked(); k++) {
            size_t observers = 0;
            (void)peal_protocol_count_observers(protocols[k], &observers);
            observer_total += observers;
        }
        free(protocols);
    }
    free(centers);
    (void)peal_queue_list(NULL, 0, &queue_count);
    json_begin(text, NULL);
    json_text(text, "kind", "process");
    json_number(text, "pid", (uint64_t)getpid());
    json_text(text, "program", program_invocation_short_name);
    json_text(text, "peal", version);
    json_number(text, "centers", center_count);
    json_number(text, "protocols", protocol_total);
    json_number(text, "observers", observer_total);
    json_number(text, "queues", queue_count);
    json_end_line(text);
}
