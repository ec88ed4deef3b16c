/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of the sockets of all inspected processes of a user. The library and the command use the same.
 */
#ifndef PEAL_INSPECT_FOLDER_H
#define PEAL_INSPECT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Fills in the path of the folder: $XDG_RUNTIME_DIR/peal, or /tmp/peal-UID. Returns false if it is cut. */
bool folder_path(char *buffer, size_t capacity);

/* Checks that the folder belongs to this user, and that no other user can enter it.
 *
 * creates: the folder is created if it is missing.
 * message: filled with a sentence on failure. */
bool folder_check(const char *path, bool creates, char *message, size_t capacity);

#endif
