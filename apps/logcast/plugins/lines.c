/* lines: appends kept lines to a file: the source, the number and the text, with a tab between them.
 *
 * A line of another process may arrive again, because the collector was killed before the server had noted the line. The
 * file itself has the last number of each source, which the plugin reads when it starts. So each such line is in the
 * file once. */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_plugin.h"
#include "log_sink.h"
#include "text.h"

/* The last line of a source in the file. */
struct position {
    char *source;
    uint64_t number;
};

struct lines {
    peal_center center;
    const char *path;
    FILE *file;
    peal_observation sink;
    bool is_remote;
    uint64_t written, repeated;
    void *positions; /* a tree (tsearch) */
    struct position *recent; /* the last one that was found */
};

/* The state for the next version. */
struct kept {
    uint64_t is_remote, written, repeated;
};

/* ---- Positions --------------------------------------------------------------------------------- */

static int compare(const void *first, const void *second)
{
    const struct position *one = first, *other = second;
    return strcmp(one->source, other->source);
}

static struct position *make(struct lines *lines, const char *source)
{
    struct position *made = calloc(1, sizeof *made);
    if (made == NULL || (made->source = strdup(source)) == NULL || tsearch(made, &lines->positions, compare) == NULL) {
        if (made != NULL)
            free(made->source);
        free(made);
        return NULL;
    }
    return made;
}

/* Returns the position of a source, or NULL without memory. Every client of the server can name many sources, so they are
 * in a balanced tree. */
static struct position *find(struct lines *lines, const char *source)
{
    const struct position key = { (char *)source, 0 };
    if (lines->recent == NULL || strcmp(lines->recent->source, source) != 0) {
        struct position **found = tfind(&key, &lines->positions, compare);
        lines->recent = found != NULL ? *found : make(lines, source);
    }
    return lines->recent;
}

/* Notes the position of a complete line. Returns false with errno if the plugin has not written the line. */
static bool read_position(struct lines *lines, char *text, size_t length)
{
    char *tab = memchr(text, '\t', length);
    if (tab == NULL) {
        errno = EEXIST;
        return false;
    }
    *tab = '\0';
    struct position *position = find(lines, text);
    if (position != NULL)
        position->number = strtoull(tab + 1, NULL, 10);
    return position != NULL;
}

/* Reads the positions of complete lines, and removes an incomplete line at the end, which will arrive again. A file that
 * the plugin has not written stays as it is. */
