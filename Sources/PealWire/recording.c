/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the file of a recording. Its content may be anything: each size is checked before it is used. The memory is at
 * most that of the largest record, and no byte is read more than a few times.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WINDOW = 1 << 16,
    HOLE_LIMIT = 16 << 20, /* bytes of a file that may be holes, all of them */
    HOLE_FACTOR = 32       /* of the bytes on the disk. File systems that compress do not exceed it */
};

/* Reads until the buffer is full or the file ends. Returns the number of bytes. */
static size_t read_at(int file, uint64_t offset, uint8_t *bytes, size_t size)
{
    size_t count = 0;

    while (count < size) {
        const ssize_t length = pread(file, bytes + count, size - count, (off_t)(offset + count));
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            break;
        count += (size_t)length;
    }
    return count;
}

/* Returns the bytes at an offset; NULL if the file has fewer, or without memory. */
static const uint8_t *load(struct recording *recording, uint64_t offset, size_t size)
{
    if (offset >= recording->begin && size <= recording->count && offset - recording->begin <= recording->count - size)
        return recording->bytes + (offset - recording->begin);
    const size_t wanted = size < WINDOW ? WINDOW : size;
    recording->count = 0;
    if (wanted > recording->capacity) {
        free(recording->bytes);
        recording->bytes = malloc(wanted);
        recording->capacity = recording->bytes != NULL ? wanted : 0;
        if (recording->bytes == NULL)
            return NULL;
    }
    recording->begin = offset;
    recording->count = read_at(recording->file, offset, recording->bytes, wanted);
    return recording->count >= size ? recording->bytes : NULL;
}

/* ---- Files ------------------------------------------------------------------------------------- */

/* Returns true if the file has so many holes that reading it would cost far more than the file does. A file system that
 * counts no blocks gets no such test. */
static bool is_sparse(const struct stat *facts)
{
    const uint64_t stored = (uint64_t)facts->st_blocks * 512;

    return stored != 0 && facts->st_size > HOLE_LIMIT && (uint64_t)facts->st_size / HOLE_FACTOR > stored;
}

static int read_header(struct recording *recording)
{
    struct file_header *header = &recording->header;
    struct stat facts;

    if (fstat(recording->file, &facts) != 0)
        return errno;
    if (!S_ISREG(facts.st_mode))
        return EINVAL;
    recording->size = (uint64_t)facts.st_size;
    if (read_at(recording->file, 0, (uint8_t *)header, sizeof *header) != sizeof *header
        || memcmp(header->magic, RECORDING_MAGIC, sizeof header->magic) != 0)
        return EBADMSG;
    if (is_sparse(&facts))
        return EFBIG;
    recording_rewind(recording);
    return 0;
}

int recording_open(struct recording *recording, const char *path)
{
    memset(recording, 0, sizeof *recording);
    /* A FIFO would make open wait for a writer. */
    recording->file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (recording->file < 0)
        return errno;
    const int error = read_header(recording);
    if (error != 0)
        recording_close(recording);
    return error;
}

void recording_close(struct recording *recording)
{
    if (recording->file >= 0)
        close(recording->file);
    free(recording->bytes);
    recording->file = -1;
    recording->bytes = NULL;
}

void recording_rewind(struct recording *recording) { recording->offset = sizeof recording->header; }

/* ---- Records ----------------------------------------------------------------------------------- */

bool recording_next(struct recording *recording, struct record_header *record)
{
    while (recording->offset <= recording->size && recording->size - recording->offset >= sizeof *record) {
        const uint8_t *bytes = load(recording, recording->offset, sizeof *record);
        if (bytes == NULL)
            return false;
        memcpy(record, bytes, sizeof *record);
        const uint64_t space = record_space(record->size);
        if (record->size == 0 || space > recording->size - recording->offset)
            return false;
        recording->content = recording->offset + sizeof *record;
        recording->offset += space;
        if (record->kind != RECORD_INCOMPLETE)
            return true;
    }
    return false;
}

const uint8_t *recording_content(struct recording *recording, const struct record_header *record)
{
    return load(recording, recording->content, record->size);
}

uint64_t recording_time(const struct recording *recording, const struct record_header *record)
{
    const uint64_t ticks = record->ticks - recording->header.start_ticks;

    /* Counters of two processors may differ a little, so the first calls may lie before the start. */
    return ticks >> 63 != 0 ? 0 : (uint64_t)((wide)ticks * recording->header.tick_length >> 32);
}
