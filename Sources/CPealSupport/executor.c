#include "CPealSupport/executor.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "CPealSupport/clock.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/machine.h"
#include "CPealSupport/manual_clock.h"
#include "CPealSupport/poll.h"
#include "CPealSupport/thread.h"

enum {
    MOST_WORKERS = 256,
    STARVATION = 2000000,    /* ns: work that was not taken for this long gets one more thread */
    PAUSE = 10000000,        /* ns, before postponed work runs */
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
static sigset_t mask_of_workers; /* of the thread that makes the first one */

/* Guards all variables below, and the works. */
static struct peal_lock lock;
static struct peal_work *first;
static struct peal_work **end = &first; /* the pointer to which the next ready work is appended */
static struct peal_work *postponed;     /* works that run later, linked by `next` */
static int64_t postponed_until;
static struct peal_heap times;
static struct worker *idle; /* the worker that fell idle last */
static uint32_t idle_workers;
static uint32_t workers;  /* includes those that are being made */
static uint32_t seekers;  /* workers that will look at the list without being woken */
static uint32_t parallel; /* the number of workers that are made without delay */
static uint32_t drivers;  /* threads in peal_executor_settle, which run works too */
static uint64_t taken;    /* the number of works ever taken */
static bool has_clock;
static bool is_watching; /* the clock checks that work is taken */
static int64_t clock_wakes = INT64_MAX;

static sem_t clock_woken;
static bool has_started; /* atomic: a clock and a worker exist */
/* Requests of signal handlers, newest first; atomic. */
static struct peal_requested_work *requests;
static __thread bool is_worker __attribute__((tls_model("initial-exec")));
static __thread bool is_driver __attribute__((tls_model("initial-exec")));
/* Signalled when a worker falls idle, ends, or begins a wait of the manual clock. */
static struct peal_event_count settled;

/* The actions that follow once the lock is released. */
struct actions {
    bool creates;
    bool wakes_clock;
    struct worker *woken;
};

/* ---- The list, with the lock held --------------------------------------------------------------- */

static void append(struct peal_work *work)
{
    work->next = NULL;
    work->previous = end;
    __atomic_store_n(end, work, __ATOMIC_RELAXED);
    end = &work->next;
}

static void unlink_work(struct peal_work *work)
{
    if (work->next != NULL)
        work->next->previous = work->previous;
    else
        end = work->previous;
    __atomic_store_n(work->previous, work->next, __ATOMIC_RELAXED);
    work->previous = NULL;
}

static bool is_ready(const struct peal_work *work) { return work->previous != NULL; }

static struct peal_work *work_of(struct peal_heap_node *time)
{
    return (struct peal_work *)(void *)((char *)time - offsetof(struct peal_timed_work, time));
}

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
 * since it calls this function when it finds work. A driver takes the work itself, unless a call blocks it. */
static struct actions choose_actions(bool is_stuck)
{
    struct actions actions = { 0 };
    if (first == NULL || seekers > 0)
        return actions;
    if (!is_stuck && (drivers > 0 || workers - idle_workers >= parallel)) {
        actions.wakes_clock = !is_watching;
        is_watching = true;
    } else if (idle != NULL) {
        actions.woken = idle;
        unlink_idle(idle);
        seekers++;
    } else if (workers < MOST_WORKERS) {
        actions.creates = true;
        workers++;
        seekers++;
    }
    return actions;
}

/* ---- Threads ------------------------------------------------------------------------------------- */

/* Makes a thread that blocks the signals in `mask`, except for those that its own instructions raise, and the signal of
 * profilers. A program that a callback starts inherits the mask of a worker, so workers block what the program does. */
static bool create(void *(*body)(void *), const sigset_t *mask)
{
    static const int never_blocked[] = { SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF };
    sigset_t blocked = *mask;
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
    for (size_t i = 0; i < sizeof never_blocked / sizeof *never_blocked; i++)
        sigdelset(&blocked, never_blocked[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool is_made = pthread_create(&thread, &attributes, body, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return is_made;
}

static void *run_worker(void *unused);

/* Performs the actions. The caller must not hold the lock. Returns false if a thread could not be made. */
static bool perform(struct actions actions)
{
    if (actions.woken != NULL)
        (void)sem_post(&actions.woken->woken);
    if (actions.wakes_clock)
        (void)sem_post(&clock_woken);
    if (!actions.creates || create(run_worker, &mask_of_workers))
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
    peal_thread_rest();
    do
        error = (time == never ? sem_wait(woken) : sem_clockwait(woken, CLOCK_MONOTONIC, &until)) == 0 ? 0 : errno;
    while (error == EINTR);
    peal_thread_resume();
    return error == 0;
}

bool peal_executor_has_work(void) { return __atomic_load_n(&first, __ATOMIC_RELAXED) != NULL; }

static bool has_work(const void *unused)
{
    (void)unused;
    return peal_executor_has_work();
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
static bool wait_idle(struct worker *self, bool *out_is_over)
{
    link_idle(self);
    peal_event_count_signal(&settled);
    const bool has_new_name = set_name(self, NULL);
    peal_lock_release(&lock);
    if (has_new_name)
        show_name(self);
    const bool has_woken = sleep_until(&self->woken, (int64_t)peal_clock_system() + IDLE_SECONDS * (int64_t)SECOND);
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
            const struct actions actions = choose_actions(false);
            peal_lock_release(&lock);
            (void)perform(actions);
            if (has_new_name)
                show_name(&self);
            function(context);
            has_looked = false;
            peal_lock_acquire(&lock);
        } else if (!has_looked && seekers == 0) {
            seekers++;
            peal_lock_release(&lock);
            (void)peal_poll(has_work, NULL);
            peal_lock_acquire(&lock);
            has_looked = true;
            seeks = true;
        } else {
            seekers -= seeks;
            seeks = wait_idle(&self, &is_over);
        }
    }
    workers--;
    peal_event_count_signal(&settled);
    peal_lock_release(&lock);
    (void)sem_destroy(&self.woken);
    return NULL;
}

/* ---- The clock ----------------------------------------------------------------------------------- */

static void enqueue_requests(void)
{
    struct peal_requested_work *requested = __atomic_exchange_n(&requests, NULL, __ATOMIC_ACQUIRE);
    while (requested != NULL) {
        struct peal_requested_work *const next = requested->next_request;
        __atomic_store_n(&requested->is_requested, 0, __ATOMIC_RELEASE);
        if (!is_ready(&requested->work))
            append(&requested->work);
        requested = next;
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

static void enqueue_postponed(int64_t now)
{
    while (postponed != NULL && postponed_until <= now) {
        struct peal_work *const work = postponed;
        postponed = work->next;
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
        const int64_t now = (int64_t)peal_clock_system();
        const bool is_manual = peal_clock_is_manual();
        enqueue_requests();
        enqueue_due(is_manual ? (int64_t)peal_clock_now() : now);
        enqueue_postponed(now);
        const bool is_stuck = is_watching && now >= looks && taken == seen;
        struct actions actions = choose_actions(is_stuck);
        actions.wakes_clock = false;
        is_watching = is_watching && first != NULL;
        if (!is_watching) {
            looks = never;
        } else if (looks == never || now >= looks) {
            looks = now + STARVATION;
            seen = taken;
        }
        clock_wakes = times.first != NULL && times.first->key < looks ? times.first->key : looks;
        if (postponed != NULL && postponed_until < clock_wakes)
            clock_wakes = postponed_until;
        /* A manual clock is advanced by the program: the thread sleeps by the system's clock. */
        const bool is_postponed_first = postponed != NULL && postponed_until < looks;
        const int64_t until = !is_manual ? clock_wakes : is_postponed_first ? postponed_until : looks;
        peal_lock_release(&lock);
        (void)perform(actions);
        (void)sleep_until(&clock_woken, until);
        peal_lock_acquire(&lock);
    }
    return NULL;
}

/* ---- Drivers ------------------------------------------------------------------------------------- */

bool peal_executor_is_driver(void) { return is_driver; }

bool peal_executor_is_worker(void) { return is_worker; }

void peal_executor_note_wait(void) { peal_event_count_signal(&settled); }

uint64_t peal_executor_next(void)
{
    peal_lock_acquire(&lock);
    const uint64_t next = times.first != NULL ? (uint64_t)times.first->key : UINT64_MAX;
    peal_lock_release(&lock);
    return next;
}

/* Called with the lock held, which is released during the work. */
static void run_work(struct peal_work *work)
{
    void (*const function)(void *) = work->function;
    void *const context = work->context;
    unlink_work(work);
    taken++;
    peal_lock_release(&lock);
    function(context);
    peal_lock_acquire(&lock);
}

/* Called with the lock held, which is released during the sleep. Returns true if no worker has work. */
static bool wait_for_workers(uint64_t limit)
{
    const uint32_t prepared = peal_event_count_prepare(&settled);
    if (workers - idle_workers <= peal_manual_clock_count_blocked())
        return true;
    peal_lock_release(&lock);
    (void)peal_event_count_sleep(&settled, prepared, limit);
    peal_lock_acquire(&lock);
    return false;
}

bool peal_executor_settle(uint64_t limit)
{
    bool is_settled = false;
    peal_lock_acquire(&lock);
    drivers++;
    is_driver = true;
    do {
        enqueue_requests();
        enqueue_due((int64_t)peal_clock_now());
        if (first != NULL)
            run_work(first);
        else
            is_settled = wait_for_workers(limit);
    } while (!is_settled && peal_clock_system() < limit);
    is_driver = false;
    drivers--;
    const struct actions actions = choose_actions(false);
    peal_lock_release(&lock);
    (void)perform(actions);
    return is_settled;
}

void peal_executor_wake_clock(void)
{
    if (__atomic_load_n(&has_started, __ATOMIC_ACQUIRE))
        (void)sem_post(&clock_woken);
}

/* ---- The interface ------------------------------------------------------------------------------- */

static bool start_worker(void)
{
    peal_lock_acquire(&lock);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    parallel = processors > 2 ? (uint32_t)processors : 2;
    const struct actions actions = { .creates = workers == 0 };
    workers += actions.creates;
    seekers += actions.creates;
    peal_lock_release(&lock);
    return perform(actions);
}

bool peal_executor_start(void)
{
    if (__atomic_load_n(&has_started, __ATOMIC_ACQUIRE))
        return true;
    peal_lock_acquire(&starting);
    if (!has_clock) {
        sigset_t all;
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, NULL, &mask_of_workers);
        has_clock = sem_init(&clock_woken, 0, 0) == 0 && create(run_clock, &all);
    }
    const bool is_done = has_clock && start_worker();
    __atomic_store_n(&has_started, is_done, __ATOMIC_RELEASE);
    peal_lock_release(&starting);
    return is_done;
}

void peal_executor_run(struct peal_work *work, void (*function)(void *), void *context)
{
    struct actions actions = { 0 };
    peal_lock_acquire(&lock);
    work->function = function;
    work->context = context;
    if (!is_ready(work)) {
        append(work);
        actions = choose_actions(false);
    }
    peal_lock_release(&lock);
    (void)perform(actions);
}

/* With the lock held: returns true if `due` is before the time at which the clock wakes. The caller then wakes it. */
static bool set_clock(int64_t due)
{
    if (due >= clock_wakes)
        return false;
    clock_wakes = due;
    return true;
}

void peal_executor_run_later(struct peal_work *work, void (*function)(void *), void *context)
{
    peal_lock_acquire(&lock);
    work->function = function;
    work->context = context;
    work->next = postponed;
    postponed = work;
    postponed_until = (int64_t)peal_clock_system() + PAUSE;
    const bool wakes_clock = set_clock(postponed_until);
    peal_lock_release(&lock);
    if (wakes_clock)
        (void)sem_post(&clock_woken);
}

void peal_executor_run_at(struct peal_timed_work *timed, int64_t due, void (*function)(void *), void *context)
{
    peal_lock_acquire(&lock);
    const bool is_later = is_ready(&timed->work) || (peal_heap_is_listed(&timed->time) && timed->time.key <= due);
    if (!is_later) {
        if (peal_heap_is_listed(&timed->time))
            peal_heap_remove(&times, &timed->time);
        timed->work.function = function;
        timed->work.context = context;
        timed->time.key = due;
        peal_heap_insert(&times, &timed->time);
    }
    const bool wakes_clock = !is_later && set_clock(due);
    peal_lock_release(&lock);
    if (wakes_clock)
        (void)sem_post(&clock_woken);
}

void peal_executor_cancel(struct peal_timed_work *timed)
{
    peal_lock_acquire(&lock);
    if (peal_heap_is_listed(&timed->time))
        peal_heap_remove(&times, &timed->time);
    if (is_ready(&timed->work))
        unlink_work(&timed->work);
    peal_lock_release(&lock);
}

void peal_executor_request(struct peal_requested_work *work)
{
    if (__atomic_exchange_n(&work->is_requested, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    struct peal_requested_work *before = __atomic_load_n(&requests, __ATOMIC_RELAXED);
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
    postponed = NULL;
    idle = NULL;
    idle_workers = 0;
    seekers = 0;
    drivers = is_driver ? 1 : 0;
    /* The thread that forked may be one of the pool. */
    workers = is_worker ? 1 : 0;
    has_clock = false;
    has_started = false;
    is_watching = false;
    clock_wakes = never;
    peal_manual_clock_forked();
}
