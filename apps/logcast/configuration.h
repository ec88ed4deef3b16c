/* The service "configuration": the current options, from the command line and a file. The module of
 * that name reads the file again on configuration_reloaded (SIGHUP). */
#ifndef CONFIGURATION_H
#define CONFIGURATION_H

#include "command_line.h"
#include "config_file.h"
#include "log_services.h"
#include "options.h"
#include "place.h"

/* One version of the file. All versions are kept, because plugins may use texts of older ones. */
struct configuration_version {
    struct config_file file;
    struct configuration_version *older;
};

/* The result of the command line and a version of the file. */
struct configuration_values {
    struct options options;                         /* the host's */
    struct setting for_plugins[2 * SETTINGS_LIMIT]; /* the plugins', in the order given */
    size_t for_plugins_count;
};

struct configuration {
    peal_center center;
    const struct command_line *line;
    char path[PLACE_CAPACITY];             /* of the file; empty without a file */
    struct configuration_version *version; /* NULL without a file */
    struct configuration_values values;
    char trouble[PLACE_CAPACITY + 256]; /* why the service could not be created, or empty */
};

/* Registers the service and its module. The file is read when the module starts.
 *
 * configuration: the instance, filled with zeros.
 * line: borrowed as long as the configuration. */
peal_status configuration_register(
    peal_center center, struct configuration *configuration, const struct command_line *line);

#endif
