/* SPDX-License-Identifier: Apache-2.0 */
#include "streams.h"

#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>

char *stream_name(const struct peal_bridge *bridge, const char *protocol)
{
    char *token = subject_token(protocol);
    char *name = NULL;

    if (token == NULL || asprintf(&name, "peal-%s-%s", bridge->realm, token) < 0)
        name = NULL;
    free(token);
    return name;
}

char *stream_subjects(const char *prefix)
{
    char *subjects = NULL;

    return asprintf(&subjects, "%s>", prefix) < 0 ? NULL : subjects;
}

char *positions_name(const struct peal_bridge *bridge)
{
    char *name = NULL;

    return asprintf(&name, "peal_%s_positions", bridge->realm) < 0 ? NULL : name;
}

char *positions_subjects(const struct peal_bridge *bridge)
{
    char *subjects = NULL;

    return asprintf(&subjects, "peal.v1.%s._position.>", bridge->realm) < 0 ? NULL : subjects;
}

char *position_subject(const struct import *import)
{
    const struct peal_bridge *bridge = import->bridge;
    char *token = subject_token(import->name);
    char *subject = NULL;

    if (token == NULL
        || asprintf(&subject, "peal.v1.%s._position.%s.%s", bridge->realm, token, bridge->options.application) < 0)
        subject = NULL;
    free(token);
    return subject;
}
