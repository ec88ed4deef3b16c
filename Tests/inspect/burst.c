/* SPDX-License-Identifier: Apache-2.0
 *
 * burst COUNT: after a line of input, broadcasts COUNT calls to a queue as fast as it can. It prints "done" when the queue has
 * called the observer as often, and ends with its input. Calls with a number below zero do not count.
 */
#include <peal/peal.h>

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORK(METHOD) METHOD(optional, void, on_work, (int number))
PEAL_PROTOCOL(work, "Work", WORK);

static int called, expected;
static sem_t all_called;

static void count_call(void *self, int number)
{
    (void)self;
    if (number >= 0 && ++called == expected)
        sem_post(&all_called);
}

int main(int argument_count, char **arguments)
{
    static const struct work observer = { PEAL_TABLE(work), .on_work = count_call };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct work_protocol work;
    char byte;

    expected = argument_count > 1 ? atoi(arguments[1]) : 1000;
    sem_init(&all_called, 0, 0);
    if (work_define(peal_center_default(), &work) < 0 || peal_queue_create(NULL, &options.queue) < 0
        || work_observe(&work, NULL, &observer, &options, NULL) < 0) {
        fprintf(stderr, "%s\n", peal_last_message());
        return 1;
    }
    puts("ready");
    fflush(stdout);
    if (read(STDIN_FILENO, &byte, 1) != 1)
        return 1;
    for (int number = 0; number < expected; number++)
        PEAL_BROADCAST(work, &work, on_work, number);
    sem_wait(&all_called);
    puts("done");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
