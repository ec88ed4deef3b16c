/* SPDX-License-Identifier: Apache-2.0
 *
 * journal.h - what happened, in order: callbacks write words, claims compare the line.
 */
#ifndef PEAL_TEST_JOURNAL_H
#define PEAL_TEST_JOURNAL_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Empties it. */
void journal_clear(void);

/* Appends a word, formatted as by printf, with a space between words. Any thread. */
void journal_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns true if a text is among them by now. Any thread. */
bool journal_has(const char *part);

/* All words so far. */
const char *journal_text(void);

/* Compares the words since the last clear, and clears. */
#define CHECK_JOURNAL(expected)                                                \
    do {                                                                       \
        check_text(journal_text(), (expected), "journal", __FILE__, __LINE__); \
        journal_clear();                                                       \
    } while (0)

PEAL_END_DECLARATIONS

#endif
