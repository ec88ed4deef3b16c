/* A logcast plugin: a shared object with one exported function,
 *
 *     const struct log_plugin *logcast_plugin(void);
 *
 * The rest goes through peal: `start` registers observers of LogSink, each with a destroy callback
 * that frees its target. Everything that `start` registers, queues too, belongs to the plugin's owner. The host retires
 * the owner before it unloads the plugin. So a plugin needs no `stop`.
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
 *        number of pieces. No pointers: their targets end.
 *     3. The object is unloaded; the file may be another one by now.
 *     4. `start` gets the bytes, and takes them by log_state_take. The number `state` identifies their
 *        layout: where the new object has another one, the host reports it and passes no bytes.
 *
 * The host does not read the bytes. At the end of the run the first two steps are the same: a plugin
 * cannot distinguish these cases, and need not. */
#ifndef LOG_PLUGIN_H
#define LOG_PLUGIN_H

#include <peal/peal.h>

/* An option that the user gave: --NAME.KEY VALUE, or NAME.KEY = VALUE in the configuration file. The
 * texts are valid as long as the process. A reload may pass other options, because the file is read again. */
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

/* The remaining bytes that a plugin's previous version kept: none at the first start. */
struct log_kept {
    const char *bytes;
    size_t length;
};

enum log_start {
    LOG_START_FAILED = -1, /* report it by log_trouble_tell, or set peal_last_message() */
    LOG_STARTED = 0,
    LOG_START_IDLE = 1 /* nothing to do with these options */
};

struct log_plugin {
    size_t size;      /* sizeof(struct log_plugin): a host refuses any other size */
    const char *name; /* also the first part of its options; the same after a reload */
    const char *about;
    const struct log_option_help *options; /* may be NULL */
    const char *const *needs; /* the names of other plugins, or of modules; NULL ends them; may be NULL */
    unsigned state; /* the layout of what it keeps; another number when that changes */
    /* Registers the plugin's observers in `center`.
     *
     * options: borrowed during the call; those of this plugin, in the order given.
     * kept: borrowed during the call.
     * out_target: filled with the observers' target: the host times its calls. */
    enum log_start (*start)(
        peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target);
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

/* Takes the next bytes. False, with nothing taken, when fewer are left. */
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
