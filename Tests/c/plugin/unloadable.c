/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin, built twice, that registers objects of all kinds and removes none of them. Its host retires its owner.
 */
#include "unloadable.h"

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

#define OWN(METHOD) METHOD(optional, void, on_own, (int n))
PEAL_PROTOCOL(own, "Unload" PLUGIN_NAME, OWN);

static const struct unloadable_host *host;
static int target_here;
static int target_queued;
static int target_weak;

static void on_news(void *self, int n)
{
    (void)self;
    __atomic_fetch_add(host->calls, 1, __ATOMIC_RELAXED);
    host->enter(n);
}
static int count(void *self, int n)
{
    (void)self;
    return n;
}
static void on_load(void *self, int n)
{
    (void)self;
    (void)n;
    __atomic_fetch_add(host->calls, 1, __ATOMIC_RELAXED);
}
static void destroyed(void *target)
{
    (void)target;
    __atomic_fetch_add(host->destroyed, 1, __ATOMIC_RELAXED);
}
static bool retain(void *reference)
{
    (void)reference;
    return true;
}
static void release(void *reference, void *target)
{
    (void)reference;
    (void)target;
}
static void retain_object(void *object) { (void)object; }
static void release_object(void *object) { (void)object; }
static void on_own(void *self, int n)
{
    (void)self;
    (void)n;
}
static void handle(void *self, const struct peal_call *call)
{
    (void)self;
    (void)call;
}
static bool submit(void *context, peal_queue queue)
{
    (void)context;
    (void)queue;
    return true;
}
static void is_done(void *context, const struct peal_completion_info *report)
{
    (void)context;
    (void)report;
}

EXPORTED unloadable_start unloadable_start_plugin;

int unloadable_start_plugin(const struct unloadable_host *given)
{
    static const struct news table = { PEAL_TABLE(news), on_news, count, on_load };
    static const struct own own_table = { PEAL_TABLE(own), on_own };
    static const struct peal_weak_type weak = { retain, release };
    static const struct peal_object_type type = PEAL_OBJECT_TYPE(retain_object, release_object);
    struct peal_observe_options here = PEAL_OBSERVE_OPTIONS;
    struct peal_observe_options queued = PEAL_OBSERVE_OPTIONS;
    struct peal_observe_options weakly = PEAL_OBSERVE_OPTIONS;
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    struct peal_completion_options completion_options = PEAL_COMPLETION_OPTIONS;
    struct own_protocol handles;
    peal_completion completion;
    peal_queue queue;
    int status;

    host = given;
    here.destroy = queued.destroy = weakly.destroy = destroyed;
    queued.queue = host->queue;
    weakly.weak = &weak;
    weakly.weak_reference = &target_weak;
    queue_options.kind = PEAL_QUEUE_EXECUTOR;
    queue_options.submit = submit;
    queue_options.destroy = destroyed;
    completion_options.done = is_done;
    if ((status = news_observe(host->news, &target_here, &table, &here, NULL)) != PEAL_OK
        || (status = news_observe(host->news, &target_queued, &table, &queued, NULL)) != PEAL_OK
        || (status = peal_queue_create(&queue_options, &queue)) != PEAL_OK
        || (status = peal_completion_create(&completion_options, &completion)) != PEAL_OK
        || (status = peal_type_set_object(host->center, "struct unloadable_" PLUGIN_NAME, &type)) != PEAL_OK
        || (status = own_define(host->center, &handles)) != PEAL_OK
        || (status = peal_observe_handler(handles.protocol, &target_here, handle, NULL, 0, NULL, NULL)) != PEAL_OK)
        return status;
    weakly.queue = queue;
    return own_observe(&handles, &target_weak, &own_table, &weakly, NULL);
}
