/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h - the generator splitmix64, which is small and gives the same numbers on every machine.
 */
#ifndef SIGNATURES_RANDOM_H
#define SIGNATURES_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a number below `limit`. */
static inline size_t random_below(struct random *random, size_t limit) { return (size_t)(random_next(random) % limit); }

static inline int random_percent(struct random *random, unsigned percent)
{
    return random_below(random, 100) < percent;
}

/* Returns a separate stream for each purpose, so that one signature can be repeated without the others. */
static inline struct random random_stream(uint64_t seed, uint64_t purpose)
{
    struct random random = { seed ^ (purpose * 0xd1342543de82ef95u + 0x632be59bd9b4e019u) };
    random_next(&random);
    return random;
}

#endif
