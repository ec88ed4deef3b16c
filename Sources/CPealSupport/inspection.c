#include "CPealSupport/inspection.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CPealSupport/interface.h"

#define PEAL_TEXT_OF_(number) #number
#define PEAL_TEXT_OF(number) PEAL_TEXT_OF_(number)
#define PEAL_INSPECT_NAME "libpeal-inspect.so." PEAL_TEXT_OF(PEAL_SOVERSION)

uint32_t peal_inspection_is_decided;

/* Loads the library from the folder of this one, or from where the loader finds it. */
static void *load(void)
{
    char path[4096];
    Dl_info self;
    const char *slash;

    if (dladdr(&peal_inspection_is_decided, &self) != 0 && self.dli_fname != NULL
        && (slash = strrchr(self.dli_fname, '/')) != NULL) {
        const int folder = (int)(slash - self.dli_fname);
        const int length = snprintf(path, sizeof path, "%.*s/" PEAL_INSPECT_NAME, folder, self.dli_fname);
        if (length > 0 && (size_t)length < sizeof path) {
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (library != NULL)
                return library;
        }
    }
    return dlopen(PEAL_INSPECT_NAME, RTLD_NOW | RTLD_LOCAL);
}

__attribute__((cold)) void peal_inspection_decide(void)
{
    /* Not for programs with more rights than their user. */
    const char *inspect = secure_getenv("PEAL_INSPECT"), *debug = secure_getenv("PEAL_DEBUG");

    if (__atomic_exchange_n(&peal_inspection_is_decided, 1, __ATOMIC_RELAXED) != 0)
        return;
    if ((inspect == NULL || *inspect == '\0') && (debug == NULL || *debug == '\0'))
        return;
    void *library = load();
    void (*start)(void) = NULL;
    if (library != NULL)
        *(void **)&start = dlsym(library, "peal_inspection_read_environment");
    if (start != NULL)
        start();
    else
        fprintf(stderr, "peal: PEAL_INSPECT and PEAL_DEBUG have no effect: %s\n", dlerror());
}
