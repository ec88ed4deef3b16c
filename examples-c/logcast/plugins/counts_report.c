#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "text.h"

/* A key may hold anything, and a terminal obeys control characters. */
static void print_key(FILE *out, const struct tally_entry *entry)
{
    char text[TALLY_KEY + 1];
    memcpy(text, entry->key, entry->length);
    text[entry->length] = '\0';
    for (size_t i = 0; i < entry->length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
    fprintf(out, "        %-24s", entry->length == 0 ? "(nothing)" : text);
}

static void print_count(FILE *out, uint64_t count, uint64_t of)
{
    fprintf(out, " %12s %5.1f %%\n", text_grouped(count).text, (double)count * 100 / (double)of);
}

static void print_rest(FILE *out, const char *name, uint64_t count, uint64_t of)
{
    if (count > 0) {
        fprintf(out, "        %-24s", name);
        print_count(out, count, of);
    }
}

/* The last hours, in the log's order. */
static void report_hours(const struct counts *counts, FILE *out)
{
    const struct tally *hours = &counts->hours;
    const size_t first =
        hours->count > counts->rows_of_hours ? hours->count - (size_t)counts->rows_of_hours : 0;
    uint64_t earlier = hours->others;
    for (size_t i = 0; i < first; i++)
        earlier += hours->entries[i].count;
    fprintf(out, "    by hour\n");
    print_rest(out, "(other hours)", earlier, counts->totals.lines);
    for (size_t i = first; i < hours->count; i++) {
        print_key(out, &hours->entries[i]);
        print_count(out, hours->entries[i].count, counts->totals.lines);
    }
    print_rest(out, "(no time)", counts->totals.untimed, counts->totals.lines);
}

/* More first; of equals, the one that came first in the log: it lies lower in memory. */
static int compare_counts(const void *left, const void *right)
{
    const struct tally_entry *a = *(const struct tally_entry *const *)left;
    const struct tally_entry *b = *(const struct tally_entry *const *)right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a < b ? -1 : a > b;
}

/* The words that most lines begin with. */
static void report_words(const struct counts *counts, FILE *out)
{
    const struct tally *words = &counts->words;
    const struct tally_entry **order = malloc((words->count + 1) * sizeof *order);
    uint64_t rest = words->others;
    if (order == NULL)
        return;
    for (size_t i = 0; i < words->count; i++)
        order[i] = &words->entries[i];
    qsort(order, words->count, sizeof *order, compare_counts);
    fprintf(out, counts->words_in_key == 1 ? "    by first word\n" : "    by first words\n");
    for (size_t i = 0; i < words->count; i++) {
        if (i >= counts->rows_of_words) {
            rest += order[i]->count;
            continue;
        }
        print_key(out, order[i]);
        print_count(out, order[i]->count, counts->totals.lines);
    }
    print_rest(out, "(others)", rest, counts->totals.lines);
    free(order);
}

void counts_report(void *self, FILE *out)
{
    const struct counts *counts = self;
    fprintf(out, "    %s lines\n", text_grouped(counts->totals.lines).text);
    if (counts->totals.lines > 0) {
        report_hours(counts, out);
        report_words(counts, out);
    }
}
