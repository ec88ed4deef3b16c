#include "CPealSupport/object.h"

#include <dlfcn.h>
#include <stddef.h>

uintptr_t peal_object_base(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? (uintptr_t)info.dli_fbase : 0;
}

void *peal_object_symbol(const void *address, const char *name)
{
    Dl_info info;
    void *symbol = NULL;

    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    void *object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object != NULL) {
        symbol = dlsym(object, name);
        /* The object stays loaded, because the caller uses `address`. */
        dlclose(object);
    }
    return symbol;
}
