#include "CPealSupport/mailbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CPealSupport/fork.h"
#include "CPealSupport/memory.h"
#include "CPealSupport/poll.h"

/* Every mailbox of the process, for the child of a fork. Mailboxes with unswept calls are first. A thread may acquire the
 * lock while it holds that of a mailbox. */
static struct peal_lock all_lock;
static struct peal_mailbox *all;
static struct peal_mailbox *all_last;

static void list_first(struct peal_mailbox *mailbox)
{
    mailbox->before = NULL;
    mailbox->after = all;
    *(all != NULL ? &all->before : &all_last) = mailbox;
    all = mailbox;
}

static void list_last(struct peal_mailbox *mailbox)
{
    mailbox->after = NULL;
    mailbox->before = all_last;
    *(all_last != NULL ? &all_last->after : &all) = mailbox;
    all_last = mailbox;
}

static void unlist(struct peal_mailbox *mailbox)
{
    *(mailbox->before != NULL ? &mailbox->before->after : &all) = mailbox->after;
    *(mailbox->after != NULL ? &mailbox->after->before : &all_last) = mailbox->before;
}

struct peal_mailbox *peal_mailbox_make(enum peal_mailbox_kind kind)
{
    struct peal_mailbox *mailbox = peal_memory_allocate(peal_mailbox_size(kind));
    if (mailbox == NULL)
        return NULL;
    mailbox->kind_and_overflow = (uint8_t)kind;
    mailbox->descriptor = -1;
    mailbox->references = 1;
    mailbox->pushed = PEAL_MAILBOX_IDLE;
    peal_lock_acquire(&all_lock);
    list_last(mailbox);
    peal_lock_release(&all_lock);
    return mailbox;
}

bool peal_mailbox_set_name(struct peal_mailbox *mailbox, const char *name)
{
    enum { PREFIX = sizeof "peal:" - 1, MOST = PEAL_THREAD_NAME - 1 - PREFIX };
    size_t length = strnlen(name, MOST + 1);
    char *const own = peal_memory_allocate(PEAL_THREAD_NAME);
    if (own == NULL)
        return false;
    if (length > MOST) {
        /* A byte of the form 10xxxxxx continues a character, which began before it. */
        for (length = MOST; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80;)
            length--;
    }
    (void)snprintf(own, PEAL_THREAD_NAME, "peal:%.*s", (int)length, name);
    peal_mailbox_work(mailbox)->name = own;
    return true;
}

void peal_mailbox_retain(struct peal_mailbox *mailbox) { peal_count_retain(&mailbox->references, 1); }

void peal_mailbox_release(struct peal_mailbox *mailbox)
{
    if (!peal_count_release(&mailbox->references, 1))
        return;
    if (mailbox->descriptor >= 0)
        close(mailbox->descriptor);
    if (peal_mailbox_has_work(peal_mailbox_kind_of(mailbox)))
        peal_memory_free((void *)(uintptr_t)peal_mailbox_work(mailbox)->name);
    peal_memory_free(mailbox->extras);
    peal_lock_acquire(&all_lock);
    unlist(mailbox);
    peal_lock_release(&all_lock);
    peal_memory_free(mailbox);
}

static bool is_unswept(const struct peal_mailbox *mailbox)
{
    return __atomic_load_n(&mailbox->unswept, __ATOMIC_RELAXED) != 0;
}

void peal_mailbox_set_unswept(struct peal_mailbox *mailbox, uint32_t unswept)
{
    if (is_unswept(mailbox) == (unswept != 0)) {
        __atomic_store_n(&mailbox->unswept, unswept, __ATOMIC_RELAXED);
        return;
    }
    peal_lock_acquire(&all_lock);
    __atomic_store_n(&mailbox->unswept, unswept, __ATOMIC_RELAXED);
    unlist(mailbox);
    if (unswept != 0)
        list_first(mailbox);
    else
        list_last(mailbox);
    peal_lock_release(&all_lock);
}

struct peal_mailbox *peal_mailbox_find_unswept(void)
{
    peal_lock_acquire(&all_lock);
    struct peal_mailbox *mailbox = all;
    /* If the last reference was released already, the mailbox is about to be removed from the list. */
    while (mailbox != NULL && is_unswept(mailbox) && !peal_count_try_retain(&mailbox->references))
        mailbox = mailbox->after;
    if (mailbox != NULL && !is_unswept(mailbox))
        mailbox = NULL;
    peal_lock_release(&all_lock);
    return mailbox;
}

/* ---- The index --------------------------------------------------------------------------------- */

bool peal_mailbox_make_extras(struct peal_mailbox *mailbox)
{
    peal_mailbox_lock_alone(mailbox);
    if (mailbox->extras == NULL)
        mailbox->extras = peal_memory_allocate(sizeof *mailbox->extras);
    const bool has_extras = mailbox->extras != NULL;
    peal_mailbox_unlock(mailbox);
    return has_extras;
}

void peal_mailbox_add_to_index(struct peal_mailbox *mailbox, struct peal_item *item)
{
    struct peal_indexed_item *const indexed = (struct peal_indexed_item *)(void *)item;
    indexed->before = mailbox->last;
    peal_call_index_add(&mailbox->extras->index, indexed);
}

