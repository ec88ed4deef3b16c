/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c - reads the lines of bench-wall, bench-count, bench-scale and bench-queues from any number of
 * launches. Prints the tables and the gates of nanoseconds, and writes JSON. gates.txt has the gates of instructions.
 *
 *     bench-table [--gate] [--json FILE] < lines
 *
 * With --gate it exits with 1 when a gate is missed.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_MOST = 128, SERIES_MOST = 2048, NAME_MOST = 24, VALUES_MOST = 3, GATES_MOST = 1024 };

enum line_kind { LINE_WALL, LINE_COUNT, LINE_SCALE, LINE_CHURN, LINE_SHARE, LINE_QUEUE, LINE_LOAD };

/* The subject of a line, with its figures of all launches. */
struct series {
    enum line_kind kind;
    char shape[NAME_MOST];
    char form[NAME_MOST];
    unsigned observers;
    size_t launches;
    double values[VALUES_MOST][LAUNCHES_MOST];
};

static struct series all[SERIES_MOST];
static size_t all_count;

struct gate {
    char name[96];
    double value;
    double limit;
    bool at_least;
    bool passed;
};

static struct gate gates[GATES_MOST];
static size_t gate_count, missed_count;

static int compare_doubles(const void *left, const void *right)
{
    const double one = *(const double *)left, other = *(const double *)right;
    return (one > other) - (one < other);
}

