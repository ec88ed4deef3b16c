/* Counts of calls, for taps with PEAL_TAP_COUNT.
 *
 * Not Swift: each thread counts in a table of its own, which other threads read.
 *
 * The thread that has a table is the only one that writes to it. It changes the table's memory under the table's lock,
 * which readers acquire. Times are in ticks.
 */
#ifndef CPEAL_TAP_COUNTS_H
#define CPEAL_TAP_COUNTS_H

#include "CPealSupport/interface.h"
#include "CPealSupport/nullability.h"

/* Adds a call to the counts of a method or an observation. If memory is refused, the call is not counted. */
struct peal_thread;
void peal_counts_add(struct peal_thread *_Nonnull thread, uint64_t id, uint64_t began, uint64_t duration,
    bool is_queued, uint64_t waited);

/* Adds up the counts of all threads. Fills all but the size. */
void peal_counts_read(uint64_t id, struct peal_counts *_Nonnull out_counts);

#endif
