/* SPDX-License-Identifier: Apache-2.0
 *
 * wayland.c - libwayland: signals whose listeners are members of the caller's structures, for one thread.
 */
#include "peers.h"

#include <wayland-server-core.h>

struct message {
    void *a;
    int i;
};

static struct wl_signal signal;
static struct wl_listener *listeners;

static void ping(struct wl_listener *listener, void *data)
{
    const struct message *const message = data;
    (void)listener;
    peers_pointer = message->a;
    peers_int = message->i;
}

static void begin(size_t observers)
{
    wl_signal_init(&signal);
    listeners = calloc(observers + 1, sizeof *listeners);
    must(listeners != NULL);
    for (size_t i = 0; i < observers; i++) {
        listeners[i].notify = ping;
        wl_signal_add(&signal, &listeners[i]);
    }
}
static void end(void) { free(listeners); }

/* Emits in the form in which a listener may remove any other. */
static void emit(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        struct message message = { &signal, (int)i };
        wl_signal_emit_mutable(&signal, &message);
    }
}
static void add_and_remove(size_t turns)
{
    while (turns-- > 0) {
        struct wl_listener *const listener = malloc(sizeof *listener);
        must(listener != NULL);
        listener->notify = ping;
        wl_signal_add(&signal, listener);
        wl_list_remove(&listener->link);
        free(listener);
    }
}
static double add_many(size_t count) { return peers_register_many(count, begin, end); }
static void remove_at(unsigned index) { wl_list_remove(&listeners[index].link); }
static double remove_many(size_t count) { return peers_remove_many(count, begin, remove_at, end); }

static struct wl_event_loop *loop;
static struct wl_event_source **timers;
static size_t timer_count;

static int ignore(void *data)
{
    (void)data;
    return 0;
}
static void begin_timers(size_t others)
{
    loop = wl_event_loop_create();
    timer_count = others + 1;
    timers = calloc(timer_count, sizeof *timers);
    must(loop != NULL && timers != NULL);
    for (size_t i = 0; i < timer_count; i++) {
        timers[i] = wl_event_loop_add_timer(loop, ignore, NULL);
        if (i > 0)
            must(wl_event_source_timer_update(timers[i], 1000000 + (int)(i * 7919 % 5000)) == 0);
    }
}
static void start_and_stop(size_t turns)
{
    while (turns-- > 0) {
        must(wl_event_source_timer_update(timers[0], 3600000) == 0);
        must(wl_event_source_timer_update(timers[0], 0) == 0);
    }
}
static void restart(size_t turns)
{
    while (turns-- > 0)
        must(wl_event_source_timer_update(timers[1 + turns % (timer_count - 1)], 3600000) == 0);
}
static void end_timers(void)
{
    for (size_t i = 0; i < timer_count; i++)
        wl_event_source_remove(timers[i]);
    wl_event_loop_destroy(loop);
    free(timers);
}

static const struct operation_of_row operations[] = {
    { .row = "broadcast_1", .size = 1, .begin = begin, .run = emit, .end = end },
    { .row = "broadcast_16", .size = 16, .begin = begin, .run = emit, .end = end },
    { .row = "pair_alone", .size = 0, .begin = begin, .run = add_and_remove, .end = end },
    { .row = "pair_100", .size = 100, .begin = begin, .run = add_and_remove, .end = end },
    { .row = "pair_10000", .size = 10000, .begin = begin, .run = add_and_remove, .end = end },
    { .row = "register_many", .size = OBSERVERS_MOST, .figure = add_many },
    { .row = "remove_many", .size = OBSERVERS_MOST, .figure = remove_many },
    { .row = "timer_alone", .size = 0, .begin = begin_timers, .run = start_and_stop, .end = end_timers },
    { .row = "timer_10000", .size = 10000, .begin = begin_timers, .run = start_and_stop, .end = end_timers },
    { .row = "watchdog_10000", .size = 10000, .begin = begin_timers, .run = restart, .end = end_timers },
    { .row = NULL },
};
const struct peer the_peer = { "libwayland*", operations };
