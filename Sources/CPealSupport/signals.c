#include "CPealSupport/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "CPealSupport/executor.h"
#include "CPealSupport/lock.h"

enum { SIGNALS = 65 };

enum state {
    UNBOUND,
    BOUND,
    SPENT /* bound, and the only signal that was to be caught has arrived */
};

static struct installed {
    int number;
    /* The request of the handler. It is permanent: a handler may run on another thread after the binding has ended. */
    struct peal_requested_work request;
    int state; /* enum state; atomic */
    bool is_once;
    pid_t process; /* of the binding */
    struct sigaction before; /* the default effect, or none */
    void (*arrived)(int number);
} all_installed[SIGNALS];

/* Locked while a signal has its default effect, so that its handler is not restored meanwhile. */
static struct peal_lock handlers;

static enum state state_of(const struct installed *installed)
{
    return (enum state)__atomic_load_n(&installed->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct installed *installed, enum state state)
{
    __atomic_store_n(&installed->state, (int)state, __ATOMIC_RELEASE);
}

static void handle(int number);

static bool is_own(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == handle;
}

/* Restores the effect from before the binding. A handler that the program has installed since remains. */
static void put_back(int number)
{
    struct sigaction current;

    if (sigaction(number, NULL, &current) == 0 && is_own(&current))
        (void)sigaction(number, &all_installed[number].before, NULL);
}

/* Raises the signal for this thread with another effect, which it has had when the function returns. The handler that is
 * installed now, perhaps one of the program that calls ours, remains. */
static void take_effect(int number, const struct sigaction *effect)
{
    struct sigaction current;
    struct sigaction later;
    sigset_t alone;
    sigset_t before;

    if (sigaction(number, effect, &current) != 0)
        return;
    sigemptyset(&alone);
    sigaddset(&alone, number);
    pthread_sigmask(SIG_UNBLOCK, &alone, &before);
    raise(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (sigaction(number, NULL, &later) == 0 && (later.sa_flags & SA_SIGINFO) == 0
        && later.sa_handler == effect->sa_handler)
        (void)sigaction(number, &current, NULL);
}

/* Without a binding this handler runs if the program puts it back, having saved it before its own. It also does in the
 * child of a fork, before peal_signals_forked. */
static void handle(int number)
{
    const int error = errno;
    struct installed *const installed = &all_installed[number];

    if (state_of(installed) != BOUND || getpid() != installed->process) {
        take_effect(number, &installed->before);
    } else {
        if (installed->is_once) {
            set_state(installed, SPENT);
            put_back(number);
        }
        peal_executor_request(&installed->request);
    }
    errno = error;
}

static void report_arrived(void *context)
{
    const struct installed *installed = context;
    installed->arrived(installed->number);
}

/* The handler uses an alternate stack if the thread has one, because stacks of other languages may be short. */
static int install(int number)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK };
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

static enum peal_signal_outcome bind(int number, bool once, void (*arrived)(int number))
{
    struct installed *const installed = &all_installed[number];
    struct sigaction current;

    /* The state of a handler of the library must not change. */
    if (state_of(installed) != UNBOUND)
        return PEAL_SIGNAL_HAS_HANDLER;
    if (sigaction(number, NULL, &current) != 0)
        return PEAL_SIGNAL_REFUSED;
    if (!is_own(&current)) {
        if ((current.sa_flags & SA_SIGINFO) != 0 || (current.sa_handler != SIG_DFL && current.sa_handler != SIG_IGN))
            return PEAL_SIGNAL_HAS_HANDLER;
        installed->before = current;
    }
    installed->number = number;
    installed->arrived = arrived;
    installed->is_once = once;
    installed->process = getpid();
    installed->request.work.function = report_arrived;
    installed->request.work.context = installed;
    set_state(installed, BOUND);
    if (install(number) == 0)
        return PEAL_SIGNAL_INSTALLED;
    set_state(installed, UNBOUND);
    return PEAL_SIGNAL_REFUSED;
}

enum peal_signal_outcome peal_signal_install(int number, bool once, void (*arrived)(int number))
{
    if (number <= 0 || number >= SIGNALS)
        return PEAL_SIGNAL_REFUSED;
    peal_lock_acquire(&handlers);
    const enum peal_signal_outcome outcome = bind(number, once, arrived);
    peal_lock_release(&handlers);
    return outcome;
}

void peal_signal_restore(int number)
{
    peal_lock_acquire(&handlers);
    if (state_of(&all_installed[number]) != UNBOUND)
        put_back(number);
    set_state(&all_installed[number], UNBOUND);
    peal_lock_release(&handlers);
}

void peal_signal_act_as_default(int number)
{
    static const struct sigaction by_default = { .sa_handler = SIG_DFL };

    peal_lock_acquire(&handlers);
    if (state_of(&all_installed[number]) != UNBOUND)
        take_effect(number, &by_default);
    peal_lock_release(&handlers);
}

void peal_signals_forked(void)
{
    for (int number = 1; number < SIGNALS; number++) {
        if (state_of(&all_installed[number]) == UNBOUND)
            continue;
        put_back(number);
        set_state(&all_installed[number], UNBOUND);
    }
}
