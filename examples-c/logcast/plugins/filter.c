/* filter: answers whether a line is wanted, by patterns. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

#ifndef REG_STARTEND
#error "regexec must know REG_STARTEND, as those of glibc, the BSDs and macOS do"
#endif

struct pattern {
    const char *text; /* the user's, who has it as long as the process */
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
    size_t count;
    size_t keeping; /* how many patterns keep */
    struct pattern patterns[];
};

static bool matches(struct pattern *pattern, const struct log_line *line)
{
    regmatch_t range[1]; /* the line may hold zeros: not the first one ends it */
    range[0].rm_so = 0;
    range[0].rm_eo = (regoff_t)line->length;
    const bool found = regexec(&pattern->compiled, line->text, 1, range, REG_STARTEND) == 0;
    pattern->matches += found;
    return found;
}

/* Wanted when a keeping pattern matches, or none is given, and no dropping one does. Every pattern
 * is tried, so that each one's count is its own. */
static bool wants_line(void *self, const struct log_line *line)
{
    struct filter *filter = self;
    bool keep = filter->keeping == 0, drop = false;
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

/* What is kept of a pattern; its text follows. */
struct kept_pattern {
    uint64_t matches, length;
    bool drops;
};

static void keep_pattern(const struct filter *filter, const struct pattern *pattern)
{
    struct kept_pattern kept;
    memset(&kept, 0, sizeof kept); /* also what lies between the members */
    kept.matches = pattern->matches;
    kept.length = strlen(pattern->text);
    kept.drops = pattern->drops;
    keep(filter, &kept, sizeof kept);
    keep(filter, pattern->text, (size_t)kept.length);
}

static void destroy(void *target)
{
    struct filter *filter = target;
    keep(filter, &filter->totals, sizeof filter->totals);
    for (size_t i = 0; i < filter->count; i++) {
        keep_pattern(filter, &filter->patterns[i]);
        regfree(&filter->patterns[i].compiled);
    }
    free(filter);
}

/* The first pattern that is like a kept one, and was given nothing yet: the configuration may have
 * brought others meanwhile. */
static struct pattern *find_pattern(struct filter *filter, const struct kept_pattern *kept,
                                    const char *text)
{
    for (size_t i = 0; i < filter->count; i++) {
        struct pattern *pattern = &filter->patterns[i];
        if (pattern->matches == 0 && pattern->drops == kept->drops
            && strlen(pattern->text) == kept->length
            && memcmp(pattern->text, text, (size_t)kept->length) == 0)
            return pattern;
    }
    return NULL;
}

/* Takes what destroy kept. */
static void take(struct log_kept *kept, struct filter *filter)
{
    struct kept_pattern head;
    log_state_take(kept, &filter->totals, sizeof filter->totals);
    while (log_state_take(kept, &head, sizeof head) && head.length <= kept->length) {
        struct pattern *pattern = find_pattern(filter, &head, kept->bytes);
        if (pattern != NULL)
            pattern->matches = head.matches;
        kept->bytes += head.length;
        kept->length -= (size_t)head.length;
    }
}

static const struct log_sink sink = {
    PEAL_TABLE(log_sink), .wants_line = wants_line, .report = report,
};

static bool add_pattern(peal_center center, struct filter *filter, const struct log_option *option)
{
    struct pattern *pattern = &filter->patterns[filter->count];
    const int status = regcomp(&pattern->compiled, option->value, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        char reason[128], what[256];
        regerror(status, &pattern->compiled, reason, sizeof reason);
        snprintf(what, sizeof what, "pattern \"%.80s\": %s", option->value, reason);
        log_trouble_tell(center, "filter", what);
        return false;
    }
    pattern->text = option->value;
    pattern->drops = strcmp(option->key, "drop") == 0;
    filter->keeping += !pattern->drops;
    filter->count++;
    return true;
}

static enum log_start start(peal_center center, const struct log_option *options,
                            struct log_kept *kept, void **out_target)
{
    struct log_sink_protocol sinks;
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    size_t count = 0;
    while (options[count].key != NULL)
        count++;
    if (count == 0)
        return LOG_START_IDLE;
    struct filter *filter = calloc(1, sizeof *filter + count * sizeof *filter->patterns);
    if (filter == NULL)
        return LOG_START_FAILED;
    filter->center = center;
    for (size_t i = 0; i < count; i++) {
        if (!add_pattern(center, filter, &options[i])) {
            destroy(filter);
            return LOG_START_FAILED;
        }
    }
    take(kept, filter);
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
        sizeof plugin, "filter", "decides by patterns which lines are kept", options, NULL, 2,
        start,
    };
    return &plugin;
}
