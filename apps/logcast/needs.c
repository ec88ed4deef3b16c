#include "needs.h"

#include <string.h>

bool needs_name(const char *const *needs, const char *name)
{
    for (; needs != NULL && *needs != NULL; needs++)
        if (strcmp(*needs, name) == 0)
            return true;
    return false;
}

static bool runs(const struct host *host, const char *name)
{
    peal_module module;
    struct peal_module_info info;
    info.size = sizeof info;
    return peal_module_find(host->center, name, &module) >= 0 && peal_module_get_info(module, &info) >= 0
        && info.state == PEAL_MODULE_RUNNING;
}

const char *needs_first_unmet(const struct host *host, const char *const *needs)
{
    for (; needs != NULL && *needs != NULL; needs++)
        if (!runs(host, *needs))
            return *needs;
    return NULL;
}

/* Returns the loaded plugin for which another one waits, or NULL. */
static const struct plugin *awaited(struct plugins *plugins, const struct plugin *plugin)
{
    const char *name = needs_first_unmet(plugins->host, plugin->table->needs);
    const struct plugin *other = name == NULL ? NULL : plugins_find(plugins, name);
    return other != NULL && other->object != NULL ? other : NULL;
}

/* Writes the path by which a plugin waits for itself, such as "a, b, a". Returns false if there is none. */
static bool find_cycle(struct plugins *plugins, const struct plugin *plugin, char *path, size_t capacity)
{
    const struct plugin *at = plugin;
    int length = snprintf(path, capacity, "%s", plugin->name);
    for (size_t steps = 0; steps < plugins->count; steps++) {
        at = awaited(plugins, at);
        if (at == NULL)
            return false;
        if ((size_t)length < capacity)
            length += snprintf(path + length, capacity - (size_t)length, ", %s", at->name);
        if (at == plugin)
            return true;
    }
    return false;
}

void needs_complain(struct plugins *plugins, const struct plugin *plugin)
{
    struct host *host = plugins->host;
    char path[512];
    const char *missing = needs_first_unmet(host, plugin->table->needs);
    if (missing == NULL)
        return; /* the failed start has been reported */
    if (find_cycle(plugins, plugin, path, sizeof path))
        plugin_complain(host, plugin->name, "it needs itself: %s", path);
    else if (plugins_find(plugins, missing) != NULL)
        plugin_complain(host, plugin->name, "it needs %s, which does not run", missing);
    else
        plugin_complain(host, plugin->name, "it needs %s, which is not there", missing);
}
