/* A plugin whose entry function gives nothing. */
#include <stddef.h>

#include "log_plugin.h"

const struct log_plugin *logcast_plugin(void) { return NULL; }
