/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include "../CPealSupport/companion.h"

#include <dlfcn.h>
#include <string.h>

/* Returns false if a function is missing. */
static bool find_functions(void *library, struct wire *wire)
{
    const struct {
        const char *name;
        void *function;
    } functions[] = {
        { "peal_wire_last_message", &wire->last_message },
        { "peal_recorder_create", &wire->recorder_open },
        { "peal_recorder_add", &wire->recorder_add },
        { "peal_recorder_get_info", &wire->recorder_get_info },
        { "peal_recorder_destroy", &wire->recorder_close },
        { "peal_replay_create", &wire->replay_open },
        { "peal_replay_get_info", &wire->replay_get_info },
        { "peal_replay_print_skipped", &wire->replay_print_skipped },
        { "peal_replay_next", &wire->replay_next },
        { "peal_replay_destroy", &wire->replay_close },
    };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL)
            return false;
        memcpy(functions[i].function, &address, sizeof address);
    }
    return true;
}

const struct wire *wire_load(const char **out_message)
{
    /* Only the thread of the inspection loads it. */
    static struct wire wire;
    static bool is_loaded;

    if (is_loaded)
        return &wire;
    void *library = peal_companion_load((void *)(uintptr_t)&wire_load, PEAL_WIRE_NAME, out_message);
    is_loaded = library != NULL && find_functions(library, &wire);
    if (is_loaded)
        return &wire;
    if (library != NULL) {
        *out_message = "the library is of another version";
        dlclose(library);
    }
    return NULL;
}
