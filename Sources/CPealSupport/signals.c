#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* libdispatch's interface in C: see mailbox.c. */
struct dispatch_queue_s;
struct dispatch_source_s;
struct dispatch_source_type_s;
extern const struct dispatch_source_type_s _dispatch_source_type_read;
extern struct dispatch_queue_s *dispatch_get_global_queue(intptr_t priority, uintptr_t flags);
extern struct dispatch_source_s *dispatch_source_create(
    const struct dispatch_source_type_s *type, uintptr_t handle, uintptr_t mask,
    struct dispatch_queue_s *queue);
extern void dispatch_source_set_event_handler_f(
    struct dispatch_source_s *source, void (*handler)(void *));
extern void dispatch_set_context(struct dispatch_source_s *source, void *context);
extern void dispatch_resume(struct dispatch_source_s *source);

enum { SIGNALS = 65 };

static struct taken {
    int number;
    /* An eventfd, made with the signal's first binding and never closed: a handler that runs on another
     * thread may write to it after the binding has ended. Zero: none; 0 is standard input's. */
    int descriptor;
    struct dispatch_source_s *source; /* reads it; here the leak sanitizer sees that it is kept */
    bool is_taken;
    bool is_once; /* the handler takes itself back */
    struct sigaction before;
    void (*arrived)(int number);
} all_taken[SIGNALS];

/* Whose they are. A child that was forked and has not called exec yet must not tell its parent. */
static pid_t process;
/* Held while a signal acts as by default, so that it is not given back meanwhile. */
static pthread_mutex_t handlers = PTHREAD_MUTEX_INITIALIZER;

static void handle(int number)
{
    const int before = errno;
    if (getpid() != process) {
        signal(number, SIG_DFL);
        raise(number);
    } else {
        const uint64_t one = 1;
        if (all_taken[number].is_once)
            sigaction(number, &all_taken[number].before, NULL);
        const int descriptor = __atomic_load_n(&all_taken[number].descriptor, __ATOMIC_ACQUIRE);
        /* It fails only when more have come than a number can count. */
        const ssize_t written = write(descriptor, &one, sizeof one);
        (void)written;
    }
    errno = before;
}

static void read_arrived(void *context)
{
    struct taken *taken = context;
    uint64_t count;
    ssize_t done;
    do
        done = read(taken->descriptor, &count, sizeof count);
    while (done < 0 && errno == EINTR);
    if (done > 0)
        taken->arrived(taken->number);
}

static bool make_descriptor(struct taken *taken)
{
    if (taken->descriptor > 0)
        return true;
    const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return false;
    struct dispatch_source_s *source = dispatch_source_create(
        &_dispatch_source_type_read, (uintptr_t)descriptor, 0, dispatch_get_global_queue(0, 0));
    if (source == NULL) {
        close(descriptor);
        return false;
    }
    __atomic_store_n(&taken->descriptor, descriptor, __ATOMIC_RELEASE);
    taken->source = source;
    dispatch_set_context(source, taken);
    dispatch_source_set_event_handler_f(source, read_arrived);
    dispatch_resume(source);
    return true;
}

static int install(int number)
{
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}

enum peal_signal_taken peal_signal_take(int number, bool once, void (*arrived)(int number))
{
    if (number <= 0 || number >= SIGNALS)
        return PEAL_SIGNAL_REFUSED;
    struct taken *taken = &all_taken[number];
    enum peal_signal_taken outcome = PEAL_SIGNAL_TAKEN;
    pthread_mutex_lock(&handlers);
    if (sigaction(number, NULL, &taken->before) != 0) {
        outcome = PEAL_SIGNAL_REFUSED;
    } else if ((taken->before.sa_flags & SA_SIGINFO) != 0
               || (taken->before.sa_handler != SIG_DFL && taken->before.sa_handler != SIG_IGN)) {
        outcome = PEAL_SIGNAL_HAS_HANDLER;
    } else {
        taken->number = number;
        taken->arrived = arrived;
        taken->is_once = once;
        process = getpid();
        if (!make_descriptor(taken))
            outcome = PEAL_SIGNAL_NO_DESCRIPTOR;
        else if (install(number) != 0)
            outcome = PEAL_SIGNAL_REFUSED;
    }
    taken->is_taken = outcome == PEAL_SIGNAL_TAKEN;
    pthread_mutex_unlock(&handlers);
    return outcome;
}

void peal_signal_give_back(int number)
{
    struct taken *taken = &all_taken[number];
    pthread_mutex_lock(&handlers);
    if (taken->is_taken)
        sigaction(number, &taken->before, NULL);
    taken->is_taken = false;
    pthread_mutex_unlock(&handlers);
}

void peal_signal_act_as_default(int number)
{
    sigset_t alone;
    sigset_t before;
    pthread_mutex_lock(&handlers);
    if (all_taken[number].is_taken) {
        signal(number, SIG_DFL);
        /* Raised for this thread, where it is let through: so it has acted when this goes on. */
        sigemptyset(&alone);
        sigaddset(&alone, number);
        pthread_sigmask(SIG_UNBLOCK, &alone, &before);
        raise(number);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void)install(number);
    }
    pthread_mutex_unlock(&handlers);
}
