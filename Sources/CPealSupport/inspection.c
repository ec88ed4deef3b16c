#include "CPealSupport/inspection.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "companion.h"
#include "CPealSupport/interface.h"

#define PEAL_TEXT_OF_(number) #number
#define PEAL_TEXT_OF(number) PEAL_TEXT_OF_(number)
#define PEAL_INSPECT_NAME "libpeal-inspect.so." PEAL_TEXT_OF(PEAL_SOVERSION)

uint32_t peal_inspection_is_decided;

__attribute__((cold)) void peal_inspection_decide(void)
{
    /* Not for programs with more rights than their user. */
    const char *inspect = secure_getenv("PEAL_INSPECT"), *debug = secure_getenv("PEAL_DEBUG");

    if (__atomic_exchange_n(&peal_inspection_is_decided, 1, __ATOMIC_RELAXED) != 0)
        return;
    if ((inspect == NULL || *inspect == '\0') && (debug == NULL || *debug == '\0'))
        return;
    const char *message = NULL;
    void *library = peal_companion_load((void *)(uintptr_t)&peal_inspection_decide, PEAL_INSPECT_NAME, &message);
    void (*start)(void) = NULL;
    if (library != NULL)
        *(void **)&start = dlsym(library, "peal_inspection_read_environment");
    if (start != NULL)
        start();
    else
        fprintf(stderr, "peal: PEAL_INSPECT and PEAL_DEBUG have no effect: " PEAL_INSPECT_NAME ": %s\n",
            message != NULL ? message : "it has no function peal_inspection_read_environment");
}
