/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of functions and variables by their addresses.
 */
#ifndef PEAL_INSPECT_SYMBOLS_H
#define PEAL_INSPECT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name of the function or variable that begins at an address: "on_message". A static one has a name too, if its
 * file was not stripped. Names of C++ are demangled if the program has the runtime library of C++. Any thread.
 *
 * Returns false for an address without a symbol, and for a symbol of Swift: those are mostly thunks that many observers
 * share. */
bool symbol_name(const void *address, char *buffer, size_t capacity);

/* Writes the file and the offset of an address: "program+0x1139", as addr2line reads them. Returns false for an address in
 * no file. */
bool symbol_place(const void *address, char *buffer, size_t capacity);

#endif
