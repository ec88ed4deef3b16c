#include "dpkg_line.h"

#include <string.h>

enum { WORDS = 4 };

struct word {
    const char *text;
    size_t length;
};

static int is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* Returns the length of "2026-05-09 07:12:44 ", or 0. */
static size_t skip_time(const char *text, size_t length)
{
    static const char pattern[] = "0000-00-00 00:00:00 ";
    if (length < sizeof pattern - 1)
        return 0;
    for (size_t i = 0; i < sizeof pattern - 1; i++) {
        const int is_digit = text[i] >= '0' && text[i] <= '9';
        if (pattern[i] == '0' ? !is_digit : text[i] != pattern[i])
            return 0;
    }
    return sizeof pattern - 1;
}

/* Splits a text at each blank. Returns false unless it has exactly WORDS words, none of them empty. */
static int split(const char *text, size_t length, struct word words[WORDS])
{
    const char *const end = text + length;
    for (size_t i = 0; i < WORDS; i++) {
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        if ((blank == NULL) != (i == WORDS - 1))
            return 0;
        words[i].text = text;
        words[i].length = (size_t)((blank == NULL ? end : blank) - text);
        if (words[i].length == 0)
            return 0;
        text = blank == NULL ? end : blank + 1;
    }
    return 1;
}

static int is_action(struct word word)
{
    static const char *const actions[] = {
        "install",
        "upgrade",
        "configure",
        "trigproc",
        "disappear",
        "remove",
        "purge",
    };
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (is(word, actions[i]))
            return 1;
    return 0;
}

void dpkg_read_line(const struct dpkg_handlers *handlers, const char *text, size_t length)
{
    const size_t start = skip_time(text, length);
    struct word words[WORDS];
    if (start > 0 && split(text + start, length - start, words)) {
        if (is(words[0], "status")) { /* STATE PACKAGE VERSION */
            handlers->state(handlers->context, words[2].text, words[2].length, words[1].text, words[1].length,
                words[3].text, words[3].length);
            return;
        }
        if (is_action(words[0])) { /* PACKAGE OLD NEW */
            const struct word version = is(words[3], "<none>") ? words[2] : words[3];
            handlers->action(handlers->context, words[1].text, words[1].length, words[0].text, words[0].length,
                version.text, version.length);
            return;
        }
    }
    handlers->other(handlers->context, text, length);
}
