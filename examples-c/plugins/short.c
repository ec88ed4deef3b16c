/* short: a filter that drops long lines. It has no state of its own. */
#include "filter.h"

#include <string.h>

enum { LONGEST = 16 };

static bool is_short(void *self, const char *line)
{
    (void)self;
    return strlen(line) <= LONGEST;
}

peal_status filter_start(peal_center center)
{
    static const struct filter table = { PEAL_TABLE(filter), .wants = is_short };
    struct filter_protocol filters;
    const peal_status status = filter_define(center, &filters);
    return status < 0 ? status : filter_observe(&filters, NULL, &table, NULL, NULL);
}
