/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 256,
    WORDS = WINDOW / 64,
    GAP = 65536, /* between the numbers of a run */
    BEFORE = 1
        << 24, /* of numbers before a run, or below its greatest: late, because more calls than that cannot wait on a
                         slower way. A number further below is not, so forged ones that climb by GAP silence nobody for good */
    RUNS = 4,
    WAYS = 8,    /* origins that share a slot */
    SLOTS = 256 /* So 2,048 origins are known. The one that was silent for longest makes room. */
};

struct run {
    uint64_t first;       /* the smallest number */
    uint64_t greatest;    /* 0: there is no run */
    uint64_t seen[WORDS]; /* bit n: the number `greatest` - n has arrived */
    uint64_t used;        /* `clock` at the last arrival */
};

struct origin_state {
    uint8_t origin[ORIGIN_SIZE];
    uint64_t used; /* as for a run; 0: the slot is free */
    struct run runs[RUNS];
};

struct arrivals {
    pthread_mutex_t lock;
    uint64_t clock; /* counts arrivals */
    uint8_t key[KEY_SIZE]; /* A peer that does not know it cannot choose origins that share a slot. */
    struct origin_state slots[SLOTS][WAYS];
};

struct arrivals *arrivals_create(void)
{
    struct arrivals *made = calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    random_bytes(made->key, sizeof made->key);
    return made;
}

void arrivals_destroy(struct arrivals *arrivals)
{
    pthread_mutex_destroy(&arrivals->lock);
    free(arrivals);
}

static struct origin_state *find(struct arrivals *arrivals, const uint8_t *origin)
{
    struct origin_state *slots = arrivals->slots[keyed_number(arrivals->key, origin, ORIGIN_SIZE) % SLOTS];
    struct origin_state *oldest = &slots[0];

    for (size_t i = 0; i < WAYS; i++) {
        if (slots[i].used != 0 && memcmp(slots[i].origin, origin, ORIGIN_SIZE) == 0)
            return &slots[i];
        if (slots[i].used < oldest->used)
            oldest = &slots[i];
    }
    memset(oldest, 0, sizeof *oldest);
    memcpy(oldest->origin, origin, ORIGIN_SIZE);
    return oldest;
}

/* ---- Runs -------------------------------------------------------------------------------------- */

static bool is_in_window(const struct run *run, uint64_t number) { return run->greatest - number < WINDOW; }

static bool covers(const struct run *run, uint64_t number)
{
    return number <= run->greatest
        && (is_in_window(run, number) || (number >= run->first && run->greatest - number <= BEFORE));
}

static bool is_continued_by(const struct run *run, uint64_t number)
{
    return number > run->greatest && number - run->greatest <= GAP;
}

/* Returns the run that has the number, or the nearest one that the number continues, or NULL. */
static struct run *find_run(struct origin_state *state, uint64_t number)
{
    struct run *nearest = NULL;

    for (struct run *each = state->runs; each < state->runs + RUNS && each->greatest != 0; each++) {
        if (covers(each, number))
            return each;
        if (is_continued_by(each, number) && (nearest == NULL || each->greatest > nearest->greatest))
            nearest = each;
    }
    return nearest;
}

static bool precedes_a_run(const struct origin_state *state, uint64_t number)
{
    for (size_t i = 0; i < RUNS; i++) {
        if (number < state->runs[i].first && state->runs[i].first - number <= BEFORE)
            return true;
    }
    return false;
}

/* Begins a run in the place of the one that was not used for longest. */
static struct run *begin_run(struct origin_state *state, uint64_t number)
{
    struct run *oldest = &state->runs[0];

    for (size_t i = 1; i < RUNS; i++) {
        if (state->runs[i].used < oldest->used)
            oldest = &state->runs[i];
    }
    *oldest = (struct run){ .first = number, .greatest = number };
    return oldest;
}

/* Moves the window up, so that `number` is the greatest. */
static void advance(struct run *run, uint64_t number)
{
    const uint64_t distance = number - run->greatest;
    const size_t words = distance / 64, bits = distance % 64;

    for (size_t i = WORDS; i-- > 0;) {
        uint64_t word = i >= words ? run->seen[i - words] << bits : 0;
        if (bits > 0 && i > words)
            word |= run->seen[i - words - 1] >> (64 - bits);
        run->seen[i] = word;
    }
    run->greatest = number;
}

static enum arrival note_in_run(struct run *run, uint64_t number)
{
    if (number > run->greatest)
        advance(run, number);
    if (!is_in_window(run, number))
        return ARRIVAL_LATE;
    const uint64_t distance = run->greatest - number, bit = (uint64_t)1 << distance % 64;
    if ((run->seen[distance / 64] & bit) != 0)
        return ARRIVAL_DUPLICATE;
    run->seen[distance / 64] |= bit;
    if (number < run->first)
        run->first = number;
    return ARRIVAL_NEW;
}

static enum arrival note(struct origin_state *state, uint64_t number)
{
    struct run *run = find_run(state, number);

    if (run == NULL && precedes_a_run(state, number))
        return ARRIVAL_LATE;
    if (run == NULL)
        run = begin_run(state, number);
    run->used = state->used;
    return note_in_run(run, number);
}

enum arrival arrivals_note(struct arrivals *arrivals, const struct identity *identity)
{
    if (identity->number == 0)
        return ARRIVAL_DUPLICATE;
    pthread_mutex_lock(&arrivals->lock);
    struct origin_state *state = find(arrivals, identity->origin);
    state->used = ++arrivals->clock;
    const enum arrival arrival = note(state, identity->number);
    pthread_mutex_unlock(&arrivals->lock);
    return arrival;
}
