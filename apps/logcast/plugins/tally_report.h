/* A tally as rows of a plugin's report. */
#ifndef TALLY_REPORT_H
#define TALLY_REPORT_H

#include <stdio.h>

#include "tally.h"

/* Prints a heading, and the keys that were counted most, so many rows of them; then the others together.
 *
 * of: the count that is a hundred percent; above 0. */
void tally_report(const struct tally *tally, const char *heading, size_t rows, uint64_t of, FILE *out);

/* Print one row: an entry, with its control characters replaced; or a count of what belongs to no entry, unless it is
 * 0. */
void tally_report_entry(const struct tally_entry *entry, uint64_t of, FILE *out);
void tally_report_rest(const char *name, uint64_t count, uint64_t of, FILE *out);

#endif
