/* SPDX-License-Identifier: Apache-2.0
 *
 * property.h - named values whose observers are notified of each change.
 *
 *     PEAL_PROPERTY(volume, "volume", float);
 *
 *     struct volume_property volume;
 *     volume_define(center, 0.5f, NULL, &volume);
 *
 *     static void show(void *self, float old_value, float new_value) { ... }
 *     static const struct volume_observer bar = { PEAL_OBSERVER(volume), .changed_values = show };
 *     volume_observe(volume, window, &bar, 0, NULL, NULL);
 *
 *     volume_set(volume, 0.7f);
 *     float now = volume_get(volume);
 *
 * A property has a name in its center and one permanent type: any type of a method's parameter
 * (protocol.h). Values are copied. A pointer is a value like a number: the pointed-to object is neither
 * followed nor kept alive. A `const char *` is a text: its bytes are copied. A pointer to a type that
 * was registered with types.h is refused, because a reader could not keep the object: use a
 * peal_reference as the value.
 *
 * Reading never waits and never sees half of a value, whatever other threads do. Setting takes effect at
 * once. Observers are notified in the order of the sets, each change once, one change at a time. A set that
 * arrives during a notification of the property's observers, from one of them or from another thread,
 * changes the value at once. The thread that is notifying notifies of this change afterwards (PEAL_DEFERRED).
 *
 * Observers are those of observer.h: weak targets, priorities, queues, owners, ONCE, blocking and their
 * handles are the same.
 */
#ifndef PEAL_PROPERTY_H
#define PEAL_PROPERTY_H

#include "observer.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* ---- Properties -------------------------------------------------------------------------------- */

/* Flags of struct peal_property_options. */
enum peal_property_flags {
    /* A set of a value that is equal to the old one notifies no observer. Values are equal if their bytes
     * are equal; padding between the members of a struct is ignored. */
    PEAL_PROPERTY_IGNORE_EQUAL = 1 << 0
};

/* Options of a property. Begin with PEAL_PROPERTY_OPTIONS or zeros and the size. */
struct peal_property_options {
    size_t size;      /* sizeof(struct peal_property_options) */
    uint32_t flags;   /* enum peal_property_flags */
    peal_owner owner; /* the owner that defines it; zero: the thread's (owner.h), if any */
};

#define PEAL_PROPERTY_OPTIONS { sizeof(struct peal_property_options), 0, { 0 } }

/* Defines a property, or finds the property of that name. `volume_define` of the macro is the same.
 *
 * An existing property keeps its value. A property ends with its center. A property that only owners
 * defined also ends with the last of these.
 *
 * center: where to define it.
 * name: *copied*; 1 to 255 bytes without control characters.
 * type: *copied*; "int32_t", "struct point", "const char *". Structs are declared first (types.h).
 * initial: *copied*; points to a value of the type; NULL for zeros, or an empty text.
 * options: *copied*; NULL for none.
 * out_property: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_CONFLICT when the name has another type or other flags; PEAL_ERROR_TYPE
 * for a type that is unknown or cannot be a value. Also PEAL_ERROR_SYNTAX of a type,
 * PEAL_ERROR_ARGUMENT, PEAL_ERROR_HANDLE, PEAL_ERROR_LIMIT at a million properties,
 * PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_define(peal_center center, const char *name, const char *type, const void *initial,
    const struct peal_property_options *options, peal_property *out_property);

/* Finds a property by name.
 *
 * type: the type that the caller expects, to be compared; NULL: any type.
 * out_property: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND; PEAL_ERROR_TYPE when it has another type. Also PEAL_ERROR_SYNTAX
 * of a type, PEAL_ERROR_ARGUMENT, PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_find(
    peal_center center, const char *name, const char *type, peal_property *out_property);

/* Ends a property, even one that another owner defined: its observers are removed, each as by
 * peal_observation_remove, and waiting changes are dropped.
 *
 * property: *consumed*.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_remove(peal_property property);

/* Reads the name of a property, or its type as it was defined.
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_name(peal_property property, char *buffer, size_t capacity, size_t *out_length);
PEAL_API peal_status peal_property_type(peal_property property, char *buffer, size_t capacity, size_t *out_length);

/* ---- Values ------------------------------------------------------------------------------------ */

