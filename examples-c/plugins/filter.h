/* The interface between the host and its filters: one protocol, and the entry function of a plugin. */
#ifndef FILTER_H
#define FILTER_H

#include <peal/peal.h>

/* The host calls `wants` for each line. All filters are called, and the line is kept if every result is true.
 * Then it calls `kept` for a line that is kept. */
#define FILTER(METHOD)                                       \
    METHOD(optional, bool, wants, (const char *line), every) \
    METHOD(optional, void, kept, (const char *line))
PEAL_PROTOCOL(filter, "Filter", FILTER);

/* Registers the observers of the plugin. The host owns them, so a plugin has no function that ends them. */
#define FILTER_ENTRY "filter_start"
typedef peal_status filter_start_function(peal_center center);
__attribute__((visibility("default"))) filter_start_function filter_start;

#endif
