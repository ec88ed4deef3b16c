/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with a call that does not end before its input does, made before any command looks, and with short calls whose
 * argument is a pointer. With an argument it forks after its first call, as a daemon does: the child waits for the end of the
 * input, and the parent prints the child's number.
 *
 *     slow [fork]
 */
#include <peal/peal.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORK(METHOD)                         \
    METHOD(optional, void, on_slow, (int n)) \
    METHOD(optional, void, on_fast, (const void *at), borrowed)
PEAL_PROTOCOL(work, "Work", WORK);

static struct work_protocol work;
static int began[2], ends[2];

static void be_slow(void *self, int n)
{
    char byte = (char)n;

    (void)self;
    (void)!write(began[1], &byte, 1);
    (void)!read(ends[0], &byte, 1);
}
static void be_fast(void *self, const void *at) { (void)self, (void)at; }

static void must(peal_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", peal_last_message());
    exit(1);
}

static void wait_for_end_of_input(void)
{
    struct pollfd input = { STDIN_FILENO, POLLIN, 0 };

    while (poll(&input, 1, 10) == 0)
        PEAL_BROADCAST(work, &work, on_fast, &work);
}

int main(int count, char **arguments)
{
    static const struct work slow = { PEAL_TABLE(work), .on_slow = be_slow };
    static const struct work fast = { PEAL_TABLE(work), .on_fast = be_fast };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_queue_options queue = PEAL_QUEUE_OPTIONS;
    char byte;

    (void)arguments;
    if (pipe(began) != 0 || pipe(ends) != 0)
        return 1;
    must(work_define(peal_center_default(), &work));
    if (count > 1) {
        const pid_t child = fork();
        if (child != 0) {
            printf("ready %d\n", (int)child);
            fflush(stdout);
            _exit(child > 0 ? 0 : 1);
        }
        wait_for_end_of_input();
        return 0;
    }
    queue.label = "slow queue";
    must(peal_queue_create(&queue, &options.queue));
    options.label = "the bottleneck";
    must(work_observe(&work, "slow", &slow, &options, NULL));
    must(work_observe(&work, "fast", &fast, NULL, NULL));
    must(peal_broadcast(work.on_slow, 1));
    if (read(began[0], &byte, 1) != 1)
        return 1;
    printf("ready\n");
    fflush(stdout);
    wait_for_end_of_input();
    return write(ends[1], &byte, 1) != 1;
}
