/* The dependencies of plugins. */
#ifndef NEEDS_H
#define NEEDS_H

#include "plugins.h"

/* Returns true if a list of needs has a name. */
bool needs_name(const char *const *needs, const char *name);
/* The first that is no module that runs, or NULL. */
const char *needs_first_unmet(const struct host *host, const char *const *needs);

/* Complains of a loaded plugin that cannot start since it needs what is not there, or itself. */
void needs_complain(struct plugins *plugins, const struct plugin *plugin);

#endif
