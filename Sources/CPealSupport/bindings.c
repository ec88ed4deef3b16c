#include "bindings.h"

static size_t size_of(const char *text) { return text == NULL ? 0 : peal_memory_text_size(text); }

/* Copies a text to the end of what was copied before. */
static const char *copied(char **end, const char *text)
{
    if (text == NULL)
        return NULL;
    const size_t size = size_of(text);
    const char *copy = memcpy(*end, text, size);
    *end += size;
    return copy;
}

struct peal_binding *peal_bindings_copy(const struct peal_binding *list, size_t count)
{
    size_t size = (count + 1) * sizeof *list;
    for (size_t i = 0; i < count; i++)
        size += size_of(list[i].method) + size_of(list[i].prototype);
    struct peal_binding *copy = peal_memory_allocate(size);
    if (copy == NULL)
        return NULL;
    char *end = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        copy[i].method = copied(&end, list[i].method);
        copy[i].function = list[i].function;
        copy[i].prototype = copied(&end, list[i].prototype);
    }
    return copy;
}