/* Reads the value. Takes no lock, and never waits.
 *
 * out_value: filled with a whole value; untouched on failure.
 * size: sizeof the type.
 * Returns PEAL_OK; PEAL_ERROR_TYPE for another size, or for a text; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT
 * for NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_get(peal_property property, void *out_value, size_t size);

/* Reads a text, as snprintf writes one: cut to fit, ended by a zero.
 *
 * buffer: filled; NULL where capacity is 0.
 * out_length: filled with the bytes of the whole text, its zero not counted; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when it does not fit; PEAL_ERROR_TYPE for a property that is no text;
 * PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_property_get_text(peal_property property, char *buffer, size_t capacity, size_t *out_length);

/* Sets the value. Notifies the observers before this returns, or leaves that to the thread that is notifying
 * them or to the end of the batch.
 *
 * value: *copied*; points to a value of the type: for a text, to a `const char *`.
 * size: sizeof the type.
 * Returns PEAL_OK; PEAL_DEFERRED: set, and notified later, because a notification of the property runs or
 * a batch is open; PEAL_REJECTED: set, but a queue was full, or memory refused, for an observer's call. Also
 * PEAL_ERROR_TYPE for another size; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT for NULL; PEAL_ERROR_LIMIT
 * when 65,536 changes wait, for example because an observer sets the property at each notification, or
 * for a text of 1,048,576 bytes or more, its zero not counted; PEAL_ERROR_DEPTH; PEAL_ERROR_MEMORY. On
 * failure the value is not set. While another thread notifies, a set first waits up to a second for
 * room, unless a callback calls it or a batch is open.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_property_set(peal_property property, const void *value, size_t size);

/* Sets the value if it is still the expected one.
 *
 * expected: *borrowed during the call*; compared as for PEAL_PROPERTY_IGNORE_EQUAL.
 * out_is_set: filled with true if it was set; may be NULL. Also true when the value is already equal and
 *   PEAL_PROPERTY_IGNORE_EQUAL suppresses the notification.
 * The rest is as for peal_property_set. When it is not set, the status is PEAL_OK and there is no
 * notification.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_property_compare_and_set(
    peal_property property, const void *expected, const void *value, size_t size, bool *out_is_set);

/* Delays the notifications of this thread's sets until the batch ends. Values change at once. For each
 * property that was set, observers are notified once, with the first old value and the last new one. The
 * properties follow in the order of their first sets. (If another thread set one in between, the changes stay
 * separate.) If both values are equal, PEAL_PROPERTY_IGNORE_EQUAL suppresses the notification. Batches nest: the
 * outermost one counts. The end of a thread ends its batch.
 *
 * Returns PEAL_OK; PEAL_ERROR_MEMORY.
 * Each thread has its own batches. End a batch on its thread, and in the same callback.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_batch_begin(void);

/* Ends the innermost batch of this thread. The end of the outermost one sends the delayed notifications.
 *
 * Returns PEAL_OK; PEAL_REJECTED: notified, but a queue was full, or memory refused, for an observer's call;
 * PEAL_ERROR_STATE without a batch.
 * Thread rule: the thread of the begin; it may wait. Since 0.1. */
PEAL_API peal_status peal_batch_end(void);

/* ---- Observers --------------------------------------------------------------------------------- */

/* The kind of a change record. */
typedef enum peal_change_kind {
    PEAL_CHANGE_SET = 1,    /* the value was set, or is about to be */
    PEAL_CHANGE_INITIAL = 2 /* no change: the value at the registration of the observer */
} peal_change_kind;

/* The record that `recorded` and `prior` receive. */
struct peal_change {
    size_t size;            /* sizeof(struct peal_change) */
    peal_property property;
    peal_change_kind kind;
    bool is_prior;          /* passed to `prior` */
    bool is_text;           /* the values are texts, each ended by a zero */
    size_t value_size;      /* of a value in bytes; of texts, of the new one with its zero */
    const void *old_value;  /* *borrowed during the call*; the values: for a text, its first byte */
    const void *new_value;
};

/* The functions of an observer, one for each kind of notification; at least one. With the macro,
 * `changed_values` has its own type: void (*)(void *self, float old_value, float new_value). */
struct peal_property_observer {
    size_t size;                  /* sizeof(struct peal_property_observer) */
    void (*changed)(void *self);  /* after a change, without values */
    peal_function changed_values; /* void (*)(void *self, T old_value, T new_value) */
    /* Before a change: all `prior` functions are called before the value changes, and before any other
     * function of the change. For a set during a notification of the property, in a batch, and for
     * peal_property_compare_and_set, the value has already changed. */
    void (*prior)(void *self, const struct peal_change *change);
    void (*recorded)(void *self, const struct peal_change *change); /* after the change, with its record */
};

/* Flags of peal_property_observe. */
enum peal_property_observe_flags {
    /* Notifies the observer of the current value at once, before any change: by `changed`, by
     * `changed_values` with the value twice, by `recorded` as PEAL_CHANGE_INITIAL. When another thread is
     * notifying the property's observers, registering returns PEAL_DEFERRED, and that thread notifies this
     * observer too. */
    PEAL_PROPERTY_INITIAL = 1 << 0,
    /* A change that still waits on the queue at the next change is dropped, and counted (queue.h). The old
     * value of a notification is that of the last set. Without a queue this flag is PEAL_ERROR_ARGUMENT. */
    PEAL_PROPERTY_KEEP_LATEST = 1 << 1
};

