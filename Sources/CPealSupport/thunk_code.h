/* The machine code of thunks: used by thunk.c, and defined by the files of the machines (machine_*.c). */
#ifndef CPEAL_ENTRY_CODE_H
#define CPEAL_ENTRY_CODE_H

#include "CPealSupport/thunk.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define TEXT_OF(value) TEXT_OF_(value)
#define TEXT_OF_(value) #value
/* Constants for assembly, as text. */
#define METHODS 256
#define BARE 64

_Static_assert(METHODS == PEAL_THUNK_METHODS && BARE == PEAL_THUNK_BARE, "the numbers of entries");

/* The targets of calls. The assembly reads them by index. */
extern HIDDEN struct peal_thunk_targets {
    peal_thunk_integers integers;
    peal_thunk_frame frame;
    peal_thunk_numbers numbers;
} peal_thunk_targets;
/* The ids that bare thunks pass on. */
extern HIDDEN uint64_t peal_thunk_selves[BARE];

/* PEAL_THUNK_SIZE bytes for each thunk. Bare thunks in registers take PEAL_THUNK_BARE_SIZE. */
extern const char peal_thunk_integers_code[] HIDDEN;
extern const char peal_thunk_frame_code[] HIDDEN;
extern const char peal_thunk_bare_integers_code[] HIDDEN;
extern const char peal_thunk_bare_frame_code[] HIDDEN;
/* For machines on which one function can return a number of either kind: PEAL_THUNK_HAS_NUMBERS. */
extern const char peal_thunk_numbers_code[] HIDDEN;
extern const char peal_thunk_bare_numbers_code[] HIDDEN;

#endif
