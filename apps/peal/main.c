/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <peal/version.h>

#include <signal.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *usage;
    const char *summary;
    const char *help;
} commands[] = {
    { "ps", command_ps, "ps", "lists the programs of this user that are open for inspection", "" },
    { "tree", command_tree, "tree [--all] PROGRAM",
        "prints centers, protocols, methods, observers, queues, timers, services and modules",
        "    --all    built-in protocols and services too\n" },
    { "describe", command_describe, "describe [--all] PROGRAM [PROTOCOL[.METHOD]]",
        "prints declarations, types and fingerprints", "    --all    built-in protocols too\n" },
    { "send", command_send, "send PROGRAM PROTOCOL.METHOD [ARGUMENT]...", "broadcasts a method",
        "    Arguments: 3, 2.5, true, NULL, the name of an enumerator, text (of a const char *),\n"
        "    '{ x: 1, y: 2 }' (a structure), '[1, 2, 3]' (a buffer or an array), '<0a ff>' (bytes).\n"
        "    The argument _ denotes the length of a buffer. The call is made on the thread of the\n"
        "    inspection; observers with queues are called there. The program must have been started with\n"
        "    PEAL_INSPECT=control.\n" },
    { "graph", command_graph, "graph [--dot|--svg|--json] [--seconds N] [--all] PROGRAM",
        "writes a graph of protocols, queues and observers",
        "    --dot    the input of Graphviz (the default)\n"
        "    --svg    a picture, made by Graphviz\n"
        "    --json   nodes and edges\n"
        "    --all    built-in protocols too\n"
        "    --seconds N   adds the broadcasts of N seconds: which observer broadcasts which method\n" },
    { "monitor", command_monitor, "monitor [--seconds N] [--count N] PROGRAM [FILTER]",
        "prints a line for each broadcast, failure and change",
        "    --seconds N   ends after N seconds\n"
        "    --count N     ends after N lines\n"
        "    FILTER        'Chat.*,-Chat.tick': patterns of PROTOCOL.METHOD; a minus sign excludes\n" },
    { "trace", command_trace, "trace [-o FILE] [--seconds N] [--buffer N] PROGRAM [FILTER]",
        "records calls, for Perfetto (ui.perfetto.dev) or Chrome (chrome://tracing)",
        "    -o FILE       the file, trace.json unless given\n"
        "    --seconds N   ends after N seconds, else with Ctrl-C\n"
        "    --buffer N    records that the program keeps in its memory, 64 bytes each, until they are read\n"
        "    FILTER        'Chat.*,-Chat.tick': patterns of PROTOCOL.METHOD; a minus sign excludes\n" },
    { "record", command_record, "record [--seconds N] PROGRAM FILE [PROTOCOL]...", "records calls, to make them again",
        "    --seconds N   ends after N seconds, else with Ctrl-C or with the program\n"
        "    PROTOCOL      the protocols; all that can be recorded unless given\n"
        "    The program writes the file. It has all calls also if the program is killed.\n" },
    { "replay", command_replay, "replay [--list] [--speed N|full] PROGRAM FILE", "makes recorded calls again",
        "    --list       prints the calls, and makes none\n"
        "    --speed N    N times as fast as they were recorded; full: without waiting\n"
        "    The program makes the calls, on the thread of the inspection.\n" },
    { "serve", command_serve, "serve [--port N] PROGRAM", "shows the same in a browser on this machine",
        "    --port N   the port, a free one unless given\n"
        "    It prints the address, which has a secret: other users of the machine cannot guess it.\n" },
    { "top", command_top, "top PROGRAM [FILTER]", "shows the busiest observers and the depths of queues, each second",
        "    Without a terminal it prints one screen.\n"
        "    FILTER        'Chat.*,-Chat.tick': patterns of PROTOCOL.METHOD; a minus sign excludes\n" },
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_usage(FILE *file)
{
    fprintf(file, "usage: peal COMMAND [ARGUMENT]...\n\nLooks into a running program that uses peal.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "    peal %s\n            %s\n", commands[i].usage, commands[i].summary);
    fprintf(file,
        "\nPROGRAM is the number of a process, or its name. A program is open for inspection if it was started\n"
        "with PEAL_INSPECT=read in its environment, or if it calls peal_inspection_start. send, record and replay\n"
        "need PEAL_INSPECT=control. `peal COMMAND --help` describes the options. Exit codes: 0 done, 1 failed,\n"
        "2 wrong usage, 3 the program has ended.\n");
}

static bool is_help(const char *argument) { return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0; }

int main(int count, char **arguments)
{
    /* A reader that ends early ends the command, with no message. A lost program is reported by the connection. */
    signal(SIGPIPE, SIG_DFL);
    if (count < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (is_help(arguments[1]) || strcmp(arguments[1], "help") == 0) {
        print_usage(stdout);
        return EXIT_OK;
    }
    if (strcmp(arguments[1], "--version") == 0) {
        printf("peal %d.%d.%d\n", PEAL_VERSION_MAJOR, PEAL_VERSION_MINOR, PEAL_VERSION_PATCH);
        return EXIT_OK;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(arguments[1], commands[i].name) != 0)
            continue;
        if (count > 2 && is_help(arguments[2])) {
            printf("usage: peal %s\n\n    peal %s %s.\n%s%s", commands[i].usage, commands[i].name, commands[i].summary,
                *commands[i].help != '\0' ? "\n" : "", commands[i].help);
            return EXIT_OK;
        }
        const int result = commands[i].run(count - 2, arguments + 2);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            report_error("the output cannot be written");
            return result == EXIT_OK ? EXIT_FAILED : result;
        }
        return result;
    }
    report_error("there is no command '%s'; peal --help lists the commands", arguments[1]);
    return EXIT_USAGE;
}
