/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that is unloaded right after its tap was closed: taps_unload. The path of the plugin is in the environment.
 */
#include "center.h"
#include "latch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 100 };

static peal_method method;
static bool is_over;

static void *broadcast(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        check_must(peal_broadcast(method, 1), "a broadcast");
    return NULL;
}

typedef peal_status open_function(peal_center center, bool *out_destroyed, peal_tap *out_tap);
typedef unsigned count_function(void);

static peal_function symbol_of(void *library, const char *name)
{
    void *address = dlsym(library, name);
    peal_function function = NULL;

    memcpy(&function, &address, sizeof function);
    return function;
}

CLAIM("V3, L1", "a plugin is unloaded as soon as its tap is closed, while other threads broadcast")
{
    const peal_center center = open_center();
    const char *path = getenv("PEAL_TEST_PLUGIN");
    pthread_t threads[THREADS];

    REQUIRE(path != NULL);
    method = method_of(center, "Busy", "void f(int n)");
    __atomic_store_n(&is_over, false, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread_start(broadcast, NULL);
    for (int round = 0; round < CHECK_ROUNDS(ROUNDS); round++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        bool is_destroyed = false;
        peal_tap tap;
        size_t pointers = 0;

        if (!CHECK(library != NULL))
            break;
        open_function *const open = (open_function *)symbol_of(library, "tapping_open");
        count_function *const count = (count_function *)symbol_of(library, "tapping_count");
        const void *address = dlsym(library, "tapping_open");
        CHECK_OK(open(center, &is_destroyed, &tap));
        WAIT_UNTIL(count() > 0);
        CHECK_OK(peal_find_pointers_into(address, NULL, NULL, &pointers));
        CHECK_EQUAL(pointers, 2);
        CHECK_OK(peal_tap_destroy(tap));
        CHECK(is_destroyed);
        CHECK_OK(peal_find_pointers_into(address, NULL, NULL, &pointers));
        CHECK_EQUAL(pointers, 0);
        CHECK_EQUAL(dlclose(library), 0);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    close_center(center);
}
