/* SPDX-License-Identifier: Apache-2.0 */
#include "closed_locks.h"

#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "latch.h"

static bool is_closing;
static sem_t are_closed;
static sem_t may_open;
static pthread_t forking;

static void stand_still(void)
{
    if (!is_closing)
        return;
    (void)sem_post(&are_closed);
    while (sem_wait(&may_open) != 0)
        continue;
}

/* Prepare handlers run in the reverse order of their registration. Therefore a handler that is registered before all
 * constructors of libraries runs after the handlers of all libraries. */
static void register_first(void) { (void)pthread_atfork(stand_still, NULL, NULL); }

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = register_first;

static void *copy_process(void *context)
{
    const pid_t child = fork();

    (void)context;
    if (child == 0)
        _exit(0);
    (void)waitpid(child, NULL, 0);
    return NULL;
}

void locks_close(void)
{
    (void)sem_init(&are_closed, 0, 0);
    (void)sem_init(&may_open, 0, 0);
    is_closing = true;
    forking = thread_start(copy_process, NULL);
    while (sem_wait(&are_closed) != 0)
        continue;
}

void locks_open(void) { (void)sem_post(&may_open); }

void locks_end(void)
{
    locks_open();
    thread_join(forking);
    is_closing = false;
}