static double value(const struct series *series, size_t which)
{
    double sorted[LAUNCHES_MOST];
    const size_t n = series->launches;
    memcpy(sorted, series->values[which], n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static struct series *find(enum line_kind kind, const char *shape, unsigned observers, const char *form)
{
    for (size_t i = 0; i < all_count; i++)
        if (all[i].kind == kind && all[i].observers == observers && !strcmp(all[i].shape, shape)
            && !strcmp(all[i].form, form))
            return &all[i];
    return NULL;
}

static void add(
    enum line_kind kind, const char *shape, unsigned observers, const char *form, const double values[VALUES_MOST])
{
    struct series *series = find(kind, shape, observers, form);
    if (!series) {
        if (all_count == SERIES_MOST)
            return;
        series = &all[all_count++];
        series->kind = kind;
        series->observers = observers;
        snprintf(series->shape, sizeof series->shape, "%s", shape);
        snprintf(series->form, sizeof series->form, "%s", form);
    }
    if (series->launches == LAUNCHES_MOST)
        return;
    for (size_t i = 0; i < VALUES_MOST; i++)
        series->values[i][series->launches] = values[i];
    series->launches++;
}

static void read_lines(FILE *in)
{
    char line[256], shape[NAME_MOST], form[NAME_MOST];
    unsigned n;
    while (fgets(line, sizeof line, in)) {
        double values[VALUES_MOST] = { 0 };
        if (sscanf(line, "wall %23s %u %23s %lf %lf %lf", shape, &n, form, &values[0], &values[1], &values[2]) == 6)
            add(LINE_WALL, shape, n, form, values);
        else if (sscanf(line, "count %23s %u %23s %lf", shape, &n, form, &values[0]) == 4)
            add(LINE_COUNT, shape, n, form, values);
        else if (sscanf(line, "scale %23s %u %lf %lf %lf", form, &n, &values[0], &values[1], &values[2]) == 5)
            add(LINE_SCALE, "v(p,p,i)", n, form, values);
        else if (sscanf(line, "churn %23s %u %lf %lf %lf", form, &n, &values[0], &values[1], &values[2]) == 5)
            add(LINE_CHURN, "v(p,p,i)", n, form, values);
        else if (sscanf(line, "queue %23s %u %lf %lf %lf", form, &n, &values[0], &values[1], &values[2]) == 5)
            add(LINE_QUEUE, "v(p,p,i)", n, form, values);
        else if (sscanf(line, "load %lf", &values[0]) == 1)
            add(LINE_LOAD, "all", 0, "all", values);
        else if (sscanf(line, "share %lf", &values[0]) == 1)
            add(LINE_SHARE, "all", 0, "all", values);
    }
}

__attribute__((format(printf, 4, 5))) static bool gate(
    double measured, double limit, bool at_least, const char *name, ...)
{
    const bool passed = at_least ? measured >= limit : measured <= limit;
    if (gate_count == GATES_MOST)
        return passed;
    struct gate *gate = &gates[gate_count++];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(gate->name, sizeof gate->name, name, arguments);
    va_end(arguments);
    gate->value = measured;
    gate->limit = limit;
    gate->at_least = at_least;
    gate->passed = passed;
    missed_count += !passed;
    return passed;
}

/* ---- Nanoseconds ---- */

static void print_form(const struct series *plain, const char *form, bool of_ffi)
{
    const struct series *series = find(LINE_WALL, plain->shape, plain->observers, form);
    const struct series *base = of_ffi ? find(LINE_WALL, plain->shape, plain->observers, "ffi-plain") : plain;
    const unsigned n = plain->observers;
    if (!series || !base) {
        printf(" | %23s", "");
        return;
    }
    const double ns = value(series, 0);
    bool passed = true;
    if (!of_ffi)
        passed = gate(ns, 1.05 * value(base, 0) + 2, false, "%s, %u observers, %s, ns", plain->shape, n, form);
    else if (n > 0)
        passed = gate(ns, 1.05 * value(base, 0), false, "%s, %u observers, %s, ns", plain->shape, n, form);
    printf(" | %8.2f", ns);
    if (n > 0)
        printf(" %6.2f %5.2f", ns / n, value(series, 1));
    else
        printf(" %6s %5s", "", "");
    printf("%c", passed ? ' ' : '!');
}

static void print_wall(void)
{
    const char *shape = "";
    for (size_t i = 0; i < all_count; i++) {
        const struct series *plain = &all[i];
        if (plain->kind != LINE_WALL || strcmp(plain->form, "plain") != 0)
            continue;
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen
                || (all[j].kind == LINE_WALL && !strcmp(all[j].form, "plain") && !strcmp(all[j].shape, plain->shape));
        if (seen)
            continue;
        shape = plain->shape;
        printf("\n%-10s  %17s | %22s  | %22s  | %22s  | %8s | %22s\n", shape, "plain loop", "typed", "by array",
            "variadic", "ffi_call", "through ffi_call");
        printf("%9s  %9s %8s", "observers", "broadcast", "each");
        for (int form = 0; form < 3; form++)
            printf(" | %8s %6s %5s ", "ns", "each", "times");
        printf(" | %8s | %8s %6s %5s\n", "ns", "ns", "each", "times");
        for (size_t j = i; j < all_count; j++) {
            const struct series *row = &all[j];
            if (row->kind != LINE_WALL || strcmp(row->form, "plain") != 0 || strcmp(row->shape, shape) != 0)
                continue;
            const struct series *ffi = find(LINE_WALL, shape, row->observers, "ffi-plain");
            printf("%9u  %9.2f ", row->observers, value(row, 0));
            if (row->observers)
                printf("%8.2f", value(row, 0) / row->observers);
            else
                printf("%8s", "");
            print_form(row, "typed", false);
            print_form(row, "array", false);
            print_form(row, "variadic", false);
            printf(" | %8.1f", ffi ? value(ffi, 0) : 0.0);
            print_form(row, "ffi-call", true);
            printf("\n");
        }
    }
}

/* ---- Instructions ---- */

struct fit {
    bool known;
    double without_observers;
    double broadcast; /* the fitted line over 1 to 16 observers, at 0 */
    double observer;  /* the slope of the fitted line */
};

static struct fit fit(const char *shape, const char *form)
{
    struct fit result = { 0 };
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < all_count; i++) {
        const struct series *series = &all[i];
        if (series->kind != LINE_COUNT || strcmp(series->shape, shape) != 0 || strcmp(series->form, form) != 0)
            continue;
        const double count = value(series, 0), observers = series->observers;
        if (series->observers == 0) {
            result.without_observers = count;
            continue;
        }
        n++, x += observers, y += count, xx += observers * observers, xy += observers * count;
    }
    if (n >= 2) {
        result.known = true;
        result.observer = (n * xy - x * y) / (n * xx - x * x);
        result.broadcast = (y - result.observer * x) / n;
    }
    return result;
}

static const char *const forms[] = { "plain", "typed", "array", "variadic", "ffi-plain", "ffi-call" };
enum { FORMS = sizeof forms / sizeof forms[0] };

static bool is_first_of_shape(size_t i, enum line_kind kind)
{
    if (all[i].kind != kind)
        return false;
    for (size_t j = 0; j < i; j++)
        if (all[j].kind == kind && !strcmp(all[j].shape, all[i].shape))
            return false;
    return true;
}

/* Returns false for the counts of operations other than broadcasts. */
static bool is_counted_shape(size_t i)
{
    return is_first_of_shape(i, LINE_COUNT) && find(LINE_COUNT, all[i].shape, 0, forms[0]);
}

static void print_counts(void)
{
    bool any = false;
    for (size_t i = 0; i < all_count; i++) {
        if (!is_counted_shape(i))
            continue;
        if (!any) {
            printf("\nInstructions: with no observers, a broadcast, an observer\n%-10s", "");
            for (int form = 0; form < FORMS; form++)
                printf(" | %20s", forms[form]);
            printf("\n");
        }
        any = true;
        printf("%-10s", all[i].shape);
        for (int form = 0; form < FORMS; form++) {
            const struct fit counts = fit(all[i].shape, forms[form]);
            printf(" | %6.1f %6.1f %6.1f", counts.without_observers, counts.broadcast, counts.observer);
        }
        printf("\n");
    }
}

/* ---- Threads ---- */

static void print_threads(void)
{
    bool any = false;
    for (size_t i = 0; i < all_count; i++) {
        const struct series *series = &all[i];
        if (series->kind != LINE_SCALE && series->kind != LINE_CHURN)
            continue;
        if (!any)
            printf("\nv(p,p,i), ns a broadcast and thread\n");
        any = true;
        if (series->kind == LINE_SCALE) {
            const bool passed = gate(value(series, 2), 1.9, true, "two threads, %u observers, %s, throughput",
                series->observers, series->form);
            printf("%-9s %4u observers: one thread %7.2f, two threads %7.2f, throughput %.2f times%s\n", series->form,
                series->observers, value(series, 0), value(series, 1), value(series, 2), passed ? "" : " !");
        } else {
            printf("%-9s %4u observers: one thread %7.2f, beside a writer %7.2f (%.0f registrations a "
                   "second)\n",
                series->form, series->observers, value(series, 0), value(series, 1), value(series, 2));
        }
    }
}

/* ---- Queues ---- */

enum { QUEUE_COUNTS = 3 };
static const unsigned queue_counts[QUEUE_COUNTS] = { 1, 16, 1024 };

struct queue_row {
    const char *form;
    const char *title;
    double most[QUEUE_COUNTS];        /* end to end; 0: no goal */
    double most_caller[QUEUE_COUNTS]; /* the caller's part */
};

static const struct queue_row queue_rows[] = {
    { "shared", "one serial queue for all", { 0, 25, 0 }, { 0, 8, 0 } },
    { "own", "a serial queue for each", { 0, 200, 0 }, { 0 } },
    { "pumped", "one pumped queue, same thread", { 30, 30, 0 }, { 0 } },
    { "shared-text", "one serial queue, const char *", { 0 }, { 0 } },
    { "pumped-text", "one pumped queue, const char *", { 0 }, { 0 } },
    { "mpsc", "by hand: MPSC and one worker", { 0 }, { 0 } },
};

/* Figures of prototypes that preceded peal, measured on two processors of a Zen 5 with windows of the
 * same size, and not in this run. The caller's part was measured for 16 observers only. */
static const struct {
    const char *title;
    double ns[QUEUE_COUNTS];
    double caller;
} queue_peers[] = {
    { "MPSC and one worker, malloc a node", { 48, 49, 53 }, 0 },
    { "dispatch_async_f, own queues, no args", { 112, 161, 1320 }, 27 },
    { "dispatch_async_f, own, block for all", { 179, 182, 1290 }, 29 },
    { "dispatch_async_f, shared, a copy each", { 167, 163, 172 }, 38 },
    { "dispatch_async_f, shared, one a broadcast", { 170, 15, 13 }, 4 },
    { "Swift DispatchQueue.async, own", { 272, 533, 2060 }, 109 },
    { "Swift DispatchQueue.async, shared", { 272, 282, 265 }, 98 },
    { "GLib g_main_context_invoke", { 1040, 930, 800 }, 0 },
    { "Qt queued connection", { 825, 776, 760 }, 0 },
    { "GCDMulticastDelegate, own", { 3250, 2150, 3600 }, 0 },
    { "GCDMulticastDelegate, shared", { 3280, 1420, 1215 }, 690 },
};

static bool gate_queue(const struct queue_row *row, size_t n, const struct series *series)
{
    bool passed = true;
    if (row->most[n] > 0)
        passed = gate(
            value(series, 0), row->most[n], false, "%s, %u observers, ns a delivery", row->title, queue_counts[n]);
    if (row->most_caller[n] > 0)
        passed &= gate(value(series, 1), row->most_caller[n], false, "%s, %u observers, ns of the caller", row->title,
            queue_counts[n]);
    return passed;
}

static void print_queue_row(const struct queue_row *row)
{
    printf("%-42s", row->title);
    for (size_t n = 0; n < QUEUE_COUNTS; n++) {
        const struct series *series = find(LINE_QUEUE, "v(p,p,i)", queue_counts[n], row->form);
        if (series)
            printf(" | %6.1f %6.1f %6.1f%c", value(series, 0), value(series, 1), value(series, 2),
                gate_queue(row, n, series) ? ' ' : '!');
        else
            printf(" | %21s", "");
    }
    printf("\n");
}

static void print_queues(void)
{
    const struct series *load = find(LINE_LOAD, "all", 0, "all");
    if (!find(LINE_QUEUE, "v(p,p,i)", queue_counts[0], queue_rows[0].form))
        return;
    printf(
        "\nQueues, v(p,p,i), ns a delivery: end to end, the caller's part, end to end undisturbed\n%-42s", "observers");
    for (size_t n = 0; n < QUEUE_COUNTS; n++)
        printf(" | %20u ", queue_counts[n]);
    printf("\n");
    for (size_t i = 0; i < sizeof queue_rows / sizeof queue_rows[0]; i++)
        print_queue_row(&queue_rows[i]);
    printf("not measured now, but by earlier trials (see README.md):\n");
    for (size_t i = 0; i < sizeof queue_peers / sizeof queue_peers[0]; i++) {
        printf("%-42s", queue_peers[i].title);
        for (size_t n = 0; n < QUEUE_COUNTS; n++) {
            printf(" | %6.0f ", queue_peers[i].ns[n]);
            if (n == 1 && queue_peers[i].caller > 0)
                printf("%6.0f %7s", queue_peers[i].caller, "");
            else
                printf("%14s", "");
        }
        printf("\n");
    }
    if (load)
        printf("The system's load was %.1f.\n", value(load, 0));
}

/* ---- Gates and JSON ---- */

static void print_gates(void)
{
    const struct series *share = find(LINE_SHARE, "all", 0, "all");
    if (share && value(share, 0) < 0.98)
        printf("\nThe processor was shared: the programs had it %.0f %% of the time. Nanoseconds are too "
               "high.\n",
            100 * value(share, 0));
    if (gate_count > 0)
        printf("\n%zu of %zu gates are kept.\n", gate_count - missed_count, gate_count);
    for (size_t i = 0; i < gate_count; i++)
        if (!gates[i].passed)
            printf("  missed: %s: %.2f, must be %s %.2f\n", gates[i].name, gates[i].value,
                gates[i].at_least ? "at least" : "at most", gates[i].limit);
}

static void json_value(FILE *out, const char *key, double number)
{
    if (isfinite(number))
        fprintf(out, ", \"%s\": %.4f", key, number);
}

static void json_series(FILE *out, const struct series *series)
{
    static const char *const kinds[] = { "wall", "instructions", "two_threads", "writer", "share", "queue", "load" };
    static const char *const keys[][VALUES_MOST] = {
        { "ns", "times_plain", "spread" },
        { "instructions", NULL, NULL },
        { "ns_one_thread", "ns_two_threads", "throughput" },
        { "ns_without", "ns_with", "registrations_per_second" },
        { "part", NULL, NULL },
        { "ns", "ns_caller", "ns_undisturbed" },
        { "average", NULL, NULL },
    };
    fprintf(out,
        "    { \"kind\": \"%s\", \"shape\": \"%s\", \"form\": \"%s\", \"observers\": %u, "
        "\"launches\": %zu",
        kinds[series->kind], series->shape, series->form, series->observers, series->launches);
    for (size_t i = 0; i < VALUES_MOST && keys[series->kind][i]; i++)
        json_value(out, keys[series->kind][i], value(series, i));
    fprintf(out, " }");
}

static int write_json(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return -1;
    fprintf(out, "{\n  \"series\": [\n");
    for (size_t i = 0; i < all_count; i++) {
        json_series(out, &all[i]);
        fprintf(out, "%s\n", i + 1 < all_count ? "," : "");
    }
    fprintf(out, "  ],\n  \"fits\": [\n");
    bool any = false;
    for (size_t i = 0; i < all_count; i++)
        for (int form = 0; is_counted_shape(i) && form < FORMS; form++) {
            const struct fit counts = fit(all[i].shape, forms[form]);
            fprintf(out, "%s    { \"shape\": \"%s\", \"form\": \"%s\"", any ? ",\n" : "", all[i].shape, forms[form]);
            json_value(out, "without_observers", counts.without_observers);
            json_value(out, "broadcast", counts.broadcast);
            json_value(out, "observer", counts.observer);
            fprintf(out, " }");
            any = true;
        }
    fprintf(out, "\n  ],\n  \"gates\": [\n");
    for (size_t i = 0; i < gate_count; i++) {
        fprintf(out, "    { \"name\": \"%s\", \"%s\": %.4f, \"passed\": %s", gates[i].name,
            gates[i].at_least ? "at_least" : "at_most", gates[i].limit, gates[i].passed ? "true" : "false");
        json_value(out, "value", gates[i].value);
        fprintf(out, " }%s\n", i + 1 < gate_count ? "," : "");
    }
    fprintf(out, "  ]\n}\n");
    return fclose(out);
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    bool gated = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--gate")) {
            gated = true;
        } else if (!strcmp(argv[i], "--json") && i + 1 < argc) {
            json = argv[++i];
        } else {
            fprintf(stderr, "usage: bench-table [--gate] [--json FILE] < lines\n");
            return 2;
        }
    }
    read_lines(stdin);
    if (!all_count) {
        fprintf(stderr, "bench-table: nothing to read\n");
        return 2;
    }
    print_wall();
    print_counts();
    print_threads();
    print_queues();
    print_gates();
    if (json && write_json(json) != 0) {
        fprintf(stderr, "bench-table: cannot write %s\n", json);
        return 2;
    }
    return gated && missed_count ? 1 : 0;
}
