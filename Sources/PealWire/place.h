/* SPDX-License-Identifier: Apache-2.0
 *
 * place.h - a file that replaces another one when it has content, and not before. Until then it has a name of its own in
 * the same folder. A recorder locks its file, so no other recorder replaces the file while it is written.
 */
#ifndef PEAL_WIRE_PLACE_H
#define PEAL_WIRE_PLACE_H

#include <peal/status.h>

struct place {
    int folder;         /* -1 once the file is in its place */
    char *name;         /* that it will have in the folder; *owned* */
    char temporary[24]; /* the name that it has until then */
};

/* Creates a locked file that only this user can read. Fails if the path names anything but a regular file that no
 * recorder is writing, or nothing. Keeps a sentence. */
peal_status place_create(struct place *place, const char *path, int *out_file);

/* Moves the file, which is open, into its place, where it replaces the former file. Returns NULL, or the reason why it cannot. */
const char *place_move(struct place *place, int file);

/* Removes a file that was not moved, and releases the memory. */
void place_abandon(struct place *place);

/* Releases what a child of a fork has of it, and leaves the file alone. */
void place_forget(struct place *place);

#endif
