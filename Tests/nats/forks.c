/* SPDX-License-Identifier: Apache-2.0
 *
 * The child of a fork has copies of the parent's bridges, which share their connections with it.
 */
#include "center.h"
#include "child.h"
#include "latch.h"
#include "party.h"
#include "server.h"

#include <peal/queue.h>
#include <peal/status.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, CALLS = 1000 };

static struct party from, to;

static void say_many(int32_t first)
{
    for (int32_t i = 0; i < CALLS; i++)
        party_say(&from, first + i, "many");
}

/* The parent's calls arrive once each, on the connections that it had before the fork. */
static void check_parent(size_t heard)
{
    say_many((int32_t)heard + 1);
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    WAIT_UNTIL(party_heard(&to) >= heard + CALLS);
    CHECK_EQUAL(party_heard(&to), heard + CALLS);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(party_info(&from).reconnects, 0);
    CHECK_EQUAL(party_info(&to).reconnects, 0);
    CHECK_EQUAL(party_info(&from).refused, 0);
    CHECK_EQUAL(party_info(&to).refused, 0);
}

static bool is_refused(peal_status status)
{
    return CHECK_STATUS(status, PEAL_ERROR_STATE) && CHECK_CONTAINS(peal_bridge_last_message(), "fork");
}

static bool broadcasts(void)
{
    say_many(100000);
    return true;
}

static bool is_refused_all(void)
{
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;
    struct peal_bridge_info info = { .size = sizeof info };
    peal_bridge *made = NULL;

    options.url = shared_server_url();
    return is_refused(peal_bridge_flush(from.bridge, PEAL_FOREVER))
        && is_refused(peal_bridge_wait_for_peers(from.bridge, from.chat.protocol, 1, PEAL_FOREVER))
        && is_refused(peal_bridge_get_info(from.bridge, from.chat.protocol, &info))
        && is_refused(peal_bridge_export(to.bridge, to.chat.protocol, NULL))
        && is_refused(peal_bridge_import(from.bridge, from.chat.protocol, NULL))
        && is_refused(peal_bridge_provide(from.bridge, from.chat.protocol, NULL))
        && is_refused(peal_bridge_create(from.center, &options, &made));
}

static bool ends_all(void)
{
    broadcasts();
    party_close(&from);
    party_close(&to);
    return true;
}

CLAIM("F9", "a child of a fork that broadcasts or ends its copies of bridges does not use the parent's connections")
{
    static bool (*const children[])(void) = { broadcasts, is_refused_all, ends_all };

    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        pair_open(&from, &to);
        say_many(1);
        WAIT_UNTIL(party_heard(&to) == CALLS);
        CHECK(in_child(children[i], SECONDS));
        check_parent(CALLS);
        pair_close(&from, &to);
    }
}

/* ---- Forks while the parent works -------------------------------------------------------------- */

static bool are_to_end; /* atomic */

static void *say_always(void *context)
{
    for (int32_t i = 1; !__atomic_load_n(&are_to_end, __ATOMIC_RELAXED); i++) {
        party_say(&from, i, "always");
        if (i % 64 == 0)
            (void)peal_bridge_flush(from.bridge, WAIT_MILLISECONDS);
        *(int32_t *)context = i;
    }
    return NULL;
}

static bool ends_while_threads_held_locks(void)
{
    for (int32_t i = 0; i < 10; i++)
        party_say(&from, 200000, "child");
    peal_bridge_destroy(from.bridge);
    peal_bridge_destroy(to.bridge);
    close_center(from.center);
    close_center(to.center);
    return true;
}

CLAIM("F9", "a child of a fork ends its copies of bridges, whatever the threads of the parent were doing")
{
    enum { FORKS = 30 };
    int32_t said = 0;

    pair_open(&from, &to);
    __atomic_store_n(&are_to_end, false, __ATOMIC_RELAXED);
    const pthread_t thread = thread_start(say_always, &said);
    for (int i = 0; i < FORKS; i++)
        if (!CHECK(in_child(ends_while_threads_held_locks, SECONDS)))
            break;
    __atomic_store_n(&are_to_end, true, __ATOMIC_RELAXED);
    thread_join(thread);
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    WAIT_UNTIL(party_heard(&to) == (size_t)said);
    CHECK_EQUAL(to.disorders, 0);
    CHECK_EQUAL(party_info(&from).reconnects, 0);
    CHECK_EQUAL(party_info(&to).refused, 0);
    pair_close(&from, &to);
}

