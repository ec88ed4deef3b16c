/* SPDX-License-Identifier: Apache-2.0
 *
 * streams.h - the names of the streams of durable calls. Each function returns memory, or NULL: out of memory.
 */
#ifndef PEAL_NATS_STREAMS_H
#define PEAL_NATS_STREAMS_H

struct export;
struct import;
struct peal_bridge;

/* The stream with the calls of a protocol, and the pattern of their subjects.
 *
 * prefix: of all these subjects, with the dot at its end. */
char *stream_name(const struct peal_bridge *bridge, const char *protocol);
char *stream_subjects(const char *prefix);

/* The stream with the positions of a realm, the pattern of their subjects, and the subject of one position. */
char *positions_name(const struct peal_bridge *bridge);
char *positions_subjects(const struct peal_bridge *bridge);
char *position_subject(const struct import *import);

/* The same for the secrets of identities. */
char *origins_name(const struct peal_bridge *bridge);
char *origins_subjects(const struct peal_bridge *bridge);
char *origin_subject(const struct export *export, const char *identity);

#endif
