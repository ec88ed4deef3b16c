/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the file of a recording. Its content may be anything: each size is checked before it is used.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int recording_map(const char *path, const uint8_t **out_bytes, uint64_t *out_size)
{
    struct stat facts;
    /* Opening a FIFO or a device must not wait. A regular file ignores the flag. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (file < 0)
        return errno;
    int error = fstat(file, &facts) != 0 ? errno : 0;
    *out_size = (uint64_t)facts.st_size;
    if (error == 0 && !S_ISREG(facts.st_mode))
        error = EINVAL;
    if (error == 0 && *out_size >= sizeof(struct file_header)) {
        /* Private, so that nothing is written by accident; the content must still not be cut by others. */
        void *memory = mmap(NULL, *out_size, PROT_READ, MAP_PRIVATE, file, 0);
        error = memory == MAP_FAILED ? errno : 0;
        *out_bytes = memory;
    }
    close(file);
    return error;
}

void recording_unmap(const uint8_t *bytes, uint64_t size)
{
    if (bytes != NULL)
        munmap((void *)(uintptr_t)bytes, size);
}

bool recording_is_valid(const uint8_t *bytes, uint64_t size)
{
    const struct file_header *header = (const struct file_header *)(const void *)bytes;

    return bytes != NULL && memcmp(header->magic, RECORDING_MAGIC, sizeof header->magic) == 0 && header->end <= size;
}

const struct record_header *recording_next(const uint8_t *bytes, uint64_t size, uint64_t *offset)
{
    while (*offset <= size && size - *offset >= sizeof(struct record_header)) {
        const struct record_header *record = (const struct record_header *)(const void *)(bytes + *offset);
        const uint64_t space = record_space(record->size);
        if (record->size == 0 || space > size - *offset)
            return NULL;
        *offset += space;
        /* The kind is written last. */
        if (__atomic_load_n(&record->kind, __ATOMIC_ACQUIRE) != RECORD_INCOMPLETE)
            return record;
    }
    return NULL;
}

uint64_t recording_time(const uint8_t *bytes, const struct record_header *record)
{
    const struct file_header *header = (const struct file_header *)(const void *)bytes;
    const uint64_t ticks = record->ticks - header->start_ticks;

    /* Counters of two processors may differ a little, so the first calls may lie before the start. */
    return ticks >> 63 != 0 ? 0 : (uint64_t)((wide)ticks * header->tick_length >> 32);
}
