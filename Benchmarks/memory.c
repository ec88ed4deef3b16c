/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - the memory of each kind of object of which a program may have many.
 *
 *     bench-memory [--gate]
 *
 * --gate  exits with 1 if an object takes more memory than its gate
 */
#define _GNU_SOURCE
#include <peal/peal.h>

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 10000 };

static peal_center center;
static peal_queue pump;

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench-memory: %s\n", peal_last_message());
    exit(2);
}

static void ignore(void *target) { (void)target; }

static void make_pumped_queue(unsigned i)
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    static peal_queue queues[2 * OBJECTS];
    must(peal_queue_create(&options, &queues[i]));
}
static void make_serial_queue(unsigned i)
{
    static peal_queue queues[2 * OBJECTS];
    must(peal_queue_create(NULL, &queues[i]));
}
static void make_timer(unsigned i)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(ignore, NULL, 1000000000);
    static peal_timer timers[2 * OBJECTS];
    options.queue = pump;
    must(peal_timer_create(&options, &timers[i]));
}
static peal_property define_property(const char *format, unsigned i)
{
    char name[32];
    const int initial = 1;
    peal_property property;
    snprintf(name, sizeof name, format, i);
    must(peal_property_define(center, name, "int", &initial, NULL, &property));
    return property;
}
static void make_property(unsigned i) { (void)define_property("property%u", i); }
static void ignore_values(void *self, int old_value, int new_value)
{
    (void)self;
    (void)old_value;
    (void)new_value;
}
static void make_observed_property(unsigned i)
{
    const struct peal_property_observer observer = { .size = sizeof observer,
        .changed_values = (peal_function)ignore_values };
    peal_observation observation;
    must(peal_property_observe(define_property("observed%u", i), NULL, &observer, 0, NULL, &observation));
}
static void define(const char *name, const char *method)
{
    const char *const methods[] = { method, NULL };
    const struct peal_protocol_description description = {
        .size = sizeof description, .name = name, .methods = methods
    };
    peal_protocol protocol;
    must(peal_protocol_define(center, &description, &protocol, NULL, 0));
}
static void make_protocol(unsigned i)
{
    char name[32];
    snprintf(name, sizeof name, "Protocol%u", i);
    define(name, "void ping(int i)");
}
/* Writes the number in digits that are types, so that no two signatures are equal. */
static void make_signature(unsigned i)
{
    static const char *const types[] = { "int", "double", "int64_t", "float" };
    char name[32], method[256] = "void ping(int i";
    snprintf(name, sizeof name, "Signature%u", i);
    for (unsigned rest = i + 1, n = 0; rest > 0; rest /= 4, n++) {
        char parameter[32];
        snprintf(parameter, sizeof parameter, ", %s p%u", types[rest % 4], n);
        strcat(method, parameter);
    }
    define(name, strcat(method, ")"));
}

/* The last two gates include the entries of each method's names, 64 bytes or more, which are read without a lock. */
static const struct {
    const char *name;
    void (*make)(unsigned i);
    double most;
} kinds[] = {
    { "pumped queue", make_pumped_queue, 274 },
    { "serial queue", make_serial_queue, 305 },
    { "timer", make_timer, 225 },
    { "property", make_property, 768 },
    { "property with one observer", make_observed_property, 1750 },
    { "protocol of one method", make_protocol, 460 },
    { "the same, of a new signature", make_signature, 1410 },
};

static size_t memory(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int main(int argc, char **argv)
{
    const bool has_gate = argc > 1 && strcmp(argv[1], "--gate") == 0;
    bool is_missed = false;
    must(peal_center_create(&center));
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    must(peal_queue_create(&options, &pump));
    puts("memory of an object");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        /* The first objects make the tables of all kinds grow. */
        for (unsigned i = 0; i < 100; i++)
            kinds[k].make(i);
        const size_t before = memory();
        for (unsigned i = 0; i < OBJECTS; i++)
            kinds[k].make(100 + i);
        const double each = (double)(memory() - before) / OBJECTS;
        printf("  %-30s %6.0f bytes\n", kinds[k].name, each);
        is_missed |= has_gate && each > kinds[k].most;
    }
    return is_missed ? 1 : 0;
}
