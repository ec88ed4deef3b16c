/* The interface of the plugin "counts" for other plugins: the service "hours". */
#ifndef LOG_HOURS_H
#define LOG_HOURS_H

#include <peal/peal.h>

/* Visits each hour with kept lines, in the order of the log. `hour` does not end with a zero. */
#define LOG_HOURS(METHOD)         \
    METHOD(required, void, visit, \
        (void (*visitor)(void *context, const char *hour, size_t length, uint64_t lines), void *context))
PEAL_PROTOCOL(log_hours, "LogHours", LOG_HOURS);

#endif
