#include "executor.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "lock.h"
#include "machine.h"
#include "thread.h"

enum {
    MOST_WORKERS = 256,
    STARVATION = 2000000,    /* ns: work that was not taken for this long gets one more thread */
    SECOND = 1000000000,   /* ns */
    IDLE_SECONDS = 5,      /* after this time an idle worker ends */
    LEAST_STACK = 1 << 20, /* the bounds of a thread's stack; between them the process's default is used */
    MOST_STACK = 8 << 20
};
static const int64_t never = INT64_MAX;

struct worker {
    sem_t woken;
    struct worker *next; /* the worker that fell idle before this one */
    struct worker *previous;
    bool is_idle;
    char name[PEAL_THREAD_NAME]; /* the thread's name, current or next */
};

/* Acquired only while the clock and the first worker are made. */
static struct peal_lock starting;

/* Guards all variables below, and the works. */
static struct peal_lock lock;
static struct peal_work *first;
static struct peal_work *last;
static struct peal_heap times;
static struct worker *idle; /* the worker that fell idle last */
static uint32_t idle_workers;
static uint32_t workers;  /* includes those that are being made */
static uint32_t seekers;  /* workers that will look at the list without being woken */
static uint32_t parallel; /* the number of workers that are made without delay */
static uint64_t taken;    /* the number of works ever taken */
static bool has_clock;
static bool is_watching; /* the clock checks that work is taken */
static int64_t clock_wakes = INT64_MAX;

static sem_t clock_woken;
static bool has_started; /* atomic: a clock and a worker exist */
/* Requests of signal handlers, newest first; atomic. */
static struct peal_work *requests;
static __thread bool is_worker __attribute__((tls_model("initial-exec")));

/* The actions that follow once the lock is released. */
struct help {
    bool creates;
    bool wakes_clock;
    struct worker *woken;
};

/* ---- The list, with the lock held --------------------------------------------------------------- */

static void append(struct peal_work *work)
{
    work->is_ready = true;
    work->next = NULL;
    work->previous = last;
    if (last != NULL)
        last->next = work;
    else
        __atomic_store_n(&first, work, __ATOMIC_RELAXED);
    last = work;
}

static void unlink_work(struct peal_work *work)
{
    if (work->next != NULL)
        work->next->previous = work->previous;
    else
        last = work->previous;
    if (work->previous != NULL)
        work->previous->next = work->next;
    else
        __atomic_store_n(&first, work->next, __ATOMIC_RELAXED);
    work->is_ready = false;
}

static struct peal_work *work_of(struct peal_heap_node *time) { return (struct peal_work *)(void *)time; }

/* ---- Choosing a worker, with the lock held ------------------------------------------------------- */

static void unlink_idle(struct worker *worker)
{
    if (worker->previous != NULL)
        worker->previous->next = worker->next;
    else
        idle = worker->next;
    if (worker->next != NULL)
        worker->next->previous = worker->previous;
    worker->is_idle = false;
    idle_workers--;
}

static void link_idle(struct worker *worker)
{
    worker->previous = NULL;
    worker->next = idle;
    if (idle != NULL)
        idle->previous = worker;
    idle = worker;
    worker->is_idle = true;
    idle_workers++;
}

/* Chooses how waiting work gets a thread. Call after work was added, or a seeker has found work. One seeker is enough,
 * since it calls this function when it finds work. */
static struct help attend(bool is_stuck)
{
    struct help help = { 0 };
    if (first == NULL || seekers > 0)
        return help;
    if (!is_stuck && workers - idle_workers >= parallel) {
        help.wakes_clock = !is_watching;
        is_watching = true;
    } else if (idle != NULL) {
        help.woken = idle;
        unlink_idle(idle);
        seekers++;
    } else if (workers < MOST_WORKERS) {
        help.creates = true;
        workers++;
        seekers++;
    }
    return help;
}

/* ---- Threads ------------------------------------------------------------------------------------- */

