/* SPDX-License-Identifier: Apache-2.0
 *
 * moved LIBRARY FOLDER: loads libpeal, makes another folder the current one, uses a center, and prints the file from which
 * libpeal-inspect was loaded.
 */
#include <peal/peal.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    char line[4096];
    peal_center (*get_center)(void);
    void *library = count == 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;

    if (library == NULL || chdir(arguments[2]) != 0) {
        fprintf(stderr, "%s\n", library == NULL ? dlerror() : "the folder cannot be used");
        return 1;
    }
    *(void **)&get_center = dlsym(library, "peal_center_default");
    (void)get_center();
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, "libpeal-inspect") != NULL) {
            printf("loaded %s", strchr(line, '/'));
            break;
        }
    return 0;
}
