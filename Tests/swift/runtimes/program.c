/* A C program with a plugin in Swift. It runs with the self-contained library, which has no Swift runtime, and with the
 * library that shares the plugin's runtime.
 *
 *     program PLUGIN swift|self-contained
 */
#include <peal/peal.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 2000 };

#define NEWS(METHOD) METHOD(required, void, on_number, (int32_t number))
PEAL_PROTOCOL(news, "News", NEWS);

static struct news_protocol news;

/* Returns true if libpeal.so finds the functions of the Swift runtime. */
static int uses_runtime(void)
{
    Dl_info library;
    void *peal = NULL;
    if (dladdr((void *)(size_t)&peal_send, &library) != 0)
        peal = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return peal != NULL && dlsym(peal, "swift_retain") != NULL;
}

static void *broadcast(void *unused)
{
    int32_t round;
    (void)unused;
    for (round = 0; round < ROUNDS; round++)
        PEAL_BROADCAST(news, &news, on_number, 1);
    return NULL;
}

static void broadcast_from_threads(void)
{
    pthread_t threads[THREADS];
    int index;
    for (index = 0; index < THREADS; index++)
        if (pthread_create(&threads[index], NULL, broadcast, NULL) != 0)
            abort();
    for (index = 0; index < THREADS; index++)
        pthread_join(threads[index], NULL);
}

int main(int argc, char **argv)
{
    int (*check)(peal_center center, void (*broadcast_from_threads)(void), int32_t sum);
    void *plugin;
    if (argc != 3 || news_define(peal_center_default(), &news) < 0) {
        fprintf(stderr, "give a plugin and a number\n");
        return 2;
    }
    if ((plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    if (uses_runtime() != (strcmp(argv[2], "swift") == 0)) {
        printf("this is not the flavour %s\n", argv[2]);
        return 1;
    }
    *(void **)&check = dlsym(plugin, "runtimes_check");
    return check == NULL ? 2 : check(peal_center_default(), broadcast_from_threads, THREADS * ROUNDS);
}
