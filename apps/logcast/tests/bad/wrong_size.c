/* A plugin whose table is that of another version of logcast. */
#include "log_plugin.h"

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_plugin plugin = {
        sizeof plugin + sizeof(void *),
        "wrong_size",
        "",
        NULL,
        NULL,
        0,
        NULL,
    };
    return &plugin;
}
