/* The exchange of lines with other machines: --publish sends kept lines, and --subscribe reads those of others. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "pipeline.h"
#include "remote.h"

struct exchange {
    struct source source; /* the first member, because the lines of others are a source */
    struct pipeline *pipeline;
    const struct remote_table *table;
    struct remote *remote; /* NULL: no exchange */
    int signals;           /* a descriptor that ends a wait for lines */
    bool publishes;
    uint64_t refused; /* calls of other machines that are no lines */
};

/* Returns the mistake in the options and paths, or NULL. */
const char *exchange_refuse_options(const struct options *options, size_t path_count);

/* Connects to the server if the options need one. On failure returns false after a complaint. */
bool exchange_open(struct exchange *exchange, struct pipeline *pipeline);
/* Waits until the server has stored the published lines. After a signal the wait is limited. */
void exchange_finish(struct exchange *exchange);
void exchange_close(struct exchange *exchange);

#endif
