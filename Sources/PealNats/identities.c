/* SPDX-License-Identifier: Apache-2.0
 *
 * The origin of a publisher with an identity, and the ids of its messages, are the same after each start. They are made of a
 * secret, because a client that could compute the ids would publish junk with them, and the server would drop the publisher's
 * calls as repeated ones. The stream keeps the first secret of a subject, so no later message replaces it.
 */
#include "identities.h"

#include "bridge.h"
#include "failure.h"
#include "jetstream.h"
#include "streams.h"

#include <stdlib.h>

enum { TEXT_SIZE = 2 * KEY_SIZE + 2 /* with room for a digit too many */ };

struct secret_place {
    char *stream;
    char *subjects; /* of the stream */
    char *subject;
};

static peal_status read_secret(
    struct jetstream *jetstream, const struct secret_place *place, uint8_t *out_secret, bool *out_exists)
{
    char text[TEXT_SIZE];

    const enum stored_text outcome = jetstream_read_last(jetstream, place->stream, place->subject, text, sizeof text);
    *out_exists = outcome == TEXT_READ && read_hexadecimal(text, out_secret, KEY_SIZE);
    if (*out_exists || outcome == TEXT_NONE)
        return PEAL_OK;
    if (outcome == TEXT_UNKNOWN)
        return bridge_fail(PEAL_ERROR_CREATION, "the server does not answer about %s", place->stream);
    return bridge_fail(PEAL_ERROR_CREATION,
        "the last message of %s in the stream %s is not the secret of an identity. When it is deleted, a new secret is "
        "made, and the server does not recognise calls that were published before",
        place->subject, place->stream);
}

/* Another process may store a secret first, which is then that of both. */
static peal_status read_or_store(struct jetstream *jetstream, const struct secret_place *place, uint8_t *secret)
{
    const struct stream_settings settings = {
        .name = place->stream, .subjects = place->subjects, .keep = STREAM_KEEPS_FIRST
    };
    const uint8_t *const proposed = secret;
    char text[2 * KEY_SIZE + 1];
    bool exists = false;

    write_hexadecimal(text, proposed, KEY_SIZE);
    peal_status status = jetstream_make_stream(jetstream, &settings);
    if (status == PEAL_OK)
        status = read_secret(jetstream, place, secret, &exists);
    if (status < 0 || exists)
        return status;
    (void)jetstream_store(jetstream, place->subject, text, true);
    status = read_secret(jetstream, place, secret, &exists);
    if (status == PEAL_OK && !exists)
        status = bridge_fail(PEAL_ERROR_CREATION, "the server does not store a message of %s", place->subject);
    return status;
}

static peal_status find_secret(const struct export *export, const char *identity, uint8_t *secret)
{
    struct jetstream *jetstream = NULL;
    struct secret_place place = { origins_name(export->bridge), origins_subjects(export->bridge),
        origin_subject(export, identity) };
    peal_status status = PEAL_OK;

    if (place.stream == NULL || place.subjects == NULL || place.subject == NULL)
        status = bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    if (status == PEAL_OK)
        status = jetstream_open(export->bridge, &jetstream);
    if (status == PEAL_OK)
        status = read_or_store(jetstream, &place, secret);
    jetstream_close(jetstream);
    free(place.subject);
    free(place.subjects);
    free(place.stream);
    return status;
}

/* A second bridge with the identity proposes the secret of the first one, so that both give a call one origin. */
peal_status identity_adopt(struct export *export, const char *identity, uint64_t next_number)
{
    uint8_t secret[KEY_SIZE];
    peal_status status = source_propose(export->source, identity, secret);

    if (status == PEAL_OK)
        status = find_secret(export, identity, secret);
    return status == PEAL_OK ? source_adopt(export->source, identity, secret, next_number) : status;
}
