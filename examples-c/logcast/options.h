/* What the user may ask for. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "setting.h"

#define OPTIONS_GENERATE_NOTHING UINT64_MAX

/* Texts are borrowed from the settings. */
struct options {
    const char *config;         /* NULL: the file beside the executable, if it is there */
    const char *plugins_folder; /* NULL: beside the executable */
    bool no_plugins, list, explain, time, check_pointers;
    uint64_t generate, trivial, line_limit;
    uint64_t report_every; /* seconds; 0: never */
    uint64_t reload_every; /* 0: on SIGHUP alone */
};

void options_default(struct options *options);

/* Whether a key is that of a plugin's option: PLUGIN.KEY. */
bool options_is_for_plugin(const char *key);
/* Whether an option takes a value on the command line; one that does not exist takes none. */
bool options_takes_value(const char *key);

/* Puts a setting into its option; nothing for a plugin's. What is wrong with it, or NULL. */
const char *options_set(struct options *options, const struct setting *setting);

#endif
