/* Signals: SIGINT and SIGTERM stop the modules, SIGHUP reloads the configuration and the plugins,
 * SIGUSR1 ends the session. peal catches them; their actions run in signals_pump, so on the host's
 * thread and between two lines. Other calls of the queue, such as a timer's, run there too. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <peal/peal.h>
#include <stdbool.h>

struct signals {
    peal_queue queue;
    int descriptor; /* readable while calls wait; -1 without a queue */
    int ended_by;   /* the signal that stopped the modules, or 0 */
};

/* Binds the signals. Returns false if peal refuses, with peal_last_message(). */
bool signals_bind(struct signals *signals, peal_center center);
void signals_unbind(struct signals *signals, peal_center center);
/* If SIGINT or SIGTERM has stopped the modules, lets the next one end the process at once. */
void signals_let_kill(struct signals *signals, peal_center center);

/* Runs the actions of signals. */
void signals_pump(struct signals *signals);

/* Waits until a file is readable or has ended. Returns false if a signal arrived instead. */
bool signals_wait(int file, int descriptor);

#endif
