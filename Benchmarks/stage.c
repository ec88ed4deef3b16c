/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void check(const char *what, peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "benchmark: %s: %s: %s\n", what, peal_status_name(status), peal_last_message());
    exit(2);
}

static void *room_or_exit(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    if (!room)
        exit(2);
    return room;
}

void stage_begin(struct stage *stage, const struct bench *table, size_t count)
{
    *stage = (struct stage){ .table = table, .count = count };
    stage->targets = room_or_exit(count, sizeof *stage->targets);
    stage->entries = room_or_exit(count, sizeof *stage->entries);
    check("center", peal_center_create(&stage->center));
    check("types", peal_type_declare(stage->center, pair_declaration));
    check("protocol", bench_define(stage->center, &stage->handles));
    for (size_t i = 0; i < count; i++)
        check("observe", bench_observe(&stage->handles, &stage->targets[i], table, NULL, NULL));
}

void stage_end(struct stage *stage)
{
    check("center", peal_center_destroy(stage->center));
    free(stage->targets);
    free(stage->entries);
}

const struct field *stage_field(struct stage *stage, const struct shape *shape)
{
    struct field *field = &stage->field;
    peal_function function;
    memcpy(&function, (const char *)stage->table + shape->table_offset, sizeof function);
    memcpy(&field->method, (const char *)&stage->handles + shape->handle_offset, sizeof field->method);
    for (size_t i = 0; i < stage->count; i++)
        stage->entries[i] = (struct plain_entry){ function, &stage->targets[i] };
    shape->prepare(&stage->interface);
    field->entries = stage->entries;
    field->end = stage->entries + stage->count;
    field->handles = &stage->handles;
    field->interface = &stage->interface;
    return field;
}

void stage_prove(struct stage *stage, const struct shape *shape)
{
    const struct field *field = stage_field(stage, shape);
    for (int form = 0; form < FORMS; form++)
        for (size_t place = 0; place < PLACEMENTS; place++) {
            memset(stage->targets, 0, stage->count * sizeof *stage->targets);
            shape_run(shape, (enum form)form, place)(field, 1);
            for (size_t i = 0; i < stage->count; i++)
                if (stage->targets[i].stored.number == 0) {
                    fprintf(stderr, "benchmark: %s, %s: observer %zu of %zu was not called: %s\n", shape->name,
                        form_names[form], i, stage->count, peal_last_message());
                    exit(2);
                }
        }
}

int processors(int out_processors[2])
{
    cpu_set_t set;
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
        if (CPU_ISSET(i, &set))
            out_processors[count++] = i;
    return count;
}

void pin(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
        fprintf(stderr, "benchmark: cannot pin to processor %d\n", processor);
}

static void *sleep_for_ever(void *nothing)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    return nothing;
}

void park_second_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
        exit(2);
    pthread_detach(thread);
}

double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}
