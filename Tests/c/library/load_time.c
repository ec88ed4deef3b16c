/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures how long the dynamic linker takes to load the library, each time in a new process. The library's path is in
 * PEAL_TEST_LIBRARY. This program is not linked to the library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LAUNCHES = 31 };
static const double LIMIT_MS = 1;

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* A child of this process has not loaded the library, so that each load is a first one. */
static double load_once(const char *path)
{
    double took = -1;
    int ends[2];
    pid_t child;

    if (pipe(ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        const double begin = now_ms();
        void *library = dlopen(path, RTLD_NOW);

        took = now_ms() - begin;
        if (library == NULL) {
            fprintf(stderr, "  %s\n", dlerror());
            _exit(1);
        }
        _exit(write(ends[1], &took, sizeof took) == sizeof took ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &took, sizeof took) != sizeof took)
        took = -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return took;
}

int main(void)
{
    const char *path = getenv("PEAL_TEST_LIBRARY");
    double times[LAUNCHES];
    double median;

    if (path == NULL) {
        printf("PEAL_TEST_LIBRARY is not set\n");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < LAUNCHES; i++) {
        times[i] = load_once(path);
        if (times[i] < 0)
            return EXIT_FAILURE;
    }
    qsort(times, LAUNCHES, sizeof times[0], by_value);
    median = times[LAUNCHES / 2];
    printf("L4: loading takes less than %g ms: median %.2f, best %.2f, worst %.2f of %d\n", LIMIT_MS, median, times[0],
        times[LAUNCHES - 1], LAUNCHES);
    return median < LIMIT_MS ? EXIT_SUCCESS : EXIT_FAILURE;
}
