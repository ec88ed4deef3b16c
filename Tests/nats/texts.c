/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts and numbers of bridges that need no server.
 */
#include "check.h"
#include "keyed_hash.h"
#include "methods.h"
#include "servers.h"

#include <string.h>

CLAIM("N22", "the hash of message ids is SipHash-2-4 with 128 bits: it has the values of its authors")
{
    /* https://github.com/veorq/SipHash/blob/master/vectors.h: the first bytes are 00, 01, 02, ... */
    static const struct {
        size_t size;
        const char *hash;
    } cases[] = { { 0, "a3817f04ba25a8e66df67214c7550293" }, { 1, "da87c1d86b99af44347659119b22fc45" },
        { 15, "5493e99933b0a8117e08ec0f97cfc3d9" } };
    uint8_t bytes[64], hash[HASH_SIZE];
    char text[2 * HASH_SIZE + 1];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        keyed_hash(bytes, bytes, cases[i].size, hash);
        write_hexadecimal(text, hash, HASH_SIZE);
        CHECK_TEXT(text, cases[i].hash);
    }
}

CLAIM("N24", "a text about servers is shown without all that may belong to a user or a password")
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        { "", "" },
        { "No server available", "No server available" },
        { "nats://127.0.0.1:4222", "nats://127.0.0.1:4222" },
        { "nats://bob:word@127.0.0.1:4222", "nats://127.0.0.1:4222" },
        { "bob:word@127.0.0.1", "127.0.0.1" },
        { "tls://token@host", "tls://host" },
        { "nats://bob:w/o:r@d@host", "nats://host" },
        { "nats://bob:wo,rd@host", "nats://***@host" },
        { "nats://bob:wo rd@host", "nats://***@host" },
        { "bob:wo://rd@host", "host" },
        { "nats://ann:first@a,bob:second@b", "nats://***@b" },
        { "nats://a,nats://bob:word@b", "nats://***@b" },
        { "nats://bob:word@a,b:2", "nats://a,b:2" },
        { "cannot connect to nats://bob:word@host: refused", "***@host: refused" },
        { "@", "" },
    };
    char shown[64], short_text[8];

    for (size_t i = 0; i < CHECK_COUNT_OF(cases); i++) {
        check_case(cases[i].text);
        hide_passwords(cases[i].text, shown, sizeof shown);
        CHECK_TEXT(shown, cases[i].shown);
        hide_passwords(cases[i].text, short_text, sizeof short_text);
        CHECK(strncmp(short_text, cases[i].shown, sizeof short_text - 1) == 0);
    }
    check_case(NULL);
}
