/* SPDX-License-Identifier: Apache-2.0
 *
 * Plugins that are unloaded by dlclose: plugin_unload <plugin> <plugin>. Each registers an object of each kind for
 * its owner. The host retires the owner and then unloads the plugin.
 *
 * Claims: L1, L3, O15
 */
#include "latch.h"
#include "../plugin/unloadable.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSIDE = 1, PLAIN = 2, ROUNDS = 200, MILLISECONDS = 60000 };

struct plugin {
    const char *path;
    void *library;
    peal_owner owner;
    unloadable_start *start;
};

static int failures;
static peal_center center;
static struct news_protocol news;
static peal_queue queue;
static unsigned calls;
static unsigned destroyed;

#define EXPECT(condition, what) expect((condition), (what), __LINE__)

static bool expect(bool holds, const char *what, int line)
{
    if (!holds) {
        printf("  line %d: %s: %s\n", line, what, peal_last_message());
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    }
    return holds;
}

/* ---- The host's function in which a plugin's call blocks --------------------------------------- */

static struct latch inside = LATCH_INITIALIZER;
static struct latch may_leave = LATCH_INITIALIZER;
static bool has_left;

static void enter(int n)
{
    if (n != INSIDE)
        return;
    latch_open(&inside);
    latch_wait(&may_leave);
    __atomic_store_n(&has_left, true, __ATOMIC_RELEASE);
}

static struct unloadable_host host;

/* ---- Loading and unloading --------------------------------------------------------------------- */

