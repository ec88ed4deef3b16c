/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler is installed once and never again. A program that installs its own later keeps it: recorders then write by
 * system calls. To install ours above it could make an endless loop of two handlers that call each other.
 */
#include "fault.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static bool (*repair_access)(void *address);
static struct sigaction former;

/* Returns true if the program's handler was to be called once (SA_RESETHAND), and has been. */
static bool was_called(void)
{
    static bool is_reset;

    return (former.sa_flags & (int)SA_RESETHAND) != 0 && __atomic_exchange_n(&is_reset, true, __ATOMIC_RELAXED);
}

/* Blocks the signals that would be blocked during the program's handler. The return from the signal restores the mask. */
static void set_mask_of_program(int signal)
{
    sigset_t own;

    if ((former.sa_flags & SA_NODEFER) != 0) {
        sigemptyset(&own);
        sigaddset(&own, signal);
        pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    }
    pthread_sigmask(SIG_BLOCK, &former.sa_mask, NULL);
}

/* Does what would have happened without the handler. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    /* A fault cannot be ignored. */
    const bool is_fault = info->si_code > 0, has_information = (former.sa_flags & SA_SIGINFO) != 0;
    const bool is_ignored = !has_information && former.sa_handler == SIG_IGN;
    const bool is_standard = (!has_information && former.sa_handler == SIG_DFL) || (!is_ignored && was_called());

    if (is_standard || (is_ignored && is_fault)) {
        const struct sigaction standard = { .sa_handler = SIG_DFL };
        sigaction(signal, &standard, NULL);
        /* The access is repeated after the return, and ends the process where it happened. */
        if (!is_fault)
            raise(signal);
    } else if (!is_ignored) {
        set_mask_of_program(signal);
        if (has_information)
            former.sa_sigaction(signal, info, context);
        else
            former.sa_handler(signal);
    }
}

static void handle(int signal, siginfo_t *info, void *context)
{
    if (info->si_code <= 0 || !repair_access(info->si_addr))
        pass_on(signal, info, context);
}

void fault_handle(bool (*repair)(void *address))
{
    struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

    repair_access = repair;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGBUS, NULL, &former) == 0)
        sigaction(SIGBUS, &action, NULL);
}

bool fault_is_handled(void)
{
    struct sigaction action;
    sigset_t blocked;

    return sigaction(SIGBUS, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle
        && pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGBUS) == 0;
}
