/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

CLAIM("L4", "the library in this process is the one that the tests mean to test")
{
    const char *meant = getenv("PEAL_TEST_LIBRARY");
    char meant_path[PATH_MAX];
    char found_path[PATH_MAX];
    Dl_info found;
    uint32_t (*version)(void) = peal_version;
    void *address;

    memcpy(&address, &version, sizeof address);
    REQUIRE(meant != NULL);
    REQUIRE(dladdr(address, &found) != 0);
    REQUIRE(realpath(meant, meant_path) != NULL);
    REQUIRE(realpath(found.dli_fname, found_path) != NULL);
    CHECK_TEXT(found_path, meant_path);
}
