#include "plugin.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

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

/* Returns the result of an object's entry function, or NULL after a complaint. */
static const struct log_plugin *ask_entry(struct host *host, void *object, const char *file)
{
    log_plugin_entry *entry;
    void *symbol = dlsym(object, LOG_PLUGIN_ENTRY);
    if (symbol == NULL) {
        plugin_complain(host, file, "it has no function " LOG_PLUGIN_ENTRY);
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); /* C has no cast for it; POSIX guarantees equal bytes */
    const struct log_plugin *table = entry();
    if (table == NULL)
        plugin_complain(host, file, "its " LOG_PLUGIN_ENTRY " gives no table");
    else if (table->size != sizeof(struct log_plugin))
        plugin_complain(host, file, "its table has %zu bytes, not %zu: it was built for another logcast", table->size,
            sizeof(struct log_plugin));
    else if (table->name == NULL || *table->name == '\0' || table->start == NULL)
        plugin_complain(host, file, "its table lacks a name or a start function");
    else
        return table;
    return NULL;
}

/* Returns true if the object's name is that of the plugin, or if the plugin had no name. */
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

bool plugin_load(struct plugin *plugin, const char *file)
{
    struct host *host = plugin->host;
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

/* ---- Unloading ------------------------------------------------------------------------------- */

/* Delivers the calls that wait on the plugin's queues, which the retirement of the owner would drop. */
static void drain(peal_owner owner)
{
    peal_observation observations[16];
    const size_t capacity = sizeof observations / sizeof *observations;
    peal_status status;
    do {
        size_t count = 0;
        status = peal_owner_list_observations(owner, observations, capacity, &count);
        for (size_t i = 0; i < count && i < capacity; i++)
            peal_observation_remove_with(observations[i], PEAL_REMOVE_DRAIN | PEAL_REMOVE_WAIT, PLUGIN_PATIENCE);
    } while (status == PEAL_TRUNCATED);
}

struct search {
    struct host *host;
    const char *name;
};

static void report_pointer(void *context, const char *what, const void *function)
{
    const struct search *search = context;
    char text[256];
    (void)function;
    snprintf(text, sizeof text, "not unloaded: peal still has its %s", what);
    host_complain(search->host, search->name, text);
}

/* Returns true if peal has no function of the object any more. */
static bool is_forgotten(const struct plugin *plugin)
{
    struct search search = { plugin->host, plugin->name };
    size_t count = 0;
    return peal_find_pointers_into(dlsym(plugin->object, LOG_PLUGIN_ENTRY), report_pointer, &search, &count) == PEAL_OK
        && count == 0;
}

void plugin_unload(struct plugin *plugin)
{
    struct host *host = plugin->host;
    if (plugin->object == NULL)
        return;
    plugin->kept_layout = plugin->table->state;
    drain(plugin->owner);
    if (peal_owner_retire(plugin->owner, PLUGIN_PATIENCE) != PEAL_OK)
        host_complain(host, plugin->name, "not unloaded: its code may still run");
    else if (!host->options->check_pointers || is_forgotten(plugin))
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
