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

#include "CPealSupport/count.h"
#include "CPealSupport/snapshot.h"

struct peal_mailbox;

/* The observers of a method on one queue. It never changes once a list contains it, except for `ended`. */
struct peal_group {
    uint32_t references; /* lists that contain it, and waiting items, once they are moved */
    uint64_t method;
    const void *_Nonnull plan;         /* PealCall's CallPlan */
    const void *_Nonnull copying;      /* PealCore's CopyPlan: how arguments were captured */
    struct peal_mailbox *_Nonnull mailbox;
    uint32_t count;
    uint32_t ended;      /* entries at the start that are not called any more; guarded by the mailbox's lock */
    uint32_t traits;     /* PealCore's MethodTraits, of the method alone */
    uint8_t completion;  /* the method's completion parameter, from 1; 0: it has none */
    bool keeps_latest;   /* a new item replaces a waiting one */
    bool is_indexed;     /* the mailbox finds its items by their method, because a later call may replace them */
    struct peal_entry entries[];
};

/* An element of a mailbox: calls of a group or, if there is none, a task. */
struct peal_item {
    struct peal_item *_Nullable next;
    struct peal_group *_Nullable group;
    uint32_t count;  /* of the group's entries */
    uint32_t offset; /* from the call to this item, in bytes */
};

/* An item of a group that is indexed. If a call has one, all of its items have this size. */
struct peal_indexed_item {
    struct peal_item item;
    /* Guarded by the mailbox's lock, while the item waits. */
    struct peal_item *_Nullable before; /* the waiting item before this one, unless this is the first */
    /* For call_index.h. */
    struct peal_indexed_item *_Nullable later;
    struct peal_indexed_item *_Nullable earlier; /* for the first item of a key, the last one */
    struct peal_indexed_item *_Nullable children[2];
};

/* The captured arguments of one broadcast. This head is followed by the items, by the extras if the call has some, and
 * by the arguments. The head is small, since a million calls may wait. */
struct peal_kept_call {
    uint32_t references; /* one for each waiting item */
    uint32_t image; /* the offset of the arguments' image from the call; and PEAL_CALL_EXTRAS */
};

/* The lowest bits of `image`: the call has extras, and taps see it. */
enum { PEAL_CALL_HAS_EXTRAS = 1, PEAL_CALL_TAPPED = 2, PEAL_CALL_BITS = 3 };

/* The origin, the number, the exception and the memory of a broadcast. A hazard slot points to it while calls of the
 * broadcast are made. */
struct peal_sending {
    uint64_t origin;    /* the sender's number; 0: none */
    uint64_t except;    /* the registration that the broadcast does not call; 0: none */
    uint64_t memory; /* the counted object with the pointed-to memory of the arguments, of which a waiting call has a
                         * share; 0: none */
    uint64_t broadcast; /* its number; 0: none */
    uint64_t enqueued; /* for calls on a queue: in ticks (tap.h) or in nanoseconds; 0 for other calls */
    bool is_in_ticks;
};

/* The extras of a call that waits. */
struct peal_call_extras {
    struct peal_sending sending;
    uint64_t completion; /* the handle of the completion that waits for answers; 0: none */
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
/* The bits of a call. */
static inline uint32_t peal_call_bits(bool has_extras, bool is_tapped)
{
    return is_tapped ? PEAL_CALL_BITS : has_extras ? PEAL_CALL_HAS_EXTRAS : 0;
}
/* The size of an item. */
static inline size_t peal_item_size(bool is_indexed)
{
    return is_indexed ? sizeof(struct peal_indexed_item) : sizeof(struct peal_item);
}
/* The offset of the image from the call, aligned for any argument. */
static inline size_t peal_call_header(uint32_t item_count, size_t item_size, uint32_t bits)
{
    const size_t size = sizeof(struct peal_kept_call) + item_count * item_size
                      + (bits != 0 ? sizeof(struct peal_call_extras) : 0);
    return (size + 15) & ~(size_t)15;
}
__attribute__((always_inline)) static inline void *_Nonnull peal_call_arguments(struct peal_kept_call *_Nonnull call)
{
    return (char *)call + (call->image & ~(uint32_t)PEAL_CALL_BITS);
}
/* Returns the extras of a call, which are in front of the image. NULL if it has none. */
static inline struct peal_call_extras *_Nullable peal_call_extras_of(struct peal_kept_call *_Nonnull call)
{
    if ((call->image & PEAL_CALL_HAS_EXTRAS) == 0)
        return NULL;
    return (struct peal_call_extras *)peal_call_arguments(call) - 1;
}
/* Returns true if taps see the call. */
static inline bool peal_call_is_tapped(const struct peal_kept_call *_Nonnull call)
{
    return (call->image & PEAL_CALL_TAPPED) != 0;
}
/* Begins a call. The caller fills in its items, its arguments and its extras afterwards. */
static inline void peal_call_begin(
    struct peal_kept_call *_Nonnull call, uint32_t item_count, size_t header, uint32_t bits)
{
    call->references = item_count;
    call->image = (uint32_t)header + bits;
}
/* Returns true if that was the last item. */
static inline bool peal_call_release(struct peal_kept_call *_Nonnull call)
{
    return peal_count_release_only(&call->references, 1);
}
/* Returns true if the item is not a task, and its mailbox finds it by its method. */
static inline bool peal_item_is_indexed(const struct peal_item *_Nonnull item)
{
    return item->group != NULL && item->group->is_indexed;
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
