/* SPDX-License-Identifier: Apache-2.0
 *
 * libuv.c - libuv: timers of a loop, and calls that a thread sends to the loop. A loop belongs to one thread.
 */
#include "peers.h"

#include <uv.h>

static uv_loop_t loop;
static uv_timer_t *timers;
static size_t timer_count;

static void ignore(uv_timer_t *timer) { (void)timer; }

static void begin(size_t others)
{
    must(uv_loop_init(&loop) == 0);
    timer_count = others + 1;
    timers = calloc(timer_count, sizeof *timers);
    must(timers != NULL);
    for (size_t i = 0; i < timer_count; i++) {
        must(uv_timer_init(&loop, &timers[i]) == 0);
        if (i > 0)
            must(uv_timer_start(&timers[i], ignore, 1000000 + i * 7919 % 5000, 3600000) == 0);
    }
}
static void start_and_stop(size_t turns)
{
    while (turns-- > 0) {
        must(uv_timer_start(&timers[0], ignore, 3600000, 3600000) == 0);
        must(uv_timer_stop(&timers[0]) == 0);
    }
}
static void restart(size_t turns)
{
    while (turns-- > 0)
        must(uv_timer_again(&timers[1 + turns % (timer_count - 1)]) == 0);
}
static void end(void)
{
    for (size_t i = 0; i < timer_count; i++)
        uv_close((uv_handle_t *)&timers[i], NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    must(uv_loop_close(&loop) == 0);
    free(timers);
}

/* libuv has no queue of calls. This is a list with a mutex, whose first entry wakes the loop. */
struct node {
    struct node *next;
    void *a;
    int i;
};
static uv_mutex_t mutex;
static struct node *first, **last;
static uv_async_t wake;

static void deliver(uv_async_t *async)
{
    (void)async;
    uv_mutex_lock(&mutex);
    struct node *node = first;
    first = NULL;
    last = &first;
    uv_mutex_unlock(&mutex);
    while (node) {
        struct node *next = node->next;
        peers_pointer = node->a;
        peers_int = node->i;
        free(node);
        node = next;
    }
}

static void begin_list(size_t size)
{
    (void)size;
    last = &first;
    must(uv_loop_init(&loop) == 0);
    must(uv_mutex_init(&mutex) == 0);
    must(uv_async_init(&loop, &wake, deliver) == 0);
}
static void pumped(size_t turns)
{
    while (turns > 0) {
        const size_t window = turns < IN_FLIGHT ? turns : IN_FLIGHT;
        for (size_t i = 0; i < window; i++) {
            struct node *node = malloc(sizeof *node);
            must(node != NULL);
            *node = (struct node){ NULL, &loop, (int)i };
            uv_mutex_lock(&mutex);
            *last = node;
            last = &node->next;
            uv_mutex_unlock(&mutex);
            must(uv_async_send(&wake) == 0);
        }
        uv_run(&loop, UV_RUN_NOWAIT);
        turns -= window;
    }
}
static void end_list(void)
{
    uv_close((uv_handle_t *)&wake, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_mutex_destroy(&mutex);
    must(uv_loop_close(&loop) == 0);
}

static const struct operation_of_row operations[] = {
    { .row = "timer_alone", .size = 0, .begin = begin, .run = start_and_stop, .end = end },
    { .row = "timer_10000", .size = 10000, .begin = begin, .run = start_and_stop, .end = end },
    { .row = "watchdog_10000", .size = 10000, .begin = begin, .run = restart, .end = end },
    { .row = "pumped_1", .begin = begin_list, .run = pumped, .end = end_list },
    { .row = NULL },
};
const struct peer the_peer = { "libuv*", operations };
