#include "CPealSupport/fence.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CPealSupport/lock.h"
#include "CPealSupport/machine.h"
#include "CPealSupport/thread.h"

static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static bool is_set_up, has_membarrier;

static bool register_process(void)
{
    return syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void set_up(void)
{
    has_membarrier = register_process();
    if (has_membarrier)
        peal_lock_release_plainly();
    __atomic_store_n(&is_set_up, true, __ATOMIC_RELEASE);
}

void peal_fence_set_up(void)
{
    if (__builtin_expect(!__atomic_load_n(&is_set_up, __ATOMIC_ACQUIRE), 0))
        (void)pthread_once(&set_up_once, set_up);
}

enum { PAGE = 65536 }; /* a multiple of any system's page size */
static char page[PAGE] __attribute__((aligned(PAGE)));
static struct peal_lock page_lock;

/* The page must be mapped and written first: the kernel interrupts only processors that may have cached its entry.
 * Returns false if the system refuses a change, for example because the process has too many mappings. */
static bool fence_by_page(void)
{
    peal_lock_acquire(&page_lock);
    bool is_done = mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0;
    if (is_done) {
        __atomic_fetch_add(page, 1, __ATOMIC_RELAXED);
        is_done = mprotect(page, PAGE, PROT_READ) == 0;
    }
    peal_lock_release(&page_lock);
    return is_done;
}

/* Runs on each processor once. The thread that ran there was switched out, which is a full barrier. A thread that has
 * moved meanwhile was switched out too. Returns false if the system refuses to move this thread. */
static bool fence_by_processors(void)
{
    enum { PROCESSORS = 8192 }; /* the most that Linux supports; sched_getaffinity refuses a smaller set than its own */
    union {
        cpu_set_t set;
        unsigned char bytes[PROCESSORS / 8];
    } own, one;
    if (sched_getaffinity(0, sizeof own, &own.set) != 0)
        return false;
    const long count = sysconf(_SC_NPROCESSORS_CONF);
    bool is_done = count > 0;
    for (long processor = 0; processor < count && processor < PROCESSORS; processor++) {
        CPU_ZERO_S(sizeof one, &one.set);
        CPU_SET_S((size_t)processor, sizeof one, &one.set);
        /* EINVAL: no thread of the process can run there. */
        is_done &= sched_setaffinity(0, sizeof one, &one.set) == 0 || errno == EINVAL;
    }
    (void)sched_setaffinity(0, sizeof own, &own.set);
    return is_done;
}

/* Without a fence, a writer would free memory that readers use. */
static void fail_without_fence(void)
{
    static const char sentence[] = "peal: the system refuses membarrier and sched_setaffinity; allow one of them\n";
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    abort();
}

/* Returns false if the system has no membarrier, or a filter of system calls refuses it. */
static bool try_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return peal_thread_is_alone()
        || (has_membarrier && syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
}

void peal_thread_writer_fence(void)
{
    peal_fence_set_up();
    if (try_fence() || (PEAL_PAGE_IS_FENCE && fence_by_page()))
        return;
    if (!fence_by_processors())
        fail_without_fence();
}

void peal_thread_lock_fence(void)
{
    if (!try_fence() && !fence_by_processors())
        fail_without_fence();
}

void peal_fence_forked(void) { (void)register_process(); }
