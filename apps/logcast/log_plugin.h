/* A logcast plugin: a shared object with one exported function,
 *
 *     const struct log_plugin *logcast_plugin(void);
 *
 * All else is done by peal: `start` registers observers of LogSink, each with a destroy callback
 * that frees its target. All objects that `start` creates or registers, including queues, belong to the plugin's owner.
 * The host retires the owner before it unloads the plugin. So a plugin needs no `stop`.
 *
 * The host makes a module of each plugin. A plugin that uses a protocol or a service of another plugin names that
 * plugin in `needs`. Then it starts after the named plugin, ends before it, and is reloaded with it. A plugin whose
 * dependency is missing, or does not start, is reported and skipped.
 *
 * Reloading
 * ---------
 * Between two lines the host may unload a plugin, load its file again and start it again:
 *
 *     1. Calls that wait on the plugin's queues are delivered.
 *     2. Its observers end, and their destroy callbacks run. In these the plugin finishes its work (a file, a
 *        transaction) and passes the state for its next version by log_state_keep: bytes, in any
 *        number of pieces. Pointers must not be passed, because their targets end.
 *     3. The object is unloaded. The file may have been replaced.
 *     4. `start` receives the bytes, and reads them by log_state_take. The number `state` identifies their
 *        layout. If the new object has another number, the host reports this and passes no bytes.
 *
 * The host does not read the bytes. At the end of the run it performs the first two steps too. A plugin
 * cannot distinguish these cases, and need not. */
#ifndef LOG_PLUGIN_H
#define LOG_PLUGIN_H

#include <peal/peal.h>

/* An option that the user gave: --NAME.KEY VALUE, or NAME.KEY = VALUE in the configuration file. The
 * texts are valid until the process ends. A reload may pass other options, because the file is read again. */
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

/* The remaining bytes from the plugin's previous version. There are none at the first start. */
struct log_kept {
    const char *bytes;
    size_t length;
};

enum log_start {
    LOG_START_FAILED = -1, /* the cause is reported by log_trouble_report, or is peal_last_message() */
    LOG_STARTED = 0,
    LOG_START_IDLE = 1 /* the plugin has nothing to do with these options */
};

struct log_plugin {
    size_t size;      /* sizeof(struct log_plugin); a host refuses any other size */
    const char *name; /* also the first part of its options; must stay the same after a reload */
    const char *about;
    const struct log_option_help *options; /* or NULL */
    const char *const *needs; /* names of other plugins or of modules, ended by NULL; or NULL */
    unsigned state; /* identifies the layout of the kept bytes; must change with the layout */
    /* Registers the plugin's observers in `center`.
     *
     * options: the options of this plugin in the given order, borrowed during the call.
     * kept: borrowed during the call.
     * out_target: filled with the observers' target, whose calls the host times. */
    enum log_start (*start)(
        peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target);
};

#define LOG_PLUGIN_ENTRY "logcast_plugin"
typedef const struct log_plugin *log_plugin_entry(void);

#define LOG_PLUGIN_EXPORT __attribute__((visibility("default")))
LOG_PLUGIN_EXPORT const struct log_plugin *logcast_plugin(void);

/* Returns the last value of a key, or NULL. */
static inline const char *log_option_last(const struct log_option *options, const char *key)
{
    const char *value = NULL;
    for (; options->key != NULL; options++)
        if (__builtin_strcmp(options->key, key) == 0)
            value = options->value;
    return value;
}

/* Reads the next bytes. If fewer bytes remain, returns false and reads none. */
static inline bool log_state_take(struct log_kept *kept, void *out_state, size_t length)
{
    if (length > kept->length)
        return false;
    __builtin_memcpy(out_state, kept->bytes, length);
    kept->bytes += length;
    kept->length -= length;
    return true;
}

#endif
