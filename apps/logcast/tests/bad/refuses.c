/* A plugin whose start fails without a reported cause. */
#include "log_plugin.h"

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    (void)center;
    (void)options;
    (void)kept;
    (void)out_target;
    return LOG_START_FAILED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = { sizeof plugin, "refuses", "", NULL, NULL, 0, start };
    return &plugin;
}
