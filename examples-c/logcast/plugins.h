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
    size_t turn; /* whose it is to be reloaded */
};

/* Begins without any. False when peal refuses; peal_last_message() tells why. */
bool plugins_open(struct plugins *plugins, struct host *host);
/* Loads every .so file of a folder, by name. One that is no plugin is complained of and skipped. */
void plugins_load(struct plugins *plugins, const char *folder);
/* NULL where none has the name. */
struct plugin *plugins_find(struct plugins *plugins, const char *name);
/* What is wrong with an option's key, PLUGIN.KEY; NULL when a loaded plugin has it. */
const char *plugins_refuse_option(struct plugins *plugins, const char *key);

/* Starts those that are loaded and do not run, what they need first. One that fails, or needs what is
 * not there, or itself, is complained of and unloaded; the others go on. */
void plugins_start(struct plugins *plugins);

/* Loads one plugin anew, each in its turn; or all, those too that failed before. What needs it goes
 * with it. New files in the folder are not looked for. */
void plugins_reload_next(struct plugins *plugins);
void plugins_reload_all(struct plugins *plugins);
/* Ends and unloads them all. */
void plugins_close(struct plugins *plugins);

#endif
