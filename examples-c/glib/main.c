/* A worker thread measures, and an observer is called in the GLib main loop. */
#include <glib-unix.h>
#include <peal/peal.h>
#include <stdio.h>

#define SENSOR(METHOD)                                                      \
    METHOD(required, void, on_reading, (const char *place, double celsius)) \
    METHOD(required, void, on_end, (void))
PEAL_PROTOCOL(sensor, "Sensor", SENSOR);

static struct sensor_protocol sensor;

/* ---- The bridge, for copying into a program ----------------------------------------------------- */

static gboolean deliver(gint descriptor, GIOCondition condition, gpointer queue)
{
    (void)descriptor, (void)condition;
    peal_queue_pump(*(const peal_queue *)queue, 0, NULL);
    return G_SOURCE_CONTINUE;
}

/* Delivers a pumped queue's calls in the default main context. Remove the source before the queue is
 * destroyed. Returns 0 on failure. */
static guint attach(const peal_queue *queue)
{
    int descriptor;
    if (peal_queue_descriptor(*queue, &descriptor) < 0)
        return 0;
    return g_unix_fd_add(descriptor, G_IO_IN, deliver, (gpointer)queue);
}

/* ---- The program ------------------------------------------------------------------------------- */

static void show(void *self, const char *place, double celsius)
{
    (void)self;
    printf("%s: %.1f\n", place, celsius);
}

static void quit(void *self) { g_main_loop_quit(self); }

static const struct sensor screen_table = { PEAL_TABLE(sensor), show, quit };

static gpointer measure(gpointer unused)
{
    (void)unused;
    peal_broadcast(sensor.on_reading, "kitchen", 21.5);
    peal_broadcast(sensor.on_reading, "cellar", 12.0);
    peal_broadcast(sensor.on_end);
    return NULL;
}

int main(void)
{
    struct peal_queue_options pumped = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    guint source = 0;

    pumped.kind = PEAL_QUEUE_PUMPED;
    if (sensor_define(peal_center_default(), &sensor) < 0 || peal_queue_create(&pumped, &options.queue) < 0
        || sensor_observe(&sensor, loop, &screen_table, &options, NULL) < 0 || (source = attach(&options.queue)) == 0) {
        fprintf(stderr, "glib: %s\n", peal_last_message());
        return 1;
    }
    GThread *worker = g_thread_new("worker", measure, NULL);
    g_main_loop_run(loop);

    g_thread_join(worker);
    g_source_remove(source);
    (void)peal_queue_destroy(options.queue);
    g_main_loop_unref(loop);
    return 0;
}
