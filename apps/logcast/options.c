#include "options.h"

#include <string.h>

#include "reader.h"
#include "text.h"

enum kind { FLAG, NUMBER, TEXT };

static const struct option {
    const char *key;
    enum kind kind;
    bool in_file; /* allowed in the configuration file */
    size_t place; /* offset in struct options */
    uint64_t least, most;
} known[] = {
    { "config", TEXT, false, offsetof(struct options, config), 0, 0 },
    { "plugins", TEXT, true, offsetof(struct options, plugins_folder), 0, 0 },
    { "publish", TEXT, true, offsetof(struct options, publish), 0, 0 },
    { "subscribe", TEXT, true, offsetof(struct options, subscribe), 0, 0 },
    { "realm", TEXT, true, offsetof(struct options, realm), 0, 0 },
    { "name", TEXT, true, offsetof(struct options, name), 0, 0 },
    { "no-plugins", FLAG, false, offsetof(struct options, no_plugins), 0, 0 },
    { "list", FLAG, false, offsetof(struct options, list), 0, 0 },
    { "explain", FLAG, false, offsetof(struct options, explain), 0, 0 },
    { "time", FLAG, true, offsetof(struct options, time), 0, 0 },
    { "check-pointers", FLAG, true, offsetof(struct options, check_pointers), 0, 0 },
    { "line-limit", NUMBER, true, offsetof(struct options, line_limit), 1, 1u << 30 },
    { "report-every", NUMBER, true, offsetof(struct options, report_every), 1, 86400 },
    { "reload-every", NUMBER, true, offsetof(struct options, reload_every), 1, UINT64_MAX },
};

static const struct option *find(const char *key)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].key, key) == 0)
            return &known[i];
    return NULL;
}

void options_default(struct options *options)
{
    memset(options, 0, sizeof *options);
    options->line_limit = READER_LINE_LIMIT;
}

bool options_is_for_plugin(const char *key) { return strchr(key, '.') != NULL; }

bool options_takes_value(const char *key)
{
    const struct option *option = find(key);
    return options_is_for_plugin(key) || (option != NULL && option->kind != FLAG);
}

/* Sets a flag. On the command line a flag has no value, and means yes. */
static const char *set_flag(bool *flag, const struct setting *setting)
{
    if (setting->line > 0 && strcmp(setting->value, "yes") != 0 && strcmp(setting->value, "no") != 0)
        return "must be yes or no";
    *flag = setting->line == 0 || strcmp(setting->value, "yes") == 0;
    return NULL;
}

const char *options_set(struct options *options, const struct setting *setting)
{
    const struct option *option = find(setting->key);
    if (options_is_for_plugin(setting->key))
        return NULL;
    if (option == NULL)
        return "there is no such option";
    if (setting->line > 0 && !option->in_file)
        return "can only be given on the command line";
    char *place = (char *)options + option->place;
    switch (option->kind) {
    case FLAG: return set_flag((bool *)(void *)place, setting);
    case NUMBER:
        return text_read_number(setting->value, option->least, option->most, (uint64_t *)(void *)place)
                 ? NULL
                 : "the value is not a number, or out of range";
    case TEXT: memcpy(place, &setting->value, sizeof setting->value); return NULL;
    }
    return NULL;
}
