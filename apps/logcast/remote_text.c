#include "remote_text.h"

#include <string.h>

/* Returns the bytes of the character at the beginning: 1 for one that is no UTF-8, as the forms that are too long. */
static size_t character_size(const unsigned char *at, size_t left)
{
    size_t size = *at < 0xc2 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 1;
    if (size > left || (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90))
        return 1;
    for (size_t i = 1; i < size; i++)
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 1;
    return size;
}

static bool is_control(const unsigned char *at, size_t size)
{
    if (size == 1)
        return (*at < ' ' && *at != '\t') || (*at >= 0x7f && *at < 0xa0);
    return size == 2 && *at == 0xc2 && at[1] < 0xa0;
}

/* Returns the first control character, or NULL. */
static const unsigned char *find_control(const unsigned char *at, const unsigned char *end, size_t *out_size)
{
    for (; at < end; at += *out_size) {
        *out_size = character_size(at, (size_t)(end - at));
        if (is_control(at, *out_size))
            return at;
    }
    return NULL;
}

bool remote_text_has_control(const char *text, size_t length)
{
    const unsigned char *begin = (const unsigned char *)text;
    size_t size;
    return length > 0 && find_control(begin, begin + length, &size) != NULL;
}

void remote_text_replace_control(char *text, size_t length)
{
    const unsigned char *begin = (const unsigned char *)text, *at = begin;
    size_t size;
    while (length > 0 && (at = find_control(at, begin + length, &size)) != NULL)
        memset(text + (at - begin), '?', size);
}