static bool read_positions(struct lines *lines)
{
    FILE *file = fopen(lines->path, "r");
    char *text = NULL;
    size_t capacity = 0;
    off_t end = 0;
    ssize_t length = 0;
    bool is_read = true;
    if (file == NULL)
        return errno == ENOENT;
    while (is_read && (length = getline(&text, &capacity, file)) > 0 && text[length - 1] == '\n') {
        is_read = read_position(lines, text, (size_t)length);
        end += length;
    }
    if (is_read && end == 0 && length > 0 && memchr(text, '\t', (size_t)length) == NULL) {
        errno = EEXIST;
        is_read = false;
    }
    is_read = is_read && ferror(file) == 0;
    free(text);
    fclose(file);
    return is_read && truncate(lines->path, end) == 0;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* Reports the error, and removes the observer. */
static void stop(struct lines *lines)
{
    char what[512];
    snprintf(what, sizeof what, "%s: %s", lines->path, strerror(errno));
    log_trouble_report(lines->center, "lines", what);
    peal_observation_remove(lines->sink);
}

static void begin(void *self, const char *source)
{
    struct lines *lines = self;
    (void)source;
    lines->is_remote = false;
}

static void begin_remote(void *self, const char *realm)
{
    struct lines *lines = self;
    (void)realm;
    lines->is_remote = true;
}

/* Returns true if the file has the line. */
static bool has_line(struct lines *lines, const struct log_line *line)
{
    struct position *position = find(lines, line->source);
    if (position == NULL)
        return false;
    const bool has = line->number <= position->number;
    if (!has)
        position->number = line->number;
    return has;
}

static void kept_line(void *self, const struct log_line *line)
{
    struct lines *lines = self;
    if (lines->is_remote && has_line(lines, line)) {
        lines->repeated++;
        return;
    }
    if (fprintf(lines->file, "%s\t%llu\t", line->source, (unsigned long long)line->number) < 0
        || fwrite(line->text, 1, line->length, lines->file) != line->length || putc('\n', lines->file) == EOF)
        stop(lines);
    else
        lines->written++;
}

static void sync_lines(void *self)
{
    struct lines *lines = self;
    if (fflush(lines->file) != 0 || (fdatasync(fileno(lines->file)) != 0 && errno != EINVAL))
        stop(lines);
}

static void end(void *self, const char *source, struct log_totals totals)
{
    struct lines *lines = self;
    (void)source;
    (void)totals;
    if (fflush(lines->file) != 0)
        stop(lines);
}

static void report(void *self, FILE *out)
{
    const struct lines *lines = self;
    fprintf(out, "    %s lines in %s", text_grouped(lines->written).text, lines->path);
    if (lines->repeated > 0)
        fprintf(out, ", which had %s that arrived again", text_grouped(lines->repeated).text);
    fprintf(out, "\n");
}

/* ---- Its life ---------------------------------------------------------------------------------- */

static void free_lines(struct lines *lines)
{
    while (lines->positions != NULL) {
        struct position *each = *(struct position **)lines->positions;
        tdelete(each, &lines->positions, compare);
        free(each->source);
        free(each);
    }
    if (lines->file != NULL)
        fclose(lines->file);
    free(lines);
}

static void destroy(void *target)
{
    struct lines *lines = target;
    const struct kept kept = { lines->is_remote, lines->written, lines->repeated };
    log_state_keep(lines->center, "lines", &kept, sizeof kept);
    free_lines(lines);
}

static bool open_file(struct lines *lines)
{
    if (read_positions(lines))
        lines->file = fopen(lines->path, "a");
    return lines->file != NULL;
}

static enum log_start start(
    peal_center center, const struct log_option *options, struct log_kept *kept, void **out_target)
{
    static const struct log_sink table = {
        PEAL_TABLE(log_sink),
        .begin = begin,
        .begin_remote = begin_remote,
        .kept_line = kept_line,
        .sync = sync_lines,
        .end = end,
        .report = report,
    };
    struct peal_observe_options how = PEAL_OBSERVE_OPTIONS;
    struct log_sink_protocol sinks;
    struct kept before;
    const char *path = log_option_last(options, "path");
    if (path == NULL)
        return LOG_START_IDLE;
    struct lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL)
        return LOG_START_FAILED;
    lines->center = center;
    lines->path = path;
    if (log_state_take(kept, &before, sizeof before)) {
        lines->is_remote = before.is_remote != 0;
        lines->written = before.written;
        lines->repeated = before.repeated;
    }
    if (!open_file(lines) || log_sink_join(center, &sinks) < 0) {
        char what[512];
        snprintf(what, sizeof what, "%s: %s", path, lines->file == NULL ? strerror(errno) : peal_last_message());
        log_trouble_report(center, "lines", what);
        free_lines(lines);
        return LOG_START_FAILED;
    }
    how.destroy = destroy; /* from here on, the target is the observation's */
    *out_target = lines;
    return log_sink_observe(&sinks, lines, &table, &how, &lines->sink) < 0 ? LOG_START_FAILED : LOG_STARTED;
}

const struct log_plugin *logcast_plugin(void)
{
    static const struct log_option_help options[] = {
        { "path", "FILE", "the file; lines are appended" },
        { NULL, NULL, NULL },
    };
    static const struct log_plugin plugin = {
        sizeof plugin,
        "lines",
        "appends kept lines to a file, each line of other machines once",
        options,
        NULL,
        1,
        start,
    };
    return &plugin;
}