static void load(struct plugin *plugin)
{
    void *start;

    plugin->library = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    start = plugin->library != NULL ? dlsym(plugin->library, "unloadable_start_plugin") : NULL;
    if (start == NULL) {
        printf("  %s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    memcpy(&plugin->start, &start, sizeof start);
    EXPECT(peal_owner_create(plugin->path, &plugin->owner) == PEAL_OK, "no owner");
    EXPECT(peal_owner_enter(plugin->owner) == PEAL_OK, "the owner cannot be entered");
    EXPECT(plugin->start(&host) == PEAL_OK, "the plugin cannot start");
    EXPECT(peal_owner_leave() == PEAL_OK, "the owner cannot be left");
}

static const void *address_in(const struct plugin *plugin)
{
    const void *address;

    memcpy(&address, &plugin->start, sizeof address);
    return address;
}

static size_t count_pointers(const struct plugin *plugin, peal_pointer_visitor visit, void *context)
{
    size_t count = 999;

    EXPECT(peal_find_pointers_into(address_in(plugin), visit, context, &count) == PEAL_OK, "no object");
    return count;
}

static void print_pointer(void *context, const char *what, const void *function)
{
    (void)context;
    (void)function;
    printf("  still there: %s\n", what);
}

static void close_library(struct plugin *plugin)
{
    EXPECT(count_pointers(plugin, print_pointer, NULL) == 0, "pointers into the plugin are left");
    EXPECT(dlclose(plugin->library) == 0, "it cannot be closed");
    plugin->library = dlopen(plugin->path, RTLD_NOW | RTLD_NOLOAD);
    if (!EXPECT(plugin->library == NULL, "its code is still mapped"))
        dlclose(plugin->library);
}

static void unload(struct plugin *plugin)
{
    EXPECT(peal_owner_retire(plugin->owner, MILLISECONDS) == PEAL_OK, "retiring did not wait");
    close_library(plugin);
}

/* ---- L3 ---------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
    "observer of UnloadNews.on_news",
    "observer of UnloadNews.count",
    "observer of UnloadNews.on_load",
    "observer of Unload",
    "destroy callback of an observer",
    "retain function of a weak observer",
    "release function of a weak observer",
    "executor of a queue",
    "destroy callback of a queue",
    "retain function of a type",
    "release function of a type",
    "function of a completion",
    "handler of an observer of Unload",
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct found {
    bool kinds[KINDS];
    size_t count;
};

static void note(void *context, const char *what, const void *function)
{
    struct found *const found = context;

    EXPECT(function != NULL, "a pointer that is none");
    found->count++;
    for (int i = 0; i < KINDS; i++)
        if (strstr(what, kinds[i]) != NULL)
            found->kinds[i] = true;
}

static void find_each_kind(struct plugin *plugin)
{
    struct found found;

    memset(&found, 0, sizeof found);
    load(plugin);
    EXPECT(count_pointers(plugin, note, &found) == found.count, "the count is not that of the visits");
    for (int i = 0; i < KINDS; i++)
        if (!EXPECT(found.kinds[i], "a kind of pointer is not found"))
            printf("  %s\n", kinds[i]);
    unload(plugin);
}

/* ---- L1 ---------------------------------------------------------------------------------------- */

static void *broadcast_inside(void *context)
{
    (void)context;
    EXPECT(peal_broadcast(news.on_news, INSIDE) == PEAL_OK, "no broadcast");
    return NULL;
}

static void *pump_inside(void *context)
{
    (void)context;
    EXPECT(peal_queue_pump(queue, 0, NULL) == PEAL_OK, "no pump");
    return NULL;
}

static peal_status retired;

static void *retire(void *context)
{
    retired = peal_owner_retire(((struct plugin *)context)->owner, MILLISECONDS);
    EXPECT(__atomic_load_n(&has_left, __ATOMIC_ACQUIRE), "it did not wait");
    return NULL;
}

/* A call of the plugin runs on another thread while it is retired. */
static void unload_while_running(struct plugin *plugin, bool is_queued)
{
    char name[2];
    pthread_t caller;
    pthread_t retirer;

    latch_shut(&inside);
    latch_shut(&may_leave);
    has_left = false;
    destroyed = 0;
    load(plugin);
    if (is_queued) {
        /* The direct observer is called first, on this thread, and does not block. */
        latch_open(&may_leave);
        EXPECT(peal_broadcast(news.on_news, INSIDE) == PEAL_OK, "no broadcast");
        EXPECT(peal_broadcast(news.on_load, PLAIN) == PEAL_OK, "no broadcast");
        latch_shut(&inside);
        latch_shut(&may_leave);
        has_left = false;
    }
    caller = thread_start(is_queued ? pump_inside : broadcast_inside, NULL);
    latch_wait(&inside);
    retirer = thread_start(retire, plugin);
    WAIT_UNTIL(peal_owner_name(plugin->owner, name, sizeof name, NULL) == PEAL_ERROR_HANDLE);
    latch_open(&may_leave);
    thread_join(retirer);
    EXPECT(retired == PEAL_OK, "retiring did not wait for all calls");
    EXPECT(destroyed == UNLOADABLE_DESTROYED, "not all destroy callbacks have run");
    close_library(plugin);
    thread_join(caller);
    EXPECT(peal_queue_pump(queue, 0, NULL) == PEAL_OK, "no pump");
    EXPECT(destroyed == UNLOADABLE_DESTROYED, "a destroy callback has run late");
}

/* ---- Load -------------------------------------------------------------------------------------- */

static bool is_over;

static void *broadcast_on(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        EXPECT(peal_broadcast(news.on_load, PLAIN) == PEAL_OK, "no broadcast");
        EXPECT(peal_broadcast(news.on_news, PLAIN) == PEAL_OK, "no broadcast");
        PEAL_BROADCAST(news, &news, on_load, PLAIN);
    }
    return NULL;
}

static void *pump_on(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        EXPECT(peal_queue_pump(queue, 64, NULL) == PEAL_OK, "no pump");
    return NULL;
}

int main(int count, char **arguments)
{
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct plugin plugins[2];
    pthread_t threads[3];
    const int rounds = count > 3 ? atoi(arguments[3]) : ROUNDS;

    if (count < 3) {
        printf("plugin_unload <plugin> <plugin> [rounds]\n");
        return EXIT_FAILURE;
    }
    memset(plugins, 0, sizeof plugins);
    plugins[0].path = arguments[1];
    plugins[1].path = arguments[2];
    options.kind = PEAL_QUEUE_PUMPED;
    options.capacity = 256;
    options.overflow = PEAL_OVERFLOW_DROP_OLDEST;
    if (peal_center_create(&center) != PEAL_OK || news_define(center, &news) != PEAL_OK
        || peal_queue_create(&options, &queue) != PEAL_OK)
        return EXIT_FAILURE;
    host.center = center;
    host.news = &news;
    host.queue = queue;
    host.enter = enter;
    host.calls = &calls;
    host.destroyed = &destroyed;

    printf("L3: every kind of pointer into a plugin is found, and none once it is retired\n");
    find_each_kind(&plugins[0]);
    printf("L1: a plugin is unloaded after a call of it that another thread makes\n");
    unload_while_running(&plugins[0], false);
    printf("L1: a plugin is unloaded after a queued call of it that another thread makes\n");
    unload_while_running(&plugins[1], true);
    printf("L4: plugins come and go %d times while others broadcast\n", rounds);
    threads[0] = thread_start(broadcast_on, NULL);
    threads[1] = thread_start(broadcast_on, NULL);
    threads[2] = thread_start(pump_on, NULL);
    calls = destroyed = 0;
    load(&plugins[0]);
    for (int round = 0; round < rounds; round++) {
        load(&plugins[(round + 1) % 2]);
        unload(&plugins[round % 2]);
    }
    unload(&plugins[rounds % 2]);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++)
        thread_join(threads[i]);
    EXPECT(destroyed == (unsigned)(rounds + 1) * UNLOADABLE_DESTROYED, "destroy callbacks are missing");
    EXPECT(calls > 0, "no observer was called");
    EXPECT(peal_center_destroy(center) == PEAL_OK, "the center cannot be ended");
    EXPECT(peal_queue_destroy(queue) == PEAL_OK, "the queue cannot be ended");
    printf("%d passed, %d failed\n", failures == 0 ? 4 : 0, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
