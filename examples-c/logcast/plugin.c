#include "plugin.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

/* How long a plugin's calls may take to end; after that it is not unloaded. */
enum { PATIENCE_MILLISECONDS = 60000 };

void plugin_complain(struct host *host, const char *who, const char *format, ...)
{
    char whole[PLACE_CAPACITY], what[2 * PLACE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "plugin %s skipped", who);
    host_complain(host, whole, what);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* What an object's entry function gives, or NULL after a complaint. */
static const struct log_plugin *ask_entry(struct host *host, void *object, const char *file)
{
    log_plugin_entry *entry;
    void *symbol = dlsym(object, LOG_PLUGIN_ENTRY);
    if (symbol == NULL) {
        plugin_complain(host, file, "it has no function " LOG_PLUGIN_ENTRY);
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); /* C has no cast for it; POSIX promises the bytes */
    const struct log_plugin *table = entry();
    if (table == NULL)
        plugin_complain(host, file, "its " LOG_PLUGIN_ENTRY " gives no table");
    else if (table->size != sizeof(struct log_plugin))
        plugin_complain(host, file,
                        "its table has %zu bytes, not %zu: it was built for another logcast",
                        table->size, sizeof(struct log_plugin));
    else if (table->name == NULL || *table->name == '\0' || table->start == NULL)
        plugin_complain(host, file, "its table lacks a name or a start function");
    else
        return table;
    return NULL;
}

/* Whether the object is still the plugin that it was, if it was one. */
static bool take_name(struct plugin *plugin, struct host *host, const char *file)
{
    if (plugin->name == NULL)
        plugin->name = strdup(plugin->table->name);
    else if (strcmp(plugin->name, plugin->table->name) != 0)
        plugin_complain(host, file, "it is called %s now", plugin->table->name);
    else
        return true;
    return plugin->name != NULL && strcmp(plugin->name, plugin->table->name) == 0;
}

bool plugin_load(struct plugin *plugin, struct host *host, const char *file)
{
    if (peal_owner_create(file, &plugin->owner) < 0) {
        plugin_complain(host, file, "%s", peal_last_message());
        return false;
    }
    void *object = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        plugin_complain(host, file, "%s", dlerror());
    } else {
        peal_owner_enter(plugin->owner);
        plugin->table = ask_entry(host, object, file);
        peal_owner_leave();
        if (plugin->table != NULL && take_name(plugin, host, file)) {
            plugin->object = object;
            return true;
        }
        dlclose(object);
    }
    peal_owner_retire(plugin->owner, 0);
    return false;
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* The options that are the plugin's, ended by a NULL. */
static void pick_options(const struct options *options, const char *name,
                         struct log_option given[OPTIONS_FOR_PLUGINS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < options->for_plugins_count; i++) {
        if (strcmp(options->for_plugins[i].plugin, name) == 0) {
            given[count].key = options->for_plugins[i].key;
            given[count++].value = options->for_plugins[i].value;
        }
    }
    given[count].key = NULL;
}

static void take_seat(struct plugin *plugin, struct host *host, const void *target)
{
    if (plugin->seat != NULL)
        roster_move(&host->roster, plugin->seat, target);
    else if ((plugin->seat = roster_add(&host->roster, plugin->name, target)) == NULL)
        host_complain(host, plugin->name, "has no place in the roster: it goes unnamed");
}

void plugin_start(struct plugin *plugin, struct host *host, const struct options *options)
{
    struct log_option given[OPTIONS_FOR_PLUGINS + 1];
    char *const bytes = plugin->kept; /* taken out: a start that fails may keep them again */
    struct log_kept kept = { bytes, plugin->kept_length };
    void *target = NULL;
    plugin->kept = NULL;
    plugin->kept_length = 0;
    if (kept.length > 0 && plugin->table->state != plugin->kept_layout) {
        host_complain(host, plugin->name,
                      "it has changed, and cannot read what it kept: it begins anew");
        kept.length = 0;
    }
    pick_options(options, plugin->name, given);
    peal_forget_failure();
    peal_owner_enter(plugin->owner);
    plugin->started = plugin->table->start(host->center, given, &kept, &target);
    peal_owner_leave();
    if (plugin->started == LOG_STARTED)
        take_seat(plugin, host, target);
    if (plugin->started == LOG_START_FAILED) {
        plugin_complain(host, plugin->name, "%s",
                        peal_last_status() < 0 ? peal_last_message() : "it did not start");
        plugin_unload(plugin, host, options);
    }
    free(bytes);
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* Delivers what waits on the plugin's queues: retiring the owner would drop it. */
static void drain(peal_owner owner)
{
    peal_observation observations[16];
    const size_t capacity = sizeof observations / sizeof *observations;
    peal_status status;
    do {
        size_t count = 0;
        status = peal_owner_list_observations(owner, observations, capacity, &count);
        for (size_t i = 0; i < count && i < capacity; i++)
            peal_observation_remove_with(observations[i], PEAL_REMOVE_DRAIN | PEAL_REMOVE_WAIT,
                                         PATIENCE_MILLISECONDS);
    } while (status == PEAL_TRUNCATED);
}

struct search {
    struct host *host;
    const char *name;
};

static void tell_pointer(void *context, const char *what, const void *function)
{
    const struct search *search = context;
    char text[256];
    (void)function;
    snprintf(text, sizeof text, "not unloaded: peal still has its %s", what);
    host_complain(search->host, search->name, text);
}

/* Whether peal has no function of the object any more. */
static bool is_forgotten(const struct plugin *plugin, struct host *host)
{
    struct search search = { host, plugin->name };
    size_t count = 0;
    return peal_find_pointers_into(
               dlsym(plugin->object, LOG_PLUGIN_ENTRY), tell_pointer, &search, &count) == PEAL_OK
        && count == 0;
}

void plugin_unload(struct plugin *plugin, struct host *host, const struct options *options)
{
    if (plugin->object == NULL)
        return;
    plugin->kept_layout = plugin->table->state;
    drain(plugin->owner);
    if (peal_owner_retire(plugin->owner, PATIENCE_MILLISECONDS) != PEAL_OK)
        host_complain(host, plugin->name, "not unloaded: its code may still run");
    else if (!options->check_pointers || is_forgotten(plugin, host))
        dlclose(plugin->object);
    plugin->object = NULL;
}

/* ---- Keeping --------------------------------------------------------------------------------- */

bool plugin_keep(struct plugin *plugin, const void *bytes, size_t length)
{
    char *kept = realloc(plugin->kept, plugin->kept_length + length);
    if (kept == NULL)
        return false;
    memcpy(kept + plugin->kept_length, bytes, length);
    plugin->kept = kept;
    plugin->kept_length += length;
    return true;
}

void plugin_free(struct plugin *plugin)
{
    free(plugin->path);
    free(plugin->name);
    free(plugin->kept);
}
