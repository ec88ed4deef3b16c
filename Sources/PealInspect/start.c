/* SPDX-License-Identifier: Apache-2.0 */
#include "debug.h"

#include <peal/inspection.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Opens the inspection as the value requests. */
static void open_inspection(const char *value)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;

    if (*value == '\0' || strcmp(value, "0") == 0)
        return;
    if (strcmp(value, "control") == 0) {
        options.flags = PEAL_INSPECTION_CONTROL;
    } else if (strcmp(value, "1") != 0 && strcmp(value, "read") != 0) {
        debug_print(
            "PEAL_INSPECT=%.40s has no effect; write PEAL_INSPECT=read to permit looking, or PEAL_INSPECT=control to "
            "permit send, record and replay too",
            value);
        return;
    }
    if (peal_inspection_start(&options) < 0)
        debug_print("PEAL_INSPECT has no effect: %s", options.message);
}

static void start(void)
{
    const char *inspect = secure_getenv("PEAL_INSPECT"), *debug = secure_getenv("PEAL_DEBUG");

    if (debug != NULL && *debug != '\0' && strcmp(debug, "0") != 0)
        debug_start(debug);
    if (inspect != NULL)
        open_inspection(inspect);
}

void peal_inspection_read_environment(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
}
