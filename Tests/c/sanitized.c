/* SPDX-License-Identifier: Apache-2.0
 *
 * sanitized [race]: a program for the thread sanitizer. The main thread writes data that the calls of a queue read and
 * write. With `race` it also writes data while a call may read it.
 */
#include <peal/peal.h>

#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#define WORK(METHOD) METHOD(optional, void, on_work, (const char *text, int index))
PEAL_PROTOCOL(work, "Work", WORK);

enum { COUNT = 200 };

static int input[COUNT], sum, shared;
static sem_t done;

static void add(void *self, const char *text, int index)
{
    (void)self;
    /* The calls of a queue are ordered, so they may share a variable. */
    sum += input[index] + (int)strlen(text) + shared;
    if (index == COUNT - 1)
        sem_post(&done);
}

int main(int count, char **arguments)
{
    static const struct work observer = { PEAL_TABLE(work), .on_work = add };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct work_protocol work;
    const int has_race = count > 1 && strcmp(arguments[1], "race") == 0;

    sem_init(&done, 0, 0);
    if (work_define(peal_center_default(), &work) < 0 || peal_queue_create(NULL, &options.queue) < 0
        || work_observe(&work, NULL, &observer, &options, NULL) < 0) {
        fprintf(stderr, "%s\n", peal_last_message());
        return 1;
    }
    for (int i = 0; i < COUNT; i++) {
        input[i] = i;
        PEAL_BROADCAST(work, &work, on_work, "one", i);
        if (has_race)
            shared = 0;
    }
    sem_wait(&done);
    printf("%d\n", sum);
    peal_queue_destroy(options.queue);
    return 0;
}
