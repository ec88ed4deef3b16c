/* What a logcast plugin is: a shared object with one exported function,
 *
 *     const struct log_plugin *logcast_plugin(void);
 *
 * The rest goes through peal: `start` registers observers of LogSink, each with a destroy callback
 * that frees its target. The host ends its center before it unloads the plugin, and with the center
 * every observation. So a plugin needs no `stop`. */
#ifndef LOG_PLUGIN_H
#define LOG_PLUGIN_H

#include <peal/peal.h>

/* An option that the user gave: --NAME.KEY VALUE. Valid as long as the process. */
struct log_option {
    const char *key; /* NULL ends a list */
    const char *value;
};

/* An option that a plugin has. */
struct log_option_help {
    const char *key; /* NULL ends a list */
    const char *value;
    const char *help;
};

enum log_start {
    LOG_START_FAILED = -1, /* report it by log_trouble_tell, or let peal_last_message() tell */
    LOG_STARTED = 0,
    LOG_START_IDLE = 1 /* nothing to do: the options ask for nothing */
};

struct log_plugin {
    size_t size;      /* sizeof(struct log_plugin): a host refuses what it does not know */
    const char *name; /* also the first part of its options */
    const char *about;
    const struct log_option_help *options; /* may be NULL */
    /* Registers the plugin's observers in `center`.
     *
     * options: borrowed during the call; those of this plugin, in the order given.
     * out_target: filled with the observers' target: the host asks whose call took how long. */
    enum log_start (*start)(peal_center center, const struct log_option *options, void **out_target);
};

#define LOG_PLUGIN_ENTRY "logcast_plugin"
typedef const struct log_plugin *log_plugin_entry(void);

#define LOG_PLUGIN_EXPORT __attribute__((visibility("default")))
LOG_PLUGIN_EXPORT const struct log_plugin *logcast_plugin(void);

/* The last value given for a key, or NULL. */
static inline const char *log_option_last(const struct log_option *options, const char *key)
{
    const char *value = NULL;
    for (; options->key != NULL; options++)
        if (__builtin_strcmp(options->key, key) == 0)
            value = options->value;
    return value;
}

#endif
