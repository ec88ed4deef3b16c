/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

/* The state of printing an answer. */
struct description {
    bool all;        /* built-in protocols too */
    bool is_hidden;  /* the lines of a hidden protocol follow */
    bool has_header; /* lines of a protocol follow */
};

static void print_protocol(struct description *description, const struct value *line)
{
    description->is_hidden = value_bool(line, "built_in") && !description->all;
    if (description->is_hidden)
        return;
    if (description->has_header)
        putchar('\n');
    print("protocol %s, version %llu, fingerprint %s, %llu observers\n", value_text(line, "name"),
        (unsigned long long)value_number(line, "version"), value_text(line, "fingerprint"),
        (unsigned long long)value_number(line, "observers"));
    description->has_header = true;
    const struct value *adopts = value_get(line, "adopts");
    for (const struct value *each = adopts != NULL ? adopts->first : NULL; each != NULL; each = each->next)
        print("    adopts %s\n", value_as_text(each));
}

/* Prints the types of a method: all lines of its canonical text but the last, which is its own declaration. */
static void print_types(const char *text, int depth)
{
    const size_t length = strlen(text);
    size_t end = length > 0 && text[length - 1] == '\n' ? length - 1 : length;

    while (end > 0 && text[end - 1] != '\n')
        end--;
    for (size_t start = 0; start < end;) {
        const size_t line = strcspn(text + start, "\n");
        print("%*s%.*s\n", depth, "", (int)line, text + start);
        start += line + 1;
    }
}

static void print_method(const struct description *description, const struct value *line)
{
    const int depth = description->has_header ? 4 : 0;

    if (description->is_hidden)
        return;
    print_types(value_text(line, "text"), depth);
    print("%*s%s\n", depth, "", value_text(line, "declaration"));
    print("%*sfingerprint %s, policy %s, %s, since version %llu, %llu observers\n", depth + 4, "",
        value_text(line, "fingerprint"), value_text(line, "policy"), value_text(line, "recursion"),
        (unsigned long long)value_number(line, "since"), (unsigned long long)value_number(line, "observers"));
    const struct value *parameters = value_get(line, "parameters");
    for (const struct value *each = parameters != NULL ? parameters->first : NULL; each != NULL; each = each->next)
        print("%*s%s: %s, %llu bytes, %s\n", depth + 4, "", value_text(each, "name"), value_text(each, "type"),
            (unsigned long long)value_number(each, "size"), value_text(each, "ownership"));
}

static bool print_line(void *context, struct value *line)
{
    struct description *description = context;

    if (strcmp(value_text(line, "kind"), "protocol") == 0)
        print_protocol(description, line);
    else if (strcmp(value_text(line, "kind"), "method") == 0)
        print_method(description, line);
    return true;
}

int command_describe(int count, char **arguments)
{
    struct description description = { take_flag(&count, arguments, "--all"), false, false };
    struct connection connection;

    if (!check_arguments("describe", &count, arguments, 1, 2))
        return EXIT_USAGE;
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    const char *words[] = { "describe", count > 1 ? arguments[1] : "" };
    description.all = description.all || count > 1;
    result = request(&connection, words, (size_t)count, print_line, &description);
    disconnect(&connection);
    return result;
}
