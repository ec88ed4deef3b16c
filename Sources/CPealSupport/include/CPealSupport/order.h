/* Reports to the thread sanitizer of a program in which order the library runs what the program's threads do.
 *
 * Not Swift: the sanitizer's interface is C, and the references to it are weak.
 *
 * The library is not compiled for the sanitizer, which therefore sees neither its locks nor its atomic operations. Where
 * the library orders two pieces of the program's code, the thread of the first releases an address, and the thread of the
 * second acquires it. Locks do so by their own address. For the fast paths, which have no lock, a tap does so that is open
 * in each program with the sanitizer. Without the sanitizer each function here loads and compares one variable.
 */
#ifndef CPEAL_ORDER_H
#define CPEAL_ORDER_H

#include "CPealSupport/nullability.h"

#include <stdbool.h>

/* True if the program has the sanitizer and the library was not compiled for it. */
extern bool peal_order_is_reported __attribute__((visibility("hidden")));
static inline bool peal_order_needs_reports(void) { return __builtin_expect(peal_order_is_reported, 0); }

void peal_order_release_slow(const void *_Nonnull address);
void peal_order_acquire_slow(const void *_Nonnull address);

static inline void peal_order_release(const void *_Nonnull address)
{
    if (peal_order_needs_reports())
        peal_order_release_slow(address);
}

static inline void peal_order_acquire(const void *_Nonnull address)
{
    if (peal_order_needs_reports())
        peal_order_acquire_slow(address);
}

/* The order of an object: all that a thread does before it publishes the object comes before calls and uses of it. */
extern const char peal_order_published __attribute__((visibility("hidden")));
static inline void peal_order_publish(void) { peal_order_release(&peal_order_published); }
static inline void peal_order_see_published(void) { peal_order_acquire(&peal_order_published); }

/* The order of ends: a call or use comes before the end of a wait for it, and before the destroy callback of its object. */
extern const char peal_order_ended __attribute__((visibility("hidden")));
static inline void peal_order_end(void) { peal_order_release(&peal_order_ended); }
static inline void peal_order_see_ended(void) { peal_order_acquire(&peal_order_ended); }

/* Opens the tap. */
void peal_order_begin(void);

#endif
