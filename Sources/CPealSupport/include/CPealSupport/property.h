/* The value of a property, and the changes that wait for their notification.
 *
 * Not Swift: readers copy values atomically, word by word, from memory that is never unmapped. A set must cost little
 * more than its broadcast.
 *
 * A value is stored twice. A set writes the copy that is not current and then makes it the current one, by incrementing
 * `version`. A reader reads the copy that `version` selects. The value is whole if the version is still the same
 * afterwards, since a set writes there only after the previous set has incremented it. So readers never wait, even when
 * a setter is suspended halfway. (Linux has this as seqcount_latch.) The setter stores words with release, and the
 * reader loads them with acquire: a reader that sees a word of a new value then sees that the version has changed.
 */
#ifndef CPEAL_PROPERTY_H
#define CPEAL_PROPERTY_H

#include <string.h>

#include "CPealSupport/block.h"
#include "CPealSupport/event_count.h"
#include "CPealSupport/interface.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/snapshot.h"
#include "CPealSupport/spare.h"
#include "CPealSupport/thread.h"

enum {
    PEAL_PROPERTY_CHUNK_BITS = 8,
    PEAL_PROPERTY_CHUNK = 1 << PEAL_PROPERTY_CHUNK_BITS,
    PEAL_PROPERTY_CHUNKS = 1 << 12,
    PEAL_PROPERTY_ELEMENTS = PEAL_PROPERTY_CHUNK * PEAL_PROPERTY_CHUNKS,

    /* The methods that observers may implement: the members of struct peal_property_observer, in order. */
    PEAL_NOTIFY_CHANGED = 0,
    PEAL_NOTIFY_VALUES = 1,
    PEAL_NOTIFY_PRIOR = 2,
    PEAL_NOTIFY_RECORD = 3,
    PEAL_NOTIFICATION_KINDS = 4
};

/* The traits of a property's type. */
enum {
    PEAL_PROPERTY_IS_TEXT = 1,
    PEAL_PROPERTY_HAS_GAPS = 2,    /* there are bytes between members, which stay zero */
    PEAL_PROPERTY_IGNORES_EQUAL = 4
};

/* The bytes of a value. */
struct peal_property_block {
    struct peal_block block; /* a late reader may read it, and then finds that the version has changed */
    size_t length;           /* of a text, without its zero */
    uint64_t words[];
};

/* A change that waits for its notification, or an observer that waits for its first notification, with the initial
 * value. The bytes of both values follow. */
struct peal_change_node {
    union {
        struct peal_change_node *_Nullable next; /* the property's next change, in order */
        struct peal_property_element *_Nonnull element; /* for a claimed change, which is in no such order */
    };
    struct peal_change_node *_Nullable in_batch; /* the next change of the same batch */
    struct peal_change_node *_Nullable latest; /* a later change of the same batch, which has the new value */
    uint64_t property;
    uint64_t observation; /* the observer to be notified of the initial value; 0: this is a change */
    const void *_Nullable batch; /* the thread whose batch delays the change; NULL: observers may be notified of it */
    bool prior_is_notified; /* observers were notified before the change */
    bool is_claimed; /* its thread notifies of it when the batch ends, and of no other change of the property before */
    size_t old_size; /* for a text, with its zero */
    size_t new_size;
    void *_Nonnull new_value;
    void *_Nullable more; /* the memory of an initial value that does not fit here */
    size_t room;
    uint64_t bytes[];
};

static inline struct peal_change peal_change_begin(uint64_t property, peal_change_kind kind, bool is_prior)
{
    struct peal_change change = { .size = sizeof change, .kind = kind, .is_prior = is_prior };
    change.property.id = property;
    return change;
}

