/* SPDX-License-Identifier: Apache-2.0
 *
 * count.c - runs every form and every operation under callgrind. Benchmarks/run starts it, and makes
 * callgrind clear its counters at count_begin and dump them at count_end.
 *
 * Prints a line for each dump, in order: SHAPE OBSERVERS FORM BROADCASTS. Each form is run with two
 * lengths, whose difference contains neither the start nor the end. In the line of an operation its two names
 * replace shape and form.
 */
#include "operations.h"

#include <stdio.h>
#include <string.h>

static const size_t observer_counts[] = { 0, 1, 2, 4, 8, 16 };
static const size_t lengths[] = { 32, 288 };

/* The bodies differ, because the compiler would merge equal ones. */
__attribute__((noinline)) static void count_begin(void) { __asm__ volatile("nop" : : : "memory"); }

__attribute__((noinline)) static void count_end(void) { __asm__ volatile("nop\n\tnop" : : : "memory"); }

static void count(const struct shape *shape, const struct field *field, size_t observers, enum form form, size_t length)
{
    const run_function run = shape_run(shape, form, 0);
    printf("%s %zu %s %zu\n", shape->name, observers, form_names[form], length);
    count_begin();
    run(field, length);
    count_end();
}

/* Measures the caller's cost of a call by array: the loop, the array and the call itself. It is array_ of
 * shape.inc for v(p,p,i), with bench_do_nothing instead of peal_send. */
__attribute__((noinline)) static void run_caller(const struct field *field, size_t iterations)
{
    void *p = &iterations;
    int i = 7;
    const peal_method method = field->method;
    __asm__ volatile("" : "+m"(p), "+m"(i));
    while (iterations-- > 0) {
        void *arguments[3] = { &p, &i, NULL };
        bench_do_nothing(method, arguments, 2, NULL, NULL);
    }
}

static void count_caller(const struct field *field)
{
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        printf("v(p,p,i) 0 caller %zu\n", lengths[l]);
        count_begin();
        run_caller(field, lengths[l]);
        count_end();
    }
}

/* The first run is not counted. It binds symbols and allocates permanent memory. Each length is counted three times,
 * and the smallest count is used, because another thread may add instructions to a dump. */
static void count_operation(const struct operation *operation, size_t observers)
{
    const size_t times = 3;

    operation->run(lengths[1]);
    for (size_t n = 0; n < times * (sizeof lengths / sizeof lengths[0]); n++) {
        const size_t l = n / times;
        printf("%s %zu %s %zu\n", operation->subject, observers, operation->form, lengths[l]);
        count_begin();
        operation->run(lengths[l]);
        count_end();
    }
}

static void count_operations(const struct stage *stage)
{
    operations_begin(stage);
    for (size_t i = 0; i < OPERATIONS; i++)
        if (operations[i].has_observers || stage->count == 0)
            count_operation(&operations[i], stage->count);
    operations_end();
    calls_begin(stage);
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].has_observers || stage->count == 0)
            count_operation(&calls[i], stage->count);
    calls_end();
}

int main(void)
{
    park_second_thread();
    for (size_t n = 0; n < sizeof observer_counts / sizeof observer_counts[0]; n++) {
        struct stage stage;
        stage_begin(&stage, &store_table, observer_counts[n]);
        for (size_t i = 0; i < SHAPES; i++) {
            const struct field *field = stage_field(&stage, &shapes[i]);
            if (observer_counts[n] == 0 && strcmp(shapes[i].name, "v(p,p,i)") == 0)
                count_caller(field);
            stage_prove(&stage, &shapes[i]); /* also binds symbols */
            for (int form = 0; form < FORMS; form++) {
                for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
                    count(&shapes[i], field, observer_counts[n], (enum form)form, lengths[l]);
            }
        }
        count_operations(&stage);
        stage_end(&stage);
    }
    return 0;
}
