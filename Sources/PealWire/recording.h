/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.h - the content of a recording's file; docs/recording.md describes it.
 */
#ifndef PEAL_WIRE_RECORDING_H
#define PEAL_WIRE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC "pealrec1"

__extension__ typedef unsigned __int128 wide; /* a product of two numbers of 64 bits */

struct file_header {
    char magic[8];
    uint64_t start_time;  /* in nanoseconds since 1970, UTC */
    uint64_t start_ticks; /* of the clock of the records */
    uint64_t tick_length; /* in nanoseconds, times 2^32 */
    uint64_t end;         /* the size of the content; 0 until the recorder is closed */
    uint64_t lost;        /* calls that were not recorded */
    uint64_t reserved[2];
};

enum record_kind {
    RECORD_INCOMPLETE, /* being written, or left by a thread that was killed */
    RECORD_METHOD,     /* the fingerprint; the names of protocol and method and the canonical text, each ended by 0 */
    RECORD_CALL        /* the arguments, as in a message */
};

/* Before the content of a record. Records are aligned to 8 bytes. The last one is followed by zeros. */
struct record_header {
    uint32_t size;   /* of the content */
    uint16_t kind;   /* enum record_kind; written last */
    uint16_t method; /* its index in the file, from 0 */
    uint32_t thread;
    uint32_t reserved;
    uint64_t ticks;
};

static inline uint64_t record_space(uint64_t size) { return (sizeof(struct record_header) + size + 7) & ~(uint64_t)7; }

/* ---- Reading ----------------------------------------------------------------------------------- */

/* A file that is read, never mapped: another process may cut it meanwhile. Then it ends earlier. */
struct recording {
    int file;
    uint64_t size;             /* of the file, when it was opened */
    uint64_t offset;           /* of the next record */
    uint64_t content;          /* the offset of the content of the last record */
    struct file_header header;
    uint8_t *bytes;            /* a part of the file, which begins at `begin`; *owned* */
    uint64_t begin;
    size_t count, capacity;
};

/* Opens a file. Returns 0, or an error of errno.h: EBADMSG for a file that is no recording, EFBIG for one
 * that consists of holes. It never waits. */
int recording_open(struct recording *recording, const char *path);
void recording_close(struct recording *recording);
void recording_rewind(struct recording *recording);

/* Reads the header of the next complete record. Returns false after the last one. */
bool recording_next(struct recording *recording, struct record_header *record);

/* Returns the content of that record, which is valid until the next call; NULL if the file has been cut, or without memory.
 */
const uint8_t *recording_content(struct recording *recording, const struct record_header *record);

/* The time of a record since the beginning, in nanoseconds. */
uint64_t recording_time(const struct recording *recording, const struct record_header *record);

#endif
