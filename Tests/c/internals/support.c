/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the library by their own interface: states that no public function leads to in a forced order.
 */
#include "check.h"

#include <signal.h>
#include <stdlib.h>

#include "CPealSupport/call_index.h"
#include "CPealSupport/mailbox.h"
#include "CPealSupport/signals.h"

CLAIM("O8", "a queue whose last reference is being released does not hide other queues with calls of ended observers")
{
    struct peal_mailbox *const other = peal_mailbox_make(PEAL_MAILBOX_PUMPED);
    struct peal_mailbox *const released = peal_mailbox_make(PEAL_MAILBOX_PUMPED); /* the first of the list */

    peal_mailbox_set_unswept(other, 1);
    peal_mailbox_set_unswept(released, 1);
    /* As peal_mailbox_release does before it removes the queue from the list. */
    CHECK(peal_count_release(&released->references, 1));
    CHECK_POINTER(peal_mailbox_find_unswept(), other);
    released->references = 1;
    peal_mailbox_release(released);
    peal_mailbox_release(other);
    CHECK_POINTER(peal_mailbox_find_unswept(), other);
    peal_mailbox_release(other);
    peal_mailbox_release(other);
}

enum { METHODS = 60, ITEMS = 8 }; /* ITEMS of each method */

struct waiting {
    struct peal_group *group;
    struct peal_indexed_item items[ITEMS];
    bool is_waiting[ITEMS];
    int order[ITEMS]; /* the order in which the items were added */
};

static struct peal_item *oldest_of(struct waiting *waiting)
{
    int oldest = -1;

    for (int i = 0; i < ITEMS; i++)
        if (waiting->is_waiting[i] && (oldest < 0 || waiting->order[i] < waiting->order[oldest]))
            oldest = i;
    return oldest < 0 ? NULL : &waiting->items[oldest].item;
}

CLAIM("Q5", "waiting calls of many methods are found by their method, the oldest first, after any additions and removals")
{
    static struct waiting methods[METHODS];
    struct peal_indexed_item *index = NULL;
    unsigned random = 1;

    for (unsigned i = 0; i < METHODS; i++) {
        /* Half of the keys differ from another one only in the second part. */
        methods[i].group = calloc(1, peal_group_size(0));
        REQUIRE(methods[i].group != NULL);
        methods[i].group->method = ((uint64_t)5 << 60) + i / 2 * 977;
        methods[i].group->keeps_latest = i % 2 != 0;
        for (int k = 0; k < ITEMS; k++)
            methods[i].items[k].item.group = methods[i].group;
    }
    for (int turn = 0; turn < CHECK_ROUNDS(50000); turn++) {
        random = random * 1103515245 + 12345;
        struct waiting *const waiting = &methods[(random >> 16) % METHODS];
        const unsigned which = (random >> 24) % ITEMS;
        if (waiting->is_waiting[which])
            peal_call_index_remove(&index, &waiting->items[which]);
        else
            peal_call_index_add(&index, &waiting->items[which]);
        waiting->is_waiting[which] = !waiting->is_waiting[which];
        waiting->order[which] = turn;
        struct waiting *const other = &methods[(random >> 8) % METHODS];
        struct peal_indexed_item *const found = peal_call_index_find(
            &index, other->group->method, other->group->keeps_latest);
        if (!CHECK((struct peal_item *)found == oldest_of(other)))
            return;
    }
    for (unsigned i = 0; i < METHODS; i++) {
        for (int k = 0; k < ITEMS; k++)
            if (methods[i].is_waiting[k])
                peal_call_index_remove(&index, &methods[i].items[k]);
        free(methods[i].group);
    }
    CHECK(index == NULL);
}

static void arrive(int number) { (void)number; }

CLAIM("M6", "a second request for a signal's handler is refused, and the previous handler is restored later")
{
    struct sigaction now;

    CHECK_EQUAL(signal(SIGUSR1, SIG_IGN) == SIG_DFL, true);
    CHECK_EQUAL(peal_signal_install(SIGUSR1, false, arrive), PEAL_SIGNAL_INSTALLED);
    CHECK_EQUAL(peal_signal_install(SIGUSR1, true, arrive), PEAL_SIGNAL_HAS_HANDLER);
    peal_signal_restore(SIGUSR1);
    CHECK(sigaction(SIGUSR1, NULL, &now) == 0);
    CHECK(now.sa_handler == SIG_IGN);
}
