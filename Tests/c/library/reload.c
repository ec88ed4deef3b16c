/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads the library by its name, closes it and loads it again. The library's path is in the environment
 * variable PEAL_TEST_LIBRARY. The arguments are libraries that are loaded before it. This program is not linked to
 * the library.
 *
 * Claims: L4
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <peal/peal.h>

static int failures;
static int heard;

static void check(bool holds, const char *what)
{
    if (!holds) {
        printf("  %s\n", what);
        failures++;
    }
}

static void hear(void *self, int n)
{
    (void)self;
    heard += n;
}

/* ISO C has no cast from dlsym's result to a function pointer. */
#define LOOK_UP(library, function)                        \
    do {                                                  \
        void *found_ = dlsym(library, "peal_" #function); \
        memcpy(&function, &found_, sizeof function);      \
        check(found_ != NULL, "a function is not found"); \
        if (found_ == NULL)                               \
            return;                                       \
    } while (0)

static void use(void *library)
{
    peal_status (*center_create)(peal_center *);
    peal_status (*center_destroy)(peal_center);
    peal_status (*protocol_define)(
        peal_center, const struct peal_protocol_description *, peal_protocol *, peal_method *, size_t);
    peal_status (*observe_bindings)(peal_protocol, void *, const struct peal_binding *, size_t,
        const struct peal_observe_options *, peal_observation *);
    peal_status (*broadcast_counted)(size_t, peal_method, ...);
    const char *(*last_message)(void);
    uint32_t (*version)(void);
    static const char *const methods[] = { "void hear(int n)", NULL };
    const struct peal_protocol_description description = { sizeof description, "Reload", NULL, methods, 0 };
    const struct peal_binding binding = { "hear", (peal_function)hear, NULL };
    peal_center center;
    peal_protocol protocol;
    peal_method method;

    LOOK_UP(library, center_create);
    LOOK_UP(library, center_destroy);
    LOOK_UP(library, protocol_define);
    LOOK_UP(library, observe_bindings);
    LOOK_UP(library, broadcast_counted);
    LOOK_UP(library, last_message);
    LOOK_UP(library, version);
    check(version() == PEAL_VERSION, "the version differs");
    check(center_create(&center) == PEAL_OK, "no center");
    check(protocol_define(center, &description, &protocol, &method, 1) == PEAL_OK, "no protocol");
    check(observe_bindings(protocol, NULL, &binding, 1, NULL, NULL) == PEAL_OK, last_message());
    heard = 0;
    check(broadcast_counted(1, method, 5) == PEAL_OK, last_message());
    check(heard == 5, "the broadcast was not heard");
    check(center_destroy(center) == PEAL_OK, last_message());
}

struct signals {
    struct sigaction actions[NSIG]; /* zero where there is no such signal */
    stack_t stack;
};

static void read_signals(struct signals *signals)
{
    memset(signals, 0, sizeof *signals);
    for (int signal = 1; signal < NSIG; signal++)
        (void)sigaction(signal, NULL, &signals->actions[signal]);
    check(sigaltstack(NULL, &signals->stack) == 0, "the stack of handlers cannot be read");
}

/* Returns the number of signal handlers that have changed. */
static int changed_handlers(const struct signals *before)
{
    struct signals now;
    int count = 0;

    read_signals(&now);
    check(now.stack.ss_sp == before->stack.ss_sp, "signal handlers have another stack");
    for (int signal = 1; signal < NSIG; signal++)
        if (now.actions[signal].sa_handler != before->actions[signal].sa_handler) {
            printf("  the handler of signal %d was set\n", signal);
            count++;
        }
    return count;
}

/* Loads the library, which must write nothing to the program's stderr. */
static void *load(const char *path, int mode)
{
    FILE *said = tmpfile();
    const int usual = dup(STDERR_FILENO);
    void *library;

    check(said != NULL && dup2(fileno(said), STDERR_FILENO) >= 0, "stderr cannot be replaced");
    library = dlopen(path, mode);
    (void)dup2(usual, STDERR_FILENO);
    close(usual);
    if (said != NULL) {
        check(fseek(said, 0, SEEK_END) == 0 && ftell(said) == 0, "it wrote to stderr");
        fclose(said);
    }
    return library;
}

int main(int argc, char **argv)
{
    const char *path = getenv("PEAL_TEST_LIBRARY");
    struct signals before;
    void *library;

    if (path == NULL) {
        printf("PEAL_TEST_LIBRARY is not set\n");
        return EXIT_FAILURE;
    }
    for (int i = 1; i < argc; i++)
        if (dlopen(argv[i], RTLD_NOW) == NULL) {
            printf("  %s\n", dlerror());
            return EXIT_FAILURE;
        }
    read_signals(&before);
    printf("L4: the library survives dlopen, use and dlclose, again and again\n");
    for (int round = 0; round < 50; round++) {
        library = load(path, round % 2 == 0 ? RTLD_NOW | RTLD_LOCAL : RTLD_LAZY | RTLD_GLOBAL);
        if (library == NULL) {
            printf("  %s\n", dlerror());
            return EXIT_FAILURE;
        }
        use(library);
        check(dlclose(library) == 0, "it cannot be closed");
    }
    printf("L4: it stays in the process after the last dlclose\n");
    library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    check(library != NULL, "it was unloaded");
    if (library != NULL)
        dlclose(library);
    printf("L4: it sets no signal handlers, and writes nothing while it is loaded\n");
    check(changed_handlers(&before) == 0, "signal handlers were set");
    printf("%d passed, %d failed\n", failures == 0 ? 3 : 0, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
