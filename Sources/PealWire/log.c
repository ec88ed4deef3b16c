/* SPDX-License-Identifier: Apache-2.0
 *
 * Another process may cut the file at any time. A store beyond its end raises SIGBUS, whose handler puts other memory in the
 * place of the mapped file. Where the handler would not be called, records are written by system calls, which fail instead.
 */
#include "log.h"

#include "failure.h"
#include "fault.h"
#include "ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 4 << 20, /* Room on the disk is allocated in pieces of this size. */
    LOG_LIMIT = 64   /* of a process */
};

/* They are never freed, because the handlers of signals and of forks find them here. */
static struct log logs[LOG_LIMIT];

static const char was_cut[] = "another process has cut the file; change no file that is recorded";
static const char was_overwritten[] = "another process has overwritten the file; change no file that is recorded";
static const char is_parents[] = "the recorder belongs to the parent of this process";

static struct file_header *header_of(const struct log *log) { return (struct file_header *)(void *)log->base; }

static uint32_t state_of(const struct log *log) { return __atomic_load_n(&log->state, __ATOMIC_ACQUIRE); }

bool log_is_of_parent(const struct log *log) { return state_of(log) == LOG_OF_PARENT; }

/* Called by a signal handler too. The first reason remains. */
static void stop(struct log *log, const char *reason)
{
    if (state_of(log) != LOG_STOPPED)
        __atomic_store_n(&log->reason, reason, __ATOMIC_RELAXED);
    __atomic_store_n(&log->state, LOG_STOPPED, __ATOMIC_RELEASE);
}

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

/* ---- Faults and forks -------------------------------------------------------------------------- */

/* What this thread knows. The model makes the access as cheap as that of a library that is loaded with the program. */
static _Thread_local struct {
    uint32_t id;
    bool may_store; /* A fault would be repaired, as found out at `checked`. */
    uint64_t checked;
} self __attribute__((tls_model("initial-exec")));

/* Replaces a page of the mapped file by memory, and each further page at a fault of its own: memory of the size of the whole
 * file may exceed a limit of the process, or be locked. Called by a signal handler. */
static bool repair(void *address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < LOG_LIMIT; i++) {
        struct log *log = &logs[i];
        uint8_t *base = state_of(log) != LOG_UNUSED ? __atomic_load_n(&log->base, __ATOMIC_ACQUIRE) : NULL;
        if (base == NULL || (uintptr_t)address - (uintptr_t)base >= log->capacity)
            continue;
        stop(log, was_cut);
        return mmap((void *)((uintptr_t)address & ~(page - 1)), page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
            != MAP_FAILED;
    }
    return false;
}

/* Closes the child's copies of the files. A copy of a descriptor would keep the lock of the parent's file. */
static void close_in_child(void)
{
    self.id = 0;
    for (size_t i = 0; i < LOG_LIMIT; i++) {
        struct log *log = &logs[i];
        if (state_of(log) == LOG_UNUSED)
            continue;
        const int file = __atomic_exchange_n(&log->file, -1, __ATOMIC_RELAXED);
        const int folder = __atomic_exchange_n(&log->place.folder, -1, __ATOMIC_RELAXED);
        if (file >= 0)
            close(file);
        if (folder >= 0)
            close(folder);
        if (log->base != NULL)
            munmap(log->base, log->capacity);
        log->base = NULL;
        __atomic_store_n(&log->state, LOG_OF_PARENT, __ATOMIC_RELEASE);
    }
}

static void prepare_process(void)
{
    for (size_t i = 0; i < LOG_LIMIT; i++)
        logs[i].file = logs[i].place.folder = -1;
    fault_handle(repair);
    pthread_atfork(NULL, NULL, close_in_child);
}

/* Returns true if a store may meet the end of the file. A thread finds this out once a millisecond: asking costs system
 * calls, and few programs change their mask or their handlers while they run. */
static bool may_store(const struct log *log, uint64_t ticks)
{
    if (self.checked == 0 || ticks - self.checked > log->millisecond) {
        self.may_store = fault_is_handled();
        self.checked = ticks;
    }
    return self.may_store;
}

