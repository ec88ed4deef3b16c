/* filter: keeps or drops lines by patterns.
 *
 * If a pattern cannot be read, the filter continues with the patterns that it had before the reload. At the
 * first start it then keeps no line. So it never keeps a line that it should drop. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

#ifndef REG_STARTEND
#error "regexec must support REG_STARTEND, as in glibc, the BSDs and macOS"
#endif

struct pattern {
    char *text; /* a copy */
    bool drops;
    uint64_t matches;
    regex_t compiled;
};

struct totals {
    uint64_t asked, kept;
};

struct filter {
    peal_center center;
    struct totals totals;
    bool is_closed; /* no line is kept, because the patterns could not be read */
    size_t count;
    size_t keeping; /* number of patterns that keep */
    struct pattern patterns[];
};

static bool matches(struct pattern *pattern, const struct log_line *line)
{
    regmatch_t range[1]; /* passes the length, because the line may contain zeros */
    range[0].rm_so = 0;
    range[0].rm_eo = (regoff_t)line->length;
    const bool found = regexec(&pattern->compiled, line->text, 1, range, REG_STARTEND) == 0;
    pattern->matches += found;
    return found;
}

/* Returns true if a keeping pattern matches or none is given, and no dropping pattern matches. Every pattern is tried,
 * so that its count does not depend on the others. */
static bool wants_line(void *self, const struct log_line *line)
{
    struct filter *filter = self;
    bool keep = filter->keeping == 0, drop = filter->is_closed;
    for (size_t i = 0; i < filter->count; i++) {
        struct pattern *pattern = &filter->patterns[i];
        if (matches(pattern, line))
            *(pattern->drops ? &drop : &keep) = true;
    }
    filter->totals.asked++;
    filter->totals.kept += keep && !drop;
    return keep && !drop;
}

static void report(void *self, FILE *out)
{
    const struct filter *filter = self;
    fprintf(out, "    wanted %s of %s lines\n", text_grouped(filter->totals.kept).text,
        text_grouped(filter->totals.asked).text);
    for (size_t i = 0; i < filter->count; i++)
        fprintf(out, "        %s %-20s matched %12s\n", filter->patterns[i].drops ? "drop" : "keep",
            filter->patterns[i].text, text_grouped(filter->patterns[i].matches).text);
}

static void keep(const struct filter *filter, const void *state, size_t length)
{
    log_state_keep(filter->center, "filter", state, length);
}

/* A stored pattern. Its text follows. */
struct kept_pattern {
    uint64_t matches, length;
    bool drops;
};

static void keep_pattern(const struct filter *filter, const struct pattern *pattern)
{
    struct kept_pattern kept;
    memset(&kept, 0, sizeof kept); /* including the padding */
    kept.matches = pattern->matches;
    kept.length = strlen(pattern->text);
    kept.drops = pattern->drops;
    keep(filter, &kept, sizeof kept);
    keep(filter, pattern->text, (size_t)kept.length);
}

static void discard(struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        regfree(&filter->patterns[i].compiled);
        free(filter->patterns[i].text);
    }
    free(filter);
}

static void destroy(void *target)
{
    struct filter *filter = target;
    keep(filter, &filter->totals, sizeof filter->totals);
    for (size_t i = 0; i < filter->count; i++)
        keep_pattern(filter, &filter->patterns[i]);
    discard(filter);
}

/* ---- Starting ---------------------------------------------------------------------------------- */

static struct filter *make(peal_center center, size_t capacity)
{
    struct filter *filter = calloc(1, sizeof *filter + capacity * sizeof *filter->patterns);
    if (filter != NULL)
        filter->center = center;
    return filter;
}

