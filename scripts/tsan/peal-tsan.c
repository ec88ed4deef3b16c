/* SPDX-License-Identifier: Apache-2.0
 *
 * Add this file to a program that is compiled with -fsanitize=thread. It reports to the sanitizer how peal orders the calls of
 * queues, which the sanitizer cannot see in a library that is not compiled for it. docs/debugging.md explains its use.
 */
#include <peal/peal.h>

#include <stdio.h>

/* Functions of the sanitizer's runtime. */
extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

enum { ORDER_COUNT = 4096 };

/* A broadcast is before the calls that queues make of it. A broadcast has the element of its number. A queue has one too,
 * because its calls are ordered. */
static char of_broadcasts[ORDER_COUNT], of_queues[ORDER_COUNT];

static void order(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    char *const broadcast = &of_broadcasts[record->broadcast % ORDER_COUNT];
    char *const queue = &of_queues[record->queue % ORDER_COUNT];

    (void)context;
    (void)arguments;
    (void)result;
    if (record->event == PEAL_TAP_BROADCAST_BEGIN) {
        __tsan_release(broadcast);
    } else if (record->queue != 0 && record->event == PEAL_TAP_CALL_BEGIN) {
        __tsan_acquire(broadcast);
        __tsan_acquire(queue);
    } else if (record->queue != 0 && record->event == PEAL_TAP_CALL_END) {
        __tsan_release(queue);
    }
}

__attribute__((constructor)) static void report_order(void)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;
    peal_tap tap;

    options.function = order;
    options.events = PEAL_TAP_BROADCAST_BEGIN | PEAL_TAP_CALL_BEGIN | PEAL_TAP_CALL_END;
    if (peal_tap_create((peal_center){ 0 }, &options, &tap) < 0)
        fprintf(stderr, "peal-tsan: %s\n", peal_last_message());
}