/* Returns true if another process has made the file shorter than a size that it had. */
static bool is_cut(const struct log *log, uint64_t size)
{
    struct stat facts;

    return fstat(log->file, &facts) != 0 || (uint64_t)facts.st_size < size;
}

/* A fault reveals only a cut that a store meets. */
void log_check_file(struct log *log)
{
    /* Before the size is read: other threads enlarge the file before they count the room. */
    const uint64_t allocated = __atomic_load_n(&log->allocated, __ATOMIC_ACQUIRE);
    const uint32_t state = state_of(log);
    struct file_header header;

    if (state != LOG_NEW && state != LOG_OPEN)
        return;
    if (is_cut(log, allocated))
        stop(log, was_cut);
    else if (pread(log->file, &header, sizeof header, 0) != (ssize_t)sizeof header
             || memcmp(header.magic, RECORDING_MAGIC, sizeof header.magic) != 0
             || header.start_ticks != log->start_ticks)
        stop(log, was_overwritten);
}

/* Looks at the file once a millisecond. */
static void check_file_sometimes(struct log *log, uint64_t ticks)
{
    if (ticks - __atomic_load_n(&log->checked, __ATOMIC_RELAXED) > log->millisecond) {
        __atomic_store_n(&log->checked, ticks, __ATOMIC_RELAXED);
        log_check_file(log);
    }
}

/* ---- Room -------------------------------------------------------------------------------------- */

/* Returns the bytes of a file that the process may write. More would raise SIGXFSZ, which ends the program. */
static uint64_t size_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

