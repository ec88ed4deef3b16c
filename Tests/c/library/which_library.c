/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define EARLY(METHOD) METHOD(required, int, twice, (int n), last)
PEAL_PROTOCOL(early, "Early", EARLY);

static peal_center early_center;
static int early_answer;

static int twice(void *self, int n)
{
    (void)self;
    return 2 * n;
}

/* Runs before main. If a function fails, the answer stays zero. */
__attribute__((constructor)) static void use_early(void)
{
    static const struct early table = { PEAL_TABLE(early), twice };
    struct early_protocol early;
    int answer = 0;

    if (peal_center_create(&early_center) == PEAL_OK && early_define(early_center, &early) == PEAL_OK
        && early_observe(&early, NULL, &table, NULL, NULL) == PEAL_OK && peal_ask(early.twice, &answer, 21) == PEAL_OK)
        early_answer = answer;
}

CLAIM("L4", "a constructor of a program may use the library that the program is linked to")
{
    CHECK_EQUAL(early_answer, 42);
    CHECK_OK(peal_center_destroy(early_center));
}

CLAIM("L4", "this process has loaded the library that is to be tested")
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
