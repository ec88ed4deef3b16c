/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues that a program pumps, in the child of a fork: the descriptors of parent and child are two objects of the kernel.
 */
#include "center.h"
#include "child.h"
#include "lane.h"
#include "latch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

static peal_center center;
static peal_method ring;
static peal_queue queue;
static int descriptor;

static void on_ring(void *self, int n)
{
    (void)self;
    (void)n;
}

static void open_on(peal_queue given, peal_function function)
{
    static const char *const methods[] = { "optional void on_ring(int n)", NULL };

    center = open_center();
    const peal_protocol protocol = protocol_of(center, "Bell", methods);
    const struct peal_observe_options options = options_on(given, NULL);
    queue = given;
    ring = find_method(protocol, "on_ring");
    (void)observe_with(protocol, NULL, "on_ring", function, &options);
    check_must(peal_queue_descriptor(queue, &descriptor), "a descriptor");
}

static void open_all(void)
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_queue made;

    check_must(peal_queue_create(&options, &made), "a queue");
    open_on(made, (peal_function)on_ring);
}

static void close_all(void)
{
    close_center(center);
    check_must(peal_queue_destroy(queue), "the end of a queue");
}

/* ---- The child --------------------------------------------------------------------------------- */

static bool pumps(void)
{
    return CHECK(is_readable(descriptor)) && CHECK_EQUAL(pump_all(queue), 1) && CHECK(!is_readable(descriptor));
}

static bool broadcasts(void)
{
    return CHECK(!is_readable(descriptor)) && CHECK_OK(peal_broadcast(ring, 1)) && CHECK(is_readable(descriptor));
}

static bool ends(void)
{
    close_all();
    return CHECK_EQUAL(fcntl(descriptor, F_GETFD), -1);
}

static bool keeps_number(void)
{
    int now = -1;

    return CHECK_OK(peal_queue_descriptor(queue, &now)) && CHECK_EQUAL(now, descriptor)
        && CHECK_EQUAL(fcntl(descriptor, F_GETFD), FD_CLOEXEC) && CHECK((fcntl(descriptor, F_GETFL) & O_NONBLOCK) != 0);
}

static bool uses_the_queue_again(void) { return broadcasts() && pumps() && keeps_number(); }

/* ---- Claims ------------------------------------------------------------------------------------ */

CLAIM("F9", "a call that the child of a fork pumps stays readable in the parent")
{
    open_all();
    CHECK_OK(peal_broadcast(ring, 1));
    CHECK(in_child(pumps, SECONDS));
    CHECK(is_readable(descriptor));
    CHECK_OK(peal_broadcast(ring, 1));
    CHECK(is_readable(descriptor));
    CHECK_EQUAL(pump_all(queue), 2);
    CHECK(!is_readable(descriptor));
    close_all();
}

CLAIM("F9", "a broadcast in the child of a fork makes no descriptor of the parent readable")
{
    open_all();
    CHECK(in_child(broadcasts, SECONDS));
    CHECK(!is_readable(descriptor));
    CHECK_OK(peal_broadcast(ring, 1));
    CHECK_EQUAL(pump_all(queue), 1);
    CHECK(!is_readable(descriptor));
    close_all();
}

CLAIM("F9", "the end of a pumped queue in the child of a fork closes the child's descriptor alone")
{
    open_all();
    CHECK_OK(peal_broadcast(ring, 1));
    CHECK(in_child(ends, SECONDS));
    CHECK(is_readable(descriptor));
    CHECK_EQUAL(pump_all(queue), 1);
    close_all();
}

CLAIM("F9", "the child of a fork has a descriptor at the number of the parent's, also if no other number is free")
{
    struct rlimit limit;
    struct rlimit none;

    open_all();
    CHECK(in_child(uses_the_queue_again, SECONDS));
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = (rlim_t)descriptor + 1;
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    CHECK(in_child(uses_the_queue_again, SECONDS));
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    close_all();
}

CLAIM("F9", "the child of a fork pumps the main queue, and the parent's descriptor stays as it was")
{
    open_on(peal_queue_main(), (peal_function)on_ring);
    CHECK_OK(peal_broadcast(ring, 1));
    CHECK(in_child(pumps, SECONDS));
    CHECK(is_readable(descriptor));
    CHECK_EQUAL(pump_all(queue), 1);
    CHECK(in_child(uses_the_queue_again, SECONDS));
    close_center(center);
}

/* A daemon closes all descriptors, opens its log and forks again. */
static bool keeps_the_log(void)
{
    close(descriptor);
    const int log = open("/dev/null", O_WRONLY);
    struct stat before, after;

    if (!CHECK_EQUAL(log, descriptor) || !CHECK_EQUAL(fstat(log, &before), 0))
        return false;
    const pid_t child = fork();
    if (child == 0)
        _exit(fstat(log, &after) == 0 && after.st_ino == before.st_ino && after.st_dev == before.st_dev ? 0 : 1);
    int status = -1;
    return CHECK_EQUAL(waitpid(child, &status, 0), child) && CHECK_EQUAL(status, 0);
}

CLAIM("F9", "a file that has got the number of a queue's descriptor, which the program closed against the rules, stays open in a child")
{
    open_all();
    CHECK(in_child(keeps_the_log, SECONDS));
    close_all();
}

/* ---- A fork while another thread pumps --------------------------------------------------------- */

static struct latch has_begun = LATCH_INITIALIZER, may_end = LATCH_INITIALIZER;

static void wait_in_call(void *self, int n)
{
    (void)self;
    if (n != 1)
        return;
    latch_open(&has_begun);
    latch_wait(&may_end);
}

static void *pump(void *context)
{
    CHECK_OK(peal_queue_pump(queue, 0, NULL));
    return context;
}

static bool sees_the_next_call(void)
{
    const bool is_seen = CHECK(!is_readable(descriptor)) && CHECK_OK(peal_broadcast(ring, 2))
                      && CHECK(is_readable(descriptor));

    return is_seen && CHECK_EQUAL(pump_all(queue), 1) && CHECK(!is_readable(descriptor));
}

static bool sees_the_waiting_call(void)
{
    return CHECK(is_readable(descriptor)) && CHECK_EQUAL(pump_all(queue), 1) && CHECK(!is_readable(descriptor));
}

CLAIM("F9", "the child of a fork is notified of calls on a queue that another thread of the parent was pumping")
{
    const struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_queue made;

    check_must(peal_queue_create(&options, &made), "a queue");
    open_on(made, (peal_function)wait_in_call);
    CHECK_OK(peal_broadcast(ring, 1));
    const pthread_t thread = thread_start(pump, NULL);
    latch_wait(&has_begun);
    CHECK(in_child(sees_the_next_call, SECONDS));
    CHECK_OK(peal_broadcast(ring, 2));
    CHECK(in_child(sees_the_waiting_call, SECONDS));
    latch_open(&may_end);
    thread_join(thread);
    CHECK(is_readable(descriptor));
    CHECK_EQUAL(pump_all(queue), 1);
    close_all();
}
