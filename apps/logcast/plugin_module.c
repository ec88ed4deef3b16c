/* The module of a plugin: its start and stop. */
#include <stdlib.h>

#include "log_services.h"
#include "plugin.h"

/* The options of one plugin, ended by a NULL. */
struct given {
    struct log_option options[2 * SETTINGS_LIMIT + 1];
    size_t count;
};

static void pick(void *context, const char *key, const char *value)
{
    struct given *given = context;
    const struct log_option option = { key, value };
    if (given->count < 2 * SETTINGS_LIMIT) /* always true, because the configuration has no more options */
        given->options[given->count++] = option;
}

static void pick_options(const struct plugin *plugin, struct given *given)
{
    struct log_configuration_use configuration = PEAL_SERVICE(log_configuration, plugin->host->center);
    given->count = 0;
    if (configuration.self != NULL) {
        configuration.table->visit(configuration.self, plugin->name, pick, given);
        peal_use_release(configuration.use);
    }
    given->options[given->count].key = NULL;
}

static void take_seat(struct plugin *plugin, const void *target)
{
    struct roster *roster = &plugin->host->roster;
    if (plugin->seat != NULL)
        roster_move(roster, plugin->seat, target);
    else if ((plugin->seat = roster_add(roster, plugin->name, target)) == NULL)
        host_complain(plugin->host, plugin->name, "is not in the roster, so it has no name there");
}

/* Calls the plugin's own start, with its options and its saved state. */
static void call_start(struct plugin *plugin, void **out_target)
{
    struct given given;
    char *const bytes = plugin->kept; /* removed from the plugin, because a start that fails may keep them again */
    struct log_kept kept = { bytes, plugin->kept_length };
    plugin->kept = NULL;
    plugin->kept_length = 0;
    if (kept.length > 0 && plugin->table->state != plugin->kept_layout) {
        host_complain(plugin->host, plugin->name, "its saved state is from another version: it starts without it");
        kept.length = 0;
    }
    pick_options(plugin, &given);
    peal_clear_failure();
    peal_owner_enter(plugin->owner);
    plugin->started = plugin->table->start(plugin->host->center, given.options, &kept, out_target);
    peal_owner_leave();
    free(bytes);
}

/* ---- The module -------------------------------------------------------------------------------- */

/* The module's start. */
static peal_status start(void *self, struct peal_module_step *step)
{
    struct plugin *plugin = self;
    void *target = NULL;
    call_start(plugin, &target);
    if (plugin->started == LOG_START_FAILED) {
        snprintf(step->message, sizeof step->message, "%.255s",
            peal_last_status() < 0 ? peal_last_message() : "it did not start");
        return PEAL_ERROR_START;
    }
    if (plugin->started == LOG_STARTED)
        take_seat(plugin, target);
    return PEAL_OK;
}

/* The module's stop, when it is removed or all modules stop. */
static peal_status stop(void *self, struct peal_module_step *step)
{
    struct plugin *plugin = self;
    (void)step;
    plugin->is_running = false;
    plugin_unload(plugin);
    return PEAL_OK;
}

void plugin_run(struct plugin *plugin)
{
    static uint64_t starts;
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION(plugin->name);
    module.class_name = "plugin";
    module.dependencies = plugin->table->needs;
    module.timeout = 2 * PLUGIN_PATIENCE; /* a stop drains queues and waits for calls */
    module.context = plugin;
    module.start = start;
    module.stop = stop;
    plugin->is_running = peal_module_register(plugin->host->center, &module, &plugin->module) >= 0;
    plugin->order = ++starts;
    if (!plugin->is_running) {
        plugin_complain(plugin->host, plugin->name, "%s", peal_last_message());
        plugin_unload(plugin);
    }
}

void plugin_end(struct plugin *plugin)
{
    if (plugin->is_running)
        peal_module_remove(plugin->module);
    plugin_unload(plugin);
}
