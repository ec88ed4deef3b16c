#include "options.h"

#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"
#include "text.h"
#include "trivial.h"

static const char usage[] =
    "usage: logcast [OPTION]... [LOG]...\n"
    "Reads logs, hands each line to plugins, and tells what they found.\n"
    "\n"
    "  LOG                   a path, or - for standard input; /var/log/dpkg.log by default,\n"
    "                        or the sample beside this program where that is missing\n"
    "  --plugins FOLDER      load plugins from here instead of the folder beside this program\n"
    "  --no-plugins          load none\n"
    "  --list                list the plugins and their options, and end\n"
    "  --PLUGIN.KEY VALUE    an option for a plugin, such as --filter.keep PATTERN\n"
    "  --reload-every LINES  load one plugin anew after so many lines, each in its turn\n"
    "  --check-pointers      before a plugin is unloaded, look whether peal still has any of its\n"
    "                        functions; one of which it has stays loaded, and that is an error\n"
    "  --time                tell the time spent in each plugin; measures every call\n"
    "  --line-limit BYTES    cut lines that are longer; 1048576 by default\n"
    "  --generate COUNT      read a generated log of so many lines\n"
    "  --trivial COUNT       add so many observers that only count, to measure broadcasts\n"
    "  --help, --version     print this, or the version, and end\n"
    "\n"
    "Ends with 0; with 1 when something could not be read, loaded or written; with 2 when the\n"
    "options are wrong. SIGINT and SIGTERM end the reading: what was read is still reported.\n"
    "SIGHUP loads all plugins anew, between two lines: none is lost, and the counts go on.\n";

static enum options_result bad(const char *option, const char *what)
{
    fprintf(stderr, "logcast: %s: %s\nTry logcast --help.\n", option, what);
    return OPTIONS_BAD;
}

/* The arguments, one after the other. */
struct arguments {
    char **next;
    char *value; /* behind the equals sign, or NULL */
};

static const char *take_value(struct arguments *arguments)
{
    const char *value = arguments->value;
    arguments->value = NULL;
    if (value == NULL && *arguments->next != NULL)
        value = *arguments->next++;
    return value;
}

static enum options_result read_number(
    struct arguments *arguments, const char *name, uint64_t least, uint64_t most,
    uint64_t *out_number)
{
    const char *value = take_value(arguments);
    if (value == NULL)
        return bad(name, "needs a number");
    if (!text_read_number(value, least, most, out_number))
        return bad(name, "the number is none, or out of range");
    return OPTIONS_RUN;
}

static enum options_result read_plugin_option(
    struct options *options, struct arguments *arguments, char *name)
{
    char *dot = strchr(name, '.');
    if (options->for_plugins_count == OPTIONS_FOR_PLUGINS)
        return bad(name, "too many options for plugins");
    struct plugin_option *option = &options->for_plugins[options->for_plugins_count++];
    option->value = take_value(arguments);
    if (option->value == NULL)
        return bad(name, "needs a value");
    *dot = '\0';
    option->plugin = name + 2;
    option->key = dot + 1;
    return OPTIONS_RUN;
}

static enum options_result read_option(
    struct options *options, struct arguments *arguments, char *name)
{
    if (strncmp(name, "--", 2) == 0 && strchr(name, '.') != NULL)
        return read_plugin_option(options, arguments, name);
    if (strcmp(name, "--generate") == 0) {
        options->generates = true;
        return read_number(arguments, name, 0, UINT64_MAX / 128, &options->generate);
    }
    if (strcmp(name, "--trivial") == 0)
        return read_number(arguments, name, 0, TRIVIAL_LIMIT, &options->trivial);
    if (strcmp(name, "--reload-every") == 0)
        return read_number(arguments, name, 1, UINT64_MAX, &options->reload_every);
    if (strcmp(name, "--line-limit") == 0)
        return read_number(arguments, name, 1, 1u << 30, &options->line_limit);
    if (strcmp(name, "--plugins") == 0) {
        options->plugins_folder = take_value(arguments);
        return options->plugins_folder == NULL ? bad(name, "needs a folder") : OPTIONS_RUN;
    }
    if (strcmp(name, "--no-plugins") == 0)
        options->no_plugins = true;
    else if (strcmp(name, "--list") == 0)
        options->list = true;
    else if (strcmp(name, "--time") == 0)
        options->time = true;
    else if (strcmp(name, "--check-pointers") == 0)
        options->check_pointers = true;
    else
        return bad(name, "there is no such option");
    return OPTIONS_RUN;
}

/* --help and --version win, wherever they are. */
static bool read_early(char **argv)
{
    for (char **at = argv + 1; *at != NULL && strcmp(*at, "--") != 0; at++) {
        if (strcmp(*at, "--help") == 0) {
            fputs(usage, stdout);
            return true;
        }
        if (strcmp(*at, "--version") == 0) {
            const unsigned peal = (unsigned)peal_version();
            printf("logcast %d.%d.%d, with peal %u.%u.%u\n", PEAL_VERSION_MAJOR,
                   PEAL_VERSION_MINOR, PEAL_VERSION_PATCH, peal / 10000, peal / 100 % 100,
                   peal % 100);
            return true;
        }
    }
    return false;
}

enum options_result options_read(struct options *options, int argc, char **argv)
{
    struct arguments arguments = { argv + (argc > 0 ? 1 : 0), NULL };
    bool only_paths = false;
    memset(options, 0, sizeof *options);
    options->paths = argv; /* never filled faster than read */
    options->line_limit = READER_LINE_LIMIT;
    if (argc > 0 && read_early(argv))
        return OPTIONS_DONE;
    while (*arguments.next != NULL) {
        char *argument = *arguments.next++;
        if (only_paths || argument[0] != '-' || argument[1] == '\0') {
            options->paths[options->path_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_paths = true;
        } else {
            arguments.value = strchr(argument, '=');
            if (arguments.value != NULL)
                *arguments.value++ = '\0';
            const enum options_result result = read_option(options, &arguments, argument);
            if (result != OPTIONS_RUN)
                return result;
            if (arguments.value != NULL)
                return bad(argument, "takes no value");
        }
    }
    if (options->generates && options->path_count > 0)
        return bad("--generate", "reads no other log");
    return OPTIONS_RUN;
}
