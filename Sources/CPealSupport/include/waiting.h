/* One lock and one condition for those who wait for what seldom happens: the end of a creation.
 *
 * Not Swift: the standard library has no condition variable with a time limit.
 */
#ifndef CPEAL_WAITING_H
#define CPEAL_WAITING_H

#include "nullability.h"

#include <stdbool.h>
#include <stdint.h>

void peal_waiting_lock(void);
void peal_waiting_unlock(void);
/* With the lock held: waits until something is told, at most until `deadline` (mailbox.h). False when the
 * time has passed. */
bool peal_waiting_wait(uint64_t deadline);
/* With the lock held: wakes all who wait. */
void peal_waiting_tell(void);

#endif
