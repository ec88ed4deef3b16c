#include "command_line.h"

#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

static const char usage[] =
    "usage: logcast [OPTION]... [LOG]...\n"
    "Reads logs, passes each line to plugins, and prints their reports.\n"
    "\n"
    "  LOG                   a path, or - for standard input; /var/log/dpkg.log by default,\n"
    "                        or the sample beside this program where that is missing\n"
    "  --config FILE         read options from here, each as a line KEY = VALUE; by default\n"
    "                        from logcast.conf beside this program, if it is there\n"
    "  --plugins FOLDER      load plugins from here instead of the folder beside this program\n"
    "  --no-plugins          load none\n"
    "  --list                list the plugins and their options, and end\n"
    "  --PLUGIN.KEY VALUE    an option for a plugin, such as --filter.keep PATTERN\n"
    "  --publish URL         also send kept lines to collectors, through the NATS server nats://HOST:PORT\n"
    "  --subscribe URL       read no log, but the lines that others publish, until a signal\n"
    "  --realm NAME          only readers and collectors of one realm exchange lines; logcast by default\n"
    "  --name NAME           the name of the reader in its lines, this machine's by default; or of the\n"
    "                        collector, under which it continues after a restart, collector by default\n"
    "  --explain             print at the end which modules started and stopped, in which order, and\n"
    "                        which services were created, by whom and when\n"
    "  --report-every SECONDS\n"
    "                        print on standard error how many lines were read so far, and how fast\n"
    "  --reload-every LINES  reload one plugin after so many lines, each in its turn\n"
    "  --check-pointers      before a plugin is unloaded, test if peal still has any of its\n"
    "                        functions; then it stays loaded, and that is an error\n"
    "  --time                print the time spent in each plugin; measures every call\n"
    "  --line-limit BYTES    cut lines that are longer; 1048576 by default\n"
    "  --help, --version     print this, or the version, and end\n"
    "\n"
    "Ends with 0; with 1 if a file could not be read, loaded or written; with 2 when the\n"
    "options are wrong. SIGINT and SIGTERM end the reading: the lines read are still reported and\n"
    "written. SIGHUP reads the configuration again and reloads all plugins, between two lines:\n"
    "none is lost, and the counts continue. SIGUSR1 ends a session and begins the next.\n";

static enum command_line_result bad(const char *key, const char *what)
{
    fprintf(stderr, "logcast: --%s: %s\nTry logcast --help.\n", key, what);
    return COMMAND_LINE_BAD;
}

/* The arguments that have not been read. */
struct arguments {
    char **next;
    char *value; /* after the equals sign, or NULL */
};

static const char *take_value(struct arguments *arguments)
{
    const char *value = arguments->value;
    arguments->value = NULL;
    if (value == NULL && *arguments->next != NULL)
        value = *arguments->next++;
    return value;
}

static enum command_line_result read_option(
    struct command_line *line, struct arguments *arguments, const char *argument)
{
    struct options tried;
    struct setting setting = { argument + 2, NULL, 0 };
    if (argument[1] != '-') {
        fprintf(stderr, "logcast: %s: there is no such option\nTry logcast --help.\n", argument);
        return COMMAND_LINE_BAD;
    }
    if (options_takes_value(setting.key)) {
        setting.value = take_value(arguments);
        if (setting.value == NULL)
            return bad(setting.key, "needs a value");
    }
    options_default(&tried);
    const char *wrong = options_set(&tried, &setting);
    if (wrong != NULL)
        return bad(setting.key, wrong);
    if (line->setting_count == SETTINGS_LIMIT)
        return bad(setting.key, "there are too many options");
    line->settings[line->setting_count++] = setting;
    if (arguments->value != NULL)
        return bad(setting.key, "takes no value");
    return COMMAND_LINE_RUN;
}

/* Handles --help and --version, which take precedence at any position. Returns true if one was given. */
static bool read_early(char **argv)
{
    for (char **at = argv + 1; *at != NULL && strcmp(*at, "--") != 0; at++) {
        if (strcmp(*at, "--help") == 0) {
            fputs(usage, stdout);
            return true;
        }
        if (strcmp(*at, "--version") == 0) {
            const unsigned peal = (unsigned)peal_version();
            printf("logcast %d.%d.%d, with peal %u.%u.%u\n", PEAL_VERSION_MAJOR, PEAL_VERSION_MINOR, PEAL_VERSION_PATCH,
                peal / 10000, peal / 100 % 100, peal % 100);
            return true;
        }
    }
    return false;
}

enum command_line_result command_line_read(struct command_line *line, int argc, char **argv)
{
    struct arguments arguments = { argv + (argc > 0 ? 1 : 0), NULL };
    bool only_paths = false;
    memset(line, 0, sizeof *line);
    line->paths = argv; /* each path overwrites an argument that has been read */
    if (argc > 0 && read_early(argv))
        return COMMAND_LINE_DONE;
    while (*arguments.next != NULL) {
        char *argument = *arguments.next++;
        if (only_paths || argument[0] != '-' || argument[1] == '\0') {
            line->paths[line->path_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_paths = true;
        } else {
            arguments.value = strchr(argument, '=');
            if (arguments.value != NULL)
                *arguments.value++ = '\0';
            const enum command_line_result result = read_option(line, &arguments, argument);
            if (result != COMMAND_LINE_RUN)
                return result;
        }
    }
    return COMMAND_LINE_RUN;
}

bool command_line_has(const struct command_line *line, const char *key)
{
    for (size_t i = 0; i < line->setting_count; i++)
        if (strcmp(line->settings[i].key, key) == 0)
            return true;
    return false;
}
