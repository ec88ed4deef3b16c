/* A plugin that needs others. NAME is its name, and NEEDS the list of the others' names and a NULL. Its start fails if
 * STARTS is 0. */
#include "log_plugin.h"

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    (void)center;
    (void)options;
    (void)kept;
    (void)out_target;
    return STARTS ? LOG_START_IDLE : LOG_START_FAILED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const char *const needs[] = { NEEDS };
    static const struct log_plugin plugin = {
        sizeof plugin,
        NAME,
        "needs others",
        NULL,
        needs,
        0,
        start,
    };
    return &plugin;
}