static _Thread_local bool is_forking;
static pid_t forked; /* 0: this is the child */

static bool run_or_fork(void *context, peal_queue executor)
{
    (void)context;
    if (is_forking) {
        is_forking = false;
        forked = fork();
        if (forked == 0) {
            alarm(SECONDS);
            return true;
        }
    }
    (void)peal_queue_run(executor);
    return true;
}

CLAIM("F9", "a child of a fork inside the `submit` of an export's queue returns from it, whatever the other threads were doing")
{
    enum { FORKS = 60, THREADS = 6 };
    struct peal_queue_options executor = PEAL_QUEUE_OPTIONS;
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;
    pthread_t threads[THREADS];
    int32_t said[THREADS];
    int state = 0;

    executor.kind = PEAL_QUEUE_EXECUTOR;
    executor.submit = run_or_fork;
    CHECK_OK(peal_queue_create(&executor, &options.queue));
    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    party_export(&from, &options);
    party_import(&to, NULL);
    party_observe(&to, (peal_queue){ 0 });
    party_wait(&from, 1);
    __atomic_store_n(&are_to_end, false, __ATOMIC_RELAXED);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = thread_start(say_always, &said[i]);
    for (int i = 0; i < FORKS && state == 0; i++) {
        /* Another thread may put this thread's call on the queue. */
        for (is_forking = true; is_forking;)
            party_say(&from, 1, "forks");
        if (forked == 0)
            _exit(0);
        REQUIRE(waitpid(forked, &state, 0) == forked);
        CHECK_EQUAL(state, 0);
    }
    __atomic_store_n(&are_to_end, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    CHECK_EQUAL(party_info(&from).reconnects, 0);
    pair_close(&from, &to);
    CHECK_OK(peal_queue_destroy(options.queue));
}

/* ---- Sockets ----------------------------------------------------------------------------------- */

/* Counts the sockets of this process, or those that programs inherit which it executes. */
static size_t count_sockets(bool inherited)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    for (const struct dirent *each = readdir(folder); each != NULL; each = readdir(folder)) {
        const int descriptor = atoi(each->d_name);
        struct stat info;
        if (each->d_name[0] != '.' && fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode))
            count += !inherited || (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0;
    }
    closedir(folder);
    return count;
}

static size_t before;
static bool has_no_sockets(void) { return CHECK_EQUAL(count_sockets(false), before); }
static bool has_no_sockets_and_ends(void)
{
    const bool holds = has_no_sockets();

    party_say(&from, 100000, "child");
    party_close(&from);
    return holds;
}

CLAIM("F9", "a child of a fork has no sockets of the parent's bridges, and neither has a program that it executes")
{
    before = count_sockets(false);
    const size_t inherited = count_sockets(true);
    struct peal_export_options options = PEAL_EXPORT_OPTIONS;

    pair_open(&from, &to);
    CHECK_EQUAL(count_sockets(false), before + 2);
    CHECK_EQUAL(count_sockets(true), inherited);
    CHECK(in_child(has_no_sockets, SECONDS));
    check_parent(0);
    pair_close(&from, &to);
    /* Durable calls have connections of their own. */
    options.durable = true;
    party_open(&from, NULL);
    party_export(&from, &options);
    WAIT_UNTIL(count_sockets(false) == before + 2 && count_sockets(true) == inherited);
    CHECK(in_child(has_no_sockets_and_ends, SECONDS));
    party_say(&from, 1, "parent");
    CHECK_EQUAL(party_sent(&from), 1);
    party_close(&from);
}

