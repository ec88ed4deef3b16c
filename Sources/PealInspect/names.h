/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of objects for people.
 */
#ifndef PEAL_INSPECT_NAMES_H
#define PEAL_INSPECT_NAMES_H

#include <peal/peal.h>

/* A method whose calls are printed. The description is kept, also when the method has ended, until another method needs
 * its element of the table. */
struct known_method {
    uint64_t id;
    unsigned center;              /* the ordinal of its center */
    char *name;                   /* "Chat.on_message" */
    const struct peal_type *type; /* NULL if the method had ended, or without memory */
};

/* Takes the description of a method out of the table, or makes one; NULL without memory. The caller puts it back. Any
 * thread. */
struct known_method *known_method_take(uint64_t id);

/* Puts a description back. NULL has no effect. Any thread. */
void known_method_put(struct known_method *method);

/* Writes the name of any object: "Chat.on_message", "pumped queue 2", "observer of Chat (print)". */
void name_object(char *buffer, size_t capacity, uint64_t id);

/* Keeps the name of an object, for a line about its end. The last few thousand names are kept. Any thread. */
void remember_object(uint64_t id);

/* Keeps the names of all observers that exist. */
void remember_observers(void);

/* Writes the name that was kept for an object, or its kind and its ordinal. It calls no function of peal, so none fails for a
 * stale handle on a thread of the program. */
void name_ended(char *buffer, size_t capacity, uint64_t id);

/* Writes a name for an observer: its label, or its function and its target, as in "print, target 0x5570a06d9671". A function
 * without a symbol is left out, or printed as "program+0x1139" if the target is NULL. */
void name_observer(char *buffer, size_t capacity, const struct peal_observation_info *info);

/* Returns the kind of an object: "observer". */
const char *kind_name(uint64_t id);

/* Returns the ordinal of an object among all objects that have used its slot, from 1. */
unsigned ordinal_of(uint64_t id);

#endif
