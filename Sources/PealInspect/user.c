/* SPDX-License-Identifier: Apache-2.0 */
#include "user.h"

#include <sys/auxv.h>
#include <unistd.h>

bool user_is_single(uid_t *out_user)
{
    uid_t user, saved_user;
    gid_t real, group, saved_group;

    return getresuid(&user, out_user, &saved_user) == 0 && getresgid(&real, &group, &saved_group) == 0
        && user == *out_user && saved_user == *out_user && real == group && saved_group == group;
}

bool user_is(uid_t user)
{
    uid_t own;

    return user_is_single(&own) && own == user;
}

bool user_is_elevated(void) { return getauxval(AT_SECURE) != 0; }