static bool create(void *(*body)(void *))
{
    static const int raised[] = { SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS };
    sigset_t blocked;
    sigset_t before;
    pthread_attr_t attributes;
    pthread_t thread;
    size_t size = 0;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_getstacksize(&attributes, &size);
    if (size < LEAST_STACK || size > MOST_STACK)
        (void)pthread_attr_setstacksize(&attributes, size < LEAST_STACK ? LEAST_STACK : MOST_STACK);
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        sigdelset(&blocked, raised[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool is_made = pthread_create(&thread, &attributes, body, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return is_made;
}

static void *run_worker(void *unused);

/* Performs the actions. The caller must not hold the lock. Returns false if a thread could not be made. */
static bool provide(struct help help)
{
    if (help.woken != NULL)
        (void)sem_post(&help.woken->woken);
    if (help.wakes_clock)
        (void)sem_post(&clock_woken);
    if (!help.creates || create(run_worker))
        return true;
    peal_lock_acquire(&lock);
    workers--;
    seekers--;
    /* Busy workers take the work later. A worker may have fallen idle meanwhile, because the thread that could not be
     * made counted as a seeker. */
    struct worker *other = first != NULL && seekers == 0 ? idle : NULL;
    if (other != NULL) {
        unlink_idle(other);
        seekers++;
    }
    peal_lock_release(&lock);
    if (other != NULL)
        (void)sem_post(&other->woken);
    return false;
}

/* Returns false if the time has passed. */
static bool sleep_until(sem_t *woken, int64_t time)
{
    const struct timespec until = { (time_t)(time / SECOND), (long)(time % SECOND) };
    int error;
    do
        error = (time == never ? sem_wait(woken) : sem_clockwait(woken, CLOCK_MONOTONIC, &until)) == 0 ? 0 : errno;
    while (error == EINTR);
    return error == 0;
}

void peal_executor_pause(void)
{
    enum { PAUSES = 24 };
    for (unsigned pause = 0; pause < PAUSES; pause++)
        peal_processor_pause();
}

bool peal_executor_has_work(void) { return __atomic_load_n(&first, __ATOMIC_RELAXED) != NULL; }

static void look_for_work(void)
{
    for (unsigned look = 0; look < PEAL_EXECUTOR_LOOKS && !peal_executor_has_work(); look++)
        peal_executor_pause();
}

/* With the lock held: stores the thread's next name. Returns true if that is another name. The thread then releases the
 * lock and calls show_name. */
static bool set_name(struct worker *self, const char *name)
{
    if (name == NULL)
        name = "peal:worker";
    if (strcmp(self->name, name) == 0)
        return false;
    (void)memcpy(self->name, name, strlen(name) + 1);
    return true;
}

static void show_name(const struct worker *self) { (void)pthread_setname_np(pthread_self(), self->name); }

/* Sleeps with the lock released, which the caller must hold. Returns true if the worker was woken and is now a
 * seeker. */
static bool fall_idle(struct worker *self, bool *out_is_over)
{
    link_idle(self);
    const bool has_new_name = set_name(self, NULL);
    peal_lock_release(&lock);
    if (has_new_name)
        show_name(self);
    const bool has_woken = sleep_until(&self->woken, (int64_t)peal_clock_now() + IDLE_SECONDS * (int64_t)SECOND);
    peal_lock_acquire(&lock);
    *out_is_over = false;
    if (!self->is_idle) {
        /* The matching post follows at once. */
        if (!has_woken)
            (void)sleep_until(&self->woken, never);
        return true;
    }
    unlink_idle(self);
    *out_is_over = workers > 1 && first == NULL;
    return false;
}

static void *run_worker(void *unused)
{
    struct worker self = { .is_idle = false };
    bool seeks = true;
    bool has_looked = true;
    bool is_over = false;
    (void)unused;
    is_worker = true;
    (void)set_name(&self, NULL);
    show_name(&self);
    (void)sem_init(&self.woken, 0, 0);
    /* Makes the thread's record and reserve, while there is memory. */
    (void)peal_thread_current();
    peal_lock_acquire(&lock);
    while (!is_over) {
        struct peal_work *const work = first;
        if (work != NULL) {
            unlink_work(work);
            void (*const function)(void *) = work->function;
            void *const context = work->context;
            taken++;
            seekers -= seeks;
            seeks = false;
            const bool has_new_name = set_name(&self, work->name);
            const struct help help = attend(false);
            peal_lock_release(&lock);
            (void)provide(help);
            if (has_new_name)
                show_name(&self);
            function(context);
            has_looked = false;
            peal_lock_acquire(&lock);
        } else if (!has_looked && seekers == 0) {
            seekers++;
            peal_lock_release(&lock);
            look_for_work();
            peal_lock_acquire(&lock);
            has_looked = true;
            seeks = true;
        } else {
            seekers -= seeks;
            seeks = fall_idle(&self, &is_over);
        }
    }
    workers--;
    peal_lock_release(&lock);
    (void)sem_destroy(&self.woken);
    return NULL;
}

/* ---- The clock ----------------------------------------------------------------------------------- */

static void enqueue_requests(void)
{
    struct peal_work *work = __atomic_exchange_n(&requests, NULL, __ATOMIC_ACQUIRE);
    while (work != NULL) {
        struct peal_work *const next = work->next_request;
        __atomic_store_n(&work->is_requested, 0, __ATOMIC_RELEASE);
        if (!work->is_ready)
            append(work);
        work = next;
    }
}

static void enqueue_due(int64_t now)
{
    while (times.first != NULL && times.first->key <= now) {
        struct peal_work *const work = work_of(times.first);
        peal_heap_remove(&times, times.first);
        append(work);
    }
}

static void *run_clock(void *unused)
{
    uint64_t seen = 0;
    int64_t looks = never; /* when the number of taken works is checked next */
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "peal:clock");
    /* Timed waits end as exactly as the system can. */
    (void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    peal_lock_acquire(&lock);
    for (;;) {
        const int64_t now = (int64_t)peal_clock_now();
        enqueue_requests();
        enqueue_due(now);
        const bool is_stuck = is_watching && now >= looks && taken == seen;
        struct help help = attend(is_stuck);
        help.wakes_clock = false;
        is_watching = is_watching && first != NULL;
        if (!is_watching) {
            looks = never;
        } else if (looks == never || now >= looks) {
            looks = now + STARVATION;
            seen = taken;
        }
        clock_wakes = times.first != NULL && times.first->key < looks ? times.first->key : looks;
        const int64_t until = clock_wakes;
        peal_lock_release(&lock);
        (void)provide(help);
        (void)sleep_until(&clock_woken, until);
        peal_lock_acquire(&lock);
    }
    return NULL;
}

/* ---- The interface ------------------------------------------------------------------------------- */

static bool start_worker(void)
{
    peal_lock_acquire(&lock);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    parallel = processors > 2 ? (uint32_t)processors : 2;
    const struct help help = { .creates = workers == 0 };
    workers += help.creates;
    seekers += help.creates;
    peal_lock_release(&lock);
    return provide(help);
}

bool peal_executor_start(void)
{
    if (__atomic_load_n(&has_started, __ATOMIC_ACQUIRE))
        return true;
    peal_lock_acquire(&starting);
    if (!has_clock)
        has_clock = sem_init(&clock_woken, 0, 0) == 0 && create(run_clock);
    const bool is_done = has_clock && start_worker();
    __atomic_store_n(&has_started, is_done, __ATOMIC_RELEASE);
    peal_lock_release(&starting);
    return is_done;
}

void peal_executor_run(struct peal_work *work, void (*function)(void *), void *context)
{
    struct help help = { 0 };
    peal_lock_acquire(&lock);
    if (work->time.is_listed)
        peal_heap_remove(&times, &work->time);
    work->function = function;
    work->context = context;
    if (!work->is_ready) {
        append(work);
        help = attend(false);
    }
    peal_lock_release(&lock);
    (void)provide(help);
}

void peal_executor_run_at(struct peal_work *work, int64_t due, void (*function)(void *), void *context)
{
    peal_lock_acquire(&lock);
    const bool is_later = work->is_ready || (work->time.is_listed && work->time.key <= due);
    const bool wakes_clock = !is_later && due < clock_wakes;
    if (!is_later) {
        if (work->time.is_listed)
            peal_heap_remove(&times, &work->time);
        work->function = function;
        work->context = context;
        work->time.key = due;
        peal_heap_insert(&times, &work->time);
        if (wakes_clock)
            clock_wakes = due;
    }
    peal_lock_release(&lock);
    if (wakes_clock)
        (void)sem_post(&clock_woken);
}

void peal_executor_cancel(struct peal_work *work)
{
    peal_lock_acquire(&lock);
    if (work->time.is_listed)
        peal_heap_remove(&times, &work->time);
    if (work->is_ready)
        unlink_work(work);
    peal_lock_release(&lock);
}

void peal_executor_request(struct peal_work *work)
{
    if (__atomic_exchange_n(&work->is_requested, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    struct peal_work *before = __atomic_load_n(&requests, __ATOMIC_RELAXED);
    do
        work->next_request = before;
    while (!__atomic_compare_exchange_n(&requests, &before, work, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    (void)sem_post(&clock_woken);
}

void peal_executor_forked(void)
{
    enqueue_requests();
    while (first != NULL)
        unlink_work(first);
    while (times.first != NULL)
        peal_heap_remove(&times, times.first);
    idle = NULL;
    idle_workers = 0;
    seekers = 0;
    /* The thread that forked may be one of the pool. */
    workers = is_worker ? 1 : 0;
    has_clock = false;
    has_started = false;
    is_watching = false;
    clock_wakes = never;
}
