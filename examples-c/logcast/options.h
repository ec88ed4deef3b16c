/* What the user asked for. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPTIONS_FOR_PLUGINS = 64 };

/* --PLUGIN.KEY VALUE */
struct plugin_option {
    const char *plugin, *key, *value;
};

struct options {
    char **paths; /* in argv */
    size_t path_count;
    const char *plugins_folder; /* NULL: beside the executable */
    bool no_plugins, list, time, check_pointers;
    bool generates;
    uint64_t generate, trivial, line_limit;
    uint64_t reload_every; /* 0: on SIGHUP alone */
    struct plugin_option for_plugins[OPTIONS_FOR_PLUGINS];
    size_t for_plugins_count;
};

enum options_result { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_BAD };

/* Reads the arguments, which are changed and must stay. Prints help and version by itself; tells
 * what is bad on standard error. */
enum options_result options_read(struct options *options, int argc, char **argv);

#endif
