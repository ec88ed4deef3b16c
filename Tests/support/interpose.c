/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread bool watching;
static __thread struct interpose_counts counts;
static void (*call_before_sleep)(void);
static __thread unsigned long refuse_in;
static __thread unsigned long refused;
static __thread bool hold_next;
static __thread const void *hold_after_wake;
static __thread void *noted;
static __thread size_t noted_size;

static __thread unsigned long starve_from;
static __thread unsigned long made_since;
static __thread unsigned long starved;
static bool starves_all;

static __thread bool is_exempt;

static bool refuses_elsewhere;
static unsigned limits;
static unsigned threads_left;
static bool poisons_freed;
/* The number of times that a thread was stopped, and that one was released. */
static unsigned held;
static unsigned released;

/* dlsym may allocate before it has found calloc. Its memory is taken from here, and never freed. */
static char early[16384] __attribute__((aligned(16)));
static size_t early_used;

static void *early_memory(size_t size)
{
    void *memory = early + early_used;

    early_used += (size + 15) & ~(size_t)15;
    return early_used <= sizeof early ? memory : NULL;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

/* Finds libc's function and stores it in a pointer of its type. */
#define NEXT(pointer, name)                            \
    do {                                               \
        if (pointer == NULL) {                         \
            void *found_ = dlsym(RTLD_NEXT, name);     \
            memcpy(&pointer, &found_, sizeof pointer); \
        }                                              \
    } while (0)

/* Returns true if an allocation is refused, for any caller. */
static bool starves(void)
{
    if (starve_from == 0 && !__atomic_load_n(&starves_all, __ATOMIC_RELAXED))
        return false;
    if (starve_from != 0 && ++made_since < starve_from)
        return false;
    starved++;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);

    if (watching)
        counts.allocations++;
    if (starves())
        return NULL;
    NEXT(next, "malloc");
    return next(size);
}

/* Returns true if the caller is peal. The Swift runtime ends the process when its own memory is refused, so only
 * peal's allocations are. In a library that contains the runtime the two cannot be distinguished. The refused code
 * must then run once before, so that the runtime has allocated its permanent memory. */
static bool is_peals(const void *caller)
{
    Dl_info found;
    const char *slash;

    if (dladdr(caller, &found) == 0 || found.dli_fname == NULL)
        return false;
    slash = strrchr(found.dli_fname, '/');
    return strncmp(slash != NULL ? slash + 1 : found.dli_fname, "libpeal.", 8) == 0;
}

static bool refuses(const void *caller)
{
    if (!is_exempt && __atomic_load_n(&refuses_elsewhere, __ATOMIC_RELAXED) && is_peals(caller)) {
        errno = ENOMEM;
        return true;
    }
    if (refuse_in == 0 || !is_peals(caller))
        return false;
    refuse_in--;
    if (refuse_in > 0)
        return false;
    refused++;
    errno = ENOMEM;
    return true;
}

static void wait_while_held(void)
{
    const unsigned hold = __atomic_add_fetch(&held, 1, __ATOMIC_ACQ_REL);

    while (__atomic_load_n(&released, __ATOMIC_ACQUIRE) < hold) {
        const struct timespec moment = { 0, 100000 };

        nanosleep(&moment, NULL);
    }
}

/* peal allocates by calloc and, where it fills the memory itself, by realloc of NULL. */
static void hold_if_wanted(const void *caller)
{
    if (!hold_next || !is_peals(caller))
        return;
    hold_next = false;
    wait_while_held();
}

void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);
    static __thread bool searching;

    if (watching)
        counts.allocations++;
    if (refuses(__builtin_return_address(0)) || starves())
        return NULL;
    hold_if_wanted(__builtin_return_address(0));
    if (searching)
        return early_memory(count * size);
    searching = true;
    NEXT(next, "calloc");
    searching = false;
    if (noted_size == 0 || noted_size != count * size || !is_peals(__builtin_return_address(0)))
        return next(count, size);
    noted = next(count, size);
    return noted;
}

void interpose_note(size_t size)
{
    noted_size = size;
    noted = NULL;
}

void *interpose_noted(void) { return noted; }

void *realloc(void *memory, size_t size)
{
    static void *(*next)(void *, size_t);

    if (watching)
        counts.allocations++;
    if ((memory == NULL && refuses(__builtin_return_address(0))) || (size > 0 && starves()))
        return NULL;
    if (memory == NULL)
        hold_if_wanted(__builtin_return_address(0));
    NEXT(next, "realloc");
    return next(memory, size);
}

/* Pages that a program uses as memory are an allocation. */
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);

    if ((flags & MAP_ANONYMOUS) != 0) {
        if (watching)
            counts.allocations++;
        if (refuses(__builtin_return_address(0)) || starves())
            return MAP_FAILED;
    }
    NEXT(next, "mmap");
    return next(address, size, protection, flags, file, offset);
}

