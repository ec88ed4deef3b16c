/* Calls that wait on queues: what a broadcast enqueues for its queued observers.
 *
 * Not Swift: a broadcast makes all of it in one raw allocation, which several threads share and the last one frees. The
 * layout makes a waiting call small.
 *
 *     call    counted; the captured arguments of one broadcast, for all queues
 *       item    one for each queue, in the same allocation: the observers to be called there
 *     group   counted; the observers of one method on one queue, in call order
 */
#ifndef CPEAL_DELIVERY_H
#define CPEAL_DELIVERY_H

#include "count.h"
#include "snapshot.h"

struct peal_mailbox;

/* The observers of a method on one queue. It never changes once a list contains it, except for `ended`. */
struct peal_group {
    uint32_t references; /* lists that contain it, and waiting items, once they are taken in */
    uint64_t method;
    const void *_Nonnull plan;         /* PealCall's CallPlan */
    const void *_Nonnull copying;      /* PealCore's CopyPlan: how arguments were captured */
    struct peal_mailbox *_Nonnull mailbox;
    uint32_t count;
    uint32_t ended;      /* entries at the start that are not called any more; guarded by the mailbox's lock */
    uint32_t traits;     /* PealCore's MethodTraits, of the method alone */
    uint8_t completion;  /* the method's completion parameter, from 1; 0: it has none */
    bool keeps_latest;   /* a new item replaces a waiting one */
    struct peal_entry entries[];
};

/* An element of a mailbox: calls of a group or, if there is none, a task. */
struct peal_item {
    struct peal_item *_Nullable next;
    struct peal_group *_Nullable group;
    uint32_t count;  /* of the group's entries */
    uint32_t offset; /* from the call to this item, in bytes */
};

/* The captured arguments of one broadcast. This head is followed by the items, by what taps need if one sees the
 * broadcast, by the handle of the completion if one waits for answers, and by the arguments. The head is small, since a
 * million calls may wait. */
struct peal_kept_call {
    uint32_t references; /* one for each waiting item */
    uint32_t image; /* the offset of the arguments' image from the call; and PEAL_CALL_EXTRAS */
};

/* The lowest bits of `image`: the call has the handle of a completion, or what taps need. */
enum { PEAL_CALL_COMPLETES = 1, PEAL_CALL_TAPPED = 2, PEAL_CALL_EXTRAS = 3 };

/* The data for taps of a call that waits. */
struct peal_tapped_call {
    uint64_t broadcast; /* its number */
    uint64_t enqueued;  /* in ticks: see tap.h */
};

/* Other work that runs in its turn: the end of an observer, or a mark that a thread waits for. Tasks are not counted,
 * and never dropped: a queue that ends runs them. */
struct peal_task {
    struct peal_item item;
    void (*_Nonnull run)(struct peal_task *_Nonnull task);
};

static inline struct peal_item *_Nonnull peal_call_items(struct peal_kept_call *_Nonnull call)
{
    return (struct peal_item *)(void *)(call + 1);
}
static inline struct peal_kept_call *_Nonnull peal_item_call(struct peal_item *_Nonnull item)
{
    return (struct peal_kept_call *)(void *)((char *)item - item->offset);
}
/* The bits of a call with this completion (0: none), which taps see or not. */
static inline uint32_t peal_call_extras(uint64_t completion, bool is_tapped)
{
    return (completion != 0 ? PEAL_CALL_COMPLETES : 0) | (is_tapped ? PEAL_CALL_TAPPED : 0);
}
/* The offset of the image from the call, aligned for any argument. */
static inline size_t peal_call_header(uint32_t item_count, uint32_t extras)
{
    /* The bits are the number of words: one for a completion, two for taps. */
    const size_t size = sizeof(struct peal_kept_call) + item_count * sizeof(struct peal_item)
                      + extras * sizeof(uint64_t);
    return (size + 15) & ~(size_t)15;
}
__attribute__((always_inline)) static inline void *_Nonnull peal_call_arguments(struct peal_kept_call *_Nonnull call)
{
    return (char *)call + (call->image & ~(uint32_t)PEAL_CALL_EXTRAS);
}
/* Returns true if the call has a completion, or is seen by taps. */
static inline bool peal_call_has_extras(const struct peal_kept_call *_Nonnull call)
{
    return (call->image & PEAL_CALL_EXTRAS) != 0;
}
/* The address of the handle: the last word before the image. */
static inline uint64_t *_Nonnull peal_call_completion_location(struct peal_kept_call *_Nonnull call)
{
    return (uint64_t *)peal_call_arguments(call) - 1;
}
/* The handle; 0 if no completion waits for answers. */
static inline uint64_t peal_call_completion(struct peal_kept_call *_Nonnull call)
{
    return (call->image & PEAL_CALL_COMPLETES) != 0 ? *peal_call_completion_location(call) : 0;
}
/* Returns the data for taps, in front of the handle. NULL for a call that no tap sees. */
static inline struct peal_tapped_call *_Nullable peal_call_tapped(struct peal_kept_call *_Nonnull call)
{
    if ((call->image & PEAL_CALL_TAPPED) == 0)
        return NULL;
    return (struct peal_tapped_call *)((uint64_t *)peal_call_arguments(call) - (call->image & PEAL_CALL_EXTRAS));
}
/* Begins a call. The caller fills in its items, its arguments and what taps need afterwards. */
static inline void peal_call_begin(
    struct peal_kept_call *_Nonnull call, uint32_t item_count, uint32_t extras, uint64_t completion)
{
    call->references = item_count;
    call->image = (uint32_t)peal_call_header(item_count, extras) + extras;
    if (completion != 0)
        *peal_call_completion_location(call) = completion;
}
/* Returns true if that was the last item. */
static inline bool peal_call_release(struct peal_kept_call *_Nonnull call)
{
    return peal_count_release_only(&call->references);
}
static inline struct peal_task *_Nonnull peal_task_of(struct peal_item *_Nonnull item)
{
    return (struct peal_task *)(void *)item;
}

static inline size_t peal_group_size(size_t capacity)
{
    return sizeof(struct peal_group) + capacity * sizeof(struct peal_entry);
}
static inline struct peal_entry *_Nonnull peal_group_entry_at(struct peal_group *_Nonnull group, size_t index)
{
    return &group->entries[index];
}
static inline uint32_t peal_group_count(const struct peal_group *_Nonnull group)
{
    return __atomic_load_n(&group->count, __ATOMIC_ACQUIRE);
}
static inline void peal_group_retain(struct peal_group *_Nonnull group, uint32_t times)
{
    peal_count_retain(&group->references, times);
}
static inline bool peal_group_release(struct peal_group *_Nonnull group, uint32_t times)
{
    return peal_count_release(&group->references, times);
}

/* A list's groups follow its entries. */
static inline struct peal_group *_Nonnull *_Nonnull peal_snapshot_groups(const struct peal_snapshot *_Nonnull snapshot)
{
    return (struct peal_group **)(void *)(uintptr_t)(snapshot->entries + snapshot->capacity);
}

#endif
