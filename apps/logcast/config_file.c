#include "config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the whole file, ended by a zero; or NULL, with errno. */
static char *read_whole(const char *path, size_t *out_length)
{
    char *text = NULL;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    text = malloc(CONFIG_FILE_LIMIT + 2);
    if (text != NULL) {
        *out_length = fread(text, 1, CONFIG_FILE_LIMIT + 1, file);
        text[*out_length] = '\0';
        if (ferror(file)) {
            const int error = errno;
            free(text);
            text = NULL;
            errno = error;
        }
    }
    fclose(file);
    return text;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static char *skip_blanks(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Removes the blanks at the end of a text. */
static void cut_blanks(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
}

/* Removes the quotes of a value. Returns the mistake in them, or NULL. */
static const char *take_quotes(char **value)
{
    if (**value != '"')
        return NULL;
    char *end = strrchr(*value, '"');
    if (end == *value)
        return "the closing quote is missing";
    if (end[1] != '\0')
        return "there is text after the closing quote";
    *end = '\0';
    ++*value;
    return NULL;
}

/* Reads a line, which is changed. Returns the mistake in it, or NULL. */
static const char *read_line(struct config_file *file, char *line, unsigned number)
{
    char *key = skip_blanks(line);
    char *value = strchr(key, '=');
    if (*key == '\0' || *key == '#')
        return NULL;
    if (value == NULL)
        return "there is no = between a key and a value";
    *value++ = '\0';
    value = skip_blanks(value);
    cut_blanks(key);
    cut_blanks(value);
    if (*key == '\0')
        return "there is no key before the =";
    if (file->setting_count == SETTINGS_LIMIT)
        return "there are too many settings";
    const char *wrong = take_quotes(&value);
    const struct setting setting = { key, value, number };
    file->settings[file->setting_count++] = setting;
    return wrong;
}

static const char *read_lines(struct config_file *file, size_t length, unsigned *out_number)
{
    const char *wrong = NULL;
    char *next = file->text, *const end = file->text + length;
    *out_number = 0;
    while (wrong == NULL && next < end) {
        char *line = next, *stop = memchr(line, '\n', (size_t)(end - line));
        ++*out_number;
        next = stop == NULL ? end : stop + 1;
        if (stop != NULL)
            *stop = '\0';
        wrong = line + strlen(line) < (stop == NULL ? end : stop) ? "there is a zero byte"
                                                                  : read_line(file, line, *out_number);
    }
    return wrong;
}

bool config_file_read(struct config_file *file, const char *path, char *out_sentence, size_t capacity)
{
    size_t length = 0;
    unsigned number;
    file->setting_count = 0;
    file->text = read_whole(path, &length);
    if (file->text == NULL) {
        snprintf(out_sentence, capacity, "%s: %s", path, strerror(errno));
        return false;
    }
    if (length > CONFIG_FILE_LIMIT) {
        snprintf(out_sentence, capacity, "%s: it has more than %d bytes", path, CONFIG_FILE_LIMIT);
    } else {
        const char *wrong = read_lines(file, length, &number);
        if (wrong == NULL)
            return true;
        snprintf(out_sentence, capacity, "%s:%u: %s", path, number, wrong);
    }
    config_file_free(file);
    return false;
}

void config_file_free(struct config_file *file)
{
    free(file->text);
    file->text = NULL;
}