/* Address space becomes memory when it becomes writable. */
int mprotect(void *address, size_t size, int protection)
{
    static int (*next)(void *, size_t, int);

    if ((protection & PROT_WRITE) != 0 && (refuses(__builtin_return_address(0)) || starves())) {
        errno = ENOMEM;
        return -1;
    }
    NEXT(next, "mprotect");
    return next(address, size, protection);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    static int (*next)(void **, size_t, size_t);

    if (watching)
        counts.allocations++;
    if (starves())
        return ENOMEM;
    NEXT(next, "posix_memalign");
    return next(memory, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    static void *(*next)(size_t, size_t);

    if (watching)
        counts.allocations++;
    if (starves())
        return NULL;
    NEXT(next, "aligned_alloc");
    return next(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
    static void *(*next)(size_t, size_t);

    if (watching)
        counts.allocations++;
    if (starves())
        return NULL;
    NEXT(next, "memalign");
    return next(alignment, size);
}

void free(void *memory)
{
    static void (*next)(void *);

    if (watching && memory != NULL)
        counts.frees++;
    if (is_early(memory))
        return;
    if (memory != NULL && __atomic_load_n(&poisons_freed, __ATOMIC_RELAXED))
        memset(memory, 0xa5, malloc_usable_size(memory));
    NEXT(next, "free");
    next(memory);
}

#define COUNT_LOCK(name, type)      \
    int name(type *object)          \
    {                               \
        static int (*next)(type *); \
        if (watching)               \
            counts.locks++;         \
        NEXT(next, #name);          \
        return next(object);        \
    }
COUNT_LOCK(pthread_mutex_lock, pthread_mutex_t)
COUNT_LOCK(pthread_mutex_trylock, pthread_mutex_t)
COUNT_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNT_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
COUNT_LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t)
COUNT_LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t)
COUNT_LOCK(sem_wait, sem_t)
COUNT_LOCK(sem_trywait, sem_t)

/* ---- Threads and descriptors --------------------------------------------------------------------- */

static bool is_limited(enum interpose_limit limit) { return (__atomic_load_n(&limits, __ATOMIC_RELAXED) & limit) != 0; }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (is_limited(INTERPOSE_THREADS)) {
        if (__atomic_load_n(&threads_left, __ATOMIC_RELAXED) == 0)
            return EAGAIN;
        __atomic_fetch_sub(&threads_left, 1, __ATOMIC_RELAXED);
    }
    NEXT(next, "pthread_create");
    return next(thread, attributes, body, context);
}

#define LIMIT_EVENTS(name, parameters, arguments) \
    int name parameters                           \
    {                                             \
        static int(*next) parameters;             \
                                                  \
        if (is_limited(INTERPOSE_EVENTS)) {       \
            errno = EMFILE;                       \
            return -1;                            \
        }                                         \
        NEXT(next, #name);                        \
        return next arguments;                    \
    }
LIMIT_EVENTS(epoll_create1, (int flags), (flags))
LIMIT_EVENTS(eventfd, (unsigned count, int flags), (count, flags))
LIMIT_EVENTS(timerfd_create, (int clock, int flags), (clock, flags))

void interpose_limit(unsigned new_limits, unsigned threads)
{
    __atomic_store_n(&threads_left, threads, __ATOMIC_RELAXED);
    __atomic_store_n(&limits, new_limits, __ATOMIC_RELAXED);
}

static bool sleeps_on_futex(long number, long operation)
{
    const long command = operation & FUTEX_CMD_MASK;

    return number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long arguments[6];
    long result;
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (watching)
        counts.syscalls++;
    if (watching && sleeps_on_futex(number, arguments[1])) {
        counts.locks++;
        if (call_before_sleep != NULL)
            call_before_sleep();
    }
    NEXT(next, "syscall");
    result = next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    if (hold_after_wake != NULL && number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAKE
        && (const void *)arguments[0] == hold_after_wake)
        wait_while_held();
    return result;
}

void interpose_watch(void)
{
    memset(&counts, 0, sizeof counts);
    watching = true;
}

struct interpose_counts interpose_stop(void)
{
    watching = false;
    return counts;
}

void interpose_before_sleep(void (*before_sleep)(void)) { call_before_sleep = before_sleep; }

void interpose_refuse(unsigned long nth)
{
    refuse_in = nth;
    refused = 0;
}

unsigned long interpose_refused(void) { return refused; }

void interpose_refuse_elsewhere(bool refuses)
{
    is_exempt = true;
    __atomic_store_n(&refuses_elsewhere, refuses, __ATOMIC_RELAXED);
}

unsigned long interpose_starve(unsigned long nth)
{
    const unsigned long refusals = starved;

    starve_from = nth;
    made_since = 0;
    starved = 0;
    return refusals;
}

void interpose_starve_all(bool starves) { __atomic_store_n(&starves_all, starves, __ATOMIC_RELAXED); }

void interpose_poison(bool poisons) { __atomic_store_n(&poisons_freed, poisons, __ATOMIC_RELAXED); }

void interpose_hold_next(void) { hold_next = true; }

void interpose_hold_after_wake(const uint32_t *futex) { hold_after_wake = futex; }

bool interpose_wait_held(void)
{
    for (int i = 0; i < 50000; i++) {
        const struct timespec moment = { 0, 100000 };

        if (__atomic_load_n(&held, __ATOMIC_ACQUIRE) > __atomic_load_n(&released, __ATOMIC_ACQUIRE))
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

void interpose_release(void)
{
    __atomic_store_n(&released, __atomic_load_n(&held, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}
