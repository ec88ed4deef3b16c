/* One plugin: a shared object, loaded, checked, started, ended and unloaded. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "host.h"
#include "log_plugin.h"
#include "options.h"

struct plugin {
    char *path, *name; /* owned: those of the object go with it */
    void *object;      /* NULL while it is not loaded; the next three mean something while it is */
    const struct log_plugin *table;
    peal_owner owner; /* of all that its code registers */
    enum log_start started;
    struct roster_entry *seat; /* NULL before its first start */

    /* What it kept for its next self. Added to by its destroy callbacks, on whatever thread; looked at
     * only once its owner is retired. */
    char *kept;
    size_t kept_length;
    unsigned kept_layout;

    uint64_t reloads, reload_nanoseconds;
};

/* Loads the object at the plugin's path. False after a complaint: then the plugin is as it was.
 *
 * file: what the complaint calls it. */
bool plugin_load(struct plugin *plugin, struct host *host, const char *file);
/* Starts it with its options and what it kept. One that fails is complained of, and unloaded. */
void plugin_start(struct plugin *plugin, struct host *host, const struct options *options);
/* Ends all that it registered, and unloads it if it is loaded. After a complaint it may stay in memory;
 * to us it is unloaded all the same. */
void plugin_unload(struct plugin *plugin, struct host *host, const struct options *options);

/* Adds to what it keeps. False when memory is out. */
bool plugin_keep(struct plugin *plugin, const void *bytes, size_t length);
/* Frees what is left of a plugin that is not loaded. */
void plugin_free(struct plugin *plugin);

/* Prints "logcast: plugin WHO skipped: ..." */
__attribute__((format(printf, 3, 4)))
void plugin_complain(struct host *host, const char *who, const char *format, ...);

#endif
