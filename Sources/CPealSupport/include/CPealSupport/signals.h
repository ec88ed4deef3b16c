/* POSIX signals that are turned into calls on other threads.
 *
 * Not Swift: a handler interrupts any function, and may only call functions that are safe inside all of them. This
 * handler sends a request to the executor.
 */
#ifndef CPEAL_SIGNALS_H
#define CPEAL_SIGNALS_H

#include "CPealSupport/nullability.h"

#include <signal.h>
#include <stdbool.h>

/* The signals that can be bound. Swift does not import the macros of <signal.h> from here. */
enum {
    PEAL_SIGTERM = SIGTERM,
    PEAL_SIGINT = SIGINT,
    PEAL_SIGHUP = SIGHUP,
    PEAL_SIGUSR1 = SIGUSR1,
    PEAL_SIGUSR2 = SIGUSR2,
    PEAL_SIGTSTP = SIGTSTP,
    PEAL_SIGCONT = SIGCONT,
    PEAL_SIGQUIT = SIGQUIT,
    PEAL_SIGALRM = SIGALRM,
    PEAL_SIGWINCH = SIGWINCH
};

enum peal_signal_outcome {
    PEAL_SIGNAL_INSTALLED,
    PEAL_SIGNAL_HAS_HANDLER, /* other code has installed one */
    PEAL_SIGNAL_REFUSED /* the system does not allow a handler for it */
};

/* Registers `arrived`, which a thread of the executor calls after a signal, once for several signals before the call.
 * The executor must have been started. One caller at a time, for this function and the next.
 *
 * once: the first signal restores the previous effect before any notification, because the process may
 * not react to it. */
enum peal_signal_outcome peal_signal_install(int number, bool once, void (*_Nonnull arrived)(int number));
/* Ends the registration. The signal has its effect from before again, unless the program has installed a handler since. */
void peal_signal_restore(int number);

/* Gives a registered signal the effect on the process that it has without a handler. If that effect is to stop the
 * process, the function returns when the process continues. */
void peal_signal_act_as_default(int number);

/* In the child of a fork: ends the registrations. */
void peal_signals_forked(void);

#endif
