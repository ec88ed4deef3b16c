#include "CPealSupport/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "CPealSupport/executor.h"
#include "CPealSupport/lock.h"

enum { SIGNALS = 65 };

static struct installed {
    int number;
    /* The request of the handler. It is permanent: a handler may run on another thread after the binding has ended. */
    struct peal_requested_work request;
    bool is_installed;
    bool is_once; /* the handler removes itself */
    struct sigaction before;
    void (*arrived)(int number);
} all_installed[SIGNALS];

/* The process of the bindings. A forked child that has not called exec yet must not notify its parent. */
static pid_t process;
/* Locked while a signal has its default effect, so that its handler is not restored meanwhile. */
static struct peal_lock handlers;

static void handle(int number)
{
    const int before = errno;
    if (getpid() != process) {
        signal(number, SIG_DFL);
        raise(number);
    } else {
        if (all_installed[number].is_once)
            sigaction(number, &all_installed[number].before, NULL);
        peal_executor_request(&all_installed[number].request);
    }
    errno = before;
}

static void report_arrived(void *context)
{
    const struct installed *installed = context;
    installed->arrived(installed->number);
}

static int install(int number)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

enum peal_signal_outcome peal_signal_install(int number, bool once, void (*arrived)(int number))
{
    if (number <= 0 || number >= SIGNALS)
        return PEAL_SIGNAL_REFUSED;
    struct installed *installed = &all_installed[number];
    enum peal_signal_outcome outcome = PEAL_SIGNAL_INSTALLED;
    peal_lock_acquire(&handlers);
    /* The state of a handler of the library must not change. */
    if (!installed->is_installed && sigaction(number, NULL, &installed->before) != 0) {
        outcome = PEAL_SIGNAL_REFUSED;
    } else if (installed->is_installed || (installed->before.sa_flags & SA_SIGINFO) != 0
               || (installed->before.sa_handler != SIG_DFL && installed->before.sa_handler != SIG_IGN)) {
        outcome = PEAL_SIGNAL_HAS_HANDLER;
    } else {
        installed->number = number;
        installed->arrived = arrived;
        installed->is_once = once;
        process = getpid();
        installed->request.work.function = report_arrived;
        installed->request.work.context = installed;
        if (install(number) != 0)
            outcome = PEAL_SIGNAL_REFUSED;
    }
    installed->is_installed |= outcome == PEAL_SIGNAL_INSTALLED;
    peal_lock_release(&handlers);
    return outcome;
}

void peal_signal_restore(int number)
{
    struct installed *installed = &all_installed[number];
    peal_lock_acquire(&handlers);
    if (installed->is_installed)
        sigaction(number, &installed->before, NULL);
    installed->is_installed = false;
    peal_lock_release(&handlers);
}

void peal_signal_act_as_default(int number)
{
    sigset_t alone;
    sigset_t before;
    peal_lock_acquire(&handlers);
    if (all_installed[number].is_installed) {
        signal(number, SIG_DFL);
        /* The signal is raised for this thread, which does not block it. So it has taken effect when the thread
         * continues. */
        sigemptyset(&alone);
        sigaddset(&alone, number);
        pthread_sigmask(SIG_UNBLOCK, &alone, &before);
        raise(number);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void)install(number);
    }
    peal_lock_release(&handlers);
}
