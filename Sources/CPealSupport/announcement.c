#include "CPealSupport/announcement.h"

#include <string.h>

#include "CPealSupport/fork.h"
#include "CPealSupport/memory.h"

uint32_t peal_announcements_used;

struct peal_announcement *peal_announcement_make(
    uint32_t rank, const char *protocol, const char *method, uint64_t count)
{
    const size_t protocol_size = strlen(protocol) + 1, method_size = method != NULL ? strlen(method) + 1 : 0;
    struct peal_announcement *made = peal_memory_allocate(sizeof *made + protocol_size + method_size);
    if (made == NULL)
        return NULL;
    char *texts = (char *)(made + 1);
    *made = (struct peal_announcement){ NULL, rank, { (uintptr_t)texts, count } };
    memcpy(texts, protocol, protocol_size);
    if (method != NULL)
        made->words[1] = (uintptr_t)memcpy(texts + protocol_size, method, method_size);
    return made;
}

void peal_announce_later(uint64_t center, void (*announce)(uint64_t center))
{
    struct peal_thread *thread = peal_thread_current();
    /* Without a record, the next change of the center announces this one too. */
    if (thread == NULL)
        return;
    thread->announced_center = thread->announce == NULL || thread->announced_center == center ? center : 0;
    thread->announce = announce;
    /* A lock that is not noted in the record takes the slow path without the bit. */
    if (thread->locks != 0)
        __atomic_store_n(&thread->locks, thread->locks | PEAL_LOCKS_LATE, __ATOMIC_RELAXED);
}

void peal_announce_now(struct peal_thread *thread)
{
    while (thread->announce != NULL) {
        void (*const announce)(uint64_t) = thread->announce;
        thread->announce = NULL;
        announce(thread->announced_center);
    }
}
