/* SPDX-License-Identifier: Apache-2.0
 *
 * log.h - a file that any number of threads append to without a lock. It is mapped into memory, so a record is in the
 * file once it is written, also if the process is killed.
 */
#ifndef PEAL_WIRE_LOG_H
#define PEAL_WIRE_LOG_H

#include "place.h"
#include "recording.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum log_state {
    LOG_UNUSED,
    LOG_NEW,      /* it has no call yet, and its file is not in its place */
    LOG_OPEN,
    LOG_STOPPED,  /* it gets no more records */
    LOG_OF_PARENT /* in the child of a fork: the file belongs to the parent */
};

struct log {
    uint32_t state;       /* enum log_state */
    bool is_counter;      /* the clock is the processor's counter */
    int file;             /* -1 in the child of a fork */
    uint8_t *base;        /* the mapped file; *owned* */
    uint64_t capacity;
    uint64_t end;         /* where the next record begins */
    uint64_t allocated;   /* the bytes that have room on the disk */
    uint64_t limit;       /* the bytes that may get room: less than the capacity once the disk was full */
    uint64_t hole;        /* where the first record begins that found no room; at first UINT64_MAX */
    uint64_t lost;
    const char *reason;   /* why a call was lost; NULL if none was */
    uint64_t start_ticks;
    uint64_t checked;     /* when a call last looked at the file, in ticks */
    uint64_t millisecond; /* in ticks */
    struct place place;
    pthread_mutex_t lock; /* of the place, and of allocating */
};

/* Creates the file. Keeps a sentence. */
peal_status log_create(const char *path, uint64_t capacity, struct log **out_log);

/* Closes the file. No thread may be appending. */
void log_close(struct log *log);

/* The bytes up to the end of the last record; 0 before the file has its name. */
uint64_t log_used(const struct log *log);

uint64_t log_ticks(const struct log *log);
bool log_is_of_parent(const struct log *log);

/* Appends a record. Returns false if it is not in the file; a call has then been counted as lost. */
bool log_append(struct log *log, enum record_kind kind, uint16_t method, const void *content, size_t size);

/* Stops the log, with the reason, if another process has cut or overwritten the file. */
void log_check_file(struct log *log);

/* reason: *static*. */
void log_count_lost(struct log *log, const char *reason);

#endif
