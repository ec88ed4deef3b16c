/* One plugin: a shared object that is loaded and checked, and runs as a module of its name. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "host.h"
#include "log_plugin.h"

/* How long a plugin's calls may take to end, in milliseconds; after that it is not unloaded. */
enum { PLUGIN_PATIENCE = 60000 };

struct plugin {
    struct host *host;
    char *path, *name; /* owned: the object's own texts end with it */
    void *object;      /* NULL unless it is loaded; the next three members are valid while it is */
    const struct log_plugin *table;
    peal_owner owner; /* of all that its code registers */
    enum log_start started;
    bool is_running; /* the next two members are valid while it does */
    peal_module module;
    uint64_t order; /* later starts have higher numbers */
    struct roster_entry *seat; /* NULL before its first start */

    /* Bytes for its next version. Its destroy callbacks add to them, on any thread; they are read
     * only after its owner is retired. */
    char *kept;
    size_t kept_length;
    unsigned kept_layout;

    bool is_marked; /* to be reloaded now */
    uint64_t reloads, reloads_along, reload_nanoseconds;
};

/* Loads the object at the plugin's path. False after a complaint: then the plugin is as it was.
 *
 * file: what the complaint calls it. */
bool plugin_load(struct plugin *plugin, const char *file);
/* Ends all that it registered, and unloads it if it is loaded. After a complaint the object may stay in memory, and the
 * host treats it as unloaded. */
void plugin_unload(struct plugin *plugin);
/* Registers a loaded plugin as a module, which starts it, with its options and its kept bytes. A
 * plugin that does not start is reported, and unloaded. */
void plugin_run(struct plugin *plugin);
/* Stops it if it runs, and unloads it. Its dependents must have ended. */
void plugin_end(struct plugin *plugin);

/* Adds to what it keeps. False when memory is out. */
bool plugin_keep(struct plugin *plugin, const void *bytes, size_t length);
/* Frees what is left of a plugin that has ended. */
void plugin_free(struct plugin *plugin);

/* Prints "logcast: plugin WHO skipped: ..." */
__attribute__((format(printf, 3, 4))) void plugin_complain(struct host *host, const char *who, const char *format, ...);

#endif
