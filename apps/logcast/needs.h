/* The dependencies of plugins. */
#ifndef NEEDS_H
#define NEEDS_H

#include "plugins.h"

/* Returns true if a list of needs contains a name. */
bool needs_name(const char *const *needs, const char *name);
/* Returns the first name in `needs` that is not a running module, or NULL. */
const char *needs_first_unmet(const struct host *host, const char *const *needs);

/* Reports a loaded plugin that cannot start, because a dependency does not run or the plugin needs itself. */
void needs_complain(struct plugins *plugins, const struct plugin *plugin);

#endif
