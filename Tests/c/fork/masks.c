/* SPDX-License-Identifier: Apache-2.0
 *
 * The signals that threads of the library block, which programs that a callback starts inherit.
 */
#include "center.h"
#include "child.h"
#include "lane.h"
#include "latch.h"

#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

extern char **environ;

/* Runs a function in a call on a serial queue. */
static void (*to_run)(void);
static void run(void *self, int n)
{
    (void)self;
    (void)n;
    to_run();
}

static void run_on_queue(void (*function)(void))
{
    const peal_center center = open_center();
    static const char *const methods[] = { "optional void run(int n)", NULL };
    const peal_protocol protocol = protocol_of(center, "Job", methods);
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    to_run = function;
    check_must(peal_queue_create(NULL, &options.queue), "a queue");
    (void)observe_with(protocol, NULL, "run", (peal_function)run, &options);
    CHECK_OK(peal_broadcast(find_method(protocol, "run"), 1));
    flush_queue(options.queue);
    close_center(center);
    CHECK_OK(peal_queue_destroy(options.queue));
}

/* ---- What a thread blocks ---------------------------------------------------------------------- */

static sigset_t seen;
static void read_mask(void) { (void)pthread_sigmask(SIG_SETMASK, NULL, &seen); }

static struct latch fired = LATCH_INITIALIZER;
static void fire(void *target)
{
    (void)target;
    read_mask();
    latch_open(&fired);
}

static void run_on_timer(void)
{
    struct peal_timer_options options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_MILLISECONDS(1));
    peal_timer timer;

    options.flags = PEAL_TIMER_ONCE;
    check_must(peal_timer_create(&options, &timer), "a timer");
    check_must(peal_timer_start(timer), "a timer");
    latch_wait(&fired);
    CHECK_OK(peal_timer_destroy(timer));
}

static bool blocks_only(int expected)
{
    bool holds = true;

    for (int number = 1; number <= SIGRTMAX; number++)
        holds &= CHECK_EQUAL(sigismember(&seen, number) == 1, number == expected);
    return holds;
}

static bool sees_no_blocked_signal(void)
{
    run_on_queue(read_mask);
    const bool holds = blocks_only(0);
    sigfillset(&seen);
    run_on_timer();
    return blocks_only(0) && holds;
}

CLAIM("F10", "calls on serial queues and timers block no signal in a program that blocks none")
{
    CHECK(in_child(sees_no_blocked_signal, SECONDS));
}

static bool sees_the_blocked_signal(void)
{
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    run_on_queue(read_mask);
    return blocks_only(SIGUSR1);
}

CLAIM("F10", "threads of the library block what the thread blocks that needs them first")
{
    CHECK(in_child(sees_the_blocked_signal, SECONDS));
}

static void *run_in_thread_that_blocks(void *context)
{
    sigset_t all;

    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 8; i++)
        run_on_queue(read_mask);
    return context;
}

static bool sees_the_mask_of_the_first_thread(void)
{
    run_on_queue(read_mask);
    thread_join(thread_start(run_in_thread_that_blocks, NULL));
    return blocks_only(0);
}

CLAIM("F10", "threads of the library do not block what a thread blocks that uses them later")
{
    CHECK(in_child(sees_the_mask_of_the_first_thread, SECONDS));
}

static bool sees_open_signals(void)
{
    static const int open[] = { SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    sigset_t all;
    bool holds = true;

    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    run_on_queue(read_mask);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        holds &= CHECK(!sigismember(&seen, open[i]));
    return holds && CHECK(sigismember(&seen, SIGTERM));
}

CLAIM("F10", "threads of the library never block SIGPROF and the signals of faulty instructions")
{
    CHECK(in_child(sees_open_signals, SECONDS));
}

/* ---- Programs that a call starts --------------------------------------------------------------- */

static int status_of_program;

/* The program sends itself SIGTERM, and ends with 7 if that is blocked. */
static void spawn(void)
{
    char *const arguments[] = { "sh", "-c", "kill -TERM $$; exit 7", NULL };
    pid_t program = 0;

    CHECK_EQUAL(posix_spawn(&program, "/bin/sh", NULL, NULL, arguments, environ), 0);
    CHECK_EQUAL(waitpid(program, &status_of_program, 0), program);
}

CLAIM("F10", "SIGTERM ends a program that a call on a serial queue starts by posix_spawn")
{
    run_on_queue(spawn);
    CHECK(WIFSIGNALED(status_of_program) && WTERMSIG(status_of_program) == SIGTERM);
}

/* ---- Signals that threads of the library get --------------------------------------------------- */

static pthread_t worker;
static int handled; /* atomic */
static void read_thread(void) { worker = pthread_self(); }
static void note(int number)
{
    (void)number;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

CLAIM("F10", "a signal whose handler interrupts system calls ends no wait of a thread of the library")
{
    enum { ROUNDS = 50 };
    struct sigaction action;
    struct sigaction before;

    memset(&action, 0, sizeof action); /* without SA_RESTART */
    action.sa_handler = note;
    CHECK_EQUAL(sigaction(SIGUSR2, &action, &before), 0);
    __atomic_store_n(&handled, 0, __ATOMIC_RELAXED);
    for (int round = 0; round < ROUNDS; round++) {
        run_on_queue(read_thread);
        /* The thread stays for some seconds. */
        CHECK_EQUAL(pthread_kill(worker, SIGUSR2), 0);
        WAIT_UNTIL(__atomic_load_n(&handled, __ATOMIC_RELAXED) > round);
    }
    run_on_queue(read_thread);
    CHECK_EQUAL(sigaction(SIGUSR2, &before, NULL), 0);
}
