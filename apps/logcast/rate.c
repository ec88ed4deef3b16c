#include "rate.h"

#include <stdio.h>

#include "clock.h"
#include "text.h"

static void report(void *target)
{
    struct rate *rate = target;
    const struct log_reading reading = log_run_counters_get(rate->counters);
    const uint64_t now = clock_nanoseconds();
    const double seconds = (double)(now - rate->reported_at) / 1e9; /* the real time, because a busy host may be late */
    progress_hide(rate->progress);
    fprintf(stderr, "logcast: %s lines, %s kept, %s lines a second\n", text_grouped(reading.read).text,
        text_grouped(reading.kept).text,
        text_grouped((uint64_t)((double)(reading.read - rate->reported) / seconds + 0.5)).text);
    rate->reported = reading.read;
    rate->reported_at = now;
}

void rate_open(struct rate *rate, struct progress *progress, struct log_run_counters_property counters)
{
    const peal_timer none = { 0 };
    rate->progress = progress;
    rate->counters = counters;
    rate->timer = none;
    rate->seconds = 0;
}

/* Creates the timer with its first interval. */
static bool make_timer(struct rate *rate, int64_t period, peal_queue queue)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(report, rate, period);
    options.queue = queue;
    return peal_timer_create(&options, &rate->timer) >= 0 && peal_timer_start(rate->timer) >= 0;
}

bool rate_set(struct rate *rate, uint64_t seconds, peal_queue queue)
{
    const int64_t period = PEAL_SECONDS(seconds);
    if (seconds == rate->seconds)
        return true;
    rate->seconds = seconds;
    rate->reported = log_run_counters_get(rate->counters).read;
    rate->reported_at = clock_nanoseconds();
    if (seconds == 0)
        return peal_timer_stop(rate->timer) >= 0;
    const bool is_set = rate->timer.id == 0 ? make_timer(rate, period, queue)
                                            : peal_timer_restart(rate->timer, 0, period) >= 0;
    if (!is_set)
        rate->seconds = 0;
    return is_set;
}

void rate_close(struct rate *rate)
{
    if (rate->timer.id != 0)
        peal_timer_destroy(rate->timer); /* no call of it runs, because it fires on this thread */
    rate_open(rate, rate->progress, rate->counters);
}
