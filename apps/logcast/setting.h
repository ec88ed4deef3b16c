/* KEY VALUE: from the command line, where it is --KEY VALUE, or from the configuration file. */
#ifndef SETTING_H
#define SETTING_H

enum { SETTINGS_LIMIT = 128 };

struct setting {
    const char *key, *value; /* borrowed from what was read */
    unsigned line;           /* in the file, from 1; 0: on the command line */
};

#endif
