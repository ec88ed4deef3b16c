/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.h - a list of events in their order. Callbacks write words, and claims compare the line.
 */
#ifndef PEAL_TEST_JOURNAL_H
#define PEAL_TEST_JOURNAL_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Removes all words. */
void journal_clear(void);

/* Appends a word, formatted as by printf, after a space. May be called on any thread. */
void journal_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns true if the journal contains the text. May be called on any thread. */
bool journal_has(const char *part);

/* Returns all words so far, as a copy that is valid until the thread's next call. May be called on any thread. */
const char *journal_text(void);

/* Compares the words since the journal was cleared, and clears it. */
#define CHECK_JOURNAL(expected)                                                \
    do {                                                                       \
        check_text(journal_text(), (expected), "journal", __FILE__, __LINE__); \
        journal_clear();                                                       \
    } while (0)

PEAL_END_DECLARATIONS

#endif
