/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the library by their own interface: states that no public function leads to in a forced order.
 */
#include "check.h"

#include <signal.h>

#include "mailbox.h"
#include "signals.h"

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
