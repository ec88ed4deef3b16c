/* The machine code of entries: what entry.c knows of it, and the files of the machines (machine_*.c) define. */
#ifndef CPEAL_ENTRY_CODE_H
#define CPEAL_ENTRY_CODE_H

#include "entry.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define TEXT_OF(value) TEXT_OF_(value)
#define TEXT_OF_(value) #value
/* Known to assembly as text. */
#define METHODS 256
#define BARE 64

_Static_assert(METHODS == PEAL_ENTRY_METHODS && BARE == PEAL_ENTRY_BARE, "the numbers of entries");

/* Where calls go. Read by the assembly, by place. */
extern HIDDEN struct peal_entry_ways {
    peal_entry_integers integers;
    peal_entry_frame frame;
    peal_entry_numbers numbers;
} peal_entry_ways;
/* Of bare functions. */
extern HIDDEN uint64_t peal_entry_selves[BARE];

/* PEAL_ENTRY_SIZE bytes for each entry. Those of bare functions in registers take PEAL_ENTRY_BARE_SIZE. */
extern const char peal_entry_integers_code[] HIDDEN;
extern const char peal_entry_frame_code[] HIDDEN;
extern const char peal_entry_bare_integers_code[] HIDDEN;
extern const char peal_entry_bare_frame_code[] HIDDEN;
/* Where one function can return a number of either kind: PEAL_ENTRY_HAS_NUMBERS. */
extern const char peal_entry_numbers_code[] HIDDEN;
extern const char peal_entry_bare_numbers_code[] HIDDEN;

#endif
