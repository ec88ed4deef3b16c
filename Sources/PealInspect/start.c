/* SPDX-License-Identifier: Apache-2.0 */
#include "debug.h"

#include <peal/inspection.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start(void)
{
    const char *inspect = secure_getenv("PEAL_INSPECT"), *debug = secure_getenv("PEAL_DEBUG");

    if (debug != NULL && *debug != '\0' && strcmp(debug, "0") != 0)
        debug_start(debug);
    if (inspect != NULL && strcmp(inspect, "1") == 0) {
        struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;
        if (peal_inspection_start(&options) < 0)
            fprintf(stderr, "peal: PEAL_INSPECT has no effect: %s\n", options.message);
    } else if (inspect != NULL && *inspect != '\0' && strcmp(inspect, "0") != 0) {
        fprintf(stderr, "peal: PEAL_INSPECT=%s has no effect; write PEAL_INSPECT=1\n", inspect);
    }
}

void peal_inspection_read_environment(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
}
