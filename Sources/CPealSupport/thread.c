#include "thread.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

__thread struct peal_thread *peal_thread_own
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct peal_thread *all_threads;
static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static bool has_exit_key;
/* Where membarrier is missing, readers fence for themselves. */
static bool readers_fence;

static void give_back(void *slot)
{
    struct peal_thread *thread = slot;
    peal_thread_own = NULL;
    __atomic_store_n(&thread->claimed, 0, __ATOMIC_RELEASE);
}

static void set_up(void)
{
    if (syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        readers_fence = true;
    has_exit_key = pthread_key_create(&exit_key, give_back) == 0;
}

static struct peal_thread *claim_finished(void)
{
    struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE);
    for (; thread != NULL; thread = thread->next) {
        uint32_t unclaimed = 0;
        if (__atomic_compare_exchange_n(
                &thread->claimed, &unclaimed, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return thread;
    }
    return NULL;
}

static struct peal_thread *make_slot(void)
{
    enum { LINE = 64 };
    char *memory = peal_memory_allocate(sizeof(struct peal_thread) + LINE);
    if (memory == NULL)
        return NULL;
    /* Aligned by hand, for the reason that memory.h gives; a slot is never freed. */
    memory += (LINE - ((uintptr_t)memory & (LINE - 1))) & (LINE - 1);
    struct peal_thread *thread = (struct peal_thread *)(void *)memory;
    thread->claimed = 1;
    struct peal_thread *first = __atomic_load_n(&all_threads, __ATOMIC_RELAXED);
    do
        thread->next = first;
    while (!__atomic_compare_exchange_n(
        &all_threads, &first, thread, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return thread;
}

struct peal_thread *peal_thread_claim(void)
{
    pthread_once(&set_up_once, set_up);
    struct peal_thread *thread = claim_finished();
    if (thread == NULL)
        thread = make_slot();
    if (thread == NULL)
        return NULL;
    thread->last_status = 0;
    thread->message[0] = 0;
    thread->limit = readers_fence ? 0 : PEAL_THREAD_DEPTH;
    thread->attention = readers_fence ? UINT32_MAX : 0;
    /* Without the key, or with no memory for it, the slot stays with a finished thread: a kilobyte
     * that is not used again. */
    if (has_exit_key)
        (void)pthread_setspecific(exit_key, thread);
    peal_thread_own = thread;
    return thread;
}

struct peal_snapshot *peal_thread_hold_slowly(
    struct peal_thread *thread, const struct peal_directory_place *place, uintptr_t mark)
{
    const uint32_t level = thread->depth;
    if (level >= PEAL_THREAD_DEPTH)
        return NULL;
    return peal_thread_publish(thread, place, level, mark, true);
}

bool peal_thread_is_asked(struct peal_thread *thread)
{
    if (readers_fence)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&thread->asked, __ATOMIC_RELAXED) <= thread->depth)
        return false;
    __atomic_store_n(&thread->asked, 0, __ATOMIC_RELAXED);
    if (!readers_fence)
        __atomic_store_n(&thread->attention, 0, __ATOMIC_RELAXED);
    return true;
}

void peal_thread_writer_fence(void)
{
    pthread_once(&set_up_once, set_up);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!readers_fence)
        (void)syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Visits each level of each thread that holds `snapshot`. */
#define FOR_EACH_HOLDER(snapshot, thread, level)                                                   \
    for (struct peal_thread *thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE);             \
         thread != NULL; thread = thread->next)                                                    \
        for (uint32_t level = 0; level < __atomic_load_n(&thread->depth, __ATOMIC_ACQUIRE);        \
             level++)                                                                              \
            if ((__atomic_load_n(&thread->hazards[level], __ATOMIC_ACQUIRE)                        \
                 & ~(uintptr_t)PEAL_HOLD_OF_CALLER)                                                \
                == (uintptr_t)(snapshot))

bool peal_thread_any_holds(const struct peal_snapshot *snapshot)
{
    FOR_EACH_HOLDER(snapshot, thread, level)
        return true;
    return false;
}

bool peal_thread_ask_holders(const struct peal_snapshot *snapshot)
{
    bool asked = false;
    FOR_EACH_HOLDER(snapshot, thread, level) {
        if (__atomic_load_n(&thread->asked, __ATOMIC_RELAXED) < level + 1) {
            __atomic_store_n(&thread->asked, level + 1, __ATOMIC_RELAXED);
            if (!readers_fence)
                __atomic_store_n(&thread->attention, level + 1, __ATOMIC_RELAXED);
            asked = true;
        }
    }
    return asked;
}
