/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that are bound to the life cycle. The test sends real signals to another program, which writes a letter
 * for each event. It does not sleep, because it reads the expected letters from a pipe.
 */
#include "center.h"
#include "child.h"
#include "journal.h"
#include "latch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static int to_child;
static int from_child;

static void open_child(void)
{
    int in[2];
    int out[2];

    if (pipe(in) != 0 || pipe(out) != 0)
        check_give_up("no pipe", __FILE__, __LINE__);
    child = fork();
    if (child == 0) {
        const char *const program = getenv("PEAL_TEST_CHILD");
        /* The child has a process group of its own, whose parent is outside. Otherwise SIGTSTP would be ignored. */
        setpgid(0, 0);
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_child = in[1];
    from_child = out[0];
}

/* Reads as many letters as are expected. Returns true if they are equal. */
static bool hears(const char *expected)
{
    char text[32] = "";
    size_t length = 0;

    while (length < strlen(expected)) {
        struct pollfd ready = { from_child, POLLIN, 0 };
        if (poll(&ready, 1, 20000) <= 0 || read(from_child, text + length, 1) <= 0)
            break;
        length++;
    }
    return CHECK_TEXT(text, expected);
}

static void tell(const char *letters) { CHECK_EQUAL(write(to_child, letters, strlen(letters)), strlen(letters)); }

static int wait_for_child(int flags)
{
    int status = 0;

    CHECK_EQUAL(waitpid(child, &status, flags), child);
    return status;
}

static void close_child(void)
{
    close(to_child);
    close(from_child);
}

CLAIM("M6", "SIGTERM stops the modules: they receive will_terminate, and their stops run")
{
    int status;

    open_child();
    hears(".");
    CHECK_EQUAL(kill(child, SIGTERM), 0);
    hears("t-");
    tell("x");
    hears("!");
    status = wait_for_child(0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_child();
}

CLAIM("M6", "a second SIGTERM has the effect that it had before it was bound: it ends the process")
{
    int status;

    open_child();
    hears(".");
    CHECK_EQUAL(kill(child, SIGTERM), 0);
    hears("t-");
    /* The modules have stopped. The program still waits for a letter. */
    CHECK_EQUAL(kill(child, SIGTERM), 0);
    status = wait_for_child(0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    close_child();
}

CLAIM("M6", "each SIGHUP broadcasts the reload event, and SIGINT stops the modules and ends the process")
{
    int status;

    open_child();
    hears(".");
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(kill(child, SIGHUP), 0);
        hears("h");
    }
    CHECK_EQUAL(kill(child, SIGINT), 0);
    hears("t-");
    tell("x");
    hears("!");
    status = wait_for_child(0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_child();
}

CLAIM("M6", "SIGTSTP broadcasts the background events and then stops the process; SIGCONT broadcasts "
            "the foreground events")
{
    int status;

    open_child();
    hears(".");
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(kill(child, SIGTSTP), 0);
        hears("rb");
        status = wait_for_child(WUNTRACED);
        CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
        CHECK_EQUAL(kill(child, SIGCONT), 0);
        hears("fa");
    }
    CHECK_EQUAL(kill(child, SIGTERM), 0);
    hears("t-");
    tell("x");
    hears("!");
    (void)wait_for_child(0);
    close_child();
}

CLAIM("M6", "any other signal may be bound, and has its previous effect again when it is unbound")
{
    int status;

    open_child();
    hears(".");
    CHECK_EQUAL(kill(child, SIGUSR1), 0);
    hears("h");
    tell("u");
    hears("u");
    CHECK_EQUAL(kill(child, SIGUSR1), 0);
    status = wait_for_child(0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
    close_child();
}

/* ---- In this process --------------------------------------------------------------------------- */

static struct latch heard;
static peal_queue queue;

static void reloaded(void *self)
{
    (void)self;
    CHECK(peal_queue_is_current(queue));
    latch_open(&heard);
}

CLAIM("M6", "the action of a signal runs on the queue that was given")
{
    static const struct peal_lifecycle events = {
        PEAL_TABLE(peal_lifecycle),
        .configuration_reloaded = reloaded,
    };
    static const struct latch shut = LATCH_INITIALIZER;
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct peal_lifecycle_protocol life;
    const peal_center center = open_center();

    heard = shut;
    CHECK_OK(peal_queue_create(&options, &queue));
    CHECK_OK(peal_lifecycle_define(center, &life));
    CHECK_OK(peal_lifecycle_observe(&life, NULL, &events, NULL, NULL));
    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_RELOAD, queue, 0));
    CHECK_EQUAL(kill(getpid(), SIGUSR2), 0);
    latch_wait(&heard);
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
    CHECK(signal(SIGUSR2, SIG_DFL) == SIG_DFL);
}

static void received(void *self, int number)
{
    (void)self;
    CHECK(peal_queue_is_current(queue));
    journal_write("received %s", number == SIGUSR2 ? "SIGUSR2" : "another");
}

static void noted_reload(void *self)
{
    (void)self;
    journal_write("reloaded");
    latch_open(&heard);
}

CLAIM("M6", "observers of a signal receive its number before its action runs, on the same queue")
{
    static const struct peal_module_events ear = {
        PEAL_TABLE(peal_module_events),
        .signal_received = received,
    };
    static const struct peal_lifecycle events = {
        PEAL_TABLE(peal_lifecycle),
        .configuration_reloaded = noted_reload,
    };
    static const struct latch shut = LATCH_INITIALIZER;
    struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
    struct peal_lifecycle_protocol life;
    struct peal_module_events_protocol told;
    const peal_center center = open_center();

    heard = shut;
    CHECK_OK(peal_queue_create(&options, &queue));
    CHECK_OK(peal_module_events_define(center, &told));
    CHECK_OK(peal_module_events_observe(&told, NULL, &ear, NULL, NULL));
    CHECK_OK(peal_lifecycle_define(center, &life));
    CHECK_OK(peal_lifecycle_observe(&life, NULL, &events, NULL, NULL));
    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_RELOAD, queue, 0));
    CHECK_EQUAL(kill(getpid(), SIGUSR2), 0);
    latch_wait(&heard);
    CHECK_JOURNAL("received SIGUSR2 reloaded");
    close_center(center);
    CHECK_OK(peal_queue_destroy(queue));
    CHECK(signal(SIGUSR2, SIG_DFL) == SIG_DFL);
}

