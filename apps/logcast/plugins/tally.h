/* Counts by key, in bounded memory. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

enum {
    TALLY_LIMIT = 65536, /* keys; further keys are counted as `others` */
    TALLY_KEY = 47       /* bytes of a key; longer keys are cut */
};

struct tally_entry {
    uint64_t count;
    unsigned char length;
    char key[TALLY_KEY];
};

struct tally {
    struct tally_entry *entries; /* in order of their first appearance */
    size_t count, capacity;
    uint32_t *slots; /* twice the capacity: an entry's index plus one, or 0 */
    size_t last;     /* the entry of the previous key, which is often repeated */
    uint64_t others;
};

/* Adds to the count of a key. A tally that is filled with zeros is empty. */
void tally_add(struct tally *tally, const char *key, size_t length, uint64_t count);
void tally_free(struct tally *tally);

#endif
