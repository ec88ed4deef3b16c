/* The user's options. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "setting.h"

/* Texts are borrowed from the settings. */
struct options {
    const char *config;         /* NULL: the file beside the executable, if it exists */
    const char *plugins_folder; /* NULL: beside the executable */
    const char *publish;        /* the address of a server; NULL: lines stay in this process */
    const char *subscribe;      /* the address of a server; NULL: lines are read from logs */
    const char *realm, *name;   /* NULL: the default */
    bool no_plugins, list, explain, time, check_pointers;
    uint64_t line_limit;
    uint64_t report_every; /* seconds; 0: never */
    uint64_t reload_every; /* lines; 0: on SIGHUP alone */
};

void options_default(struct options *options);

/* Returns true if a key has the form of a plugin's option, PLUGIN.KEY. */
bool options_is_for_plugin(const char *key);
/* Returns true if an option has a value on the command line. An unknown option has none. */
bool options_takes_value(const char *key);

/* Stores a setting in its option, and ignores a plugin's setting. Returns the mistake in it, or NULL. */
const char *options_set(struct options *options, const struct setting *setting);

#endif
