/* A C program with a plugin in Swift: beside the self-contained library, whose Swift runtime is its own, and
 * beside the one that shares the plugin's.
 *
 *     program PLUGIN RUNTIMES
 */
#include <peal/peal.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 2000 };

#define NEWS(METHOD) METHOD(required, void, on_number, (int32_t number))
PEAL_PROTOCOL(news, "News", NEWS);

static struct news_protocol news;

/* As many as there are libpeal.so with a runtime inside, and libswiftCore.so. */
static int count_runtimes(void)
{
    int shared = dlopen("libswiftCore.so", RTLD_LAZY | RTLD_NOLOAD) != NULL;
    Dl_info library;
    void *peal;
    if (dladdr((void *)(size_t)&peal_send, &library) == 0)
        return 0;
    peal = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    /* libpeal.so's own, where it does not get the functions of a shared one. */
    return shared + (peal != NULL && dlsym(peal, "swift_retain") == NULL);
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
    if (count_runtimes() != atoi(argv[2])) {
        printf("there are %d Swift runtimes, and not %s\n", count_runtimes(), argv[2]);
        return 1;
    }
    *(void **)&check = dlsym(plugin, "runtimes_check");
    return check == NULL ? 2 : check(peal_center_default(), broadcast_from_threads, THREADS * ROUNDS);
}
