/* count: keeps every line and counts them. It prints the count when the host unloads it. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>

struct count {
    int lines;
};

static void count_line(void *self, const char *line)
{
    struct count *count = self;
    (void)line;
    count->lines++;
}

/* The destroy callback: peal calls it once, after the last call of the observer has returned. */
static void print_and_free(void *self)
{
    struct count *count = self;
    printf("count: %d lines were kept\n", count->lines);
    free(count);
}

peal_status filter_start(peal_center center)
{
    static const struct filter table = { PEAL_TABLE(filter), .kept = count_line };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct filter_protocol filters;
    struct count *count;
    const peal_status status = filter_define(center, &filters);
    if (status < 0)
        return status;
    count = calloc(1, sizeof *count);
    if (count == NULL)
        return PEAL_ERROR_MEMORY;
    /* From here on the observer owns its target, even if the registration fails. */
    options.destroy = print_and_free;
    return filter_observe(&filters, count, &table, &options, NULL);
}