CLAIM("F9", "a child of a fork has no sockets of connections that were made again")
{
    struct server server;
    struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS;

    server_start(&server, NULL);
    before = count_sockets(false);
    options.url = server.url;
    party_open_with(&from, &options);
    server_kill(&server);
    server_restart(&server);
    WAIT_UNTIL(party_info(&from).reconnects == 1);
    CHECK(in_child(has_no_sockets, SECONDS));
    CHECK_OK(peal_bridge_flush(from.bridge, WAIT_MILLISECONDS));
    CHECK_EQUAL(party_info(&from).reconnects, 1);
    party_close(&from);
    server_stop(&server);
}

/* ---- Queues ------------------------------------------------------------------------------------ */

static peal_queue queue;

static bool pumps(void)
{
    size_t calls = 0;

    return CHECK_OK(peal_queue_pump(queue, 0, &calls)) && CHECK_EQUAL(calls, 2) && CHECK_EQUAL(party_heard(&to), 0);
}

CLAIM("F9", "calls that wait on a pumped queue for their sending or their import are made in the parent alone")
{
    struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_export_options exporting = PEAL_EXPORT_OPTIONS;
    struct peal_import_options importing = PEAL_IMPORT_OPTIONS;
    struct party second;

    CHECK_OK(peal_queue_create(&pumped, &queue));
    exporting.queue = queue;
    importing.queue = queue;
    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    party_open(&second, NULL);
    party_export(&from, &exporting);
    party_export(&second, NULL);
    party_import(&to, &importing);
    party_observe(&to, (peal_queue){ 0 });
    party_wait(&from, 1);
    party_wait(&second, 1);
    party_say(&second, 1, "arrives");
    struct peal_queue_info info = { .size = sizeof info };
    WAIT_UNTIL(peal_queue_get_info(queue, &info) == PEAL_OK && info.waiting == 1);
    party_say(&from, 2, "is sent");
    CHECK(in_child(pumps, SECONDS));
    WAIT_UNTIL(peal_queue_pump(queue, 0, NULL) == PEAL_OK && party_heard(&to) == 2);
    CHECK_EQUAL(to.sum, 3);
    party_close(&from);
    party_close(&to);
    party_close(&second);
    CHECK_OK(peal_queue_destroy(queue));
}

/* ---- Remote services --------------------------------------------------------------------------- */

#define ABACUS(METHOD) METHOD(optional, int32_t, add, (int32_t left, int32_t right))
PEAL_PROTOCOL(abacus, "Abacus", ABACUS);

static struct abacus_proxy remote;

static int32_t add(void *self, int32_t left, int32_t right)
{
    (void)self;
    return left + right;
}

static bool is_refused_by_proxy(void)
{
    return CHECK_EQUAL(remote.table->add(remote.self, 1, 2), 0) && CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE)
        && CHECK_CONTAINS(peal_last_message(), "fork") && (peal_bridge_destroy(from.bridge), true);
}

CLAIM("F9", "a call of a remote service fails in the child of a fork, and its proxy works in the parent")
{
    static const struct abacus table = { PEAL_TABLE(abacus), .add = add };
    struct abacus_protocol here, there;
    const void *functions = NULL;

    next_realm();
    party_open(&from, NULL);
    party_open(&to, NULL);
    check_must(abacus_define(from.center, &here), "define Abacus");
    check_must(abacus_define(to.center, &there), "define Abacus");
    CHECK_OK(peal_bridge_provide(to.bridge, there.protocol, NULL));
    check_must(abacus_observe(&there, NULL, &table, NULL, NULL), "observe");
    CHECK_OK(peal_bridge_proxy_create(from.bridge, here.protocol, NULL, &remote.proxy, &remote.self, &functions));
    remote.table = functions;
    CHECK_OK(peal_bridge_wait_for_peers(from.bridge, here.protocol, 1, WAIT_MILLISECONDS));
    CHECK_EQUAL(remote.table->add(remote.self, 1, 2), 3);
    CHECK(in_child(is_refused_by_proxy, SECONDS));
    CHECK_EQUAL(remote.table->add(remote.self, 3, 4), 7);
    party_close(&from);
    party_close(&to);
}
