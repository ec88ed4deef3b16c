/* SPDX-License-Identifier: Apache-2.0
 *
 * The fence of a thread that replaces an observer list, where the system refuses membarrier(2) and more. The program's
 * own definitions replace libc's.
 */
#include "center.h"
#include "child.h"
#include "latch.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

enum { FENCE_PAGE = 65536, LARGE_SYSTEM = 256 /* bytes of a set of 2,048 processors */ };

static bool refuses_membarrier = true; /* it is registered, and then refused */
static bool refuses_page;
static bool refuses_moves;
static unsigned moves;
static unsigned fences; /* system calls */

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

long syscall(long number, ...)
{
    long (*real)(long, ...);
    long arguments[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (number == __NR_membarrier && arguments[0] == 8 /* private, expedited */ && refuses_membarrier) {
        errno = EPERM;
        return -1;
    }
    fences += number == __NR_membarrier;
    *(void **)&real = next("syscall");
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int mprotect(void *address, size_t length, int protection)
{
    int (*real)(void *, size_t, int);

    if (length == FENCE_PAGE && refuses_page && protection == PROT_READ) {
        errno = ENOMEM;
        return -1;
    }
    *(void **)&real = next("mprotect");
    return real(address, length, protection);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    int (*real)(pid_t, size_t, cpu_set_t *);

    if (size < LARGE_SYSTEM) {
        errno = EINVAL;
        return -1;
    }
    *(void **)&real = next("sched_getaffinity");
    return real(process, size, set);
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
    int (*real)(pid_t, size_t, const cpu_set_t *);

    if (refuses_moves) {
        errno = EPERM;
        return -1;
    }
    moves++;
    *(void **)&real = next("sched_setaffinity");
    return real(process, size, set);
}

static struct latch has_record = LATCH_INITIALIZER;
static struct latch is_over = LATCH_INITIALIZER;

static void ring(void *self) { (*(int *)self)++; }

/* A second thread with a record: without one, a writer needs no fence. */
static void *broadcast_once(void *method)
{
    CHECK_OK(peal_broadcast(*(peal_method *)method));
    latch_open(&has_record);
    latch_wait(&is_over);
    return NULL;
}

/* Replaces the list of a method while another thread exists. */
static bool remove_an_observer(void)
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_ring(void)", NULL };
    static const struct latch shut = LATCH_INITIALIZER;
    const peal_protocol bell = protocol_of(center, "Bell", texts);
    peal_method method = find_method(bell, "on_ring");
    peal_observation observation;
    pthread_t other;
    int rings = 0;

    has_record = is_over = shut;
    observation = observe_with(bell, &rings, "on_ring", (peal_function)ring, NULL);
    other = thread_start(broadcast_once, &method);
    latch_wait(&has_record);
    CHECK_OK(peal_observation_remove(observation));
    CHECK_OK(peal_broadcast(method));
    close_center(center);
    latch_open(&is_over);
    thread_join(other);
    return rings == 1;
}

static bool remove_by_moves(void)
{
    refuses_page = true;
    moves = 0;
    return remove_an_observer() && moves > (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

static bool remove_without_fence(void)
{
    const struct rlimit none = { 0, 0 };

    refuses_page = true;
    refuses_moves = true;
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
    signal(SIGABRT, SIG_DFL); /* without a backtrace of the Swift runtime */
    return remove_an_observer();
}

CLAIM("O8", "where membarrier is refused, a writer's fence uses a page of memory")
{
    CHECK(remove_an_observer());
    CHECK_EQUAL(moves, 0);
}

CLAIM("O8", "where the page is refused too, a writer's fence runs on each processor, of more than 1,024 too")
{
    CHECK(in_child(remove_by_moves, 20));
}

CLAIM("O8", "a process whose system refuses every fence is ended before memory in use is freed")
{
    CHECK(!in_child(remove_without_fence, 20));
}

/* Returns the number of system calls by which a waiting removal interrupts other threads. */
static unsigned fences_of_removal(peal_protocol bell, int *rings)
{
    const peal_observation observation = observe_with(bell, rings, "on_ring", (peal_function)ring, NULL);
    const unsigned before = fences;
    CHECK_OK(peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER));
    return fences - before;
}

CLAIM("F4", "a removal interrupts no worker that sleeps, but a thread of the program that has used peal")
{
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_ring(void)", NULL };
    static const struct latch shut = LATCH_INITIALIZER;
    const peal_protocol bell = protocol_of(center, "Bell", texts);
    peal_method method = find_method(bell, "on_ring");
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    int queued = 0, rings = 0;

    refuses_membarrier = false;
    CHECK_OK(peal_queue_create(NULL, &options.queue));
    (void)observe_with(bell, &queued, "on_ring", (peal_function)ring, &options);
    CHECK_OK(peal_broadcast(method));
    CHECK_OK(peal_queue_flush(options.queue, PEAL_FOREVER));
    CHECK_EQUAL(queued, 1);
    WAIT_UNTIL(fences_of_removal(bell, &rings) == 0);

    has_record = is_over = shut;
    const pthread_t other = thread_start(broadcast_once, &method);
    latch_wait(&has_record);
    CHECK(fences_of_removal(bell, &rings) > 0);
    latch_open(&is_over);
    thread_join(other);
    CHECK_OK(peal_queue_flush(options.queue, PEAL_FOREVER));
    CHECK_EQUAL(queued, 2);
    CHECK_EQUAL(rings, 0);
    close_center(center);
    CHECK_OK(peal_queue_destroy(options.queue));
    refuses_membarrier = true;
}
