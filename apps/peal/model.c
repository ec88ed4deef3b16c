/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include "commands.h"

#include <stdlib.h>
#include <string.h>

/* A member of an object. Other members are not searched for. */
struct model_entry {
    const char *key, *kind, *value; /* the kind is "" for ids, which are unique */
    size_t position;                /* of the object */
};

static const char *const keys[] = { "id", "protocol", "center", "name" };

enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* Lines that are added while they are read. */
struct reading {
    struct model *model;
    const char *failure;
};

/* The bytes that a printed model may have for the references of a method: each repeats the names of an observer, its queue and
 * its owner. */
static size_t references_size(const struct value *line)
{
    const struct value *observers = value_get(line, "observers");
    size_t size = 0;

    for (const struct value *each = observers != NULL ? observers->first : NULL; each != NULL; each = each->next)
        size += 3 * NAME_LENGTH;
    return size;
}

static bool add(void *context, struct value *line)
{
    struct reading *reading = context;
    struct model *model = reading->model;

    model->size += value_size(line) + references_size(line) + sizeof *model->objects
                 + KEY_COUNT * sizeof *model->entries;
    if (model->size > KEPT_LIMIT) {
        reading->failure =
            "the objects of the program need more than 1 GiB of memory here, with a name for each reference";
        return false;
    }
    if ((model->count & (model->count - 1)) == 0) {
        const size_t capacity = model->count == 0 ? 1 : model->count * 2;
        struct value **objects = realloc(model->objects, capacity * sizeof *objects);
        if (objects == NULL) {
            reading->failure = "out of memory";
            return false;
        }
        model->objects = objects;
    }
    model->objects[model->count++] = value_keep(line);
    return true;
}

static int compare_members(const struct model_entry *a, const struct model_entry *b)
{
    int order = strcmp(a->key, b->key);

    if (order == 0)
        order = strcmp(a->kind, b->kind);
    return order != 0 ? order : strcmp(a->value, b->value);
}

static int compare(const void *left, const void *right)
{
    const struct model_entry *a = left, *b = right;
    const int order = compare_members(a, b);

    return order != 0 ? order : a->position < b->position ? -1 : a->position > b->position;
}

/* Sorts the members by which objects are found. Returns false without memory. */
static bool make_index(struct model *model)
{
    model->entries = calloc(model->count * KEY_COUNT + 1, sizeof *model->entries);
    if (model->entries == NULL)
        return false;
    for (size_t i = 0; i < model->count; i++)
        for (size_t k = 0; k < KEY_COUNT; k++) {
            const char *value = value_text(model->objects[i], keys[k]);
            if (*value != '\0')
                model->entries[model->entry_count++] = (struct model_entry){ keys[k],
                    k == 0 ? "" : value_text(model->objects[i], "kind"), value, i };
        }
    qsort(model->entries, model->entry_count, sizeof *model->entries, compare);
    return true;
}

/* Returns the position of the first entry that is not before the wanted one. */
static size_t find_entry(const struct model *model, const struct model_entry *wanted)
{
    size_t low = 0, high = model->entry_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&model->entries[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int model_read(struct model *model, struct connection *connection)
{
    static const char *const tree[] = { "tree" };
    struct reading reading = { model, NULL };

    *model = (struct model){ 0 };
    const int result = request(connection, tree, 1, add, &reading);
    if (result != EXIT_OK && reading.failure == NULL)
        return result;
    if (reading.failure == NULL && !make_index(model))
        reading.failure = "out of memory";
    if (reading.failure == NULL)
        return EXIT_OK;
    report_error("%s", reading.failure);
    return EXIT_FAILED;
}

void model_free(struct model *model)
{
    for (size_t i = 0; i < model->count; i++)
        value_free(model->objects[i]);
    free(model->objects);
    free(model->entries);
}

/* Returns the object of an entry if it is the wanted one but for its position. */
static const struct value *object_at(const struct model *model, size_t entry, const struct model_entry *wanted)
{
    if (entry == model->entry_count || compare_members(&model->entries[entry], wanted) != 0)
        return NULL;
    return model->objects[model->entries[entry].position];
}

const struct value *model_find(const struct model *model, const char *id)
{
    const struct model_entry wanted = { "id", "", id, 0 };

    return object_at(model, find_entry(model, &wanted), &wanted);
}

const struct value *model_next(
    const struct model *model, size_t *position, const char *kind, const char *key, const char *value)
{
    if (key != NULL) {
        const struct model_entry wanted = { key, kind, value, 0 };
        const size_t entry = *position > 0 ? *position : find_entry(model, &wanted);
        *position = entry + 1;
        return object_at(model, entry, &wanted);
    }
    while (*position < model->count) {
        const struct value *each = model->objects[(*position)++];
        if (strcmp(value_text(each, "kind"), kind) == 0)
            return each;
    }
    return NULL;
}

void model_name(const struct value *object, char *buffer, size_t capacity)
{
    const char *kind = value_text(object, "kind"), *name = value_text(object, "name");
    const char *label = value_text(object, "label"), *text = *label != '\0' ? label : name;

    /* A long name is not read to its end for each reference to its object. */
    if (*text != '\0')
        snprintf(buffer, capacity, "%.*s", (int)capacity - 1, text);
    else if (object != NULL)
        snprintf(buffer, capacity, "%.*s %llu", (int)capacity / 2, kind,
            (strtoull(value_text(object, "id"), NULL, 16) & 0xfffffff) + 1);
    else
        snprintf(buffer, capacity, "ended");
}

void format_running(const struct value *call, char *buffer, size_t capacity)
{
    const char *method = value_text(call, "method"), *thread = value_text(call, "thread_name");
    const uint64_t time = value_number(call, "running_ns");
    char duration[32];

    format_duration(duration, sizeof duration, time);
    snprintf(buffer, capacity, "%s%s%s, on thread %llu%s%s%s%s%s", method, *method != '\0' ? " by " : "",
        value_text(call, "name"), (unsigned long long)value_number(call, "thread"), *thread != '\0' ? " (" : "", thread,
        *thread != '\0' ? ")" : "", time > 0 ? ", for at least " : ", first seen now", time > 0 ? duration : "");
}