/* Adds a pattern. Returns NULL after it has reported an error. */
static struct pattern *add_pattern(struct filter *filter, const char *text, size_t length, bool drops)
{
    struct pattern *pattern = &filter->patterns[filter->count];
    pattern->text = strndup(text, length);
    if (pattern->text == NULL)
        return NULL;
    const int status = regcomp(&pattern->compiled, pattern->text, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        char reason[128], what[256];
        regerror(status, &pattern->compiled, reason, sizeof reason);
        snprintf(what, sizeof what, "pattern \"%.80s\": %s", pattern->text, reason);
        log_trouble_report(filter->center, "filter", what);
        free(pattern->text);
        return NULL;
    }
    pattern->drops = drops;
    filter->keeping += !drops;
    filter->count++;
    return pattern;
}

/* Returns the first pattern that equals a kept one and has no count yet. The patterns may differ from the kept ones,
 * because the configuration may have changed. */
static struct pattern *find_pattern(struct filter *filter, const struct kept_pattern *kept, const char *text)
{
    for (size_t i = 0; i < filter->count; i++) {
        struct pattern *pattern = &filter->patterns[i];
        if (pattern->matches == 0 && pattern->drops == kept->drops && strlen(pattern->text) == kept->length
            && memcmp(pattern->text, text, (size_t)kept->length) == 0)
            return pattern;
    }
    return NULL;
}

/* Restores the counts that destroy kept, and also the patterns if `takes_patterns`. */
static void take(struct log_kept *kept, struct filter *filter, bool takes_patterns)
{
    struct kept_pattern head;
    log_state_take(kept, &filter->totals, sizeof filter->totals);
    while (log_state_take(kept, &head, sizeof head) && head.length <= kept->length) {
        struct pattern *pattern = takes_patterns ? add_pattern(filter, kept->bytes, (size_t)head.length, head.drops)
                                                 : find_pattern(filter, &head, kept->bytes);
        if (pattern != NULL)
            pattern->matches = head.matches;
        kept->bytes += head.length;
        kept->length -= (size_t)head.length;
    }
}

/* Makes a filter with the patterns of the options. Returns NULL if one of them is wrong. */
static struct filter *make_of_options(peal_center center, const struct log_option *options, size_t count)
{
    struct filter *filter = make(center, count);
    for (size_t i = 0; filter != NULL && i < count; i++) {
        const struct log_option *option = &options[i];
        if (add_pattern(filter, option->value, strlen(option->value), strcmp(option->key, "drop") == 0) == NULL) {
            discard(filter);
            return NULL;
        }
    }
    return filter;
}

/* Makes a filter with the patterns from before the reload, or one that keeps no line. */
static struct filter *make_of_kept(peal_center center, struct log_kept *kept)
{
    struct filter *filter = make(center, kept->length / sizeof(struct kept_pattern));
    if (filter == NULL)
        return NULL;
    take(kept, filter, true);
    filter->is_closed = filter->count == 0;
    log_trouble_report(center, "filter", filter->is_closed ? "keeps no line" : "continues with its previous patterns");
    return filter;
}

static const struct log_sink sink = {
    PEAL_TABLE(log_sink),
    .wants_line = wants_line,
    .report = report,
};

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    size_t count = 0;
    while (options[count].key != NULL)
        count++;
    if (count == 0)
        return LOG_START_IDLE;
    struct filter *filter = make_of_options(center, options, count);
    if (filter != NULL)
        take(kept, filter, false);
    else if ((filter = make_of_kept(center, kept)) == NULL)
        return LOG_START_FAILED;
    if (log_sink_join(center, &sinks) < 0) {
        destroy(filter);
        return LOG_START_FAILED;
    }
    how.destroy = destroy; /* from here on, the target is the observation's */
    *out_target = filter;
    return log_sink_observe(&sinks, filter, &sink, &how, NULL) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "keep", "PATTERN", "keep lines that match this extended regular expression, or another" },
        { "drop", "PATTERN", "drop lines that match it" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "filter",
        "keeps or drops lines by patterns",
        options,
        NULL,
        2,
        start,
    };
    return &plugin;
}
