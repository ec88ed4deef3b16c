/* A worker thread measures, and an observer is called on the main thread, in its own poll loop. */
#include <peal/peal.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#define SENSOR(METHOD)                                                      \
    METHOD(required, void, on_reading, (const char *place, double celsius)) \
    METHOD(required, void, on_end, (void))
PEAL_PROTOCOL(sensor, "Sensor", SENSOR);

static struct sensor_protocol sensor;

/* The screen needs no lock, because only the main thread uses it. */
struct screen {
    double warmest;
    bool is_done;
};

static void show(void *self, const char *place, double celsius)
{
    struct screen *screen = self;
    printf("%s: %.1f\n", place, celsius);
    if (celsius > screen->warmest)
        screen->warmest = celsius;
}

static void finish(void *self) { ((struct screen *)self)->is_done = true; }

static const struct sensor screen_table = { PEAL_TABLE(sensor), show, finish };

static void *measure(void *unused)
{
    static const double readings[] = { 19.5, 21.0, 20.5 };
    char place[16];

    (void)unused;
    for (int i = 0; i < 3; i++) {
        /* The buffer may be reused, because a queued call has a copy of its string. */
        snprintf(place, sizeof place, "room %d", i + 1);
        peal_broadcast(sensor.on_reading, place, readings[i]);
    }
    peal_broadcast(sensor.on_end);
    return NULL;
}

static int fail(void)
{
    fprintf(stderr, "poll: %s\n", peal_last_message());
    return 1;
}

int main(void)
{
    struct peal_queue_options pumped = PEAL_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct screen screen = { 0, false };
    struct pollfd watched = { -1, POLLIN, 0 };
    pthread_t worker;

    pumped.kind = PEAL_QUEUE_PUMPED;
    if (sensor_define(peal_center_default(), &sensor) < 0 || peal_queue_create(&pumped, &options.queue) < 0
        || peal_queue_descriptor(options.queue, &watched.fd) < 0
        || sensor_observe(&sensor, &screen, &screen_table, &options, NULL) < 0)
        return fail();
    if (pthread_create(&worker, NULL, measure, NULL) != 0)
        return 1;

    /* A real loop would also watch its sockets here. */
    while (!screen.is_done && poll(&watched, 1, -1) > 0)
        if (peal_queue_pump(options.queue, 0, NULL) < 0)
            return fail();

    pthread_join(worker, NULL);
    printf("the warmest: %.1f\n", screen.warmest);
    return peal_queue_destroy(options.queue) < 0 ? fail() : 0;
}
