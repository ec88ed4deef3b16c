/* A setting: --KEY VALUE on the command line, or KEY = VALUE in the configuration file. */
#ifndef SETTING_H
#define SETTING_H

enum { SETTINGS_LIMIT = 128 };

struct setting {
    const char *key, *value; /* borrowed from the arguments or the file */
    unsigned line;           /* in the file, from 1; 0: on the command line */
};

#endif
