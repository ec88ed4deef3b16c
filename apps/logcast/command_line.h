/* The user's arguments. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "setting.h"

struct command_line {
    struct setting settings[SETTINGS_LIMIT]; /* in the order given */
    size_t setting_count;
    char **paths; /* in argv */
    size_t path_count;
};

enum command_line_result { COMMAND_LINE_RUN, COMMAND_LINE_DONE, COMMAND_LINE_BAD };

/* Reads the arguments, which it changes, and whose memory must stay valid. Prints help and version, and
 * mistakes on standard error. The options of plugins are checked later. */
enum command_line_result command_line_read(struct command_line *line, int argc, char **argv);
/* Returns true if an option was given. */
bool command_line_has(const struct command_line *line, const char *key);

#endif
