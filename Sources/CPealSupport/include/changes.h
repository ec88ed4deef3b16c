/* Waiting until something that another lock guards has changed.
 *
 * Not Swift: its standard library has no condition variable with a time limit. Who waits reads the count,
 * looks at the state under the state's own lock, and waits while the count is what it was; who changes the
 * state tells afterwards. So no change is missed, and nothing is taken under this lock.
 */
#ifndef CPEAL_CHANGES_H
#define CPEAL_CHANGES_H

#include "nullability.h"

#include <stdbool.h>
#include <stdint.h>

struct peal_changes;

/* NULL when memory is short. */
struct peal_changes *_Nullable peal_changes_make(void);
void peal_changes_free(struct peal_changes *_Nullable changes);

uint64_t peal_changes_count(struct peal_changes *_Nonnull changes);
/* Counts a change, and wakes all who wait. */
void peal_changes_tell(struct peal_changes *_Nonnull changes);
/* Waits while the count is `seen`, at most until `deadline` (as of peal_clock_deadline). */
void peal_changes_wait(struct peal_changes *_Nonnull changes, uint64_t seen, uint64_t deadline);

#endif
