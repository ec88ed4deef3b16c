/* The counts of the plugin "counts". */
#ifndef COUNTS_H
#define COUNTS_H

#include <peal/peal.h>
#include <stdio.h>

#include "tally.h"

struct totals {
    uint64_t lines, untimed;
};

struct counts {
    peal_center center;
    struct totals totals;
    struct tally hours, words;
    uint64_t words_in_key, rows_of_words, rows_of_hours;
};

/* Prints the counts. */
void counts_report(void *counts, FILE *out);

#endif
