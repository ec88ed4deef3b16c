/* The plugins of a folder. */
#ifndef PLUGINS_H
#define PLUGINS_H

#include <pthread.h>

#include "plugin.h"

enum { PLUGINS_LIMIT = 32 };

struct plugins {
    struct host *host;
    struct plugin known[PLUGINS_LIMIT]; /* loaded, or to be tried again */
    size_t count;
    pthread_mutex_t keeping; /* destroy callbacks of several queues may run at once */
    size_t turn; /* the index of the next plugin to reload */
};

/* Begins without plugins. False when peal refuses, with peal_last_message(). */
bool plugins_open(struct plugins *plugins, struct host *host);
/* Loads every .so file of a folder, by name. A file that is no plugin is reported and skipped. */
void plugins_load(struct plugins *plugins, const char *folder);
/* Returns the plugin of a name, or NULL. */
struct plugin *plugins_find(struct plugins *plugins, const char *name);
/* Returns the mistake in an option's key, PLUGIN.KEY; NULL when a loaded plugin has it. */
const char *plugins_refuse_option(struct plugins *plugins, const char *key);

/* Starts all loaded plugins that do not run, dependencies first. A plugin that fails, lacks a
 * dependency or needs itself is reported and unloaded; the others continue. */
void plugins_start(struct plugins *plugins);

/* Reloads one plugin, each in its turn; or all, failed ones too. Its dependents are reloaded with it.
 * New files in the folder are ignored. */
void plugins_reload_next(struct plugins *plugins);
void plugins_reload_all(struct plugins *plugins);
/* Ends and unloads them all. */
void plugins_close(struct plugins *plugins);

#endif
