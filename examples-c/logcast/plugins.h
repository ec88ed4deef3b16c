/* Plugins: shared objects of a folder, loaded, checked, started and unloaded. */
#ifndef PLUGINS_H
#define PLUGINS_H

#include "host.h"
#include "log_plugin.h"
#include "options.h"

enum { PLUGINS_LIMIT = 32 };

struct plugin {
    void *object;
    const struct log_plugin *table;
    enum log_start started;
};

struct plugins {
    struct plugin loaded[PLUGINS_LIMIT];
    size_t count;
};

/* Loads every .so file of a folder, by name. One that is no plugin is complained of and skipped. */
void plugins_load(struct plugins *plugins, struct host *host, const char *folder);
/* False when an option names no loaded plugin, or none of its options; it is told on stderr. */
bool plugins_know(const struct plugins *plugins, const struct options *options);
/* Starts each with its options. One that fails is complained of; the others go on. */
void plugins_start(struct plugins *plugins, struct host *host, const struct options *options);
/* Unloads them all. Their observers must be gone: close the host first. */
void plugins_unload(struct plugins *plugins);

#endif