/* Writes by a system call. Returns false if not all bytes are in the file. */
static bool write_at(const struct log *log, const void *bytes, size_t size, uint64_t offset)
{
    return offset + size <= size_limit() && pwrite(log->file, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* Takes room on the disk, so that a store fails only if the file is cut. Touching the pages at once costs a third of
 * touching them one after the other. */
static bool allocate_chunk(struct log *log, uint64_t begin)
{
    const uint64_t limit = size_limit() & ~(uint64_t)4095;
    const uint64_t most = log->capacity < limit ? log->capacity : limit;
    const uint64_t size = most < begin + CHUNK ? most - begin : CHUNK;

    if (most <= begin)
        return false;
    if (is_cut(log, begin)) {
        stop(log, was_cut);
        return false;
    }
    if (posix_fallocate(log->file, (off_t)begin, (off_t)size) != 0)
        return false;
#ifdef MADV_POPULATE_WRITE
    madvise(log->base + begin, size, MADV_POPULATE_WRITE); /* Older kernels refuse, and lose nothing. */
#endif
    __atomic_store_n(&log->allocated, begin + size, __ATOMIC_RELEASE);
    return true;
}

static __attribute__((cold, noinline)) bool allocate_until(struct log *log, uint64_t begin, uint64_t end)
{
    uint64_t allocated;

    pthread_mutex_lock(&log->lock);
    while ((allocated = __atomic_load_n(&log->allocated, __ATOMIC_ACQUIRE)) < end)
        /* A record that did not fit leaves a hole, at which readers stop. So no later one may fit, also if the disk has
         * room again. */
        if (allocated >= log->limit || !allocate_chunk(log, allocated)) {
            log->limit = allocated;
            if (begin < log->hole)
                __atomic_store_n(&log->hole, begin, __ATOMIC_RELAXED);
            break;
        }
    pthread_mutex_unlock(&log->lock);
    return allocated >= end;
}

/* ---- Records ----------------------------------------------------------------------------------- */

void log_count_lost(struct log *log, const char *reason)
{
    const uint64_t lost = __atomic_add_fetch(&log->lost, 1, __ATOMIC_RELAXED);
    const uint32_t state = state_of(log);

    if (state != LOG_STOPPED)
        __atomic_store_n(&log->reason, reason, __ATOMIC_RELAXED);
    if (state != LOG_NEW && state != LOG_OPEN)
        return;
    if (may_store(log, log_ticks(log)))
        __atomic_store_n(&header_of(log)->lost, lost, __ATOMIC_RELAXED);
    else
        (void)write_at(log, &lost, sizeof lost, offsetof(struct file_header, lost));
}

static uint32_t thread_id(void)
{
    if (self.id == 0)
        self.id = (uint32_t)gettid();
    return self.id;
}

/* Puts the file into its place before its first call. Returns false if that has failed. */
static __attribute__((cold, noinline)) bool open_for_calls(struct log *log)
{
    if (log_is_of_parent(log))
        return false;
    pthread_mutex_lock(&log->lock);
    if (state_of(log) == LOG_NEW) {
        const char *reason = place_move(&log->place, log->file);
        if (reason == NULL)
            __atomic_store_n(&log->state, LOG_OPEN, __ATOMIC_RELEASE);
        else
            stop(log, reason);
    }
    pthread_mutex_unlock(&log->lock);
    return state_of(log) == LOG_OPEN;
}

static void store_record(uint8_t *place, const struct record_header *record, const void *content)
{
    struct record_header *stored = (struct record_header *)(void *)place;

    /* First, so that a reader can skip the record if this thread is killed. */
    __atomic_store_n(&stored->size, record->size, __ATOMIC_RELAXED);
    stored->method = record->method;
    stored->thread = record->thread;
    stored->ticks = record->ticks;
    memcpy(stored + 1, content, record->size);
    __atomic_store_n(&stored->kind, record->kind, __ATOMIC_RELEASE);
}

/* Writes a record by system calls: the kind last, too. */
static __attribute__((cold, noinline)) bool write_record(
    struct log *log, uint64_t begin, const struct record_header *record, const void *content)
{
    struct record_header incomplete = *record;

    incomplete.kind = RECORD_INCOMPLETE;
    if (is_cut(log, begin + record_space(record->size))) {
        stop(log, was_cut);
        return false;
    }
    if (write_at(log, &incomplete, sizeof incomplete, begin)
        && write_at(log, content, record->size, begin + sizeof incomplete)
        && write_at(log, &record->kind, sizeof record->kind, begin + offsetof(struct record_header, kind)))
        return true;
    stop(log, "the file cannot be written");
    return false;
}

/* Returns true if the record is in the file, and otherwise gives a reason. */
static bool append(struct log *log, struct record_header *record, const void *content, const char **reason)
{
    const uint64_t space = record_space(record->size);

    *reason = "the file or the disk is full, or the process may not write a larger file (ulimit -f); raise the limit, "
              "or record fewer protocols or a shorter time";
    /* One call that is too large must not take the room of those that follow. */
    if (space > log->capacity || __atomic_load_n(&log->end, __ATOMIC_RELAXED) > log->capacity - space)
        return false;
    const uint64_t begin = __atomic_fetch_add(&log->end, space, __ATOMIC_RELAXED);
    if (begin + space > __atomic_load_n(&log->allocated, __ATOMIC_ACQUIRE)
        && !allocate_until(log, begin, begin + space))
        return false;
    record->thread = thread_id();
    record->ticks = log_ticks(log);
    check_file_sometimes(log, record->ticks);
    if (!may_store(log, record->ticks))
        return write_record(log, begin, record, content);
    store_record(log->base + begin, record, content);
    /* The file may have been cut. */
    return state_of(log) != LOG_STOPPED;
}

bool log_append(struct log *log, enum record_kind kind, uint16_t method, const void *content, size_t size)
{
    struct record_header record = { .size = (uint32_t)size, .kind = (uint16_t)kind, .method = method };
    const char *reason = is_parents;
    const uint32_t state = state_of(log);

    if (size > UINT32_MAX)
        reason = "the arguments have more than 4 GiB";
    else if ((state == LOG_OPEN || (state == LOG_NEW && (kind == RECORD_METHOD || open_for_calls(log))))
             && append(log, &record, content, &reason))
        return true;
    if (kind == RECORD_CALL)
        log_count_lost(log, reason);
    return false;
}

/* ---- Files ------------------------------------------------------------------------------------- */

static int map(struct log *log)
{
    void *memory = mmap(NULL, log->capacity, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, 0);

    if (memory == MAP_FAILED)
        return errno;
    __atomic_store_n(&log->base, memory, __ATOMIC_RELEASE);
    return allocate_chunk(log, 0) ? 0 : size_limit() < 4096 ? EFBIG : ENOSPC;
}

static int begin_file(struct log *log)
{
    struct file_header header = { .tick_length = measure_tick_length(log) };
    const struct moment start = read_moment(log, CLOCK_REALTIME);
    const int error = map(log);

    memcpy(header.magic, RECORDING_MAGIC, sizeof header.magic);
    header.start_time = start.time;
    header.start_ticks = log->start_ticks = start.ticks;
    log->end = sizeof header;
    log->millisecond = (uint64_t)(((wide)1000000 << 32) / header.tick_length);
    if (error != 0)
        return error;
    return write_at(log, &header, sizeof header, 0) ? 0 : EIO;
}

/* Takes one of the logs. NULL if all are taken. An unused log has no file and no memory, so the handlers may find it while
 * it is taken. */
static struct log *take_log(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, prepare_process);
    for (size_t i = 0; i < LOG_LIMIT; i++) {
        struct log *log = &logs[i];
        uint32_t unused = LOG_UNUSED;
        if (!__atomic_compare_exchange_n(&log->state, &unused, LOG_NEW, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        log->end = log->allocated = log->lost = log->checked = 0;
        log->hole = UINT64_MAX;
        log->reason = NULL;
        pthread_mutex_init(&log->lock, NULL);
        return log;
    }
    return NULL;
}

static void return_log(struct log *log)
{
    /* In this order: another thread may handle a fault in what is mapped there next. */
    uint8_t *base = __atomic_exchange_n(&log->base, NULL, __ATOMIC_RELEASE);
    if (base != NULL)
        munmap(base, log->capacity);
    pthread_mutex_destroy(&log->lock);
    __atomic_store_n(&log->state, LOG_UNUSED, __ATOMIC_RELEASE);
}

/* Nothing remains of a file that got no call. */
static void close_file(struct log *log)
{
    place_abandon(&log->place);
    /* First, so that the child of a fork never closes a number that has become another file's. */
    const int file = __atomic_exchange_n(&log->file, -1, __ATOMIC_RELAXED);
    (void)flock(file, LOCK_UN);
    close(file);
}

peal_status log_create(const char *path, uint64_t capacity, struct log **out_log)
{
    struct log *log = take_log();

    if (log == NULL)
        return wire_fail(PEAL_ERROR_LIMIT, "a process has at most %d recorders at a time", LOG_LIMIT);
    log->capacity = (capacity + 4095) & ~(uint64_t)4095;
    log->limit = log->capacity;
    log->is_counter = has_constant_counter();
    peal_status status = place_create(&log->place, path, &log->file);
    if (status == PEAL_OK) {
        const int error = begin_file(log);
        if (error != 0) {
            status = wire_fail(PEAL_ERROR_CREATION, "%s: %s", path, strerror(error));
            close_file(log);
        }
    }
    if (status < 0) {
        return_log(log);
        return status;
    }
    *out_log = log;
    return PEAL_OK;
}

uint64_t log_used(const struct log *log)
{
    const uint64_t end = __atomic_load_n(&log->end, __ATOMIC_RELAXED);
    const uint64_t hole = __atomic_load_n(&log->hole, __ATOMIC_RELAXED);

    return __atomic_load_n(&log->place.folder, __ATOMIC_RELAXED) >= 0 ? 0 : end < hole ? end : hole;
}

/* Completes the file, unless another process has made another one of it. */
static void complete_file(struct log *log, uint64_t end)
{
    struct file_header header;

    log_check_file(log);
    if (state_of(log) != LOG_OPEN || pread(log->file, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return;
    header.end = end;
    header.lost = log->lost;
    /* If this fails, the file is that of a program that was killed, and zeros follow the records. */
    (void)write_at(log, &header, sizeof header, 0);
    (void)!ftruncate(log->file, (off_t)end);
}

void log_close(struct log *log)
{
    if (log_is_of_parent(log)) {
        place_forget(&log->place);
    } else {
        complete_file(log, log_used(log));
        close_file(log);
    }
    return_log(log);
}
