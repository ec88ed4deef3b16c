/* SPDX-License-Identifier: Apache-2.0
 *
 * The user for whom this process answers.
 */
#ifndef PEAL_INSPECT_USER_H
#define PEAL_INSPECT_USER_H

#include <stdbool.h>
#include <sys/types.h>

/* Reads the user of this process. Returns false if it has, or can take back, the rights of another user or group: then its
 * real, effective and saved ones are not the same, and a request of the one could be executed with the rights of the
 * other. */
bool user_is_single(uid_t *out_user);

/* Returns true if this process has the user, and the rights of no other one. */
bool user_is(uid_t user);

/* Returns true if the system has started this program with more rights than its user has: setuid, setgid, capabilities. */
bool user_is_elevated(void);

#endif
