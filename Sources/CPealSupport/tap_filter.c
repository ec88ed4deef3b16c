#include "CPealSupport/tap_filter.h"

#include <string.h>

/* A place in a filter. Within quotes and after a backslash, a character has no meaning but itself. */
struct place {
    const char *next;
    bool is_quoted;
};

/* A character of a pattern. */
struct character {
    const char *at; /* where it is in the filter */
    bool is_literal; /* quoted, or after a backslash */
};

/* Reads the next character, and moves the place after it. Returns false at the end of the text. */
static bool read_character(struct place *place, struct character *out)
{
    for (; *place->next == '"'; place->next++)
        place->is_quoted = !place->is_quoted;
    out->is_literal = place->is_quoted;
    if (*place->next == '\\') {
        place->next++;
        out->is_literal = true;
    }
    out->at = place->next;
    if (*place->next == 0)
        return false;
    place->next++;
    return true;
}

/* The same within a pattern, which a comma ends. The place stays at the comma. */
static bool read_in_pattern(struct place *place, struct character *out)
{
    if (!read_character(place, out))
        return false;
    if (*out->at != ',' || out->is_literal)
        return true;
    place->next = out->at;
    return false;
}

/* A pattern of a filter, without the sign in front. */
struct pattern {
    struct place start;
    bool excludes;
};

/* Reads the sign at the beginning of a pattern. */
static struct pattern begin_pattern(const char *text)
{
    const bool excludes = *text == '-';
    return (struct pattern){ { text + excludes, false }, excludes };
}

static bool is_control(char c) { return (unsigned char)c < ' ' || c == 0x7f; }

/* Returns the first mistake of a pattern; NULL: there is none. Moves the place to its end. */
static const char *find_mistake(struct place *place)
{
    const char *last_dot = NULL;
    struct character character;
    bool is_empty = true;
    while (read_in_pattern(place, &character)) {
        const char c = *character.at;
        if (is_control(c) || (!character.is_literal && (c == ' ' || c == '-' || (c == '.' && is_empty))))
            return character.at;
        last_dot = c == '.' && !character.is_literal ? character.at : NULL;
        is_empty = false;
    }
    if (is_empty || place->is_quoted)
        return character.at;
    /* A backslash at the end of the text. */
    return character.is_literal ? character.at - 1 : last_dot;
}

size_t peal_tap_filter_mistake(const char *filter)
{
    for (const char *text = filter;;) {
        struct place place = begin_pattern(text).start;
        const char *const mistake = find_mistake(&place);
        if (mistake != NULL)
            return (size_t)(mistake - filter) + 1;
        if (*place.next == 0)
            return 0;
        text = place.next + 1;
    }
}

/* Returns true if a text matches the pattern that begins at a place. After a mismatch, the last `*` takes one character
 * more, so the cost is at most the product of both lengths. */
static bool matches(struct place place, const char *text)
{
    struct place star = { NULL, false };
    const char *retry = NULL;
    for (;;) {
        struct character character;
        struct place next = place;
        const bool is_any = read_in_pattern(&next, &character);
        if (is_any && *character.at == '*' && !character.is_literal) {
            star = place = next;
            retry = text;
        } else if (is_any && *text != 0 && *character.at == *text) {
            place = next;
            text++;
        } else if (!is_any && *text == 0) {
            return true;
        } else if (star.next != NULL && *text != 0) {
            place = star;
            text = ++retry;
        } else {
            return false;
        }
    }
}

/* Returns the pattern after the one that begins at a place; NULL: that was the last one. */
static const char *next_pattern(struct place place)
{
    struct character character;
    while (read_in_pattern(&place, &character)) {}
    return *character.at == ',' ? character.at + 1 : NULL;
}

bool peal_tap_filter_includes(const char *filter, const char *protocol, const char *method)
{
    bool has_inclusion = false, is_included = false;
    for (const char *text = filter; text != NULL;) {
        const struct pattern pattern = begin_pattern(text);
        text = next_pattern(pattern.start);
        has_inclusion |= !pattern.excludes;
        if (!matches(pattern.start, protocol) && !matches(pattern.start, method))
            continue;
        if (pattern.excludes)
            return false;
        is_included = true;
    }
    return is_included || !has_inclusion;
}
