/* counts: how many of the kept lines fall into which hour, and begin with which words. */
#include <stdlib.h>
#include <string.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "stamp.h"
#include "tally.h"
#include "text.h"

struct totals {
    uint64_t lines, untimed;
};

struct counts {
    peal_center center;
    struct totals totals;
    struct tally hours, words;
    uint64_t words_in_key, rows_of_words, rows_of_hours;
};

/* The length of the first `count` words. */
static size_t span_words(const char *text, size_t length, uint64_t count)
{
    size_t end = 0;
    while (count-- > 0) {
        size_t next = end;
        while (next < length && (text[next] == ' ' || text[next] == '\t'))
            next++;
        if (next == length)
            break;
        while (next < length && text[next] != ' ' && text[next] != '\t')
            next++;
        end = next;
    }
    return end;
}

static void kept_line(void *self, const struct log_line *line)
{
    struct counts *counts = self;
    const struct stamp stamp = stamp_read(line->text, line->length);
    const char *rest = line->text + stamp.rest;
    counts->totals.lines++;
    if (stamp.hour > 0)
        tally_add(&counts->hours, line->text, stamp.hour, 1);
    else
        counts->totals.untimed++;
    tally_add(&counts->words, rest,
              span_words(rest, line->length - stamp.rest, counts->words_in_key), 1);
}

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

static void report(void *self, FILE *out)
{
    const struct counts *counts = self;
    fprintf(out, "    %s lines\n", text_grouped(counts->totals.lines).text);
    if (counts->totals.lines > 0) {
        report_hours(counts, out);
        report_words(counts, out);
    }
}

static void keep(const struct counts *counts, const void *state, size_t length)
{
    log_state_keep(counts->center, "counts", state, length);
}

static void keep_tally(const struct counts *counts, const struct tally *tally)
{
    const uint64_t head[] = { tally->count, tally->others };
    keep(counts, head, sizeof head);
    keep(counts, tally->entries, tally->count * sizeof *tally->entries);
}

static bool take_tally(struct log_kept *kept, struct tally *tally)
{
    uint64_t head[2];
    struct tally_entry entry;
    if (!log_state_take(kept, head, sizeof head))
        return false;
    for (uint64_t i = 0; i < head[0]; i++) {
        if (!log_state_take(kept, &entry, sizeof entry))
            return false;
        tally_add(tally, entry.key, entry.length, entry.count);
    }
    tally->others += head[1];
    return true;
}

/* Takes what destroy kept. */
static bool take(struct log_kept *kept, struct counts *counts)
{
    return kept->length == 0
        || (log_state_take(kept, &counts->totals, sizeof counts->totals)
            && take_tally(kept, &counts->hours) && take_tally(kept, &counts->words));
}

static void destroy(void *target)
{
    struct counts *counts = target;
    keep(counts, &counts->totals, sizeof counts->totals);
    keep_tally(counts, &counts->hours);
    keep_tally(counts, &counts->words);
    tally_free(&counts->hours);
    tally_free(&counts->words);
    free(counts);
}

static const struct log_sink sink = { PEAL_TABLE(log_sink), .kept_line = kept_line, .report = report };

/* Takes the number given for a key; without one, what is there stays. */
static bool read_option(peal_center center, const struct log_option *options, const char *key,
                        uint64_t most, uint64_t *number)
{
    char what[128];
    const char *value = log_option_last(options, key);
    if (value == NULL || text_read_number(value, 1, most, number))
        return true;
    snprintf(what, sizeof what, "%s must be a number from 1 to %u", key, (unsigned)most);
    log_trouble_tell(center, "counts", what);
    return false;
}

static enum log_start start(peal_center center, const struct log_option *options,
                            struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    struct counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL)
        return LOG_START_FAILED;
    counts->center = center;
    counts->words_in_key = 1;
    counts->rows_of_words = 10;
    counts->rows_of_hours = 24;
    if (!take(kept, counts)
        || !read_option(center, options, "words", 8, &counts->words_in_key)
        || !read_option(center, options, "top", TALLY_LIMIT, &counts->rows_of_words)
        || !read_option(center, options, "hours", TALLY_LIMIT, &counts->rows_of_hours)
        || log_sink_join(center, &sinks) < 0) {
        destroy(counts);
        return LOG_START_FAILED;
    }
    how.destroy = destroy; /* from here on, the target is the observation's */
    *out_target = counts;
    return log_sink_observe(&sinks, counts, &sink, &how, NULL) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "words", "N", "count by so many first words; 1 by default" },
        { "top", "N", "show so many of them; 10 by default" },
        { "hours", "N", "show the last N hours; 24 by default" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin, "counts", "counts kept lines by hour and by first words", options, 1, start,
    };
    return &plugin;
}
