/* Thunks: the functions in the tables of proxies, and bare ones.
 *
 * Not Swift, and not even C: all methods of a table have one `self`, so each needs a function of its own that
 * identifies the method. For any prototype, the function must also pass on the registers as its caller set them. In C
 * that would be hundreds of long functions. In assembly each is a few instructions.
 */
#ifndef CPEAL_THUNK_H
#define CPEAL_THUNK_H

#include "CPealSupport/frame.h"

#include <stdbool.h>

enum {
    PEAL_THUNK_METHODS = 256, /* the number of methods of one proxy that have a thunk */
    PEAL_THUNK_BARE = 64      /* the number of bare thunks */
};

/* The values of all registers in which a result may be returned. A thunk fills them all, because it cannot determine
 * which of them the caller reads. */
struct peal_thunk_result {
    uint64_t integers[2];
    double floats[PEAL_RESULT_FLOATS];
};

/* Up to four integers, and an integer result or none. */
typedef uint64_t (*_Nonnull peal_thunk_integers)(
    uint64_t id, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t index);
/* A result that is one number: an integer is returned in one register, a floating number in another. A function that
 * fills both registers serves callers of either kind. A function of either kind may be called with this result type:
 * the number is then in the member of its kind. */
struct peal_thunk_number {
    uint64_t integer;
    double real;
};
/* Up to four integers and two floating numbers, and a result that is one number of either kind or none. */
typedef struct peal_thunk_number (*_Nonnull peal_thunk_numbers)(
    uint64_t id, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t index, double x, double y);
/* Any other frame. `words` has room for a whole frame, and contains its registers. `stack` points to the words of the
 * stack. Returns true if the result was filled; otherwise the result is zero. */
typedef bool (*_Nonnull peal_thunk_frame)(uint64_t *_Nonnull words, uint32_t index, const uint64_t *_Nonnull stack,
    struct peal_thunk_result *_Nonnull result);

/* Returns true if there are thunks for numbers: see machine.h. */
static inline bool peal_thunk_has_numbers(void) { return PEAL_THUNK_HAS_NUMBERS; }

/* Sets the functions that thunks call, before the first thunk is used. */
void peal_thunks_set_functions(peal_thunk_integers integers, peal_thunk_frame frame, peal_thunk_numbers numbers);

/* The thunk of a method; NULL if there is none for that index, or if the machine has no frames. */
void (*_Nullable peal_thunk_of_integers(uint32_t index))(void);
void (*_Nullable peal_thunk_of_numbers(uint32_t index))(void);
void (*_Nullable peal_thunk_of_frame(uint32_t index))(void);

/* Bare thunks: of up to four integers, with up to two floating numbers, and of any frame with up to five integers and
 * no stack words. At most one of the three thunks of an index is in use at a time. It passes on the id of the index. */
void (*_Nullable peal_thunk_bare_of_integers(uint32_t index))(void);
void (*_Nullable peal_thunk_bare_of_numbers(uint32_t index))(void);
void (*_Nullable peal_thunk_bare_of_frame(uint32_t index))(void);
/* Sets the id that a bare thunk passes on; 0: none. */
void peal_thunk_set_bare(uint32_t index, uint64_t id);

#endif
