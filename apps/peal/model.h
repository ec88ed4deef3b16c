/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer to "tree": all objects of a program, found by their ids.
 */
#ifndef PEAL_COMMAND_MODEL_H
#define PEAL_COMMAND_MODEL_H

#include "connection.h"

enum {
    NAME_LENGTH = 300 /* of a name that is printed for each reference to its object, with the ending zero */
};

struct model_entry;

struct model {
    struct value **objects; /* in the order of the answer */
    size_t count;
    size_t size;                 /* of the objects, in bytes */
    struct model_entry *entries; /* members by which objects are found, sorted */
    size_t entry_count;
};

/* Reads the objects of a program, of at most 1 GiB. Returns an exit code. */
int model_read(struct model *model, struct connection *connection);
void model_free(struct model *model);

/* Finds an object; NULL if there is none. */
const struct value *model_find(const struct model *model, const char *id);

/* Returns the next object of a kind, in the order of the answer; NULL if there is none. If `key` is not NULL, it is
 * "protocol", "center" or "name", and the object's member of that name must be `value`.
 *
 * position: 0 for the first object. */
const struct value *model_next(
    const struct model *model, size_t *position, const char *kind, const char *key, const char *value);

/* Writes the name of an object; "ended" for NULL. */
void model_name(const struct value *object, char *buffer, size_t capacity);

/* Describes a line about a call that runs now: "Chat.on_message by observer of Chat (log), on thread 4711 (worker), for at
 * least 1.2 s". */
enum { RUNNING_LENGTH = 1400 };
void format_running(const struct value *call, char *buffer, size_t capacity);

#endif
