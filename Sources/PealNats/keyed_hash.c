/* SPDX-License-Identifier: Apache-2.0 */
#include "keyed_hash.h"

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t value, unsigned bits) { return value << bits | value >> (64 - bits); }

/* All numbers are little-endian, so an identity may move to another machine. */
static uint64_t read_number(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

static void write_number(uint8_t *bytes, uint64_t number)
{
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static void mix(struct state *state, unsigned rounds)
{
    for (; rounds > 0; rounds--) {
        state->v0 += state->v1;
        state->v1 = rotate(state->v1, 13) ^ state->v0;
        state->v0 = rotate(state->v0, 32);
        state->v2 += state->v3;
        state->v3 = rotate(state->v3, 16) ^ state->v2;
        state->v0 += state->v3;
        state->v3 = rotate(state->v3, 21) ^ state->v0;
        state->v2 += state->v1;
        state->v1 = rotate(state->v1, 17) ^ state->v2;
        state->v2 = rotate(state->v2, 32);
    }
}

static void take(struct state *state, uint64_t word)
{
    state->v3 ^= word;
    mix(state, 2);
    state->v0 ^= word;
}

static uint64_t finish(struct state *state)
{
    mix(state, 4);
    return state->v0 ^ state->v1 ^ state->v2 ^ state->v3;
}

void keyed_hash(const uint8_t *key, const void *bytes, size_t size, uint8_t *out_hash)
{
    const uint64_t first = read_number(key, 8), second = read_number(key + 8, 8);
    const uint8_t *next = bytes;
    struct state state = { first ^ 0x736f6d6570736575u, second ^ 0x646f72616e646f6du ^ 0xee,
        first ^ 0x6c7967656e657261u, second ^ 0x7465646279746573u };

    for (size_t rest = size; rest >= 8; rest -= 8, next += 8)
        take(&state, read_number(next, 8));
    take(&state, (uint64_t)size << 56 | read_number(next, size % 8));
    state.v2 ^= 0xee;
    write_number(out_hash, finish(&state));
    state.v1 ^= 0xdd;
    write_number(out_hash + 8, finish(&state));
}

uint64_t keyed_number(const uint8_t *key, const void *bytes, size_t size)
{
    uint8_t hash[HASH_SIZE];

    keyed_hash(key, bytes, size, hash);
    return read_number(hash, 8);
}
