#include "configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_sink.h"

static void add_for_plugin(struct configuration_values *values, const struct setting *setting)
{
    if (options_is_for_plugin(setting->key))
        values->for_plugins[values->for_plugins_count++] = *setting;
}

/* Combines the options of the command line and the file. Returns false if the file has a wrong setting, which `trouble`
 * describes. */
static bool combine(
    struct configuration *configuration, const struct config_file *file, struct configuration_values *values)
{
    const struct command_line *line = configuration->line;
    options_default(&values->options);
    values->for_plugins_count = 0;
    for (size_t i = 0; file != NULL && i < file->setting_count; i++) {
        const struct setting *setting = &file->settings[i];
        const char *wrong = options_set(&values->options, setting);
        if (wrong != NULL) {
            snprintf(configuration->trouble, sizeof configuration->trouble, "%s:%u: %s: %s", configuration->path,
                setting->line, setting->key, wrong);
            return false;
        }
        if (!command_line_has(line, setting->key))
            add_for_plugin(values, setting);
    }
    for (size_t i = 0; i < line->setting_count; i++) {
        options_set(&values->options, &line->settings[i]); /* has been checked */
        add_for_plugin(values, &line->settings[i]);
    }
    return true;
}

/* Fills the path: the given one, the default one if that file exists, or none. */
static void choose_path(struct configuration *configuration)
{
    struct configuration_values *values = &configuration->values;
    combine(configuration, NULL, values);
    if (values->options.config != NULL)
        snprintf(configuration->path, sizeof configuration->path, "%s", values->options.config);
    else if (!place_beside_executable(configuration->path, "logcast.conf") || access(configuration->path, F_OK) != 0)
        configuration->path[0] = '\0';
}

static bool is_same(const struct config_file *left, const struct config_file *right)
{
    if (left->setting_count != right->setting_count)
        return false;
    for (size_t i = 0; i < left->setting_count; i++)
        if (strcmp(left->settings[i].key, right->settings[i].key) != 0
            || strcmp(left->settings[i].value, right->settings[i].value) != 0)
            return false;
    return true;
}

/* Keeps a version of the file that differs from the current one. Returns true if it is kept. */
static bool keep(struct configuration *configuration, struct configuration_version *version)
{
    struct configuration_version *older = configuration->version;
    if (older != NULL && is_same(&older->file, &version->file))
        return false;
    version->older = older;
    configuration->version = version;
    return true;
}

/* Reads the file. On failure returns false with `trouble`, and changes nothing. */
static bool read_file(struct configuration *configuration)
{
    struct configuration_values values;
    struct configuration_version *version = calloc(1, sizeof *version);
    configuration->trouble[0] = '\0';
    if (version == NULL) {
        snprintf(configuration->trouble, sizeof configuration->trouble, "out of memory");
        return false;
    }
    if (!config_file_read(&version->file, configuration->path, configuration->trouble, sizeof configuration->trouble)) {
        free(version);
        return false;
    }
    const bool is_right = combine(configuration, &version->file, &values);
    if (is_right && keep(configuration, version)) {
        configuration->values = values;
    } else {
        config_file_free(&version->file);
        free(version);
    }
    return is_right;
}

/* ---- The service ------------------------------------------------------------------------------- */

static void *create(struct peal_creation *creation)
{
    struct configuration *configuration = creation->context;
    choose_path(configuration);
    if (configuration->path[0] == '\0' || read_file(configuration))
        return configuration;
    snprintf(creation->message, sizeof creation->message, "%.255s", configuration->trouble);
    return NULL;
}

static void destroy(void *self)
{
    struct configuration *configuration = self;
    while (configuration->version != NULL) {
        struct configuration_version *version = configuration->version;
        configuration->version = version->older;
        config_file_free(&version->file);
        free(version);
    }
}

static const char *value(void *self, const char *key)
{
    const struct configuration_values *values = &((const struct configuration *)self)->values;
    const char *last = NULL;
    for (size_t i = 0; i < values->for_plugins_count; i++)
        if (strcmp(values->for_plugins[i].key, key) == 0)
            last = values->for_plugins[i].value;
    return last;
}

static void visit(
    void *self, const char *plugin, void (*visitor)(void *context, const char *key, const char *value), void *context)
{
    const struct configuration_values *values = &((const struct configuration *)self)->values;
    const size_t length = strlen(plugin);
    for (size_t i = 0; i < values->for_plugins_count; i++) {
        const struct setting *setting = &values->for_plugins[i];
        if (strncmp(setting->key, plugin, length) == 0 && setting->key[length] == '.')
            visitor(context, setting->key + length + 1, setting->value);
    }
}

static const struct log_configuration table = { PEAL_TABLE(log_configuration), value, visit };

/* ---- The module -------------------------------------------------------------------------------- */

static void configuration_reloaded(void *self)
{
    struct configuration *configuration = self;
    if (configuration->path[0] != '\0' && !read_file(configuration))
        log_trouble_report(configuration->center, "configuration", configuration->trouble);
}

static const struct peal_lifecycle events = {
    PEAL_TABLE(peal_lifecycle),
    .configuration_reloaded = configuration_reloaded,
};

peal_status configuration_register(
    peal_center center, struct configuration *configuration, const struct command_line *line)
{
    const struct peal_provision provides[] = { { "LogConfiguration", &table }, { NULL, NULL } };
    const struct peal_provision events_provided[] = { { "PealLifecycle", &events }, { NULL, NULL } };
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("configuration");
    struct peal_module_description module = PEAL_MODULE_DESCRIPTION("configuration");
    configuration->center = center;
    configuration->line = line;
    service.provides = provides;
    service.context = configuration;
    service.flags = PEAL_SERVICE_PERSISTENT; /* the user's options outlive a session */
    service.create = create;
    service.destroy = destroy;
    module.service = service.name;
    module.tables = events_provided;
    const peal_status status = peal_service_register(center, &service, NULL);
    return status < 0 ? status : peal_module_register(center, &module, NULL);
}
