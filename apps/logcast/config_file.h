/* The configuration file: lines of KEY = VALUE.
 *
 *     # Blank lines and lines that begin with a hash are ignored.
 *     line-limit  = 65536
 *     filter.drop = trigproc
 *     filter.keep = " installed "      a value in quotes keeps its blanks
 *
 * A key may be repeated. The option defines what this means. */
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

/* Reads a file. On failure returns false with a sentence, which begins with "PATH:LINE: " for a mistake in a line.
 * Then there is nothing to free. */
bool config_file_read(struct config_file *file, const char *path, char *out_sentence, size_t capacity);
void config_file_free(struct config_file *file);

#endif
