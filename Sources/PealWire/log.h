/* SPDX-License-Identifier: Apache-2.0
 *
 * log.h - a file that any number of threads append to without a lock. It is mapped into memory, so a record is in the
 * file once it is written, also if the process is killed.
 */
#ifndef PEAL_WIRE_LOG_H
#define PEAL_WIRE_LOG_H

#include "recording.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct log {
    struct file_header *header; /* the mapped file */
    uint64_t capacity;
    int file;
    bool is_counter;            /* the clock is the processor's counter */
    uint64_t end;       /* where the next record begins */
    uint64_t allocated; /* the bytes that have room on the disk */
    uint64_t limit;     /* the bytes that may get room: less than the capacity once the disk was full */
    uint64_t lost;
    pthread_mutex_t lock;       /* of allocating */
};

/* Creates the file. Returns 0, or an error of errno.h. */
int log_open(struct log *log, const char *path, uint64_t capacity);
void log_close(struct log *log);

uint64_t log_ticks(const struct log *log);

/* Reserves room for a record. Returns the memory of its content; NULL if the file is full. */
void *log_begin(struct log *log, uint16_t method, uint32_t size);
/* Completes the record. */
void log_end(void *content, enum record_kind kind);
void log_count_lost(struct log *log);

#endif
