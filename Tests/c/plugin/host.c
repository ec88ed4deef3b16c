/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c - loads two plugins that each use the library: host <plugin> <plugin>. The host itself is not
 * linked to it.
 *
 * Claims: L4
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plugin {
    void *library;
    int (*enter)(void);
    int (*say)(int);
    int (*heard)(void);
    int (*leave)(void);
};

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds) {
        printf("  %s\n", what);
        failures++;
    }
}

static void look_up(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    if (found == NULL) {
        printf("  %s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    memcpy(function, &found, sizeof found);
}

static struct plugin load(const char *path)
{
    struct plugin plugin;

    plugin.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin.library == NULL) {
        printf("  %s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    look_up(plugin.library, "plugin_enter", &plugin.enter);
    look_up(plugin.library, "plugin_say", &plugin.say);
    look_up(plugin.library, "plugin_heard", &plugin.heard);
    look_up(plugin.library, "plugin_leave", &plugin.leave);
    return plugin;
}

int main(int count, char **arguments)
{
    struct plugin one;
    struct plugin two;

    if (count != 3) {
        printf("host <plugin> <plugin>\n");
        return EXIT_FAILURE;
    }
    printf("L4: two plugins that load the library share one default center\n");
    one = load(arguments[1]);
    two = load(arguments[2]);
    check(one.enter() == 0, "the first cannot enter");
    check(two.enter() == 0, "the second cannot enter");
    check(one.say(5) == 0, "the first cannot speak");
    check(one.heard() == 5, "the first does not hear itself");
    check(two.heard() == 5, "the second does not hear the first");
    printf("L4: one of them may leave and be unloaded, and the other goes on\n");
    check(one.leave() == 0, "the first cannot leave");
    check(dlclose(one.library) == 0, "the first cannot be unloaded");
    check(two.say(2) == 0, "the second cannot speak alone");
    check(two.heard() == 7, "the second does not hear itself");
    printf("L4: it may come back\n");
    one = load(arguments[1]);
    check(one.enter() == 0, "the first cannot enter again");
    check(two.say(3) == 0, "the second cannot speak to the first");
    check(one.heard() == 3, "the first does not hear the second");
    check(one.leave() == 0 && two.leave() == 0, "they cannot leave");
    dlclose(two.library);
    dlclose(one.library);
    printf("%d passed, %d failed\n", failures == 0 ? 3 : 0, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
