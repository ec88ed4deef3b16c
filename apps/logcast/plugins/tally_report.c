#include "tally_report.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static void print_count(uint64_t count, uint64_t of, FILE *out)
{
    fprintf(out, " %12s %5.1f %%\n", text_grouped(count).text, (double)count * 100 / (double)of);
}

/* Replaces control characters, which a key may contain and a terminal would obey. */
void tally_report_entry(const struct tally_entry *entry, uint64_t of, FILE *out)
{
    char text[TALLY_KEY + 1];
    memcpy(text, entry->key, entry->length);
    text[entry->length] = '\0';
    for (size_t i = 0; i < entry->length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
    fprintf(out, "        %-24s", entry->length == 0 ? "(nothing)" : text);
    print_count(entry->count, of, out);
}

void tally_report_rest(const char *name, uint64_t count, uint64_t of, FILE *out)
{
    if (count > 0) {
        fprintf(out, "        %-24s", name);
        print_count(count, of, out);
    }
}

/* Orders larger counts first. Of equal counts, the entry at the lower address is first, which appeared first. */
static int compare_counts(const void *left, const void *right)
{
    const struct tally_entry *a = *(const struct tally_entry *const *)left;
    const struct tally_entry *b = *(const struct tally_entry *const *)right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a < b ? -1 : a > b;
}

void tally_report(const struct tally *tally, const char *heading, size_t rows, uint64_t of, FILE *out)
{
    const struct tally_entry **order = malloc((tally->count + 1) * sizeof *order);
    uint64_t rest = tally->others;
    if (order == NULL)
        return;
    for (size_t i = 0; i < tally->count; i++)
        order[i] = &tally->entries[i];
    qsort(order, tally->count, sizeof *order, compare_counts);
    fprintf(out, "    %s\n", heading);
    for (size_t i = 0; i < tally->count; i++) {
        if (i < rows)
            tally_report_entry(order[i], of, out);
        else
            rest += order[i]->count;
    }
    tally_report_rest("(others)", rest, of, out);
    free(order);
}
