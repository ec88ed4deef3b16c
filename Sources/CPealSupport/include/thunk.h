/* The functions that stand in the tables of proxies, and bare ones.
 *
 * Not Swift, and not even C: all methods of a table have one `self`, so each needs a function of its own
 * that knows which it is; and for whatever prototype it stands, it must hand on what its caller left in
 * registers. In C that would be hundreds of long functions. These are three instructions each.
 */
#ifndef CPEAL_ENTRY_H
#define CPEAL_ENTRY_H

#include "frame.h"

#include <stdbool.h>

enum {
    PEAL_THUNK_METHODS = 256, /* how many methods of one proxy have such a function */
    PEAL_THUNK_BARE = 64      /* how many bare functions there are */
};

/* What is left in the registers that a result may come back in: all of them, since an entry does not know
 * which the caller looks at. */
struct peal_thunk_result {
    uint64_t integers[2];
    double floats[PEAL_RESULT_FLOATS];
};

/* Up to four integers, and a result that is one, or none. */
typedef uint64_t (*_Nonnull peal_thunk_integers)(
    uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t index);
/* A result that is one number: an integer comes back in the one register, a floating number in the other, so
 * whoever fills both needs not know which it is; and whoever calls a function as if it returned both reads the
 * one that it did. */
struct peal_thunk_number {
    uint64_t integer;
    double real;
};
/* The same with up to two floating numbers, and a result that may be one. */
typedef struct peal_thunk_number (*_Nonnull peal_thunk_numbers)(
    uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t index, double x, double y);
/* Any other frame. `words` has room for a whole one, and the registers in it; the stack's words are
 * behind `stack`. Returns whether the result was filled: else it is zero. */
typedef bool (*_Nonnull peal_thunk_frame)(
    uint64_t *_Nonnull words, uint32_t index, const uint64_t *_Nonnull stack,
    struct peal_thunk_result *_Nonnull result);

/* Whether there are entries for numbers: see machine.h. */
static inline bool peal_thunk_has_numbers(void) { return PEAL_THUNK_HAS_NUMBERS; }

/* Says where calls go: before the first function is handed out. */
void peal_entries_lead_to(
    peal_thunk_integers integers, peal_thunk_frame frame, peal_thunk_numbers numbers);

/* The function of a method; NULL where there is none for that index, or where frames do not exist. */
void (*_Nullable peal_thunk_of_integers(uint32_t index))(void);
void (*_Nullable peal_thunk_of_numbers(uint32_t index))(void);
void (*_Nullable peal_thunk_of_frame(uint32_t index))(void);

/* Bare functions: of up to four integers, with up to two floating numbers, and of any frame with up to five
 * integers and no stack words. Of one index there is one at a time, which leads to a number: 0 for nowhere. */
void (*_Nullable peal_thunk_bare_of_integers(uint32_t index))(void);
void (*_Nullable peal_thunk_bare_of_numbers(uint32_t index))(void);
void (*_Nullable peal_thunk_bare_of_frame(uint32_t index))(void);
void peal_thunk_set_bare(uint32_t index, uint64_t number);

#endif
