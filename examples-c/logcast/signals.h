/* Signals: SIGINT and SIGTERM stop the modules, SIGHUP has the configuration read and the plugins loaded
 * anew, SIGUSR1 ends the session. peal catches them; what they do happens in signals_pump, so on the
 * host's thread and between two lines. So does what else waits on the queue: a timer's call. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <peal/peal.h>
#include <stdbool.h>

struct signals {
    peal_queue queue;
    int descriptor; /* readable while something waits; -1: there are none */
    int ended_by;   /* the signal that stopped the modules, or 0 */
};

/* False when peal refuses; peal_last_message() tells why. */
bool signals_bind(struct signals *signals, peal_center center);
void signals_unbind(struct signals *signals, peal_center center);
/* From here on SIGINT and SIGTERM end the process at once, where one of them has stopped the modules. */
void signals_let_kill(struct signals *signals, peal_center center);

/* Does what signals ask for. */
void signals_pump(struct signals *signals);

/* Waits until a file has something to read, or has ended. False when a signal came instead. */
bool signals_wait(int file, int descriptor);

#endif
