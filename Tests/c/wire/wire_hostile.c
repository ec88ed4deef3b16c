/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"
#include "wire_oracle.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 512 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % bound;
}

/* Changes some bytes, cuts some off, or inserts some. Heads of items are likely. */
static size_t mutate(unsigned char *bytes, size_t size, size_t begin)
{
    static const unsigned char heads[] = { 0x00, 0x17, 0x18, 0x19, 0x1b, 0x20, 0x38, 0x40, 0x41, 0x5b, 0x5f, 0x60, 0x61,
        0x7b, 0x80, 0x81, 0x82, 0x9b, 0x9f, 0xa1, 0xbf, 0xc1, 0xd8, 0xf4, 0xf5, 0xf6, 0xf7, 0xf9, 0xfa, 0xfb, 0xff };
    const size_t changes = 1 + draw(4);

    for (size_t i = 0; i < changes && size > begin; i++) {
        const size_t at = begin + draw(size - begin);
        switch (draw(4)) {
        case 0: bytes[at] = (unsigned char)draw(256); break;
        case 1: bytes[at] = heads[draw(sizeof heads)]; break;
        case 2:
            if (size + 1 < ROOM) {
                memmove(bytes + at + 1, bytes + at, size++ - at);
                bytes[at] = heads[draw(sizeof heads)];
            }
            break;
        default: size = draw(8) == 0 ? at : size; break;
        }
    }
    return size;
}

static void check(size_t method, const unsigned char *bytes, size_t size)
{
    const char *mistake = wire_oracle_check(method, bytes, size);

    CHECK_TEXT(mistake != NULL ? mistake : "none", "none");
}

CLAIM("W4", "changed messages are refused, or are the messages of another call")
{
    const size_t methods = wire_oracle_begin();
    const int rounds = CHECK_ROUNDS(100000);

    REQUIRE(methods > 0);
    for (int i = 0; i < rounds; i++) {
        const size_t method = draw(methods);
        unsigned char bytes[ROOM];
        size_t size = wire_oracle_message(method, bytes, sizeof bytes);
        REQUIRE(size > 0);
        /* The arguments are the interesting part; the fingerprint would end most attempts. */
        size = mutate(bytes, size, draw(8) == 0 ? 0 : 31);
        check(method, bytes, size);
    }
    CHECK(wire_oracle_count_accepted() > (size_t)rounds / 100);
}

CLAIM("W4", "a message that is cut at any byte is refused, and so is one with a byte more")
{
    const size_t methods = wire_oracle_begin();

    for (size_t method = 0; method < methods; method++) {
        unsigned char bytes[ROOM];
        const size_t size = wire_oracle_message(method, bytes, sizeof bytes - 1);
        check(method, bytes, size);
        const size_t accepted = wire_oracle_count_accepted();
        for (size_t cut = 0; cut < size; cut++)
            check(method, bytes, cut);
        bytes[size] = 0;
        check(method, bytes, size + 1);
        CHECK_EQUAL(wire_oracle_count_accepted(), accepted);
    }
}

/* Messages of the method `text` whose arguments announce more than there is. */
CLAIM("W4", "announced lengths take no memory")
{
    static const char *const claims[] = { "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
        "\x82\x7b\x7f\xff\xff\xff\xff\xff\xff\xff", "\x82\x7b\xff\xff\xff\xff\xff\xff\xff\xff", "\x9a\x04\x00\x00\x00",
        "\x82\x5b\xff\xff\xff\xff\xff\xff\xff\xf0" };
    unsigned char bytes[ROOM];

    REQUIRE(wire_oracle_begin() > 0);
    const size_t size = wire_oracle_message(0, bytes, sizeof bytes);
    REQUIRE(size > 31);
    const size_t accepted = wire_oracle_count_accepted();
    for (size_t i = 0; i < CHECK_COUNT_OF(claims); i++) {
        memset(bytes + 31, 0, sizeof bytes - 31);
        memcpy(bytes + 31, claims[i], i == 3 ? 5 : i == 0 ? 9 : 10);
        for (size_t length = 31; length < 64; length++)
            check(0, bytes, length);
    }
    CHECK_EQUAL(wire_oracle_count_accepted(), accepted);
}

/* Found by the fuzzer: messages of the method `columns` whose first column has more elements than the rest. */
CLAIM("W4", "a column with more elements than the message can have is refused as a mistake of the message")
{
    static const char column[] = "\x84\x2d\x85\x42\x42\xfd\xff";
    unsigned char bytes[ROOM];

    REQUIRE(wire_oracle_begin() > 0);
    REQUIRE(wire_oracle_message(5, bytes, sizeof bytes) > 31);
    const size_t accepted = wire_oracle_count_accepted();
    memcpy(bytes + 31, column, sizeof column - 1);
    check(5, bytes, 31 + sizeof column - 1);
    /* The first column of the first buffer alone, with each number of elements that a short head can announce. */
    for (size_t count = 1; count < 24; count++) {
        memset(bytes + 31, 0, sizeof bytes - 31);
        memcpy(bytes + 31, "\x84\x05\x85", 3);
        bytes[34] = (unsigned char)(0x40 + count);
        for (size_t length = 35 + count; length < 35 + count + 64; length++)
            check(5, bytes, length);
    }
    CHECK_EQUAL(wire_oracle_count_accepted(), accepted);
}