/* Registers an observer of a property. `volume_observe` of the macro is the same, checked by the
 * compiler.
 *
 * target: *borrowed until the destroy callback*; passed as `self`; may be NULL.
 * observer: *copied*.
 * flags: enum peal_property_observe_flags.
 * options, and the rest: as for peal_observe; the target may observe each property once. A queue with
 *   `changed_values` needs PEAL_OBSERVE_BORROWED where the type is a pointer.
 * Returns PEAL_OK; PEAL_DEFERRED; PEAL_REJECTED: registered, but a queue was full, or memory refused, for
 * the notification of PEAL_PROPERTY_INITIAL; PEAL_ERROR_CONFORMANCE for an observer without functions, or of
 * another size; PEAL_ERROR_DUPLICATE. Also the statuses of peal_observe.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_property_observe(peal_property property, void *target,
    const struct peal_property_observer *observer, uint32_t flags, const struct peal_observe_options *options,
    peal_observation *out_observation);

/* ---- The macro --------------------------------------------------------------------------------- */

/* Defines these from a tag, a name and a type:
 *     struct volume_property   the handle
 *     struct volume_observer   struct peal_property_observer with the type
 *     volume_define, volume_find, volume_get, volume_set, volume_compare_and_set, volume_observe
 * volume_get returns zeros when the property has ended. The type is a name, or `struct name`. */
#define PEAL_PROPERTY(tag, property_name, type)                                                                    \
    PEAL_PROPERTY_COMMON_(tag, property_name, type)                                                                \
    PEAL_UNUSED static inline peal_status tag##_define(peal_center center_, type initial_,                         \
        const struct peal_property_options *options_, struct tag##_property *out_property_)                        \
    {                                                                                                              \
        return peal_property_define(                                                                               \
            center_, property_name, #type, &initial_, options_, out_property_ ? &out_property_->property : NULL);  \
    }                                                                                                              \
    PEAL_UNUSED static inline type tag##_get(struct tag##_property property_)                                      \
    {                                                                                                              \
        type value_;                                                                                               \
        __builtin_memset(&value_, 0, sizeof value_);                                                               \
        (void)peal_property_get(property_.property, &value_, sizeof value_);                                       \
        return value_;                                                                                             \
    }                                                                                                              \
    PEAL_UNUSED static inline peal_status tag##_compare_and_set(                                                   \
        struct tag##_property property_, type expected_, type value_, bool *out_is_set_)                           \
    {                                                                                                              \
        return peal_property_compare_and_set(property_.property, &expected_, &value_, sizeof value_, out_is_set_); \
    }                                                                                                              \
    struct tag##_property

/* The same for a text property, except that title_get fills a buffer, as peal_property_get_text does, and that
 * there is no title_compare_and_set. */
#define PEAL_TEXT_PROPERTY(tag, property_name)                                                    \
    PEAL_PROPERTY_COMMON_(tag, property_name, const char *)                                       \
    PEAL_UNUSED static inline peal_status tag##_define(peal_center center_, const char *initial_, \
        const struct peal_property_options *options_, struct tag##_property *out_property_)       \
    {                                                                                             \
        return peal_property_define(center_, property_name, "const char *", &initial_, options_,  \
            out_property_ ? &out_property_->property : NULL);                                     \
    }                                                                                             \
    PEAL_UNUSED static inline peal_status tag##_get(                                              \
        struct tag##_property property_, char *buffer_, size_t capacity_, size_t *out_length_)    \
    {                                                                                             \
        return peal_property_get_text(property_.property, buffer_, capacity_, out_length_);       \
    }                                                                                             \
    struct tag##_property

/* The first member of an observer's initialiser: { PEAL_OBSERVER(volume), .changed = redraw }. That is C.
 * For C++20 write { .size = sizeof(struct volume_observer), .changed = redraw }, which is C too. */
#define PEAL_OBSERVER(tag) sizeof(struct tag##_observer)

#define PEAL_PROPERTY_COMMON_(tag, property_name, type)                                                            \
    struct tag##_property {                                                                                        \
        peal_property property;                                                                                    \
    };                                                                                                             \
    struct tag##_observer {                                                                                        \
        size_t size;                                                                                               \
        void (*changed)(void *self);                                                                               \
        void (*changed_values)(void *self, type old_value, type new_value);                                        \
        void (*prior)(void *self, const struct peal_change *change);                                               \
        void (*recorded)(void *self, const struct peal_change *change);                                            \
    };                                                                                                             \
    PEAL_UNUSED static inline peal_status tag##_find(peal_center center_, struct tag##_property *out_property_)    \
    {                                                                                                              \
        return peal_property_find(center_, property_name, #type, out_property_ ? &out_property_->property : NULL); \
    }                                                                                                              \
    PEAL_UNUSED static inline peal_status tag##_set(struct tag##_property property_, type value_)                  \
    {                                                                                                              \
        return peal_property_set(property_.property, &value_, sizeof value_);                                      \
    }                                                                                                              \
    PEAL_UNUSED static inline peal_status tag##_observe(struct tag##_property property_, void *target_,            \
        const struct tag##_observer *observer_, uint32_t flags_, const struct peal_observe_options *options_,      \
        peal_observation *out_observation_)                                                                        \
    {                                                                                                              \
        return peal_property_observe(property_.property, target_,                                                  \
            (const struct peal_property_observer *)(const void *)observer_, flags_, options_, out_observation_);   \
    }

PEAL_END_DECLARATIONS

#endif