/* A property's element of the directory. Never unmapped; the id identifies the property that has it now. */
struct peal_property_element {
    uint64_t id; /* while it is closed, an id that no property has: peal_no_id_of */
    struct peal_lock lock; /* guards the value, the list of changes and the notifier */
    /* A thread notifies the observers, of changes made meanwhile too. Set under the lock; see peal_property_try_end. */
    bool is_notifying;
    bool is_closed_late; /* closed during a notification: the notifier frees the id */
    bool is_announced; /* the holder of the lock has announced it */
    struct peal_property_block *_Nullable blocks[2];
    size_t size;
    uint32_t version;
    uint32_t traits;
    /* The methods, and their elements. A kind without a method has the element peal_property_no_method, and any id. */
    uint64_t methods[PEAL_NOTIFICATION_KINDS];
    struct peal_directory_element *_Nonnull elements[PEAL_NOTIFICATION_KINDS];
    const uint8_t *_Nullable mask; /* with gaps: selects the bytes of members; borrowed from the property */
    const void *_Nullable notifier; /* while is_notifying: that thread */
    /* The notifier's own change, of which it notifies the observers when its batch ends, before those in the list. */
    struct peal_change_node *_Nullable claimed;
    struct peal_change_node *_Nullable first;
    struct peal_change_node *_Nullable last;
    uint32_t waiting; /* waiting changes */
    uint32_t deferred; /* changes that the notifier's own observers have made since it began */
};

extern void *_Nullable peal_property_chunks[PEAL_PROPERTY_CHUNKS] __attribute__((visibility("hidden")));
extern const struct peal_directory peal_property_directory __attribute__((visibility("hidden")));

/* Returns the element of an id, or NULL if none has ever existed there. */
__attribute__((always_inline)) static inline struct peal_property_element *_Nullable peal_property_element_of(
    uint64_t id)
{
    return (struct peal_property_element *)peal_directory_element_at(
        peal_property_chunks, id, PEAL_PROPERTY_CHUNK_BITS, PEAL_PROPERTY_CHUNKS, sizeof(struct peal_property_element));
}
static inline bool peal_property_is_of(const struct peal_property_element *_Nonnull element, uint64_t id)
{
    return __atomic_load_n(&element->id, __ATOMIC_ACQUIRE) == id;
}

/* Returns a block for `size` bytes, or NULL when memory is short. */
struct peal_property_block *_Nullable peal_property_block_allocate(size_t size);
void peal_property_block_free(struct peal_property_block *_Nullable block);

/* The event count of sets that wait for room, because the maximum number of changes of their property waits. The
 * process has one, since such waits are rare. A thread that removes a change releases the lock, and then signals. */
extern struct peal_event_count peal_property_room __attribute__((visibility("hidden")));
static inline struct peal_event_count *_Nonnull peal_property_room_event_count(void) { return &peal_property_room; }

/* ---- Methods ----------------------------------------------------------------------------------- */

/* An element without observers. A method that was not made yet has this one. */
extern struct peal_directory_element peal_property_no_method __attribute__((visibility("hidden")));

/* Load the element before the id: a thread that makes a method writes them in the other order. */
static inline struct peal_directory_element *_Nonnull peal_property_method_element(
    const struct peal_property_element *_Nonnull element, uint32_t kind)
{
    return __atomic_load_n(&element->elements[kind], __ATOMIC_ACQUIRE);
}
static inline uint64_t peal_property_method(const struct peal_property_element *_Nonnull element, uint32_t kind)
{
    return __atomic_load_n(&element->methods[kind], __ATOMIC_RELAXED);
}
static inline bool peal_property_has_method(const struct peal_property_element *_Nonnull element, uint32_t kind)
{
    return peal_property_method_element(element, kind) != &peal_property_no_method;
}
static inline bool peal_property_has_observers(const struct peal_property_element *_Nonnull element, uint32_t kind)
{
    return !peal_directory_is_empty(peal_property_method_element(element, kind));
}
/* Gives the property a method. The caller must hold the center's lock, which also guards the property's end. */
static inline void peal_property_set_method(
    struct peal_property_element *_Nonnull element, uint32_t kind, uint64_t method)
{
    __atomic_store_n(&element->methods[kind], method, __ATOMIC_RELAXED);
    __atomic_store_n(&element->elements[kind], peal_directory_find(method), __ATOMIC_RELEASE);
}

