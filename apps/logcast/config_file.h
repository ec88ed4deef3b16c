/* The configuration file: lines of KEY = VALUE.
 *
 *     # Blank lines and those that begin with a hash mean nothing.
 *     line-limit  = 65536
 *     filter.drop = trigproc
 *     filter.keep = " installed "      in quotes a value keeps its blanks
 *
 * A key may be repeated; the option defines the meaning. */
#ifndef CONFIG_FILE_H
#define CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "setting.h"

enum { CONFIG_FILE_LIMIT = 64 * 1024 };

struct config_file {
    char *text; /* owned; the settings point into it */
    struct setting settings[SETTINGS_LIMIT];
    size_t setting_count;
};

/* Reads a file. False with a sentence, "PATH:LINE: ..." where a line is at fault; then there is
 * nothing to free. */
bool config_file_read(struct config_file *file, const char *path, char *out_sentence, size_t capacity);
void config_file_free(struct config_file *file);

#endif
