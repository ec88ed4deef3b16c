#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

static const struct {
    int number;
    peal_signal_action action;
} bound[] = {
    { SIGINT, PEAL_SIGNAL_TERMINATE },
    { SIGTERM, PEAL_SIGNAL_TERMINATE },
    { SIGHUP, PEAL_SIGNAL_RELOAD },
    { SIGUSR1, PEAL_SIGNAL_END_SESSION },
};

/* Called by peal before the signal's action runs. */
static void signal_received(void *self, int number)
{
    struct signals *signals = self;
    if (signals->ended_by == 0 && (number == SIGINT || number == SIGTERM))
        signals->ended_by = number;
}

static const struct peal_module_events ear = {
    PEAL_TABLE(peal_module_events),
    .signal_received = signal_received,
};

bool signals_bind(struct signals *signals, peal_center center)
{
    struct peal_module_events_protocol events;
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    signals->ended_by = 0;
    if (peal_module_events_define(center, &events) < 0
        || peal_module_events_observe(&events, signals, &ear, NULL, NULL) < 0
        || peal_queue_create(&pumped, &signals->queue) < 0
        || peal_queue_descriptor(signals->queue, &signals->descriptor) < 0)
        return false;
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        if (peal_signal_bind(center, bound[i].number, bound[i].action, signals->queue, PEAL_FOREVER) < 0)
            return false;
    return true;
}

void signals_let_kill(struct signals *signals, peal_center center)
{
    if (signals->ended_by == 0)
        return;
    peal_signal_remove_binding(center, SIGINT);
    peal_signal_remove_binding(center, SIGTERM);
}

void signals_unbind(struct signals *signals, peal_center center)
{
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        peal_signal_remove_binding(center, bound[i].number);
    peal_queue_destroy(signals->queue);
    signals->descriptor = -1;
}

void signals_pump(struct signals *signals) { peal_queue_pump(signals->queue, 0, NULL); }

bool signals_wait(int file, int descriptor)
{
    struct pollfd files[] = { { file, POLLIN, 0 }, { descriptor, POLLIN, 0 } };
    while (poll(files, 2, -1) < 0) /* poll ignores a descriptor of -1 */
        if (errno != EINTR)
            return true; /* the read will return the error */
    return files[1].revents == 0;
}
