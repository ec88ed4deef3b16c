/* Observers with one function for all methods.
 *
 * Not Swift: the tables of such an observer contain the functions of proxies' tables (thunk.h), and the memory that
 * these functions read must never move.
 */
#ifndef CPEAL_HANDLER_H
#define CPEAL_HANDLER_H

#include "CPealSupport/interface.h"
#include "CPealSupport/record.h"
#include "CPealSupport/thread.h"

/* Describes a call to its handler. */
static inline void peal_handled_call_fill(struct peal_call *_Nonnull call, uint64_t method, size_t index,
    void *_Nullable const *_Nonnull arguments, void *_Nullable result)
{
    *call = (struct peal_call){ sizeof *call, { method }, index, arguments, result, 0, 0, 0 };
    peal_thread_read_sending(call);
}
static inline uint64_t peal_handled_method(const struct peal_call *_Nonnull call) { return call->method.id; }

/* One method of the observer. */
struct peal_handler_cell {
    uint64_t method;
    const void *_Nonnull plan;    /* PealCall's CallPlan */
    const void *_Nonnull copying; /* PealCore's CopyPlan */
    bool has_result;
    bool is_words; /* each parameter after the first is one word */
    bool needs_copies; /* libffi may place an argument where its alignment is too small */
};

/* Stored in the memory of its observer, between the record and the tables. */
struct peal_observer_handler {
    peal_handler _Nonnull function;
    void *_Nullable target;
    struct peal_handler_cell cells[];
};

static inline size_t peal_handler_size(size_t count)
{
    return sizeof(struct peal_observer_handler) + count * sizeof(struct peal_handler_cell);
}
static inline struct peal_handler_cell *_Nonnull peal_handler_cell_at(
    const struct peal_observer_handler *_Nonnull handler, uint64_t index)
{
    return (struct peal_handler_cell *)(uintptr_t)&handler->cells[index];
}

/* Functions of tables receive as `self` either a proxy's id, or a handler's address with a mark. The mark occurs
 * neither in an id nor in an address, so an invalid `self` is detected. */
enum { PEAL_HANDLER_MARK = 0x0bea, PEAL_HANDLER_MARK_SHIFT = 48 };

/* Returns NULL if the address itself uses the bits of the mark. Systems assign such addresses only on request. */
static inline void *_Nullable peal_handler_self(const struct peal_observer_handler *_Nonnull handler)
{
    uint64_t address = (uintptr_t)handler;
    uint64_t mark = (uint64_t)PEAL_HANDLER_MARK << PEAL_HANDLER_MARK_SHIFT;
    return address >> PEAL_HANDLER_MARK_SHIFT == 0 ? (void *)(uintptr_t)(address | mark) : NULL;
}
static inline const struct peal_observer_handler *_Nullable peal_handler_of(uint64_t self)
{
    uint64_t mark = (uint64_t)PEAL_HANDLER_MARK << PEAL_HANDLER_MARK_SHIFT;
    return __builtin_expect(self >> PEAL_HANDLER_MARK_SHIFT == PEAL_HANDLER_MARK, 0)
             ? (const struct peal_observer_handler *)(uintptr_t)(self ^ mark)
             : NULL;
}

#endif