/* ---- Reading ----------------------------------------------------------------------------------- */

enum peal_property_found { PEAL_PROPERTY_READ, PEAL_PROPERTY_STALE, PEAL_PROPERTY_OTHER_SIZE };

__attribute__((always_inline)) static inline void peal_property_load(
    const struct peal_property_block *_Nonnull block, void *_Nonnull to, size_t size)
{
    char *out = (char *)to;
    const uint64_t *word = block->words;
    for (; size >= sizeof *word; size -= sizeof *word, out += sizeof *word, word++) {
        const uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        memcpy(out, &value, sizeof value);
    }
    if (size > 0) {
        const uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        memcpy(out, &value, size);
    }
}

/* Copies a whole value to `out`. Waits for no thread. */
static inline enum peal_property_found peal_property_read(
    const struct peal_property_element *_Nonnull element, uint64_t id, void *_Nonnull out, size_t size)
{
    /* A copy is valid only if the version is the same afterwards. Values of a word or less are copied to `out` after
     * that test, so a failed read of such a value does not change `out`. */
    for (;;) {
        const uint32_t version = __atomic_load_n(&element->version, __ATOMIC_ACQUIRE);
        if (!peal_property_is_of(element, id))
            return PEAL_PROPERTY_STALE;
        if (__atomic_load_n(&element->size, __ATOMIC_ACQUIRE) != size)
            return peal_property_is_of(element, id) ? PEAL_PROPERTY_OTHER_SIZE : PEAL_PROPERTY_STALE;
        const struct peal_property_block *block = __atomic_load_n(&element->blocks[version & 1], __ATOMIC_ACQUIRE);
        if (__builtin_expect(block == NULL || block->block.capacity < size, 0))
            continue;
        if (__builtin_expect(size <= sizeof(uint64_t), 1)) {
            const uint64_t value = __atomic_load_n(block->words, __ATOMIC_ACQUIRE);
            if (__builtin_expect(__atomic_load_n(&element->version, __ATOMIC_ACQUIRE) != version
                                     || !peal_property_is_of(element, id),
                    0))
                continue;
            if (size == sizeof(uint64_t))
                memcpy(out, &value, sizeof value);
            else if (size == sizeof(uint32_t))
                memcpy(out, &value, sizeof(uint32_t));
            else
                memcpy(out, &value, size);
            return PEAL_PROPERTY_READ;
        }
        peal_property_load(block, out, size);
        if (__atomic_load_n(&element->version, __ATOMIC_ACQUIRE) == version && peal_property_is_of(element, id))
            return PEAL_PROPERTY_READ;
    }
}

/* Copies as much of a text as fits into the buffer, and returns the text's whole length. Waits for no thread. */
enum peal_property_found peal_property_read_text(const struct peal_property_element *_Nonnull element, uint64_t id,
    char *_Nullable buffer, size_t capacity, size_t *_Nonnull out_length);

/* ---- Setting ----------------------------------------------------------------------------------- */

/* Acquires the lock. If another thread notifies, the caller may leave a change to that thread, and announces this by
 * peal_lock_announce first. */
void peal_property_lock(struct peal_property_element *_Nonnull element);
void peal_property_unlock(struct peal_property_element *_Nonnull element);
/* In the child of a fork: ends all notifications but those of the thread that forked. */
void peal_property_forked(void);

/* Ends the notification of the calling thread, which does not hold the lock. Returns false if changes may have been added
 * meanwhile: the caller then calls peal_property_resume.
 *
 * The end is a store, and no atomic operation. A thread that has just seen the notification may add a change. It has
 * announced that before, so it sees the store here, or this thread sees the announcement or the change. */
