/* The plugins of a folder. */
#ifndef PLUGINS_H
#define PLUGINS_H

#include <pthread.h>

#include "plugin.h"

enum { PLUGINS_LIMIT = 32 };

struct plugins {
    struct host *host;
    struct plugin known[PLUGINS_LIMIT]; /* loaded plugins, and those that will be tried again */
    size_t count;
    pthread_mutex_t keeping; /* destroy callbacks of several queues may run at once */
    size_t turn; /* the index of the next plugin to reload */
};

/* Begins without plugins. Returns false if peal refuses, with peal_last_message(). */
bool plugins_open(struct plugins *plugins, struct host *host);
/* Loads every .so file of a folder, in the order of the names. A file that is no plugin is reported and skipped. */
void plugins_load(struct plugins *plugins, const char *folder);
/* Returns the plugin with a name, or NULL. */
struct plugin *plugins_find(struct plugins *plugins, const char *name);
/* Returns the mistake in an option's key, PLUGIN.KEY; NULL if a loaded plugin has the option. */
const char *plugins_refuse_option(struct plugins *plugins, const char *key);

/* Starts all loaded plugins that do not run, dependencies first. A plugin that fails, lacks a
 * dependency or needs itself is reported and unloaded. The others continue. */
void plugins_start(struct plugins *plugins);

/* Reloads the next plugin in turn, or all plugins, including failed ones. Dependents are reloaded with a plugin.
 * New files in the folder are ignored. */
void plugins_reload_next(struct plugins *plugins);
void plugins_reload_all(struct plugins *plugins);
/* Ends and unloads all plugins. */
void plugins_close(struct plugins *plugins);

#endif
