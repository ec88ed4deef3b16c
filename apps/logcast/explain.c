#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "text.h"

/* ---- Events of modules ------------------------------------------------------------------------- */

/* Returns the row of a module, which it adds if necessary; NULL if there is no room. */
static struct explain_module *find_module(struct explain *explain, const char *name)
{
    for (size_t i = 0; i < explain->module_count; i++)
        if (strcmp(explain->modules[i].name, name) == 0)
            return &explain->modules[i];
    if (explain->module_count == EXPLAIN_MODULES)
        return NULL;
    struct explain_module *row = &explain->modules[explain->module_count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void module_started(void *self, const char *name, uint64_t nanoseconds)
{
    struct explain *explain = self;
    peal_module module;
    struct peal_module_info info;
    info.size = sizeof info;
    const bool is_known = peal_module_find(explain->center, name, &module) >= 0
                       && peal_module_get_info(module, &info) >= 0;
    pthread_mutex_lock(&explain->lock);
    struct explain_module *row = find_module(explain, name);
    if (row != NULL && is_known) {
        row->starts++;
        row->order = ++explain->starts;
        row->started_at = info.started_at;
        row->start_time = nanoseconds;
        row->stopped = 0;
        snprintf(row->needs, sizeof row->needs, "%.*s", 2 * EXPLAIN_NAME - 1, info.dependencies);
    }
    pthread_mutex_unlock(&explain->lock);
}

static void module_stopped(void *self, const char *name, uint64_t nanoseconds)
{
    struct explain *explain = self;
    pthread_mutex_lock(&explain->lock);
    struct explain_module *row = find_module(explain, name);
    if (row != NULL) {
        row->stopped = ++explain->stops;
        row->stop_time = nanoseconds;
    }
    pthread_mutex_unlock(&explain->lock);
}

static const struct peal_module_events modules_ear = {
    PEAL_TABLE(peal_module_events),
    .module_started = module_started,
    .module_stopped = module_stopped,
};

/* ---- Events of services ------------------------------------------------------------------------ */

/* Returns the last row of a service, or NULL. */
static struct explain_service *find_service(struct explain *explain, const char *name)
{
    for (size_t i = explain->service_count; i > 0; i--)
        if (strcmp(explain->services[i - 1].name, name) == 0)
            return &explain->services[i - 1];
    return NULL;
}

static struct explain_service *add_service(struct explain *explain, const char *name)
{
    if (explain->service_count == EXPLAIN_SERVICES)
        return NULL;
    struct explain_service *row = &explain->services[explain->service_count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void service_registered(void *self, const char *name)
{
    struct explain *explain = self;
    pthread_mutex_lock(&explain->lock);
    if (find_service(explain, name) == NULL)
        add_service(explain, name);
    pthread_mutex_unlock(&explain->lock);
}

static void service_created(void *self, const char *name, const char *by)
{
    struct explain *explain = self;
    peal_service service;
    struct peal_service_info info;
    info.size = sizeof info;
    if (peal_service_find(explain->center, name, &service) < 0 || peal_service_get_info(service, &info) < 0)
        return;
    pthread_mutex_lock(&explain->lock);
    struct explain_service *row = find_service(explain, name);
    if (row == NULL || row->created_at != 0)
        row = add_service(explain, name);
    if (row == NULL) {
        explain->more_services++;
    } else {
        snprintf(row->by, sizeof row->by, "%s", by);
        row->order = ++explain->creations;
        row->created_at = info.created_at;
        row->creation_time = info.creation_time;
    }
    pthread_mutex_unlock(&explain->lock);
}

static void service_instance_removed(void *self, const char *name)
{
    struct explain *explain = self;
    pthread_mutex_lock(&explain->lock);
    struct explain_service *row = find_service(explain, name);
    if (row != NULL && row->created_at != 0 && row->removed_at == 0)
        row->removed_at = clock_nanoseconds();
    pthread_mutex_unlock(&explain->lock);
}

static const struct peal_service_events services_ear = {
    PEAL_TABLE(peal_service_events),
    .service_registered = service_registered,
    .service_created = service_created,
    .service_instance_removed = service_instance_removed,
};

bool explain_open(struct explain *explain, peal_center center)
{
    struct peal_module_events_protocol modules;
    struct peal_service_events_protocol services;
    memset(explain, 0, sizeof *explain);
    pthread_mutex_init(&explain->lock, NULL);
    explain->center = center;
    explain->begun = clock_nanoseconds();
    return peal_module_events_define(center, &modules) >= 0
        && peal_module_events_observe(&modules, explain, &modules_ear, NULL, NULL) >= 0
        && peal_service_events_define(center, &services) >= 0
        && peal_service_events_observe(&services, explain, &services_ear, NULL, NULL) >= 0;
}

/* ---- The report -------------------------------------------------------------------------------- */

/* Returns the position of a module in the order of the stops, from 1. */
static uint64_t rank_of_stop(const struct explain *explain, const struct explain_module *row)
{
    uint64_t rank = 1;
    for (size_t i = 0; i < explain->module_count; i++)
        rank += explain->modules[i].stopped != 0 && explain->modules[i].stopped < row->stopped;
    return rank;
}

static void report_module(const struct explain *explain, const struct explain_module *row)
{
    printf("    %-16s started at %10s in %10s", row->name, text_duration(row->started_at - explain->begun).text,
        text_duration(row->start_time).text);
    if (row->stopped != 0)
        printf(", stopped as %2" PRIu64 " in %10s", rank_of_stop(explain, row), text_duration(row->stop_time).text);
    if (row->needs[0] != '\0')
        printf("  needs %s", row->needs);
    if (row->starts > 1)
        printf("  started %s times", text_grouped(row->starts).text);
    printf("\n");
}

/* Prints the modules in the order of their last starts. */
static void report_modules(const struct explain *explain)
{
    printf("\nmodules, in start order\n");
    for (uint64_t order = 1; order <= explain->starts; order++)
        for (size_t i = 0; i < explain->module_count; i++)
            if (explain->modules[i].order == order)
                report_module(explain, &explain->modules[i]);
}

static void report_service(const struct explain *explain, const struct explain_service *row)
{
    printf("    %-16s created at %10s in %10s", row->name, text_duration(row->created_at - explain->begun).text,
        text_duration(row->creation_time).text);
    if (row->removed_at != 0)
        printf(", removed at %10s", text_duration(row->removed_at - explain->begun).text);
    printf("  by %s\n", row->by);
}

static void report_services(const struct explain *explain)
{
    printf("\nservices, in the order of their creation\n");
    for (uint64_t order = 1; order <= explain->creations; order++)
        for (size_t i = 0; i < explain->service_count; i++)
            if (explain->services[i].order == order)
                report_service(explain, &explain->services[i]);
    if (explain->more_services > 0)
        printf("    and %s more creations\n", text_grouped(explain->more_services).text);
    for (size_t i = 0; i < explain->service_count; i++)
        if (explain->services[i].created_at == 0)
            printf("    %-16s was never created\n", explain->services[i].name);
}

void explain_report(struct explain *explain)
{
    if (explain->center.id == 0)
        return;
    pthread_mutex_lock(&explain->lock);
    report_modules(explain);
    report_services(explain);
    pthread_mutex_unlock(&explain->lock);
}
