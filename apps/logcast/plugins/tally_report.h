/* Prints a tally as rows of a plugin's report. */
#ifndef TALLY_REPORT_H
#define TALLY_REPORT_H

#include <stdio.h>

#include "tally.h"

/* Prints a heading, at most `rows` keys with the largest counts, and then the sum of the others.
 *
 * of: the count that is 100 percent; above 0. */
void tally_report(const struct tally *tally, const char *heading, size_t rows, uint64_t of, FILE *out);

/* Each of these prints one row: an entry, whose control characters are replaced; or a count that belongs to no entry,
 * unless it is 0. */
void tally_report_entry(const struct tally_entry *entry, uint64_t of, FILE *out);
void tally_report_rest(const char *name, uint64_t count, uint64_t of, FILE *out);

#endif
