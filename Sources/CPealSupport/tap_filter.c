#include "CPealSupport/tap_filter.h"

#include <string.h>

/* A pattern of a filter: the characters from `start` to `end`, without the sign in front. */
struct pattern {
    const char *start;
    const char *end;
    bool excludes;
};

/* Returns the first pattern of a text, and moves the text after it. */
static struct pattern next_pattern(const char **text)
{
    struct pattern pattern = { *text, *text + strcspn(*text, ","), false };
    *text = *pattern.end == ',' ? pattern.end + 1 : NULL;
    if (pattern.start != pattern.end && *pattern.start == '-') {
        pattern.excludes = true;
        pattern.start++;
    }
    return pattern;
}

size_t peal_tap_filter_mistake(const char *filter)
{
    for (const char *text = filter; text != NULL;) {
        const struct pattern pattern = next_pattern(&text);
        const char *start = pattern.start, *end = pattern.end;
        if (start == end || *start == '.')
            return (size_t)(start - filter) + 1;
        for (const char *c = start; c < end; c++)
            if ((unsigned char)*c <= ' ' || *c == '-' || *c == 0x7f)
                return (size_t)(c - filter) + 1;
        if (end[-1] == '.')
            return (size_t)(end - filter);
    }
    return 0;
}

/* Returns true if a text matches a pattern. After a mismatch, the last `*` takes one character more, so the cost is at
 * most the product of both lengths. */
static bool matches(const struct pattern *pattern, const char *text)
{
    const char *p = pattern->start, *star = NULL, *retry = NULL;
    while (*text != 0) {
        if (p < pattern->end && *p == '*') {
            star = p++;
            retry = text;
        } else if (p < pattern->end && *p == *text) {
            p++;
            text++;
        } else if (star != NULL) {
            p = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern->end && *p == '*')
        p++;
    return p == pattern->end;
}

bool peal_tap_filter_includes(const char *filter, const char *protocol, const char *method)
{
    bool has_inclusion = false, is_included = false;
    for (const char *text = filter; text != NULL;) {
        const struct pattern pattern = next_pattern(&text);
        has_inclusion |= !pattern.excludes;
        if (!matches(&pattern, protocol) && !matches(&pattern, method))
            continue;
        if (pattern.excludes)
            return false;
        is_included = true;
    }
    return is_included || !has_inclusion;
}
