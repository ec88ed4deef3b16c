/* A plugin whose entry function returns NULL. */
#include <stddef.h>

#include "log_plugin.h"

const struct log_plugin *logcast_plugin(void) { return NULL; }