CLAIM("M6", "a forked child that runs no other program is ended by SIGTERM, and its parent is not affected")
{
    const peal_queue nowhere = { 0 };
    const peal_center center = open_center();
    int status = 0;
    pid_t forked;

    CHECK_OK(peal_signal_bind(center, SIGTERM, PEAL_SIGNAL_TERMINATE, nowhere, 0));
    forked = fork();
    if (forked == 0) {
        raise(SIGTERM);
        _exit(0);
    }
    CHECK_EQUAL(waitpid(forked, &status, 0), forked);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    close_center(center);
}

/* ---- Handlers of the program ------------------------------------------------------------------- */

static const peal_queue no_queue;
static int own_calls; /* atomic */
static void (*former)(int);

static void own(int number)
{
    (void)number;
    __atomic_fetch_add(&own_calls, 1, __ATOMIC_RELAXED);
}

static void call_former(int number)
{
    own(number);
    former(number);
}

static bool has_handler(int number, void (*handler)(int))
{
    struct sigaction action;

    return CHECK_EQUAL(sigaction(number, NULL, &action), 0) && CHECK(action.sa_handler == handler);
}

CLAIM("M6", "the end of a binding leaves a handler that the program has installed since")
{
    const peal_center center = open_center();

    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0));
    CHECK(signal(SIGUSR2, own) != SIG_ERR);
    CHECK_OK(peal_signal_remove_binding(center, SIGUSR2));
    has_handler(SIGUSR2, own);
    CHECK(signal(SIGUSR2, SIG_DFL) == own);
    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0));
    CHECK(signal(SIGUSR2, own) != SIG_ERR);
    close_center(center);
    has_handler(SIGUSR2, own);
    CHECK(signal(SIGUSR2, SIG_DFL) == own);
}

