/* The host's own part in its center: the sinks to call, and an ear for trouble. */
#ifndef HOST_H
#define HOST_H

#include "log_sink.h"
#include "progress.h"
#include "roster.h"

struct host {
    peal_center center;
    struct log_sink_protocol sinks;
    struct progress progress;
    struct roster roster;
    unsigned troubles;
};

/* False when peal refuses; peal_last_message() tells why. */
bool host_open(struct host *host);
/* Ends the center, and with it every observer: plugins can be unloaded after this. */
void host_close(struct host *host);

/* Prints "logcast: WHO: WHAT" on standard error, and counts it. */
void host_complain(struct host *host, const char *who, const char *what);

#endif
