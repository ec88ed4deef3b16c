#include "CPealSupport/reference.h"

#include "CPealSupport/order.h"

static struct peal_counted *counted_at(uint32_t index)
{
    return (struct peal_counted *)(void *)peal_slot_at(peal_slots_of(PEAL_SLOTS_REFERENCES), index);
}

/* Returns the slot at the index of an id. Its word then shows if it is still that of the id. */
static struct peal_counted *counted_of(uint64_t id)
{
    if (peal_id_tag(id) != peal_slots_of(PEAL_SLOTS_REFERENCES)->tag)
        return NULL;
    return counted_at(peal_id_index(id));
}

/* Returns the count in a word, zero if the word is of another generation. */
static uint32_t count_of(uint64_t word, uint64_t id)
{
    return word >> 32 == peal_id_generation(id) ? (uint32_t)word : 0;
}

enum peal_slot_outcome peal_counted_make(void *object, void (*destroy)(void *), uint64_t *out_id)
{
    const enum peal_slot_outcome outcome = peal_slot_allocate(peal_slots_of(PEAL_SLOTS_REFERENCES), out_id);
    if (outcome != PEAL_SLOT_ALLOCATED)
        return outcome;
    struct peal_counted *counted = counted_of(*out_id);
    __atomic_store_n(&counted->slot.object, object, __ATOMIC_RELEASE);
    __atomic_store_n(&counted->destroy, destroy, __ATOMIC_RELEASE);
    __atomic_store_n(&counted->end, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&counted->slot.word, (uint64_t)peal_id_generation(*out_id) << 32 | 1, __ATOMIC_RELEASE);
    return PEAL_SLOT_ALLOCATED;
}

enum peal_retained peal_counted_retain(uint64_t id, void **out_object)
{
    struct peal_counted *counted = counted_of(id);
    if (counted == NULL)
        return PEAL_RETAINED_DEAD;
    const enum peal_retained retained = peal_word_retain(
        &counted->slot.word, peal_id_generation(id), UINT32_MAX, UINT32_MAX);
    if (retained == PEAL_RETAINED)
        *out_object = counted->slot.object;
    return retained;
}

bool peal_counted_release(uint64_t id)
{
    struct peal_counted *counted = counted_of(id);
    if (counted == NULL)
        return false;
    peal_order_end();
    const enum peal_released released = peal_word_release(
        &counted->slot.word, peal_id_generation(id), UINT32_MAX, UINT32_MAX);
    if (released != PEAL_RELEASED_LAST)
        return released == PEAL_RELEASED;
    peal_order_see_ended();
    /* Before the memory of the object may be used for another target. A thread that links an observer stores `end`,
     * then loads the count. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    void (*const end)(uint64_t) = __atomic_load_n(&counted->end, __ATOMIC_ACQUIRE);
    if (end != NULL)
        end(id);
    if (counted->destroy != NULL)
        counted->destroy(counted->slot.object);
    __atomic_store_n(&counted->destroy, NULL, __ATOMIC_RELEASE);
    peal_slot_free(peal_slots_of(PEAL_SLOTS_REFERENCES), id);
    return true;
}

uint32_t peal_counted_count(uint64_t id)
{
    const struct peal_counted *counted = counted_of(id);
    return counted == NULL ? 0 : count_of(__atomic_load_n(&counted->slot.word, __ATOMIC_RELAXED), id);
}

void *peal_counted_object(uint64_t id)
{
    const struct peal_counted *counted = counted_of(id);
    if (counted == NULL || count_of(__atomic_load_n(&counted->slot.word, __ATOMIC_ACQUIRE), id) == 0)
        return NULL;
    void *object = __atomic_load_n(&counted->slot.object, __ATOMIC_ACQUIRE);
    /* If the id is not stale now, the values loaded before belong to it. */
    return count_of(__atomic_load_n(&counted->slot.word, __ATOMIC_RELAXED), id) == 0 ? NULL : object;
}

void (*peal_counted_destroy_at(uint32_t index))(void *)
{
    const struct peal_counted *counted = counted_at(index);
    return counted == NULL ? NULL : __atomic_load_n(&counted->destroy, __ATOMIC_ACQUIRE);
}

bool peal_counted_hold(void *reference)
{
    void *object;
    return peal_counted_retain((uint64_t)(uintptr_t)reference, &object) == PEAL_RETAINED;
}

void peal_counted_drop(void *reference, void *target)
{
    (void)target;
    (void)peal_counted_release((uint64_t)(uintptr_t)reference);
}

bool peal_counted_add(uint64_t id, struct peal_observer_record *record, void (*end)(uint64_t id))
{
    struct peal_counted *counted = counted_of(id);
    struct peal_observer_extras *extras = peal_observer_extras_of(record);
    if (counted == NULL || extras == NULL)
        return false;
    peal_lock_acquire(&counted->lock);
    __atomic_store_n(&counted->end, end, __ATOMIC_RELEASE);
    /* A thread that releases the object for the last time loads `end` after it has changed the count. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const bool is_alive = peal_counted_count(id) > 0;
    if (is_alive)
        peal_link_add(&extras->of_reference, &counted->observers);
    peal_lock_release(&counted->lock);
    return is_alive;
}

void peal_counted_remove(uint64_t id, struct peal_observer_record *record)
{
    struct peal_counted *counted = counted_of(id);
    struct peal_observer_extras *extras = peal_observer_extras_of(record);
    if (counted == NULL || extras == NULL)
        return;
    peal_lock_acquire(&counted->lock);
    (void)peal_link_remove(&extras->of_reference, &counted->observers);
    peal_lock_release(&counted->lock);
}

struct peal_observer_record *peal_counted_take(uint64_t id)
{
    struct peal_counted *counted = counted_of(id);
    struct peal_observer_record *record = NULL;
    if (counted == NULL)
        return NULL;
    peal_lock_acquire(&counted->lock);
    if (counted->observers != NULL) {
        record = peal_observer_of_reference_link(counted->observers);
        peal_observer_retain_memory(record);
        (void)peal_link_remove(counted->observers, &counted->observers);
    }
    peal_lock_release(&counted->lock);
    return record;
}