CLAIM("M6", "a signal that is caught once leaves a handler of the program that calls the library's, and has its previous "
            "effect when it arrives again")
{
    const peal_center center = open_center();

    __atomic_store_n(&own_calls, 0, __ATOMIC_RELAXED);
    CHECK(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_TERMINATE, no_queue, 100));
    former = signal(SIGUSR2, call_former);
    for (int arrived = 1; arrived <= 2; arrived++) {
        CHECK_EQUAL(raise(SIGUSR2), 0);
        CHECK_EQUAL(__atomic_load_n(&own_calls, __ATOMIC_RELAXED), arrived);
        has_handler(SIGUSR2, call_former);
    }
    close_center(center);
    has_handler(SIGUSR2, call_former);
    CHECK(signal(SIGUSR2, SIG_DFL) == call_former);
}

static bool dies_of_a_handler_without_binding(void)
{
    const peal_center center = open_center();

    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0));
    former = signal(SIGUSR2, own);
    CHECK_OK(peal_signal_remove_binding(center, SIGUSR2));
    CHECK(signal(SIGUSR2, former) == own);
    raise(SIGUSR2);
    return true;
}

CLAIM("M6", "a signal has its previous effect if the program puts the library's handler back after the end of the binding")
{
    int status = 0;
    const pid_t forked = fork();

    if (forked == 0)
        _exit(dies_of_a_handler_without_binding() ? 0 : 1);
    CHECK_EQUAL(waitpid(forked, &status, 0), forked);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2);
}

CLAIM("M6", "the handler of a bound signal restarts system calls, and uses the alternate stack of a thread that has one")
{
    struct sigaction action;
    const peal_center center = open_center();

    CHECK_OK(peal_signal_bind(center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0));
    CHECK_EQUAL(sigaction(SIGUSR2, NULL, &action), 0);
    CHECK_EQUAL(action.sa_flags & (SA_RESTART | SA_ONSTACK), SA_RESTART | SA_ONSTACK);
    close_center(center);
    has_handler(SIGUSR2, SIG_DFL);
}

/* ---- The child of a fork ----------------------------------------------------------------------- */

static peal_center forked_center;

static bool has_effects_from_before(void) { return has_handler(SIGUSR1, SIG_DFL) && has_handler(SIGUSR2, SIG_IGN); }

/* The child's first binding must not revive those of its parent. */
static bool binds_again(void)
{
    const bool holds = CHECK_OK(peal_signal_bind(forked_center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0))
                    && has_handler(SIGUSR1, SIG_DFL)
                    && CHECK_FAILURE(
                        peal_signal_bind(forked_center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0), PEAL_ERROR_CONFLICT)
                    && CHECK_OK(peal_signal_remove_binding(forked_center, SIGUSR2));

    return holds && has_handler(SIGUSR2, SIG_IGN) && CHECK_OK(peal_signal_remove_binding(forked_center, SIGUSR1));
}

CLAIM("F9", "in the child of a fork, the parent's bound signals have their effects from before, and can be bound")
{
    enum { SECONDS = 20 };

    forked_center = open_center();
    CHECK(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    CHECK_OK(peal_signal_bind(forked_center, SIGUSR1, PEAL_SIGNAL_RELOAD, no_queue, 0));
    CHECK_OK(peal_signal_bind(forked_center, SIGUSR2, PEAL_SIGNAL_RELOAD, no_queue, 0));
    CHECK(in_child(has_effects_from_before, SECONDS));
    CHECK(in_child(binds_again, SECONDS));
    close_center(forked_center);
    CHECK(signal(SIGUSR2, SIG_DFL) == SIG_IGN);
}
