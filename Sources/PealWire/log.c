/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include "ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room on the disk is allocated in pieces of this size. */
enum { CHUNK = 4 << 20 };

static uint8_t *base_of(const struct log *log) { return (uint8_t *)log->header; }

/* ---- Time -------------------------------------------------------------------------------------- */

uint64_t log_ticks(const struct log *log) { return log->is_counter ? read_counter() : nanoseconds_of(CLOCK_MONOTONIC); }

struct moment {
    uint64_t ticks;
    uint64_t time;
};

/* Reads the counter and a clock at once, as nearly as possible. The thread may lose its processor between two readings, so
 * the pair that took the least time is returned. */
static struct moment read_moment(const struct log *log, clockid_t clock)
{
    enum { READINGS = 8 };
    struct moment best = { 0, 0 };
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        const uint64_t ticks = log_ticks(log);
        const uint64_t time = nanoseconds_of(clock);
        const uint64_t duration = log_ticks(log) - ticks;
        if (duration < least) {
            least = duration;
            best = (struct moment){ ticks, time };
        }
    }
    return best;
}

/* Measures the counter for a millisecond, which gives its rate within 0.01 %. A counter that has not grown is not used.
 * Returns the length of a tick in nanoseconds, times 2^32. */
static uint64_t measure_tick_length(struct log *log)
{
    const struct moment begin = read_moment(log, CLOCK_MONOTONIC);
    while (log->is_counter && nanoseconds_of(CLOCK_MONOTONIC) - begin.time < 1000000)
        ;
    const struct moment end = read_moment(log, CLOCK_MONOTONIC);
    log->is_counter = log->is_counter && end.ticks > begin.ticks;
    if (!log->is_counter)
        return (uint64_t)1 << 32;
    return (uint64_t)((wide)(end.time - begin.time) << 32) / (end.ticks - begin.ticks);
}

/* ---- Room -------------------------------------------------------------------------------------- */

/* Takes room on the disk, so that no store into the mapping can fail. Touching the pages at once costs a third of
 * touching them one after the other. */
static int allocate_chunk(struct log *log, uint64_t begin)
{
    const uint64_t size = log->capacity - begin < CHUNK ? log->capacity - begin : CHUNK;
    const int error = posix_fallocate(log->file, (off_t)begin, (off_t)size);

    if (error != 0)
        return error;
#ifdef MADV_POPULATE_WRITE
    madvise(base_of(log) + begin, size, MADV_POPULATE_WRITE); /* Older kernels refuse, and lose nothing. */
#endif
    __atomic_store_n(&log->allocated, begin + size, __ATOMIC_RELEASE);
    return 0;
}

static __attribute__((cold, noinline)) bool allocate_until(struct log *log, uint64_t end)
{
    uint64_t allocated;

    pthread_mutex_lock(&log->lock);
    while ((allocated = __atomic_load_n(&log->allocated, __ATOMIC_ACQUIRE)) < end)
        /* A record that did not fit leaves a hole, at which readers stop. So no later one may fit, also if the disk has
         * room again. */
        if (allocated >= log->limit || allocate_chunk(log, allocated) != 0) {
            log->limit = allocated;
            break;
        }
    pthread_mutex_unlock(&log->lock);
    return allocated >= end;
}

/* ---- Records ----------------------------------------------------------------------------------- */

void log_count_lost(struct log *log)
{
    __atomic_fetch_add(&log->lost, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&log->header->lost, 1, __ATOMIC_RELAXED);
}

static uint32_t thread_id(void)
{
    static _Thread_local uint32_t id;

    if (id == 0)
        id = (uint32_t)gettid();
    return id;
}

void *log_begin(struct log *log, uint16_t method, uint32_t size)
{
    const uint64_t space = record_space(size);
    const uint64_t begin = __atomic_fetch_add(&log->end, space, __ATOMIC_RELAXED);

    if (begin + space > __atomic_load_n(&log->allocated, __ATOMIC_ACQUIRE) && !allocate_until(log, begin + space)) {
        log_count_lost(log);
        return NULL;
    }
    struct record_header *record = (struct record_header *)(void *)(base_of(log) + begin);
    /* First, so that a reader can skip the record if this thread is killed. */
    __atomic_store_n(&record->size, size, __ATOMIC_RELAXED);
    record->method = method;
    record->thread = thread_id();
    record->ticks = log_ticks(log);
    return record + 1;
}

void log_end(void *content, enum record_kind kind)
{
    struct record_header *record = (struct record_header *)content - 1;

    __atomic_store_n(&record->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

/* ---- Files ------------------------------------------------------------------------------------- */

static int map(struct log *log)
{
    if (ftruncate(log->file, (off_t)log->capacity) != 0)
        return errno;
    void *memory = mmap(NULL, log->capacity, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, 0);
    if (memory == MAP_FAILED)
        return errno;
    log->header = memory;
    return allocate_chunk(log, 0);
}

static int begin_file(struct log *log, const char *path)
{
    log->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log->file < 0)
        return errno;
    const int error = map(log);
    if (error == 0)
        return 0;
    if (log->header != NULL)
        munmap(log->header, log->capacity);
    close(log->file);
    return error;
}

int log_open(struct log *log, const char *path, uint64_t capacity)
{
    memset(log, 0, sizeof *log);
    log->capacity = (capacity + 4095) & ~(uint64_t)4095;
    log->limit = log->capacity;
    log->is_counter = has_constant_counter();
    const int error = begin_file(log, path);
    if (error != 0)
        return error;
    pthread_mutex_init(&log->lock, NULL);
    log->end = sizeof *log->header;
    log->header->tick_length = measure_tick_length(log);
    const struct moment start = read_moment(log, CLOCK_REALTIME);
    log->header->start_time = start.time;
    log->header->start_ticks = start.ticks;
    memcpy(log->header->magic, RECORDING_MAGIC, sizeof log->header->magic);
    return 0;
}

void log_close(struct log *log)
{
    const uint64_t end = log->end < log->allocated ? log->end : log->allocated;

    log->header->end = end;
    munmap(log->header, log->capacity);
    /* If this fails, zeros follow the records. */
    const int is_truncated = ftruncate(log->file, (off_t)end);
    (void)is_truncated;
    close(log->file);
    pthread_mutex_destroy(&log->lock);
}
