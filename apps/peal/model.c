/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* Lines that are added while they are read. */
struct reading {
    struct model *model;
    bool is_refused;
};

static void add(void *context, struct value *line)
{
    struct reading *reading = context;
    struct model *model = reading->model;

    if ((model->count & (model->count - 1)) == 0) {
        const size_t capacity = model->count == 0 ? 1 : model->count * 2;
        struct value **objects = realloc(model->objects, capacity * sizeof *objects);
        if (objects == NULL) {
            reading->is_refused = true;
            return;
        }
        model->objects = objects;
    }
    /* The line is freed by the caller, so its content moves. */
    struct value *object = malloc(sizeof *object);
    if (object == NULL) {
        reading->is_refused = true;
        return;
    }
    *object = *line;
    *line = (struct value){ .kind = VALUE_NULL };
    model->objects[model->count++] = object;
}

static int compare(const void *left, const void *right)
{
    return strcmp(
        value_text(*(const struct value *const *)left, "id"), value_text(*(const struct value *const *)right, "id"));
}

int model_read(struct model *model, struct connection *connection)
{
    static const char *const tree[] = { "tree" };
    struct reading reading = { model, false };

    *model = (struct model){ NULL, 0, NULL };
    const int result = request(connection, tree, 1, add, &reading);
    if (result != EXIT_OK)
        return result;
    model->sorted = calloc(model->count + 1, sizeof *model->sorted);
    if (reading.is_refused || model->sorted == NULL) {
        report_error("out of memory");
        return EXIT_FAILED;
    }
    memcpy(model->sorted, model->objects, model->count * sizeof *model->sorted);
    qsort(model->sorted, model->count, sizeof *model->sorted, compare);
    return EXIT_OK;
}

void model_free(struct model *model)
{
    for (size_t i = 0; i < model->count; i++)
        value_free(model->objects[i]);
    free(model->objects);
    free(model->sorted);
}

const struct value *model_find(const struct model *model, const char *id)
{
    size_t low = 0, high = model->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(value_text(model->sorted[middle], "id"), id);
        if (order == 0)
            return *id != '\0' ? model->sorted[middle] : NULL;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct value *model_next(
    const struct model *model, size_t *position, const char *kind, const char *key, const char *value)
{
    while (*position < model->count) {
        const struct value *each = model->objects[(*position)++];
        if (strcmp(value_text(each, "kind"), kind) == 0 && (key == NULL || strcmp(value_text(each, key), value) == 0))
            return each;
    }
    return NULL;
}

void model_name(const struct value *object, char *buffer, size_t capacity)
{
    const char *kind = value_text(object, "kind"), *name = value_text(object, "name");

    if (*value_text(object, "label") != '\0')
        snprintf(buffer, capacity, "%s", value_text(object, "label"));
    else if (*name != '\0')
        snprintf(buffer, capacity, "%s", name);
    else if (object != NULL)
        snprintf(buffer, capacity, "%s %llu", kind, (strtoull(value_text(object, "id"), NULL, 16) & 0xfffffff) + 1);
    else
        snprintf(buffer, capacity, "ended");
}
