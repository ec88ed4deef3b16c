/* SPDX-License-Identifier: Apache-2.0
 *
 * Every check in here must fail, because a harness that cannot fail proves nothing. check_harness.sh compares the
 * outcome. The outcome has line numbers, so do not move lines.
 */
#include "journal.h"
/* clang-format off */
CLAIM("H1", "a false condition is a failure")
{
    CHECK(1 == 2);
}

CLAIM("H2", "an integer that differs is a failure, with both values")
{
    CHECK_EQUAL(40 + 1, 42);
}

CLAIM("H3", "a real number that differs is a failure")
{
    CHECK_REAL(0.5, 0.25);
}

CLAIM("H4", "a text that differs is a failure")
{
    CHECK_TEXT("ding", "dong");
}

CLAIM("H5", "a text that lacks a part is a failure")
{
    CHECK_CONTAINS("ding", "dong");
}

CLAIM("H6", "a status that differs is a failure, with its name")
{
    CHECK_STATUS(PEAL_ERROR_HANDLE, PEAL_OK);
}

CLAIM("H7", "a failure that leaves no sentence is a failure")
{
    CHECK_FAILURE(PEAL_ERROR_HANDLE, PEAL_ERROR_HANDLE);
}

CLAIM("H8", "a journal that differs is a failure")
{
    journal_clear();
    journal_write("%s", "ding");
    CHECK_JOURNAL("ding dong");
}

CLAIM("H9", "a pointer that differs is a failure")
{
    int here = 0;

    CHECK_POINTER(&here, NULL);
}

CLAIM("H10", "a claim that checks nothing is a failure")
{
}

CLAIM("H11", "a false requirement ends the claim")
{
    REQUIRE(0 == 1);
    CHECK_TEXT("the claim", "left");
}

CLAIM("H12", "one failed check among good ones is a failure")
{
    CHECK(true);
    CHECK(false);
    CHECK(true);
}

CLAIM("H13", "a good claim passes")
{
    CHECK(true);
}
