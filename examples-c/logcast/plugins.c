#include "plugins.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "place.h"

static struct plugin *find(struct plugins *plugins, const char *name)
{
    for (size_t i = 0; i < plugins->count; i++)
        if (strcmp(plugins->known[i].name, name) == 0)
            return &plugins->known[i];
    return NULL;
}

/* Called by destroy callbacks, on whatever thread. */
static void keep(void *self, const char *who, const void *state, size_t length)
{
    struct plugins *plugins = self;
    struct plugin *plugin = find(plugins, who);
    if (plugin == NULL)
        return;
    pthread_mutex_lock(&plugins->keeping);
    const bool is_kept = plugin_keep(plugin, state, length);
    pthread_mutex_unlock(&plugins->keeping);
    if (!is_kept)
        log_trouble_tell(plugins->host->center, who, "what it kept is lost: out of memory");
}

static const struct log_state memory = { PEAL_TABLE(log_state), keep };

bool plugins_open(struct plugins *plugins, struct host *host, const struct options *options)
{
    struct log_state_protocol states;
    plugins->host = host;
    plugins->options = options;
    plugins->count = plugins->turn = 0;
    pthread_mutex_init(&plugins->keeping, NULL);
    return log_state_define(host->center, &states) >= 0
        && log_state_observe(&states, plugins, &memory, NULL, NULL) >= 0;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static void load(struct plugins *plugins, const char *folder, const char *file)
{
    struct host *host = plugins->host;
    struct plugin plugin;
    const size_t length = strlen(folder) + strlen(file) + 2;
    if (plugins->count == PLUGINS_LIMIT) {
        plugin_complain(host, file, "more than %d plugins", PLUGINS_LIMIT);
        return;
    }
    memset(&plugin, 0, sizeof plugin);
    plugin.path = malloc(length);
    if (plugin.path == NULL) {
        plugin_complain(host, file, "%s", strerror(errno));
        return;
    }
    snprintf(plugin.path, length, "%s/%s", folder, file);
    plugin.started = LOG_START_IDLE;
    if (plugin_load(&plugin, host, file)) {
        if (find(plugins, plugin.name) == NULL) {
            plugins->known[plugins->count++] = plugin;
            return;
        }
        plugin_complain(host, file, "another plugin is called %s", plugin.name);
        plugin_unload(&plugin, host, plugins->options);
    }
    plugin_free(&plugin);
}

static int is_shared_object(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

void plugins_load(struct plugins *plugins, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_shared_object, alphasort);
    if (count < 0) {
        host_complain(plugins->host, folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        load(plugins, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

static bool has_option(const struct log_plugin *table, const char *key)
{
    for (const struct log_option_help *help = table->options; help && help->key; help++)
        if (strcmp(help->key, key) == 0)
            return true;
    return false;
}

bool plugins_know_options(struct plugins *plugins)
{
    const struct options *options = plugins->options;
    for (size_t i = 0; i < options->for_plugins_count; i++) {
        const struct plugin_option *option = &options->for_plugins[i];
        const struct plugin *plugin = find(plugins, option->plugin);
        if (plugin == NULL || !has_option(plugin->table, option->key)) {
            fprintf(stderr, "logcast: --%s.%s: %s\nTry logcast --list.\n", option->plugin,
                    option->key, plugin == NULL ? "no such plugin is loaded"
                                                : "the plugin has no such option");
            return false;
        }
    }
    return true;
}

/* ---- Running --------------------------------------------------------------------------------- */

void plugins_start(struct plugins *plugins)
{
    for (size_t i = 0; i < plugins->count; i++)
        plugin_start(&plugins->known[i], plugins->host, plugins->options);
}

static void reload(struct plugins *plugins, struct plugin *plugin)
{
    const uint64_t begun = clock_nanoseconds();
    plugin_unload(plugin, plugins->host, plugins->options);
    if (plugin_load(plugin, plugins->host, plugin->name)) {
        plugin_start(plugin, plugins->host, plugins->options);
        plugin->reloads++;
    }
    plugin->reload_nanoseconds += clock_nanoseconds() - begun;
}

void plugins_reload_next(struct plugins *plugins)
{
    if (plugins->count == 0)
        return;
    reload(plugins, &plugins->known[plugins->turn]);
    plugins->turn = (plugins->turn + 1) % plugins->count;
}

void plugins_reload_all(struct plugins *plugins)
{
    for (size_t i = 0; i < plugins->count; i++)
        reload(plugins, &plugins->known[i]);
}

void plugins_close(struct plugins *plugins)
{
    while (plugins->count > 0) {
        struct plugin *plugin = &plugins->known[plugins->count - 1];
        plugin_unload(plugin, plugins->host, plugins->options);
        plugin_free(plugin);
        plugins->count--;
    }
}
