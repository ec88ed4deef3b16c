/* SPDX-License-Identifier: Apache-2.0
 *
 * count.c - runs every form and every operation for callgrind to count. Run it by Benchmarks/run, which has
 * callgrind clear its counters at count_begin and dump them at count_end.
 *
 * Prints, in the order of the dumps, a line a dump: SHAPE OBSERVERS FORM BROADCASTS. Each form is run
 * for two lengths: the difference has no start and no end in it. In a line of an operation its two names are in
 * the places of shape and form.
 */
#include "operations.h"

#include <stdio.h>
#include <string.h>

static const size_t observer_counts[] = { 0, 1, 2, 4, 8, 16 };
static const size_t lengths[] = { 32, 288 };

/* Their bodies differ: equal ones would be made one. */
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

/* The caller's cost of a call by array: the loop, the array, the call itself. The same as array_ of
 * shape.inc for v(p,p,i), with a function that does nothing instead of peal_send. */
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

/* Once uncounted: then symbols are bound, and what is made at the first use is there. Each length is counted three times,
 * of which the least counts: a dump has the instructions before its begin too if another thread ran in between. */
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
            stage_prove(&stage, &shapes[i]); /* and symbols are bound */
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