struct peal_item *peal_mailbox_find_indexed(struct peal_mailbox *mailbox, uint64_t method, bool keeps_latest)
{
    return (struct peal_item *)(void *)peal_call_index_find(&mailbox->extras->index, method, keeps_latest);
}

void peal_mailbox_unlink_indexed(struct peal_mailbox *mailbox, struct peal_item *item)
{
    /* The link of the first item is not kept up to date, because a run removes first items without a look at the next. */
    struct peal_item *const before = item == mailbox->first ? NULL : ((struct peal_indexed_item *)(void *)item)->before;
    *(before != NULL ? &before->next : &mailbox->first) = item->next;
    if (item == mailbox->last)
        mailbox->last = before;
    peal_mailbox_set_before(item->next, before);
    item->next = NULL;
}

/* ---- Enqueuing --------------------------------------------------------------------------------- */

/* Retains the group for `items` items. Returns their number if they are tasks, which have no group, and otherwise 0. */
static uint32_t retain_or_count_tasks(struct peal_group *group, uint32_t items)
{
    if (group == NULL)
        return items;
    peal_group_retain(group, items);
    return 0;
}

static void move_chain(struct peal_mailbox *mailbox, struct peal_item *newest)
{
    struct peal_item *oldest = NULL;
    struct peal_item *const last = newest;
    uint64_t calls = 0;
    uint32_t items = 0;
    uint32_t tasks = 0;
    /* Most items have the same group as the next one, so their references are added at once. */
    struct peal_group *group = newest->group;
    uint32_t of_group = 0;
    while (newest != NULL) {
        struct peal_item *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        calls += newest->count;
        items++;
        if (newest->group != group) {
            tasks += retain_or_count_tasks(group, of_group);
            group = newest->group;
            of_group = 0;
        }
        of_group++;
        newest = next;
    }
    tasks += retain_or_count_tasks(group, of_group);
    if (mailbox->last != NULL)
        mailbox->last->next = oldest;
    else
        mailbox->first = oldest;
    mailbox->last = last;
    mailbox->waiting_items += items - tasks;
    peal_mailbox_set_tasks(mailbox, mailbox->waiting_tasks + tasks);
    mailbox->waiting += calls;
}

void peal_mailbox_move_pushed_slow(struct peal_mailbox *mailbox)
{
    struct peal_item *pushed = __atomic_exchange_n(&mailbox->pushed, NULL, __ATOMIC_ACQUIRE);
    peal_order_acquire(&mailbox->pushed);
    move_chain(mailbox, pushed);
}

void peal_mailbox_lock(struct peal_mailbox *mailbox)
{
    peal_lock_acquire(&mailbox->lock);
    peal_mailbox_move_pushed(mailbox);
}

bool peal_mailbox_try_mark_idle(struct peal_mailbox *mailbox)
{
    struct peal_item *pushed = NULL;
    return __atomic_compare_exchange_n(
               &mailbox->pushed, &pushed, PEAL_MAILBOX_IDLE, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
        || peal_mailbox_is_special(pushed);
}

void peal_mailbox_shut(struct peal_mailbox *mailbox)
{
    struct peal_item *pushed = __atomic_exchange_n(&mailbox->pushed, PEAL_MAILBOX_SHUT, __ATOMIC_ACQUIRE);
    peal_order_acquire(&mailbox->pushed);
    if (!peal_mailbox_is_special(pushed))
        move_chain(mailbox, pushed);
}

bool peal_mailbox_push_mark(struct peal_mailbox *mailbox, struct peal_mark *mark)
{
    return peal_mailbox_kind_of(mailbox) == PEAL_MAILBOX_SERIAL
        && __atomic_load_n(&mailbox->pauses, __ATOMIC_RELAXED) == 0
        && peal_mailbox_push(mailbox, &mark->task.item, false) == PEAL_PUSHED;
}

static void reach(struct peal_task *task)
{
    struct peal_mark *const mark = (struct peal_mark *)(void *)task;
    peal_order_end();
    __atomic_store_n(&mark->is_reached, true, __ATOMIC_SEQ_CST);
    peal_event_count_signal(&mark->changed);
    peal_mark_release(mark, 1);
}

struct peal_mark *peal_mark_make(void)
{
    struct peal_mark *const mark = peal_memory_allocate(sizeof *mark);
    if (mark != NULL) {
        mark->task.run = reach;
        mark->references = 2;
    }
    return mark;
}

void peal_mark_release(struct peal_mark *mark, uint32_t references)
{
    if (peal_count_release(&mark->references, references))
        peal_memory_free(mark);
}

/* One thread spins at a time, because others may need the processors. */
static bool is_spinning;

static bool has_item(const void *context)
{
    const struct peal_mailbox *const mailbox = context;
    return __atomic_load_n(&mailbox->pushed, __ATOMIC_RELAXED) != NULL
        || __atomic_load_n(&mailbox->waiting_tasks, __ATOMIC_RELAXED) != 0;
}

void peal_mailbox_spin(const struct peal_mailbox *mailbox)
{
    if (__atomic_load_n(&is_spinning, __ATOMIC_RELAXED) || __atomic_exchange_n(&is_spinning, true, __ATOMIC_RELAXED))
        return;
    (void)peal_poll(has_item, mailbox);
    __atomic_store_n(&is_spinning, false, __ATOMIC_RELAXED);
}

bool peal_mailbox_wait(struct peal_mailbox *mailbox, uint64_t deadline)
{
    const uint32_t prepared = peal_event_count_prepare(&mailbox->changed);
    peal_mailbox_unlock(mailbox);
    const bool is_in_time = peal_event_count_wait(&mailbox->changed, prepared, deadline);
    peal_mailbox_lock_alone(mailbox);
    return is_in_time;
}

void peal_mailbox_set_descriptor(struct peal_mailbox *mailbox, bool is_readable)
{
    if (mailbox->descriptor < 0 || mailbox->descriptor_is_set == is_readable)
        return;
    mailbox->descriptor_is_set = is_readable;
    uint64_t value = 1;
    ssize_t done;
    do
        done = is_readable ? write(mailbox->descriptor, &value, sizeof value)
                           : read(mailbox->descriptor, &value, sizeof value);
    while (done < 0 && errno == EINTR);
}

bool peal_mailbox_make_descriptor(struct peal_mailbox *mailbox)
{
    if (mailbox->descriptor < 0)
        mailbox->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return mailbox->descriptor >= 0;
}

bool peal_thread_is_main(void) { return getpid() == (pid_t)syscall(SYS_gettid); }

/* ---- The main queue ---------------------------------------------------------------------------- */

/* libdispatch's interface in C, which is the same on all systems. Declared here, since its headers are part of a Swift
 * toolchain and require its clang. Weak: in a program without libdispatch the main queue is pumped. */
struct dispatch_queue_s;
extern struct dispatch_queue_s _dispatch_main_q __attribute__((weak));
extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*function)(void *))
    __attribute__((weak));

