/* The module "reading": its reactions to events of the application. It starts before all plugins
 * and stops after them. */
#ifndef READING_H
#define READING_H

#include "run.h"

peal_status reading_register(peal_center center, struct run *run);

/* Prints the counts of a session. The statistics call this function when a session ends. */
void reading_notify_session(void *run, const struct statistics *statistics);

#endif
