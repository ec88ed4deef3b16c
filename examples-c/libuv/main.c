/* A worker thread measures, and an observer is called in the libuv loop. */
#include <peal/peal.h>
#include <stdio.h>
#include <uv.h>

#define SENSOR(METHOD)                                                      \
    METHOD(required, void, on_reading, (const char *place, double celsius)) \
    METHOD(required, void, on_end, (void))
PEAL_PROTOCOL(sensor, "Sensor", SENSOR);

static struct sensor_protocol sensor;

/* ---- The bridge, for copying into a program ----------------------------------------------------- */

struct bridge {
    uv_poll_t poll;
    peal_queue queue;
};

static void deliver(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    peal_queue_pump(((struct bridge *)poll->data)->queue, 0, NULL);
}

/* Makes a queue whose calls the loop delivers. */
static bool bridge_open(struct bridge *bridge, uv_loop_t *loop)
{
    struct peal_queue_options pumped = PEAL_QUEUE_OPTIONS;
    int descriptor;

    pumped.kind = PEAL_QUEUE_PUMPED;
    if (peal_queue_create(&pumped, &bridge->queue) < 0 || peal_queue_descriptor(bridge->queue, &descriptor) < 0)
        return false;
    bridge->poll.data = bridge;
    return uv_poll_init(loop, &bridge->poll, descriptor) == 0
        && uv_poll_start(&bridge->poll, UV_READABLE, deliver) == 0;
}

static void end_queue(uv_handle_t *handle) { (void)peal_queue_destroy(((struct bridge *)handle->data)->queue); }

/* Closes the poll handle, and then the queue, whose descriptor libuv no longer uses. */
static void bridge_close(struct bridge *bridge) { uv_close((uv_handle_t *)&bridge->poll, end_queue); }

/* ---- The program ------------------------------------------------------------------------------- */

static void show(void *self, const char *place, double celsius)
{
    (void)self;
    printf("%s: %.1f\n", place, celsius);
}

static void leave(void *self) { bridge_close(self); }

static const struct sensor screen_table = { PEAL_TABLE(sensor), show, leave };

static void measure(void *unused)
{
    (void)unused;
    peal_broadcast(sensor.on_reading, "kitchen", 21.5);
    peal_broadcast(sensor.on_reading, "cellar", 12.0);
    peal_broadcast(sensor.on_end);
}

int main(void)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct bridge bridge;
    uv_thread_t worker;

    if (!bridge_open(&bridge, uv_default_loop()))
        return 1;
    options.queue = bridge.queue;
    if (sensor_define(peal_center_default(), &sensor) < 0
        || sensor_observe(&sensor, &bridge, &screen_table, &options, NULL) < 0) {
        fprintf(stderr, "libuv: %s\n", peal_last_message());
        return 1;
    }
    if (uv_thread_create(&worker, measure, NULL) != 0)
        return 1;
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);

    uv_thread_join(&worker);
    return uv_loop_close(uv_default_loop()) == 0 ? 0 : 1;
}
