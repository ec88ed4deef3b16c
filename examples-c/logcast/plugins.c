#include "plugins.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

__attribute__((format(printf, 3, 4)))
static void complain(struct host *host, const char *plugin, const char *format, ...)
{
    char who[PLACE_CAPACITY], what[2 * PLACE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(who, sizeof who, "plugin %s skipped", plugin);
    host_complain(host, who, what);
}

static const struct plugin *find(const struct plugins *plugins, const char *name)
{
    for (size_t i = 0; i < plugins->count; i++)
        if (strcmp(plugins->loaded[i].table->name, name) == 0)
            return &plugins->loaded[i];
    return NULL;
}

/* What an object's entry function gives, or NULL after a complaint. */
static const struct log_plugin *ask_entry(struct host *host, void *object, const char *file)
{
    log_plugin_entry *entry;
    void *symbol = dlsym(object, LOG_PLUGIN_ENTRY);
    if (symbol == NULL) {
        complain(host, file, "it has no function " LOG_PLUGIN_ENTRY);
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); /* C has no cast for it; POSIX promises the bytes */
    const struct log_plugin *table = entry();
    if (table == NULL)
        complain(host, file, "its " LOG_PLUGIN_ENTRY " gives no table");
    else if (table->size != sizeof(struct log_plugin))
        complain(host, file, "its table has %zu bytes, not %zu: it was built for another logcast",
                 table->size, sizeof(struct log_plugin));
    else if (table->name == NULL || *table->name == '\0' || table->start == NULL)
        complain(host, file, "its table lacks a name or a start function");
    else
        return table;
    return NULL;
}

static void load(struct plugins *plugins, struct host *host, const char *folder, const char *file)
{
    char path[PLACE_CAPACITY];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path) {
        complain(host, file, "its path is too long");
        return;
    }
    if (plugins->count == PLUGINS_LIMIT) {
        complain(host, file, "more than %d plugins", PLUGINS_LIMIT);
        return;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        complain(host, file, "%s", dlerror());
        return;
    }
    const struct log_plugin *table = ask_entry(host, object, file);
    if (table != NULL && find(plugins, table->name) != NULL) {
        complain(host, file, "another plugin is called %s", table->name);
        table = NULL;
    }
    if (table == NULL) {
        dlclose(object);
        return;
    }
    const struct plugin plugin = { object, table, LOG_START_IDLE };
    plugins->loaded[plugins->count++] = plugin;
}

static int is_shared_object(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

void plugins_load(struct plugins *plugins, struct host *host, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_shared_object, alphasort);
    if (count < 0) {
        host_complain(host, folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        load(plugins, host, folder, entries[i]->d_name);
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

bool plugins_know(const struct plugins *plugins, const struct options *options)
{
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

static void start(struct plugin *plugin, struct host *host, const struct options *options)
{
    const char *name = plugin->table->name;
    struct log_option given[OPTIONS_FOR_PLUGINS + 1];
    void *target = NULL;
    size_t count = 0;
    for (size_t i = 0; i < options->for_plugins_count; i++) {
        if (strcmp(options->for_plugins[i].plugin, name) == 0) {
            given[count].key = options->for_plugins[i].key;
            given[count++].value = options->for_plugins[i].value;
        }
    }
    given[count].key = NULL;
    peal_forget_failure();
    plugin->started = plugin->table->start(host->center, given, &target);
    if (plugin->started == LOG_STARTED && !roster_add(&host->roster, name, target))
        host_complain(host, name, "has no place in the roster: it goes unnamed");
    if (plugin->started == LOG_START_FAILED)
        complain(host, name, "%s",
                 peal_last_status() < 0 ? peal_last_message() : "it did not start");
}

void plugins_start(struct plugins *plugins, struct host *host, const struct options *options)
{
    for (size_t i = 0; i < plugins->count; i++)
        start(&plugins->loaded[i], host, options);
}

void plugins_unload(struct plugins *plugins)
{
    while (plugins->count > 0)
        dlclose(plugins->loaded[--plugins->count].object);
}
