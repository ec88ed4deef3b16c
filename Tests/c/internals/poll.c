/* SPDX-License-Identifier: Apache-2.0
 *
 * The polls of threads that wait. The program has a copy of the library's source, whose pool has no work.
 */
#include "check.h"
#include "CPealSupport/poll.h"

static unsigned looks;
static unsigned awaited; /* the look at which the event has arrived; 0: it does not arrive */

static bool has_arrived(const void *context)
{
    (void)context;
    looks++;
    return awaited != 0 && looks >= awaited;
}

static bool poll_until(unsigned look)
{
    looks = 0;
    awaited = look;
    return peal_poll(has_arrived, NULL);
}

/* Lets the polls begin again. */
static void begin(void)
{
    for (int i = 0; i <= PEAL_POLL_OMITTED && !(poll_until(2) && looks == 2); i++) {}
}

CLAIM("F8", "a poll looks for its event until that has arrived, at most a fixed number of times")
{
    begin();
    CHECK(poll_until(1));
    CHECK_EQUAL(looks, 1);
    CHECK(poll_until(PEAL_POLL_LOOKS));
    CHECK_EQUAL(looks, PEAL_POLL_LOOKS);
    CHECK(!poll_until(0));
    CHECK_EQUAL(looks, PEAL_POLL_LOOKS);
}

CLAIM("F8", "after many polls in vain, later ones look once, until polls are tried again")
{
    begin();
    for (int i = 0; i < PEAL_POLL_FAILURES; i++) {
        CHECK(!poll_until(0));
        CHECK_EQUAL(looks, PEAL_POLL_LOOKS);
    }
    for (int i = 0; i < PEAL_POLL_OMITTED; i++) {
        CHECK(i % 2 == 0 ? !poll_until(2) : poll_until(1));
        CHECK_EQUAL(looks, 1);
    }
    CHECK(poll_until(2));
    CHECK_EQUAL(looks, 2);
}

CLAIM("F8", "a poll that sees its event starts the count of polls in vain again")
{
    begin();
    for (int i = 0; i < 3 * PEAL_POLL_FAILURES; i++) {
        CHECK_EQUAL(poll_until(i % PEAL_POLL_FAILURES == 1 ? 2 : 0), i % PEAL_POLL_FAILURES == 1);
        CHECK_EQUAL(looks, i % PEAL_POLL_FAILURES == 1 ? 2 : PEAL_POLL_LOOKS);
    }
}
