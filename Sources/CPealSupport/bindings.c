#include "CPealSupport/bindings.h"

#include "CPealSupport/names.h"

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

uint64_t peal_named_functions_hash(const struct peal_named_functions *functions)
{
    uint64_t hash = (uintptr_t)functions->handler;
    if (functions->handler == NULL)
        return functions->count == 0 ? 0 : (uintptr_t)functions->bindings[0].function;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->names[i] != NULL)
            hash = peal_name_hash_sized(hash, functions->names[i], strlen(functions->names[i]));
    return hash;
}

struct peal_named_functions *peal_named_functions_copy(const struct peal_named_functions *functions)
{
    const size_t count = functions->count;
    const bool has_names = functions->handler != NULL;
    size_t size = sizeof *functions + count * (has_names ? sizeof *functions->names : sizeof *functions->bindings);
    for (size_t i = 0; i < count; i++)
        size += has_names ? size_of(functions->names[i])
                          : size_of(functions->bindings[i].method) + size_of(functions->bindings[i].prototype);
    struct peal_named_functions *copy = peal_memory_allocate(size);
    if (copy == NULL)
        return NULL;
    *copy = (struct peal_named_functions){ functions->handler, NULL, NULL, count };
    if (has_names) {
        const char **names = (const char **)(copy + 1);
        char *end = (char *)(names + count);
        for (size_t i = 0; i < count; i++)
            names[i] = copied(&end, functions->names[i]);
        copy->names = names;
    } else {
        struct peal_binding *bindings = (struct peal_binding *)(copy + 1);
        char *end = (char *)(bindings + count);
        for (size_t i = 0; i < count; i++) {
            const struct peal_binding *binding = &functions->bindings[i];
            bindings[i].method = copied(&end, binding->method);
            bindings[i].function = binding->function;
            bindings[i].prototype = copied(&end, binding->prototype);
        }
        copy->bindings = bindings;
    }
    return copy;
}
