/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

static bool print_sent(void *context, struct value *line)
{
    const unsigned long long calls = value_number(line, "calls");

    (void)context;
    if (strcmp(value_text(line, "status"), "PEAL_OK") != 0)
        print("%s, ", value_text(line, "status"));
    print("%llu %s", calls, calls == 1 ? "observer" : "observers");
    if (value_get(line, "result") != NULL)
        print(", result %s", value_text(line, "result"));
    putchar('\n');
    return true;
}

int command_send(int count, char **arguments)
{
    enum { WORD_LIMIT = 72 };
    const char *words[WORD_LIMIT] = { "send" };
    struct connection connection;

    /* An argument may begin with a minus sign. */
    if (count < 2 || count > WORD_LIMIT) {
        report_error("send needs a process, a method and its arguments; see: peal send --help");
        return EXIT_USAGE;
    }
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    for (int i = 1; i < count; i++)
        words[i] = arguments[i];
    result = request(&connection, words, (size_t)count, print_sent, NULL);
    disconnect(&connection);
    return result;
}
