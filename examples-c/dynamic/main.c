/* A protocol and observers without macros, which a text defines at run time.
 *
 *     dynamic PLAN
 */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* The type that the plan calls struct reading. */
struct reading {
    int32_t sensor;
    double celsius;
};

static void print_reading(void *self, struct reading reading)
{
    printf("    %s: sensor %d reads %.1f\n", (const char *)self, (int)reading.sensor, reading.celsius);
}

static bool above_30(void *self, double celsius)
{
    (void)self;
    return celsius > 30;
}

static bool above_90(void *self, double celsius)
{
    (void)self;
    return celsius > 90;
}

static double save_energy(void *self, const char *room, double wish)
{
    (void)self;
    return strcmp(room, "hall") == 0 && wish > 20 ? 20 : wish;
}

static double frost_only(void *self, const char *room, double wish)
{
    (void)self;
    return strcmp(room, "cellar") == 0 ? 7 : wish;
}

/* The functions that a plan may name, each with the prototype that it was written for. peal compares the prototype with
 * the method's. */
static const struct known_function {
    const char *name;
    peal_function function;
    const char *prototype;
} known_functions[] = {
    { "print_reading", (peal_function)print_reading, "void on_reading(struct reading)" },
    { "above_30", (peal_function)above_30, "bool too_hot(double)" },
    { "above_90", (peal_function)above_90, "bool too_hot(double)" },
    { "save_energy", (peal_function)save_energy, "double set_point(const char *, double)" },
    { "frost_only", (peal_function)frost_only, "double set_point(const char *, double)" },
};

static const struct known_function *find_function(const char *name)
{
    for (size_t i = 0; i < sizeof known_functions / sizeof *known_functions; i++)
        if (strcmp(known_functions[i].name, name) == 0)
            return &known_functions[i];
    return NULL;
}

static void check(peal_status status)
{
    if (status < 0) {
        fprintf(stderr, "dynamic: %s\n", peal_last_message());
        exit(1);
    }
}

/* Registers an observer. If it is refused, reports this and returns. */
static void observe(peal_protocol protocol, const struct plan_observer *observer)
{
    struct peal_binding bindings[PLAN_BINDINGS];
    for (size_t i = 0; i < observer->binding_count; i++) {
        const struct known_function *known = find_function(observer->bindings[i].function);
        if (known == NULL) {
            printf("    %s: there is no function %s\n", observer->name, observer->bindings[i].function);
            return;
        }
        bindings[i].method = observer->bindings[i].method;
        bindings[i].function = known->function;
        bindings[i].prototype = known->prototype;
    }
    const peal_status status = peal_observe_bindings(
        protocol, observer->name, bindings, observer->binding_count, NULL, NULL);
    printf("    %s: %s\n", observer->name, peal_status_name(status));
}

static void list_methods(peal_protocol protocol)
{
    peal_method methods[PLAN_METHODS];
    char text[256];
    size_t count = 0, observers = 0;
    check(peal_protocol_name(protocol, text, sizeof text, NULL));
    check(peal_protocol_list_methods(protocol, methods, PLAN_METHODS, &count));
    check(peal_protocol_count_observers(protocol, &observers));
    printf("%s: %zu methods, %zu observers\n", text, count, observers);
    for (size_t i = 0; i < count; i++) {
        check(peal_method_declaration(methods[i], text, sizeof text, NULL));
        check(peal_method_count_observers(methods[i], &observers));
        printf("    %s: %zu\n", text, observers);
    }
}

static void send_some(peal_protocol protocol)
{
    const struct reading reading = { 3, 31.5 };
    struct reading second = { 4, 6.5 };
    void *arguments[] = { &second };
    const char *room = "hall";
    bool hot = false;
    double target = 0;
    peal_method on_reading, too_hot, set_point;
    check(peal_method_find(protocol, "on_reading", &on_reading));
    check(peal_method_find(protocol, "too_hot", &too_hot));
    check(peal_method_find(protocol, "set_point", &set_point));

    /* A variadic broadcast takes a pointer to a struct. A broadcast by array takes a pointer to each argument. */
    printf("on_reading\n");
    check(peal_broadcast(on_reading, &reading));
    check(peal_send(on_reading, arguments, 1, NULL, NULL));
    check(peal_ask(too_hot, &hot, reading.celsius));
    check(peal_ask(set_point, &target, room, 22.5));
    printf("too hot: %s, set point of the %s: %.1f\n", hot ? "yes" : "no", room, target);

    printf("with one argument too few: %s\n", peal_status_name(peal_ask(set_point, &target, room)));
    printf("a method of another name: %s\n", peal_status_name(peal_method_find(protocol, "on_snow", &on_reading)));
}

int main(int argc, char **argv)
{
    static struct plan plan; /* static, because the observers' names are their targets */
    if (argc != 2) {
        fprintf(stderr, "usage: dynamic PLAN\n");
        return 2;
    }
    if (!plan_read(&plan, argv[1]))
        return 1;

    const peal_center center = peal_center_default();
    const struct peal_protocol_description description = {
        sizeof description,
        plan.protocol,
        NULL,
        plan.methods,
        0,
    };
    size_t size = 0;
    peal_protocol protocol;
    if (plan.types != NULL)
        check(peal_type_declare(center, plan.types));
    check(peal_type_layout(center, "struct reading", &size, NULL));
    if (size != sizeof(struct reading)) {
        fprintf(stderr, "dynamic: the plan's struct reading is not this program's\n");
        return 1;
    }
    check(peal_protocol_define(center, &description, &protocol, NULL, 0));

    printf("observers\n");
    for (size_t i = 0; i < plan.observer_count; i++)
        observe(protocol, &plan.observers[i]);
    list_methods(protocol);
    send_some(protocol);
    return 0;
}
