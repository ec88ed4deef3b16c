#include "CPealSupport/label.h"

#include <string.h>

#include "CPealSupport/lock.h"
#include "CPealSupport/memory.h"

struct peal_label {
    struct peal_label *next;
    uint64_t id;
    char text[];
};

uint32_t peal_labels_attached;

/* A table of chains, which has about as many chains as labels. */
enum { FIRST_CHAINS = 64 };
static struct peal_lock lock;
static struct peal_label *first_chains[FIRST_CHAINS];
static struct peal_label **chains = first_chains;
static size_t chain_count = FIRST_CHAINS;

static struct peal_label **chain_of(struct peal_label **table, size_t count, uint64_t id)
{
    return &table[(id * 0x9e3779b97f4a7c15u >> 32) & (count - 1)];
}

struct peal_label *peal_label_make(const char *text)
{
    const size_t size = peal_memory_text_size(text);
    struct peal_label *label = peal_memory_allocate(sizeof *label + size);
    if (label != NULL)
        memcpy(label->text, text, size);
    return label;
}

/* Doubles the number of chains. Without memory the chains become longer. */
static void grow(void)
{
    const size_t count = 2 * chain_count;
    struct peal_label **larger = peal_memory_allocate(count * sizeof *larger);
    if (larger == NULL)
        return;
    for (size_t i = 0; i < chain_count; i++) {
        for (struct peal_label *label = chains[i], *next; label != NULL; label = next) {
            struct peal_label **chain = chain_of(larger, count, label->id);
            next = label->next;
            label->next = *chain;
            *chain = label;
        }
    }
    if (chains != first_chains)
        peal_memory_free(chains);
    chains = larger;
    chain_count = count;
}

void peal_label_attach(struct peal_label *label, uint64_t id)
{
    label->id = id;
    peal_lock_acquire(&lock);
    if (peal_labels_attached >= chain_count)
        grow();
    struct peal_label **chain = chain_of(chains, chain_count, id);
    label->next = *chain;
    *chain = label;
    __atomic_fetch_add(&peal_labels_attached, 1, __ATOMIC_RELAXED);
    peal_lock_release(&lock);
}

/* Returns the link that leads to the object's label, or to the end of its chain. The caller must hold the lock. */
static struct peal_label **find(uint64_t id)
{
    struct peal_label **link = chain_of(chains, chain_count, id);
    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

void peal_label_remove_slow(uint64_t id)
{
    peal_lock_acquire(&lock);
    struct peal_label **link = find(id);
    struct peal_label *label = *link;
    if (label != NULL) {
        *link = label->next;
        __atomic_fetch_sub(&peal_labels_attached, 1, __ATOMIC_RELAXED);
    }
    peal_lock_release(&lock);
    peal_memory_free(label);
}

void peal_label_copy(uint64_t id, char *buffer, size_t capacity)
{
    size_t length = 0;
    if (__atomic_load_n(&peal_labels_attached, __ATOMIC_RELAXED) != 0) {
        peal_lock_acquire(&lock);
        const struct peal_label *label = *find(id);
        if (label != NULL) {
            length = strlen(label->text);
            if (length >= capacity)
                length = capacity - 1;
            /* The continuation bytes of UTF-8 begin with the bits 10. */
            while (length > 0 && ((unsigned char)label->text[length] & 0xc0) == 0x80)
                length--;
            memcpy(buffer, label->text, length);
        }
        peal_lock_release(&lock);
    }
    memset(buffer + length, 0, capacity - length);
}
