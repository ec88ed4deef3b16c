/* A plugin that calls an undefined function. */
#include "log_plugin.h"

const struct log_plugin *logcast_no_such_function(void);

const struct log_plugin *logcast_plugin(void) { return logcast_no_such_function(); }
