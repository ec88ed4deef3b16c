#include "counts.h"
#include "tally_report.h"
#include "text.h"

/* Prints the last hours in the order of the log. */
static void report_hours(const struct counts *counts, FILE *out)
{
    const struct tally *hours = &counts->hours;
    const uint64_t lines = counts->totals.lines;
    const size_t first = hours->count > counts->rows_of_hours ? hours->count - (size_t)counts->rows_of_hours : 0;
    uint64_t earlier = hours->others;
    for (size_t i = 0; i < first; i++)
        earlier += hours->entries[i].count;
    fprintf(out, "    by hour\n");
    tally_report_rest("(other hours)", earlier, lines, out);
    for (size_t i = first; i < hours->count; i++)
        tally_report_entry(&hours->entries[i], lines, out);
    tally_report_rest("(no time)", counts->totals.untimed, lines, out);
}

void counts_report(void *self, FILE *out)
{
    const struct counts *counts = self;
    fprintf(out, "    %s lines\n", text_grouped(counts->totals.lines).text);
    if (counts->totals.lines > 0) {
        report_hours(counts, out);
        tally_report(&counts->words, counts->words_in_key == 1 ? "by first word" : "by first words",
            (size_t)counts->rows_of_words, counts->totals.lines, out);
    }
}