static inline bool peal_property_try_end(struct peal_property_element *_Nonnull element)
{
    __atomic_store_n(&element->is_notifying, false, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __builtin_expect(!peal_lock_is_contended() && __atomic_load_n(&element->first, __ATOMIC_RELAXED) == NULL
                                && !__atomic_load_n(&element->is_closed_late, __ATOMIC_RELAXED),
        1);
}
static inline bool peal_property_is_notifying(const struct peal_property_element *_Nonnull element)
{
    return __atomic_load_n(&element->is_notifying, __ATOMIC_ACQUIRE);
}
/* Makes the calling thread, which must have a record, the notifier again, and returns with the lock held. Returns false, without the lock, if
 * nothing is left to notify of, or if another thread notifies by now. */
bool peal_property_resume(struct peal_property_element *_Nonnull element);

/* The caller of the functions below must hold the lock. */

static inline void peal_property_begin_notifying(
    struct peal_property_element *_Nonnull element, const void *_Nonnull notifier)
{
    __atomic_store_n(&element->notifier, notifier, __ATOMIC_RELAXED);
    __atomic_store_n(&element->is_notifying, true, __ATOMIC_RELAXED);
}
static inline struct peal_property_block *_Nonnull peal_property_current(
    const struct peal_property_element *_Nonnull element)
{
    return element->blocks[element->version & 1];
}
static inline void peal_property_store(
    struct peal_property_block *_Nonnull block, const void *_Nonnull from, size_t size)
{
    const char *in = (const char *)from;
    uint64_t *word = block->words;
    for (; size >= sizeof *word; size -= sizeof *word, in += sizeof *word, word++) {
        uint64_t value;
        memcpy(&value, in, sizeof value);
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
    }
    if (size > 0) {
        uint64_t value = 0;
        memcpy(&value, in, size);
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
    }
}
/* Writes the copy that is not current, and makes it the current one. */
static inline void peal_property_write(
    struct peal_property_element *_Nonnull element, const void *_Nonnull value, size_t size)
{
    const uint32_t next = element->version + 1;
    struct peal_property_block *const block = element->blocks[next & 1];
    /* The most frequent sizes are constants for the compiler. */
    if (size == sizeof(uint64_t))
        peal_property_store(block, value, sizeof(uint64_t));
    else if (size == sizeof(uint32_t))
        peal_property_store(block, value, sizeof(uint32_t));
    else
        peal_property_store(block, value, size);
    __atomic_store_n(&element->version, next, __ATOMIC_RELEASE);
}
/* Writes a text likewise. Uses `block` if the text does not fit into the copy. Returns the block that is then
 * unused. */
struct peal_property_block *_Nullable peal_property_write_text(struct peal_property_element *_Nonnull element,
    const void *_Nonnull text, size_t length, struct peal_property_block *_Nullable block);

/* Copies a value. The most frequent sizes are constants for the compiler. */
static inline void peal_property_copy(void *_Nonnull to, const void *_Nonnull from, size_t size)
{
    if (size == sizeof(uint64_t))
        memcpy(to, from, sizeof(uint64_t));
    else if (size == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else
        memcpy(to, from, size);
}

/* Returns the calling thread, with the property locked, if a set of `id` needs no general path: no observer is notified
 * before changes, no broadcast occupies slot 0, and no thread notifies. Otherwise returns NULL. The thread must have no
 * batch open. */
__attribute__((always_inline)) static inline struct peal_thread *_Nullable peal_property_begin_fast(
    struct peal_property_element *_Nonnull element, uint64_t id)
{
    struct peal_thread *thread = peal_thread_own;
    if (__builtin_expect(thread == NULL || thread->hazards[0].shown.list != 0, 0))
        return NULL;
    peal_lock_acquire_inline(&element->lock);
    if (__builtin_expect(peal_property_is_of(element, id) && !peal_property_is_notifying(element)
                             && element->first == NULL && !peal_property_has_observers(element, PEAL_NOTIFY_PRIOR),
            1))
        return thread;
    peal_lock_release(&element->lock);
    return NULL;
}

/* Sets a short value, after which the caller notifies. Returns false if the general path is needed. `room` has space for
 * two short values. The function copies the old value to its start, and the new value after PEAL_PROPERTY_SHORT bytes. */
enum { PEAL_PROPERTY_SHORT = 128 };
static inline bool peal_property_set_fast(struct peal_property_element *_Nonnull element, uint64_t id,
    const void *_Nonnull value, size_t size, void *_Nonnull room)
{
    struct peal_thread *const thread = size <= PEAL_PROPERTY_SHORT ? peal_property_begin_fast(element, id) : NULL;
    if (thread == NULL)
        return false;
    if (__builtin_expect(element->size != size || element->traits != 0, 0)) {
        peal_lock_release(&element->lock);
        return false;
    }
    void *const copy = (char *)room + PEAL_PROPERTY_SHORT;
    peal_property_copy(room, peal_property_current(element)->words, size);
    peal_property_copy(copy, value, size);
    peal_property_write(element, copy, size);
    peal_property_begin_notifying(element, thread);
    peal_lock_release_inline(&element->lock);
    return true;
}

static inline bool peal_property_is_text(const struct peal_property_element *_Nonnull element)
{
    /* No other value has such a size. */
    return __builtin_expect(__atomic_load_n(&element->size, __ATOMIC_ACQUIRE) >= SIZE_MAX / 2, 0);
}
/* As peal_property_set_fast, for a short text. `room` is aligned, and both texts are written there in whole words. Returns
 * the bytes of the new text, with its zero, or 0 if the general path is needed. */
size_t peal_property_set_text_fast(
    struct peal_property_element *_Nonnull element, uint64_t id, const char *_Nonnull text, uint64_t *_Nonnull room);

/* Small nodes are used again (spare.h), so a batch of a few sets allocates nothing. */
enum { PEAL_CHANGE_SPARE_ROOM = 64 };

/* Returns a node with room for both values of a change, or NULL when memory is short. */
struct peal_change_node *_Nullable peal_change_make(size_t old_room, size_t new_room);
void peal_change_free(struct peal_change_node *_Nullable node);
/* Frees a node that is in no batch. Its members after `next` must be those of a new node, except for sizes and
 * values. */
static inline void peal_change_free_single(struct peal_change_node *_Nonnull node)
{
    if (node->room != PEAL_CHANGE_SPARE_ROOM)
        peal_memory_free(node);
    else
        peal_spare_add(peal_thread_own, PEAL_SPARE_CHANGES, node);
}
static inline void *_Nonnull peal_change_old(struct peal_change_node *_Nonnull node) { return node->bytes; }
static inline void *_Nonnull peal_change_new(struct peal_change_node *_Nonnull node) { return node->new_value; }
/* Places the new value after an old value of `old_size` bytes. */
void peal_change_lay_out(struct peal_change_node *_Nonnull node, size_t old_size, size_t new_size);

/* Places one value alone, for which the node may need more memory. Returns false when memory is short. */
bool peal_change_make_room(struct peal_change_node *_Nonnull node, size_t size);

/* Appends a change; inserts one that is in no batch as the first; removes the first change. The caller must hold the
 * lock. */
void peal_property_append(struct peal_property_element *_Nonnull element, struct peal_change_node *_Nonnull node);
void peal_property_prepend(struct peal_property_element *_Nonnull element, struct peal_change_node *_Nonnull node);
struct peal_change_node *_Nullable peal_property_remove_first(struct peal_property_element *_Nonnull element);

/* The initial state of a property. */
struct peal_property_opening {
    uint64_t id;
    size_t size; /* of a value; SIZE_MAX for texts, so that no read by size finds them */
    uint32_t traits;
    const uint8_t *_Nullable mask;
    struct peal_property_block *_Nullable blocks[2]; /* owned by the property from now on */
    const void *_Nullable initial;
    size_t initial_size; /* for a text, with its zero */
};
/* Assigns an element to a property, which has no methods yet. */
void peal_property_open(
    struct peal_property_element *_Nonnull element, const struct peal_property_opening *_Nonnull opening);
/* Closes the element, so that the id is stale. The caller frees the changes that waited. Returns false if a
 * notification runs: its notifier then frees the id. */
bool peal_property_close(struct peal_property_element *_Nonnull element, uint64_t id,
    struct peal_change_node *_Nullable *_Nonnull out_changes);

/* The caller of the next functions must hold the lock. */

/* Ends the notification. Returns the id of a property that was closed meanwhile, or 0. The notifier frees that id. */
static inline uint64_t peal_property_end_notifying(struct peal_property_element *_Nonnull element)
{
    const uint64_t id = element->is_closed_late ? peal_no_id_of(element->id) : 0;
    element->deferred = 0;
    __atomic_store_n(&element->is_closed_late, false, __ATOMIC_RELAXED);
    __atomic_store_n(&element->is_notifying, false, __ATOMIC_RELEASE);
    return id;
}
/* Returns true if the thread is inside a notification of the property. */
static inline bool peal_property_is_notified_by(
    const struct peal_property_element *_Nonnull element, const void *_Nonnull thread)
{
    return peal_property_is_notifying(element) && element->notifier == thread
        && __atomic_load_n(&element->claimed, __ATOMIC_RELAXED) == NULL;
}
/* Returns true if the first change waits for the end of a batch. */
static inline bool peal_property_is_batched(const struct peal_property_element *_Nonnull element)
{
    return __atomic_load_n(&element->claimed, __ATOMIC_RELAXED) != NULL
        || (element->first != NULL && element->first->batch != NULL);
}
/* Returns true if one more change may wait. Counts the changes that the notifier's own observers make, too. */
static inline bool peal_property_try_admit_change(
    struct peal_property_element *_Nonnull element, const void *_Nonnull thread, uint32_t most)
{
    if (element->waiting >= most)
        return false;
    return !peal_property_is_notified_by(element, thread) || ++element->deferred <= most;
}
/* Returns true if two values are equal in all bytes that the mask selects. Without a mask, all bytes are compared. */
bool peal_property_equals(
    const void *_Nonnull one, const void *_Nonnull other, const uint8_t *_Nullable mask, size_t size);

/* Zeroes the bytes of a value that the mask does not select. */
void peal_property_close_gaps(void *_Nonnull value, const uint8_t *_Nonnull mask, size_t size);

/* Copies a record with its values, for a queue. Returns NULL when memory is short. */
void *_Nullable peal_change_copy(const void *_Nullable record);
void peal_change_destroy(void *_Nullable copy);

/* With the lock held: adds a change to the calling thread's batch. If no thread notifies and no change waits, the thread
 * claims the notification of the property, and keeps it until the batch ends. A change that directly follows one of the
 * same batch is merged with that. The node whose new value is then no longer needed is returned, and the caller frees
 * it. */
struct peal_change_node *_Nullable peal_batch_add(struct peal_property_element *_Nonnull element,
    struct peal_change_node *_Nonnull node, struct peal_thread *_Nonnull thread);
/* Removes and returns the first change of the thread's batch. */
static inline struct peal_change_node *_Nullable peal_batch_remove_first(struct peal_thread *_Nonnull thread)
{
    struct peal_change_node *node = (struct peal_change_node *)thread->first_in_batch;
    if (node == NULL)
        return NULL;
    thread->first_in_batch = node->in_batch;
    if (node->in_batch == NULL)
        thread->last_in_batch = NULL;
    node->in_batch = NULL;
    return node;
}
/* Sets a short value in the calling thread's batch, which must be open, if the thread can claim the notification and the
 * type needs no general path. */
bool peal_property_set_in_batch(uint64_t id, const void *_Nonnull value, size_t size);
/* If the thread has claimed a notification with this change, returns the property's element. The thread then notifies of
 * the change. Without the lock: only the thread itself ends its claim. */
static inline struct peal_property_element *_Nullable peal_change_take_claim(struct peal_change_node *_Nonnull node)
{
    if (!node->is_claimed)
        return NULL;
    __atomic_store_n(&node->element->claimed, NULL, __ATOMIC_RELAXED);
    node->is_claimed = false;
    node->batch = NULL;
    return node->element;
}
static inline void peal_change_release_from_batch(struct peal_change_node *_Nonnull node) { node->batch = NULL; }

#endif
