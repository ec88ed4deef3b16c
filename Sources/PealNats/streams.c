/* SPDX-License-Identifier: Apache-2.0 */
#include "streams.h"

#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>

char *stream_name(const struct peal_bridge *bridge, const char *protocol)
{
    char *token = subject_token(protocol);
    char *name = NULL;

    /* Neither a realm nor a token has a plus sign, so no two protocols share a stream. */
    if (token == NULL || asprintf(&name, "peal-%s+%s", bridge->realm, token) < 0)
        name = NULL;
    free(token);
    return name;
}

char *stream_subjects(const char *prefix)
{
    char *subjects = NULL;

    return asprintf(&subjects, "%s>", prefix) < 0 ? NULL : subjects;
}

/* The streams of a realm that have no calls, with the kind of their messages: "position" or "origin". */
static char *state_name(const struct peal_bridge *bridge, const char *kind)
{
    char *name = NULL;

    return asprintf(&name, "peal_%s_%ss", bridge->realm, kind) < 0 ? NULL : name;
}

static char *state_subjects(const struct peal_bridge *bridge, const char *kind)
{
    char *subjects = NULL;

    return asprintf(&subjects, "peal.v1.%s._%s.>", bridge->realm, kind) < 0 ? NULL : subjects;
}

static char *state_subject(const struct peal_bridge *bridge, const char *kind, const char *protocol, const char *owner)
{
    char *token = subject_token(protocol), *last = subject_token(owner);
    char *subject = NULL;

    if (token == NULL || last == NULL
        || asprintf(&subject, "peal.v1.%s._%s.%s.%s", bridge->realm, kind, token, last) < 0)
        subject = NULL;
    free(last);
    free(token);
    return subject;
}

char *positions_name(const struct peal_bridge *bridge) { return state_name(bridge, "position"); }
char *positions_subjects(const struct peal_bridge *bridge) { return state_subjects(bridge, "position"); }

char *position_subject(const struct import *import)
{
    return state_subject(import->bridge, "position", import->name, import->bridge->options.application);
}

char *origins_name(const struct peal_bridge *bridge) { return state_name(bridge, "origin"); }
char *origins_subjects(const struct peal_bridge *bridge) { return state_subjects(bridge, "origin"); }

char *origin_subject(const struct export *export, const char *identity)
{
    return state_subject(export->bridge, "origin", export->name, identity);
}
