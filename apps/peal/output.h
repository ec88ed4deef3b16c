/* SPDX-License-Identifier: Apache-2.0
 *
 * output.h - what the commands print. Names, labels and texts come from other programs and from files, so none of them may
 * reach the terminal as it is.
 */
#ifndef PEAL_COMMAND_OUTPUT_H
#define PEAL_COMMAND_OUTPUT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Prints on the standard output, as printf does, with control characters made visible (visible.h). A newline ends the line
 * only at the end of the format: one in an argument, or elsewhere, is made visible too. */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, to a file. */
void print_to(FILE *file, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Prints a JSON string in quotes. */
void print_json(FILE *file, const char *text);

/* Prints a line that is cut to a number of columns; 0 for no limit. */
void print_cut(const char *text, size_t columns);

#endif
