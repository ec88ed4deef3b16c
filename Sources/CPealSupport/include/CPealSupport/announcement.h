/* Announcements: the broadcasts of the protocol "PealPresence" (see <peal/builtin.h>).
 *
 * Not Swift: an announcement waits in raw memory, which may be refused, and its texts are arguments in C.
 *
 * A change is noted under the center's lock. The thread announces it when it has released all its locks, as it reports
 * late events to taps (fork.h). So the observers may call every function of peal, whatever the change was part of.
 */
#ifndef CPEAL_ANNOUNCEMENT_H
#define CPEAL_ANNOUNCEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "CPealSupport/nullability.h"

/* A broadcast that waits. Its texts follow in the same allocation. */
struct peal_announcement {
    struct peal_announcement *_Nullable next;
    uint32_t rank;     /* of the method in PealPresence */
    uint64_t words[2]; /* the arguments: the protocol's name, then the method's name or a count of methods */
};

/* Makes an announcement. Returns NULL if memory is refused.
 *
 * method: its name; NULL: the second argument is `count`. */
struct peal_announcement *_Nullable peal_announcement_make(
    uint32_t rank, const char *_Nonnull protocol, const char *_Nullable method, uint64_t count);

/* The address of an argument's value. */
static inline void *_Nonnull peal_announcement_argument(struct peal_announcement *_Nonnull announcement, uint32_t index)
{
    return &announcement->words[index];
}

/* True once a center has announcements. A registration tests this word alone, since to look for the announcements of its
 * center it would count references. */
extern uint32_t peal_announcements_used;
static inline bool peal_announcements_are_used(void)
{
    return __atomic_load_n(&peal_announcements_used, __ATOMIC_RELAXED) != 0;
}
/* Call with the center's lock held, under which each later change reads it. */
static inline void peal_announcements_use(void) { __atomic_store_n(&peal_announcements_used, 1, __ATOMIC_RELAXED); }

/* Has the thread call `announce` when it holds no lock. The center is 0 if several centers have announcements. */
void peal_announce_later(uint64_t center, void (*_Nonnull announce)(uint64_t center));

struct peal_thread;
/* Calls the function of peal_announce_later, if there is one. Call with no lock held. */
void peal_announce_now(struct peal_thread *_Nonnull thread);

#endif