bool peal_dispatch_main(void *context, void (*function)(void *))
{
    /* libdispatch does not run in the child of a fork. */
    if (dispatch_async_f == NULL || peal_fork_generation() != 0)
        return false;
    dispatch_async_f(&_dispatch_main_q, context, function);
    return true;
}

/* ---- fork(2) ----------------------------------------------------------------------------------- */

static uint32_t count_drains(const struct peal_mailbox *mailbox, bool submits)
{
    uint32_t count = 0;
    const struct peal_drain *drain = peal_thread_own != NULL ? peal_thread_own->engine.drains : NULL;
    for (; drain != NULL; drain = drain->outer)
        count += drain->mailbox == mailbox && drain->submits == submits;
    return count;
}

/* Returns false if a program has closed the descriptor, as daemons do with all, and its number is that of a file now. */
static bool is_anonymous(int descriptor)
{
    struct stat facts;

    return fstat(descriptor, &facts) == 0 && (facts.st_mode & S_IFMT) == 0;
}

/* Gives the child a descriptor of its own at the number that the program's event loop knows. The parent's is closed first,
 * so that this needs no free number. */
static void renew_descriptor(struct peal_mailbox *mailbox, bool is_readable)
{
    const int number = mailbox->descriptor;

    if (number < 0)
        return;
    if (!is_anonymous(number)) {
        mailbox->descriptor = -1;
        return;
    }
    close(number);
    const int made = eventfd(is_readable, EFD_CLOEXEC | EFD_NONBLOCK);
    const bool is_moved = made >= 0 && made != number;
    mailbox->descriptor = is_moved ? dup3(made, number, O_CLOEXEC) : made;
    mailbox->descriptor_is_set = is_readable;
    if (is_moved)
        close(made);
}

/* No thread of the child runs the queue, unless a call on it has forked. So the next push must make it readable. */
static void await_pump(struct peal_mailbox *mailbox)
{
    bool is_readable = mailbox->descriptor_is_set;

    if (!mailbox->is_running) {
        peal_mailbox_move_pushed(mailbox);
        if (mailbox->first == NULL)
            (void)peal_mailbox_try_mark_idle(mailbox);
        is_readable = mailbox->first != NULL && mailbox->pauses == 0;
    }
    renew_descriptor(mailbox, is_readable);
}

void peal_mailbox_forked(void)
{
    is_spinning = false;
    for (struct peal_mailbox *mailbox = all; mailbox != NULL; mailbox = mailbox->after) {
        struct peal_mailbox_executor *const executor = peal_mailbox_executor_of(mailbox);
        if (executor != NULL)
            executor->submitting = count_drains(mailbox, true);
        mailbox->is_running = count_drains(mailbox, false) > 0;
        mailbox->is_scheduled = false;
        mailbox->runs_again = false;
        const enum peal_mailbox_kind kind = peal_mailbox_kind_of(mailbox);
        if (kind == PEAL_MAILBOX_PUMPED || kind == PEAL_MAILBOX_MAIN) {
            await_pump(mailbox);
        } else {
            mailbox->is_left = true;
            peal_mailbox_shut(mailbox);
        }
    }
}
