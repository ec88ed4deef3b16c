/* A program that is not linked to peal. It loads the library at run time.
 *
 *     dlopen [LIBRARY]
 *
 * The headers have the types, and dlsym finds the functions. */
#include <dlfcn.h>
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

/* The functions that this program calls, in one list for the members and for their lookup. */
#define FUNCTIONS(FUNCTION)         \
    FUNCTION(peal_version)          \
    FUNCTION(peal_center_default)   \
    FUNCTION(peal_last_message)     \
    FUNCTION(peal_protocol_define)  \
    FUNCTION(peal_observe_bindings) \
    FUNCTION(peal_send)

struct library {
    void *handle;
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Fills a function pointer. C has no cast for this. POSIX guarantees that the bytes are the same. */
static bool find(void *handle, const char *name, void *out_function)
{
    void *symbol = dlsym(handle, name);
    if (symbol == NULL)
        return false;
    memcpy(out_function, &symbol, sizeof symbol);
    return true;
}

static bool load(struct library *library, const char *path)
{
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL) {
        fprintf(stderr, "dlopen: cannot load peal: %s\n", dlerror());
        fprintf(stderr, "dlopen: give the path of libpeal.so as the argument\n");
        return false;
    }
#define FIND(name)                                            \
    if (!find(library->handle, #name, &library->name)) {      \
        fprintf(stderr,                                       \
            "dlopen: %s is not a peal this program can use: " \
            "it has no %s\n",                                 \
            path, #name);                                     \
        dlclose(library->handle);                             \
        return false;                                         \
    }
    FUNCTIONS(FIND)
#undef FIND
    if (library->peal_version() < PEAL_VERSION) {
        fprintf(stderr, "dlopen: %s is older than the headers\n", path);
        dlclose(library->handle);
        return false;
    }
    return true;
}

static double add(void *self, double x, double y)
{
    (void)self;
    return x + y;
}

static double multiply(void *self, double x, double y)
{
    (void)self;
    return x * y;
}

static bool run(const struct library *peal)
{
    const char *const methods[] = { "double combine(double x, double y), sum", NULL };
    const struct peal_protocol_description description = {
        sizeof description,
        "Combiner",
        NULL,
        methods,
        0,
    };
    const struct peal_binding adds = { "combine", (peal_function)add, NULL };
    const struct peal_binding multiplies = { "combine", (peal_function)multiply, NULL };
    double x = 6, y = 7, result = 0;
    void *arguments[] = { &x, &y };
    size_t calls = 0;
    peal_protocol combiner;
    peal_method combine;

    if (peal->peal_protocol_define(peal->peal_center_default(), &description, &combiner, &combine, 1) < 0
        || peal->peal_observe_bindings(combiner, NULL, &adds, 1, NULL, NULL) < 0
        || peal->peal_observe_bindings(combiner, NULL, &multiplies, 1, NULL, NULL) < 0
        || peal->peal_send(combine, arguments, 2, &result, &calls) < 0) {
        fprintf(stderr, "dlopen: %s\n", peal->peal_last_message());
        return false;
    }
    printf("combine(6, 7): %zu observers, sum %g\n", calls, result);
    return true;
}

int main(int argc, char **argv)
{
    struct library peal;
    if (!load(&peal, argc > 1 ? argv[1] : "libpeal.so"))
        return 1;
    const bool done = run(&peal);
    /* This is safe although functions of this program are registered, because the library stays in the process. */
    dlclose(peal.handle);
    return done ? 0 : 1;
}
