/* A host of plugins: reads lines, and keeps those that every plugin wants. */
#include "filter.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLUGINS_LIMIT = 8 };

struct plugin {
    const char *path;
    void *object;
    peal_owner owner;
};

static void fail(const char *cause)
{
    fprintf(stderr, "plugins: %s\n", cause);
    exit(1);
}

/* ---- One plugin ---- */

/* Ends all registrations of a plugin and unloads it. Its code must stay loaded while a call of it runs. */
static void unload(struct plugin *plugin)
{
    if (peal_owner_retire(plugin->owner, 1000) != PEAL_OK)
        fprintf(stderr, "plugins: %s stays loaded: %s\n", plugin->path, peal_last_message());
    else
        dlclose(plugin->object);
}

/* Calls the plugin's entry function with the plugin's owner entered, so that the owner gets all registrations. */
static peal_status start(struct plugin *plugin, peal_center center)
{
    filter_start_function *entry;
    peal_status status;
    *(void **)&entry = dlsym(plugin->object, FILTER_ENTRY);
    if (entry == NULL)
        fail(dlerror());
    if ((status = peal_owner_create(plugin->path, &plugin->owner)) < 0
        || (status = peal_owner_enter(plugin->owner)) < 0)
        return status;
    status = entry(center);
    peal_owner_leave();
    return status;
}

static bool load(struct plugin *plugin, const char *path, peal_center center)
{
    plugin->path = path;
    plugin->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin->object == NULL) {
        fprintf(stderr, "plugins: %s\n", dlerror());
        return false;
    }
    if (start(plugin, center) >= 0)
        return true;
    fprintf(stderr, "plugins: %s: %s\n", path, peal_last_message());
    unload(plugin);
    return false;
}

/* ---- The host ---- */

/* The host need not know its plugins. Without plugins the result keeps its value, so the line is kept. */
static void pass(const struct filter_protocol *filters, const char *line)
{
    bool keep = true;
    void *arguments[] = { &line };
    if (peal_send(filters->wants, arguments, 1, &keep, NULL) < 0)
        fail(peal_last_message());
    printf("%s: %s\n", keep ? "kept" : "dropped", line);
    if (keep)
        PEAL_BROADCAST(filter, filters, kept, line);
}

static void pass_all(const struct filter_protocol *filters)
{
    static const char *const lines[] = { "one", "a line that is long", "three" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        pass(filters, lines[i]);
}

int main(int argc, char **argv)
{
    struct plugin plugins[PLUGINS_LIMIT];
    struct filter_protocol filters;
    int count = 0;
    const peal_center center = peal_center_default();
    if (filter_define(center, &filters) < 0)
        fail(peal_last_message());
    for (int i = 1; i < argc && count < PLUGINS_LIMIT; i++)
        count += load(&plugins[count], argv[i], center);
    printf("with %d plugins\n", count);
    pass_all(&filters);
    while (count > 0)
        unload(&plugins[--count]);
    printf("without plugins\n");
    pass_all(&filters);
    return 0;
}
