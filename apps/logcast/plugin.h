/* A plugin: a shared object that is loaded and checked, and runs as a module with its name. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "host.h"
#include "log_plugin.h"

/* The time limit for a plugin's running calls, in milliseconds. If it expires, the plugin is not unloaded. */
enum { PLUGIN_PATIENCE = 60000 };

struct plugin {
    struct host *host;
    char *path, *name; /* owned, because the object's own texts end with it */
    void *object;      /* NULL if it is not loaded; the next three members are valid while it is */
    const struct log_plugin *table;
    peal_owner owner; /* of all that its code registers */
    enum log_start started;
    bool is_running; /* the next two members are valid while it runs */
    peal_module module;
    uint64_t order; /* of the start; later starts have higher numbers */
    struct roster_entry *seat; /* NULL before its first start */

    /* Bytes for its next version. Its destroy callbacks append to them on any thread. They are read
     * only after its owner has been retired. */
    char *kept;
    size_t kept_length;
    unsigned kept_layout;

    bool is_marked; /* to be reloaded now */
    uint64_t reloads, reloads_along, reload_nanoseconds;
};

/* Loads the object at the plugin's path. On failure reports the cause, returns false and changes nothing.
 *
 * file: the name in the report. */
bool plugin_load(struct plugin *plugin, const char *file);
/* Ends everything that the plugin registered, and unloads it if it is loaded. If this fails, reports the cause. The
 * object may then stay in memory, and the host treats it as unloaded. */
void plugin_unload(struct plugin *plugin);
/* Registers a loaded plugin as a module, which starts the plugin with its options and kept bytes. A
 * plugin that does not start is reported and unloaded. */
void plugin_run(struct plugin *plugin);
/* Stops the plugin if it runs, and unloads it. Its dependents must have ended. */
void plugin_end(struct plugin *plugin);

/* Appends bytes for the plugin's next version. Returns false without memory. */
bool plugin_keep(struct plugin *plugin, const void *bytes, size_t length);
/* Frees the memory of a plugin that has ended. */
void plugin_free(struct plugin *plugin);

/* Prints "logcast: plugin WHO skipped: ..." */
__attribute__((format(printf, 3, 4))) void plugin_complain(struct host *host, const char *who, const char *format, ...);

#endif
