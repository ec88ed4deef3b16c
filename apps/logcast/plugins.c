#include "plugins.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "needs.h"
#include "place.h"

struct plugin *plugins_find(struct plugins *plugins, const char *name)
{
    for (size_t i = 0; i < plugins->count; i++)
        if (strcmp(plugins->known[i].name, name) == 0)
            return &plugins->known[i];
    return NULL;
}

/* Called by destroy callbacks, on any thread. */
static void keep(void *self, const char *who, const void *state, size_t length)
{
    struct plugins *plugins = self;
    struct plugin *plugin = plugins_find(plugins, who);
    if (plugin == NULL)
        return;
    pthread_mutex_lock(&plugins->keeping);
    const bool is_kept = plugin_keep(plugin, state, length);
    pthread_mutex_unlock(&plugins->keeping);
    if (!is_kept)
        log_trouble_report(plugins->host->center, who, "what it kept is lost: out of memory");
}

static const struct log_state memory = { PEAL_TABLE(log_state), keep };

bool plugins_open(struct plugins *plugins, struct host *host)
{
    struct log_state_protocol states;
    plugins->host = host;
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
    plugin.host = host;
    plugin.path = malloc(length);
    if (plugin.path == NULL) {
        plugin_complain(host, file, "%s", strerror(errno));
        return;
    }
    snprintf(plugin.path, length, "%s/%s", folder, file);
    plugin.started = LOG_START_IDLE;
    if (plugin_load(&plugin, file)) {
        if (plugins_find(plugins, plugin.name) == NULL) {
            plugins->known[plugins->count++] = plugin;
            return;
        }
        plugin_complain(host, file, "another plugin is called %s", plugin.name);
        plugin_unload(&plugin);
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

const char *plugins_refuse_option(struct plugins *plugins, const char *key)
{
    const char *dot = strchr(key, '.');
    for (size_t i = 0; dot != NULL && i < plugins->count; i++) {
        const struct plugin *plugin = &plugins->known[i];
        if (strncmp(plugin->name, key, (size_t)(dot - key)) != 0 || plugin->name[dot - key] != '\0')
            continue;
        if (plugin->object == NULL)
            return NULL; /* has been reported */
        for (const struct log_option_help *help = plugin->table->options; help && help->key; help++)
            if (strcmp(help->key, dot + 1) == 0)
                return NULL;
        return "the plugin has no such option";
    }
    return "no such plugin is loaded";
}

/* ---- Running --------------------------------------------------------------------------------- */

static void charge(struct plugin *plugin, uint64_t begun)
{
    if (plugin->is_marked)
        plugin->reload_nanoseconds += clock_nanoseconds() - begun;
}

static void run(struct plugin *plugin)
{
    const uint64_t begun = clock_nanoseconds();
    plugin_run(plugin);
    charge(plugin, begun);
}

void plugins_start(struct plugins *plugins)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = false;
        for (size_t i = 0; i < plugins->count; i++) {
            struct plugin *plugin = &plugins->known[i];
            if (plugin->object == NULL || plugin->is_running
                || needs_first_unmet(plugins->host, plugin->table->needs) != NULL)
                continue;
            run(plugin);
            goes_on = true;
        }
    }
    for (size_t i = 0; i < plugins->count; i++)
        if (plugins->known[i].object != NULL && !plugins->known[i].is_running)
            needs_complain(plugins, &plugins->known[i]);
    for (size_t i = 0; i < plugins->count; i++)
        if (!plugins->known[i].is_running)
            plugin_unload(&plugins->known[i]);
}

/* ---- Reloading ------------------------------------------------------------------------------- */

/* Marks a plugin, and the running plugins that need it. */
static void mark(struct plugins *plugins, struct plugin *plugin)
{
    plugin->is_marked = true;
    for (size_t i = 0; i < plugins->count; i++) {
        struct plugin *other = &plugins->known[i];
        if (other->is_running && !other->is_marked && needs_name(other->table->needs, plugin->name))
            mark(plugins, other);
    }
}

/* Returns the running marked plugin that started last, or NULL. */
static struct plugin *find_last(struct plugins *plugins)
{
    struct plugin *last = NULL;
    for (size_t i = 0; i < plugins->count; i++) {
        struct plugin *plugin = &plugins->known[i];
        if (plugin->is_marked && plugin->is_running && (last == NULL || plugin->order > last->order))
            last = plugin;
    }
    return last;
}

/* Ends the marked plugins, in reverse order of their starts, and loads and starts them again. */
static void reload_marked(struct plugins *plugins)
{
    struct plugin *plugin;
    while ((plugin = find_last(plugins)) != NULL) {
        const uint64_t begun = clock_nanoseconds();
        plugin_end(plugin);
        charge(plugin, begun);
    }
    for (size_t i = 0; i < plugins->count; i++) {
        const uint64_t begun = clock_nanoseconds();
        plugin = &plugins->known[i];
        if (plugin->is_marked)
            plugin_load(plugin, plugin->name);
        charge(plugin, begun);
    }
    plugins_start(plugins);
}

void plugins_reload_next(struct plugins *plugins)
{
    if (plugins->count == 0)
        return;
    struct plugin *next = &plugins->known[plugins->turn];
    plugins->turn = (plugins->turn + 1) % plugins->count;
    mark(plugins, next);
    reload_marked(plugins);
    for (size_t i = 0; i < plugins->count; i++) {
        struct plugin *plugin = &plugins->known[i];
        *(plugin == next ? &plugin->reloads : &plugin->reloads_along) += plugin->is_marked && plugin->is_running;
        plugin->is_marked = false;
    }
}

void plugins_reload_all(struct plugins *plugins)
{
    for (size_t i = 0; i < plugins->count; i++)
        plugins->known[i].is_marked = true;
    reload_marked(plugins);
    for (size_t i = 0; i < plugins->count; i++) {
        plugins->known[i].reloads += plugins->known[i].is_running;
        plugins->known[i].is_marked = false;
    }
}

void plugins_close(struct plugins *plugins)
{
    struct plugin *plugin;
    for (size_t i = 0; i < plugins->count; i++)
        plugins->known[i].is_marked = true;
    while ((plugin = find_last(plugins)) != NULL)
        plugin_end(plugin);
    while (plugins->count > 0) {
        plugin = &plugins->known[--plugins->count];
        plugin_unload(plugin);
        plugin_free(plugin);
    }
}
