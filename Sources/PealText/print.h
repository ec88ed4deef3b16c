/* SPDX-License-Identifier: Apache-2.0
 *
 * Values and calls as text, by the description of the method (peal_method_describe).
 */
#ifndef PEAL_TEXT_PRINT_H
#define PEAL_TEXT_PRINT_H

#include "text.h"

#include <peal/peal.h>

/* The arguments of a call that is printed. */
struct printed_call {
    const struct peal_type *method;
    void *const *arguments; /* one pointer per parameter, to its value; NULL where the value is not known */
    bool has_memory;        /* the pointed-to memory exists */
    size_t limit;           /* the greatest number of bytes and elements printed of one argument; 0: all */
    bool has_addresses;     /* a pointer is printed with its address, which differs between two runs of a program */
};

/* Prints "room: \"lobby\", count: 3". */
void print_arguments(struct text *text, const struct printed_call *call);

/* Prints one value, without pointed-to memory. */
void print_value(struct text *text, const struct peal_type *type, const void *value);

/* Prints a result, and a text that it points to if the type is `const char *` and `has_memory`. */
void print_result(struct text *text, const struct peal_type *type, const void *value, bool has_memory);

#endif
