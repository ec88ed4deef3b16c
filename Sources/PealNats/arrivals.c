/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 256,
    WORDS = WINDOW / 64,
    WAYS = 8,    /* origins that share a slot */
    SLOTS = 256 /* So 2,048 origins are known. The one that was silent for longest makes room. */
};

struct origin_state {
    uint8_t origin[ORIGIN_SIZE];
    uint64_t greatest;    /* 0: the slot is free */
    uint64_t seen[WORDS]; /* bit n: the number `greatest` - n has arrived */
    uint64_t used;        /* `clock` at the last arrival */
};

struct arrivals {
    pthread_mutex_t lock;
    uint64_t clock; /* counts arrivals */
    uint64_t secret; /* A peer that does not know it cannot choose origins that share a slot. */
    struct origin_state slots[SLOTS][WAYS];
};

struct arrivals *arrivals_create(void)
{
    struct arrivals *made = calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    random_bytes(&made->secret, sizeof made->secret);
    return made;
}

void arrivals_destroy(struct arrivals *arrivals)
{
    pthread_mutex_destroy(&arrivals->lock);
    free(arrivals);
}

static struct origin_state *find(struct arrivals *arrivals, const uint8_t *origin)
{
    uint64_t halves[2];

    memcpy(halves, origin, ORIGIN_SIZE);
    const uint64_t hash = (halves[0] ^ arrivals->secret) * 0x9e3779b97f4a7c15u + halves[1] * 0xc2b2ae3d27d4eb4fu;
    struct origin_state *slots = arrivals->slots[(hash ^ hash >> 32) % SLOTS];
    struct origin_state *oldest = &slots[0];
    for (size_t i = 0; i < WAYS; i++) {
        if (slots[i].greatest != 0 && memcmp(slots[i].origin, origin, ORIGIN_SIZE) == 0)
            return &slots[i];
        if (slots[i].used < oldest->used)
            oldest = &slots[i];
    }
    memset(oldest, 0, sizeof *oldest);
    memcpy(oldest->origin, origin, ORIGIN_SIZE);
    return oldest;
}

/* Moves the window up, so that `number` is the greatest. */
static void advance(struct origin_state *state, uint64_t number)
{
    const uint64_t distance = number - state->greatest;

    if (distance >= WINDOW || state->greatest == 0) {
        memset(state->seen, 0, sizeof state->seen);
    } else {
        const size_t words = distance / 64, bits = distance % 64;
        for (size_t i = WORDS; i-- > 0;) {
            uint64_t word = i >= words ? state->seen[i - words] << bits : 0;
            if (bits > 0 && i > words)
                word |= state->seen[i - words - 1] >> (64 - bits);
            state->seen[i] = word;
        }
    }
    state->greatest = number;
    state->seen[0] |= 1;
}

static bool note(struct origin_state *state, uint64_t number)
{
    if (number > state->greatest) {
        advance(state, number);
        return true;
    }
    const uint64_t distance = state->greatest - number;
    if (distance >= WINDOW || (state->seen[distance / 64] >> distance % 64 & 1) != 0)
        return false;
    state->seen[distance / 64] |= (uint64_t)1 << distance % 64;
    return true;
}

bool arrivals_note(struct arrivals *arrivals, const struct identity *identity)
{
    if (identity->number == 0)
        return false;
    pthread_mutex_lock(&arrivals->lock);
    struct origin_state *state = find(arrivals, identity->origin);
    state->used = ++arrivals->clock;
    const bool is_new = note(state, identity->number);
    pthread_mutex_unlock(&arrivals->lock);
    return is_new;
}
