/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include "commands.h"

#include <string.h>

static void print_observer(const struct model *model, const struct value *observer, int depth)
{
    char name[NAME_LENGTH];
    const struct value *queue = model_find(model, value_text(observer, "queue"));
    const struct value *owner = model_find(model, value_text(observer, "owner"));

    model_name(observer, name, sizeof name);
    print("%*s- %s", depth, "", name);
    if (queue != NULL) {
        model_name(queue, name, sizeof name);
        print(", on %s", name);
    }
    if (owner != NULL)
        print(", of %.*s", NAME_LENGTH - 1, value_text(owner, "name"));
    if (value_signed(observer, "priority") != 0)
        print(", priority %lld", (long long)value_signed(observer, "priority"));
    static const char *const flags[] = { "once", "passive", "blocked", "weak", "dead" };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (value_bool(observer, flags[i]))
            print(", %s", flags[i]);
    putchar('\n');
}

static void print_protocol(const struct model *model, const struct value *protocol)
{
    const char *id = value_text(protocol, "id");
    size_t position = 0;

    print("    protocol %s", value_text(protocol, "name"));
    if (value_number(protocol, "version") > 1)
        print(", version %llu", (unsigned long long)value_number(protocol, "version"));
    const struct value *adopts = value_get(protocol, "adopts");
    for (const struct value *each = adopts != NULL ? adopts->first : NULL; each != NULL; each = each->next)
        print(", adopts %.*s", NAME_LENGTH - 1, value_text(model_find(model, value_as_text(each)), "name"));
    putchar('\n');
    for (const struct value *each; (each = model_next(model, &position, "method", "protocol", id)) != NULL;) {
        const struct value *observers = value_get(each, "observers");
        /* An adopted method is listed with its own protocol. */
        if (value_get(each, "origin") != NULL)
            continue;
        print("        %s\n", value_text(each, "declaration"));
        for (const struct value *one = observers != NULL ? observers->first : NULL; one != NULL; one = one->next)
            print_observer(model, model_find(model, value_as_text(one)), 12);
    }
}

static void print_service(const struct value *service)
{
    char duration[32];

    print("    service %s, ", value_text(service, "name"));
    if (*value_text(service, "label") != '\0')
        print("%s, ", value_text(service, "label"));
    print("%s", value_text(service, "state"));
    if (value_number(service, "creation_ns") > 0) {
        format_duration(duration, sizeof duration, value_number(service, "creation_ns"));
        print(", created by %s in %s", value_text(service, "created_by"), duration);
    }
    if (value_number(service, "uses") > 0)
        print(", %llu uses", (unsigned long long)value_number(service, "uses"));
    if (*value_text(service, "last_failure") != '\0')
        print(", last failure: %s", value_text(service, "last_failure"));
    putchar('\n');
}

static void print_module(const struct value *module)
{
    char duration[32];

    format_duration(duration, sizeof duration, value_number(module, "start_ns"));
    print("    module %s, %s, started in %s", value_text(module, "name"), value_text(module, "state"), duration);
    if (*value_text(module, "dependencies") != '\0')
        print(", needs %s", value_text(module, "dependencies"));
    if (value_bool(module, "overdue"))
        print(", overdue");
    if (*value_text(module, "last_failure") != '\0')
        print(", last failure: %s", value_text(module, "last_failure"));
    putchar('\n');
}

static void print_center(const struct model *model, const struct value *center, bool all)
{
    const char *id = value_text(center, "id");
    const struct value *each;
    char name[NAME_LENGTH];
    size_t position;

    model_name(center, name, sizeof name);
    print("%s\n", value_bool(center, "default") ? "default center" : name);
    for (position = 0; (each = model_next(model, &position, "protocol", "center", id)) != NULL;)
        if (all || !value_bool(each, "built_in"))
            print_protocol(model, each);
    for (position = 0; (each = model_next(model, &position, "property", "center", id)) != NULL;)
        print("    property %s, %s, %llu observers\n", value_text(each, "name"), value_text(each, "type"),
            (unsigned long long)value_number(each, "observers"));
    for (position = 0; (each = model_next(model, &position, "service", "center", id)) != NULL;)
        if (all || strncmp(value_text(each, "name"), "peal.", 5) != 0)
            print_service(each);
    for (position = 0; (each = model_next(model, &position, "module", "center", id)) != NULL;)
        print_module(each);
}

static void print_queue(const struct value *queue)
{
    char name[NAME_LENGTH];

    model_name(queue, name, sizeof name);
    print("%s, %llu waiting, %llu delivered", name, (unsigned long long)value_number(queue, "waiting"),
        (unsigned long long)value_number(queue, "delivered"));
    if (value_number(queue, "dropped") > 0)
        print(", %llu dropped", (unsigned long long)value_number(queue, "dropped"));
    if (value_number(queue, "rejected") > 0)
        print(", %llu rejected", (unsigned long long)value_number(queue, "rejected"));
    if (value_number(queue, "capacity") > 0)
        print(", capacity %llu, when full: %s", (unsigned long long)value_number(queue, "capacity"),
            value_text(queue, "overflow"));
    putchar('\n');
}

static void print_timer(const struct value *timer)
{
    char name[NAME_LENGTH], period[32], latest[32];

    model_name(timer, name, sizeof name);
    format_duration(period, sizeof period, value_number(timer, "period_ns"));
    format_duration(latest, sizeof latest, value_number(timer, "latest_ns"));
    print("%s, %s, every %s, fired %llu times, %llu missed, at most %s late\n", name,
        value_bool(timer, "running") ? "running" : "stopped", period, (unsigned long long)value_number(timer, "fired"),
        (unsigned long long)value_number(timer, "missed"), latest);
}

static void print_model(const struct model *model, bool all)
{
    const struct value *each;
    size_t position;

    for (position = 0; (each = model_next(model, &position, "process", NULL, NULL)) != NULL;)
        print("%s (%llu), peal %s\n", value_text(each, "program"), (unsigned long long)value_number(each, "pid"),
            value_text(each, "peal"));
    for (position = 0; (each = model_next(model, &position, "center", NULL, NULL)) != NULL;)
        print_center(model, each, all);
    for (position = 0; (each = model_next(model, &position, "queue", NULL, NULL)) != NULL;)
        print_queue(each);
    for (position = 0; (each = model_next(model, &position, "timer", NULL, NULL)) != NULL;)
        print_timer(each);
    for (position = 0; (each = model_next(model, &position, "running", NULL, NULL)) != NULL;) {
        char call[RUNNING_LENGTH];
        format_running(each, call, sizeof call);
        print("running: %s\n", call);
    }
    for (position = 0; (each = model_next(model, &position, "owner", NULL, NULL)) != NULL;)
        print("owner %s, %llu observers, %llu other objects\n", value_text(each, "name"),
            (unsigned long long)value_number(each, "observers"), (unsigned long long)value_number(each, "others"));
}

int command_tree(int count, char **arguments)
{
    struct connection connection;
    struct model model;
    const bool all = take_flag(&count, arguments, "--all");

    if (!check_arguments("tree", &count, arguments, 1, 1))
        return EXIT_USAGE;
    int result = connect_to(&connection, arguments[0]);
    if (result != EXIT_OK)
        return result;
    result = model_read(&model, &connection);
    if (result == EXIT_OK)
        print_model(&model, all);
    model_free(&model);
    disconnect(&connection);
    return result;
}
