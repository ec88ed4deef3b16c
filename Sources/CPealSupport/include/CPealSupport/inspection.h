/* Loads libpeal-inspect where the environment requests it, by PEAL_INSPECT or PEAL_DEBUG.
 *
 * Not Swift: the library is loaded by dlopen, and its function is found by name.
 */
#ifndef CPEAL_INSPECTION_H
#define CPEAL_INSPECTION_H

#include <stdint.h>

/* Nonzero once the environment has been read. */
extern uint32_t peal_inspection_is_decided;

/* Reads the environment, and loads the library if it is requested. Only the first call in the process has an effect,
 * and other threads do not wait for it. */
void peal_inspection_decide(void);

/* Called when a program uses a center. The caller must hold no lock, because the library calls peal. */
static inline void peal_inspection_load(void)
{
    if (__builtin_expect(__atomic_load_n(&peal_inspection_is_decided, __ATOMIC_RELAXED) == 0, 0))
        peal_inspection_decide();
}

#endif
