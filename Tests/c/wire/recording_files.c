/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of recordings: who may read them, what they replace, and what becomes of a program whose file is cut.
 */
#include <peal/record.h>
#include <peal/wire.h>

#include "center.h"
#include "child.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 100 };

static const char *const methods[] = { "required void on_message(const char *room, const char *text)", NULL };

/* Long names that differ in their ends from those of a center. */
static const char similar[] = "Chat_with_a_rather_long_name_in_a_large_program";
static const char on_similar[] = "on_a_rather_long_name_of_a_method_in_a_large_program";

static char folder[64], path[96];
static peal_center center;
static peal_protocol chat;

/* Makes a folder of its own for each claim. */
static void begin(void)
{
    static unsigned claims;

    snprintf(folder, sizeof folder, "/tmp/peal-files-%d-%u", (int)getpid(), claims++);
    REQUIRE(mkdir(folder, 0700) == 0);
    snprintf(path, sizeof path, "%s/chat.peal", folder);
    center = open_center();
    chat = protocol_of(center, "Chat", methods);
}

static unsigned count_files(void)
{
    DIR *files = opendir(folder);
    unsigned count = 0;

    for (struct dirent *entry; (entry = readdir(files)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(files);
    return count;
}

static void end(void)
{
    close_center(center);
    unlink(path);
    CHECK_EQUAL(count_files(), 0);
    rmdir(folder);
}

static peal_recorder *record(void)
{
    peal_recorder *recorder = NULL;

    if (!CHECK_OK(peal_recorder_create(path, NULL, &recorder)) || !CHECK_OK(peal_recorder_add(recorder, chat)))
        check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
    return recorder;
}

/* Broadcasts texts of 3,000 bytes, so that they have pages of their own. */
static void say(unsigned calls)
{
    const peal_method on_message = find_method(chat, "on_message");
    char text[3001];

    memset(text, 'x', 3000);
    text[3000] = '\0';
    for (unsigned i = 0; i < calls; i++)
        CHECK_OK(peal_broadcast(on_message, "hall", text));
}

static struct peal_recorder_info state_of(peal_recorder *recorder)
{
    struct peal_recorder_info info = { .size = sizeof info };

    CHECK_OK(peal_recorder_get_info(recorder, &info));
    return info;
}

static struct peal_replay_info content_of_file(void)
{
    struct peal_replay_info info = { .size = sizeof info };
    peal_replay *replay;

    if (CHECK_OK(peal_replay_create(path, center, &replay)))
        CHECK_OK(peal_replay_get_info(replay, &info));
    peal_replay_destroy(replay);
    return info;
}

/* The number of calls in the file. */
static uint64_t count_calls(void)
{
    struct peal_replay_info info = { .size = sizeof info };
    peal_replay *replay;

    if (!CHECK_OK(peal_replay_create(path, center, &replay)))
        return 0;
    CHECK_OK(peal_replay_get_info(replay, &info));
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    peal_replay_destroy(replay);
    return info.calls;
}

static void write_text(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    REQUIRE(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, mode) == 0);
}

static bool has_text(const char *text)
{
    char content[32] = "";
    FILE *file = fopen(path, "r");
    const size_t length = fread(content, 1, sizeof content - 1, file);

    fclose(file);
    return length == strlen(text) && strcmp(content, text) == 0;
}

/* The bytes of memory that the process uses. */
static size_t memory_in_use(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long all = 0, used = 0;

    CHECK(fscanf(file, "%lu %lu", &all, &used) == 2);
    fclose(file);
    return used * (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- Cut files --------------------------------------------------------------------------------- */

/* Empties the file between two calls. */
static bool goes_on_without_file(void)
{
    struct stat facts;
    peal_recorder *recorder = record();

    say(CALLS);
    const bool is_recorded = count_calls() == CALLS;
    if (truncate(path, 0) != 0)
        return false;
    say(CALLS);
    const struct peal_recorder_info info = state_of(recorder);
    peal_recorder_destroy(recorder);
    return is_recorded && info.lost == CALLS && strstr(info.reason, "cut the file") != NULL && stat(path, &facts) == 0
        && facts.st_size == 0;
}

CLAIM("R5", "a program whose recording is emptied goes on, and the calls that follow are counted with the reason")
{
    begin();
    CHECK(in_child(goes_on_without_file, 20));
    end();
}

/* Each of the following claims makes the first recorder of its process, which installs the handler of SIGBUS. */
static void *go_on(void *out_result)
{
    *(bool *)out_result = goes_on_without_file();
    return NULL;
}

/* A new thread finds out at its first call if a fault would be handled. */
static bool new_thread_goes_on(void)
{
    pthread_t thread;
    bool result = false;

    return pthread_create(&thread, NULL, go_on, &result) == 0 && pthread_join(thread, NULL) == 0 && result;
}

static bool goes_on_with_blocked_signal(void)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return new_thread_goes_on();
}

CLAIM("R5", "this holds on a thread that blocks all signals")
{
    begin();
    CHECK(in_child(goes_on_with_blocked_signal, 20));
    end();
}

static bool goes_on_with_other_handler(void)
{
    peal_recorder *recorder = NULL;

    CHECK_OK(peal_recorder_create(path, NULL, &recorder));
    peal_recorder_destroy(recorder);
    signal(SIGBUS, SIG_DFL);
    return new_thread_goes_on();
}

CLAIM("R5", "this holds in a program that replaces the handler of SIGBUS after its first recorder")
{
    begin();
    CHECK(in_child(goes_on_with_other_handler, 20));
    end();
}

static sigjmp_buf return_point;

static void return_from_fault(int number)
{
    (void)number;
    siglongjmp(return_point, 1);
}

/* Cuts a mapped file of the program itself. */
static bool meets_own_fault(void)
{
    volatile bool is_handled = false;
    const int file = memfd_create("own", 0);

    signal(SIGBUS, return_from_fault);
    peal_recorder *recorder = record();
    say(1);
    if (file < 0 || ftruncate(file, 4096) != 0)
        return false;
    volatile char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ftruncate(file, 0) != 0)
        return false;
    if (sigsetjmp(return_point, 1) == 0)
        memory[0] = 1;
    else
        is_handled = true;
    peal_recorder_destroy(recorder);
    return is_handled && count_calls() == 1;
}

CLAIM("R5", "a handler of SIGBUS that the program had before gets all other faults")
{
    begin();
    CHECK(in_child(meets_own_fault, 20));
    end();
}

static unsigned faults;

static void count_fault(int number)
{
    sigset_t blocked;

    (void)number;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    faults += sigismember(&blocked, SIGUSR1) == 1 && sigismember(&blocked, SIGBUS) == 0;
}

/* The process of the second signal must end by it. */
static bool honours_former_handler(void)
{
    struct sigaction action = { .sa_handler = count_fault, .sa_flags = (int)SA_RESETHAND | SA_NODEFER };
    int status = 0;

    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGBUS, &action, NULL);
    peal_recorder *recorder = record();
    raise(SIGBUS);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        raise(SIGBUS);
        _exit(0);
    }
    waitpid(child, &status, 0);
    peal_recorder_destroy(recorder);
    return faults == 1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
}

CLAIM("R5", "a former handler is called with its mask, and only once if it has SA_RESETHAND")
{
    begin();
    CHECK(in_child(honours_former_handler, 20));
    end();
}

CLAIM("R5", "the number of lost calls that a recorder has at its end includes those since it was last asked for")
{
    begin();
    peal_recorder *recorder = record();
    say(1);
    REQUIRE(truncate(path, 0) == 0);
    (void)state_of(recorder);
    say(CALLS);
    CHECK_EQUAL(peal_recorder_destroy(recorder), CALLS);
    end();
}

/* Writes zeros over a byte range of the file. */
static void erase(off_t begin, size_t size)
{
    char *zeros = calloc(1, size);
    const int file = open(path, O_WRONLY | O_CLOEXEC);

    REQUIRE(zeros != NULL && file >= 0 && pwrite(file, zeros, size, begin) == (ssize_t)size);
    close(file);
    free(zeros);
}

CLAIM("R5", "a file that is cut or overwritten after its recorder has ended is read up to there, and is not reported as closed")
{
    struct stat facts;

    begin();
    peal_recorder *recorder = record();
    CHECK_EQUAL(state_of(recorder).bytes, 0);
    say(CALLS);
    CHECK_EQUAL(peal_recorder_destroy(recorder), 0);
    CHECK(content_of_file().is_closed);
    REQUIRE(stat(path, &facts) == 0);
    erase(facts.st_size / 2, 4096);
    CHECK(!content_of_file().is_closed);
    CHECK(content_of_file().calls < CALLS && content_of_file().calls > CALLS / 3);
    REQUIRE(truncate(path, facts.st_size / 4) == 0);
    CHECK(!content_of_file().is_closed);
    CHECK(count_calls() < CALLS / 3 && count_calls() > 0);
    end();
}

/* Memory of the size of the capacity, 1 GiB, would be refused, or resident where root has no limit. */
static bool goes_on_with_locked_memory(void)
{
    enum { LOCKED = 32 << 20 };
    struct rlimit limit = { 0, 0 };
    peal_recorder *recorder = record();

    say(CALLS);
    getrlimit(RLIMIT_MEMLOCK, &limit);
    limit.rlim_cur = limit.rlim_max < LOCKED ? limit.rlim_max : LOCKED;
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || mlockall(MCL_FUTURE) != 0 || truncate(path, 0) != 0)
        return false;
    const size_t before = memory_in_use();
    say(CALLS);
    const struct peal_recorder_info info = state_of(recorder);
    const size_t after = memory_in_use();
    peal_recorder_destroy(recorder);
    return info.lost == CALLS && after < before + LOCKED;
}

CLAIM("R5", "a program that locks its memory goes on, and gets little memory for a file of any capacity")
{
    begin();
    CHECK(in_child(goes_on_with_locked_memory, 20));
    end();
}

CLAIM("R5", "a cut that no call has met is reported with the reason")
{
    begin();
    peal_recorder *recorder = record();
    say(CALLS);
    CHECK(state_of(recorder).reason == NULL);
    REQUIRE(truncate(path, 1 << 20) == 0);
    CHECK_CONTAINS(state_of(recorder).reason, "cut the file");
    say(1);
    CHECK_EQUAL(state_of(recorder).lost, 1);
    peal_recorder_destroy(recorder);
    end();
}

CLAIM("R5", "calls are counted once a file was cut and has grown again, which raises no fault")
{
    struct stat facts;

    begin();
    peal_recorder *recorder = record();
    say(CALLS);
    REQUIRE(truncate(path, 0) == 0 && truncate(path, 64 << 20) == 0);
    /* The calls alone must find it out: they need less than the first 4 MiB. */
    for (int i = 0; i < 20; i++) {
        say(10);
        usleep(2000);
    }
    const struct peal_recorder_info info = state_of(recorder);
    CHECK(info.lost > CALLS);
    CHECK_CONTAINS(info.reason, "overwritten the file");
    peal_recorder_destroy(recorder);
    CHECK(stat(path, &facts) == 0 && facts.st_size == 64 << 20);
    end();
}

/* 3,000 calls have 9 MB. */
static bool goes_on_at_size_limit(void)
{
    const struct rlimit limit = { 6 << 20, 6 << 20 };
    peal_recorder *recorder = NULL;
    struct stat facts;

    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return false;
    recorder = record();
    say(3000);
    const struct peal_recorder_info info = state_of(recorder);
    if (peal_recorder_destroy(recorder) != info.lost || !content_of_file().is_closed)
        return false;
    const uint64_t calls = count_calls();
    return info.lost > 0 && calls > 1900 && calls + info.lost == 3000 && strstr(info.reason, "ulimit") != NULL
        && stat(path, &facts) == 0 && facts.st_size <= 6 << 20;
}

static bool is_refused_at_size_limit(void)
{
    const struct rlimit limit = { 1000, 1000 };
    peal_recorder *recorder;

    return setrlimit(RLIMIT_FSIZE, &limit) == 0 && peal_recorder_create(path, NULL, &recorder) == PEAL_ERROR_CREATION
        && strstr(peal_wire_last_message(), "too large") != NULL;
}

/* A thread that blocks SIGBUS records by system calls. */
static bool goes_on_at_late_size_limit(void)
{
    const struct rlimit limit = { 1 << 20, 1 << 20 };
    peal_recorder *recorder = record();
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    sigdelset(&all, SIGXFSZ);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return false;
    say(1000);
    const struct peal_recorder_info info = state_of(recorder);
    peal_recorder_destroy(recorder);
    return info.lost > 0 && info.lost < 700;
}

CLAIM("R5", "a program that may not write so large a file goes on: calls beyond the limit are counted, with the reason")
{
    begin();
    CHECK(in_child(goes_on_at_size_limit, 20));
    CHECK(in_child(is_refused_at_size_limit, 20));
    CHECK(in_child(goes_on_at_late_size_limit, 20));
    end();
}

/* Cuts the file between two calls. */
static bool replays_cut_file(void)
{
    struct peal_replay_info info = { .size = sizeof info };
    struct peal_replay_call call = { .size = sizeof call };
    peal_replay *replay;
    peal_recorder *recorder = record();

    say(CALLS);
    peal_recorder_destroy(recorder);
    CHECK_OK(peal_replay_create(path, center, &replay));
    CHECK_OK(peal_replay_next(replay, &call));
    if (truncate(path, 4096) != 0)
        return false;
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_OK(peal_replay_get_info(replay, &info));
    peal_replay_destroy(replay);
    return info.calls == CALLS && info.made < CALLS;
}

CLAIM("R5", "a program whose file is cut while it is replayed goes on")
{
    begin();
    CHECK(in_child(replays_cut_file, 20));
    end();
}

CLAIM("R5", "a call that is larger than the file is counted alone: those before and after it are recorded")
{
    enum { LARGE = 2 << 20 };
    struct peal_recorder_options options = PEAL_RECORDER_OPTIONS;
    peal_recorder *recorder = NULL;
    char *text = malloc(LARGE);

    options.capacity = 1 << 20;
    memset(text, 'x', LARGE - 1);
    text[LARGE - 1] = '\0';
    begin();
    REQUIRE_OK(peal_recorder_create(path, &options, &recorder));
    CHECK_OK(peal_recorder_add(recorder, chat));
    say(CALLS);
    CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", text));
    say(CALLS);
    CHECK_EQUAL(state_of(recorder).lost, 1);
    CHECK_CONTAINS(state_of(recorder).reason, "full");
    peal_recorder_destroy(recorder);
    CHECK_EQUAL(count_calls(), 2 * CALLS);
    free(text);
    end();
}

/* ---- Places ------------------------------------------------------------------------------------ */

CLAIM("R6", "a recording is a new file of its owner alone, which replaces the former file with its first call")
{
    struct stat facts;

    begin();
    write_text("former", 0666);
    peal_recorder *recorder = record();
    CHECK(has_text("former"));
    say(1);
    CHECK(stat(path, &facts) == 0 && (facts.st_mode & 07777) == 0600);
    peal_recorder_destroy(recorder);
    CHECK_EQUAL(count_calls(), 1);
    CHECK_EQUAL(count_files(), 1);
    end();
}

CLAIM("R6", "a recorder without a call leaves no file, and the former one as it was")
{
    const peal_protocol none = { 0 };
    peal_recorder *recorder;

    begin();
    write_text("former", 0644);
    REQUIRE_OK(peal_recorder_create(path, NULL, &recorder));
    CHECK_STATUS(peal_recorder_add(recorder, none), PEAL_ERROR_HANDLE);
    peal_recorder_destroy(recorder);
    CHECK(has_text("former"));
    CHECK_EQUAL(count_files(), 1);
    end();
}

/* Puts another file in the place of the file that a recorder has created. */
static void replace_temporary(void)
{
    DIR *files = opendir(folder);
    char name[400];

    for (struct dirent *entry; (entry = readdir(files)) != NULL;)
        if (strncmp(entry->d_name, ".peal-", 6) == 0) {
            snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
            write_text("foreign", 0644);
            CHECK(rename(path, name) == 0);
        }
    closedir(files);
}

CLAIM("R6", "a file that replaces the recorder's own before its first call does not get the recording's name")
{
    begin();
    peal_recorder *recorder = record();
    replace_temporary();
    say(CALLS);
    CHECK_EQUAL(state_of(recorder).lost, CALLS);
    CHECK_CONTAINS(state_of(recorder).reason, "replaced the new file");
    CHECK(access(path, F_OK) != 0);
    peal_recorder_destroy(recorder);
    end();
}

CLAIM("R6", "a path without a folder is in the folder that was current when the recorder was created")
{
    char former[4096];
    peal_recorder *recorder;

    begin();
    REQUIRE(getcwd(former, sizeof former) != NULL && chdir(folder) == 0);
    REQUIRE_OK(peal_recorder_create("chat.peal", NULL, &recorder));
    REQUIRE(chdir(former) == 0);
    CHECK_OK(peal_recorder_add(recorder, chat));
    say(2);
    peal_recorder_destroy(recorder);
    CHECK_EQUAL(count_calls(), 2);
    end();
}

CLAIM("R6", "a file that a recorder is writing is not replaced by another one")
{
    peal_recorder *second, *late;

    begin();
    REQUIRE_OK(peal_recorder_create(path, NULL, &late));
    CHECK_OK(peal_recorder_add(late, protocol_of(center, "Late", methods)));
    peal_recorder *first = record();
    say(CALLS);
    CHECK_STATUS(peal_recorder_create(path, NULL, &second), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_wire_last_message(), "another recorder is writing this file");
    peal_protocol other;
    REQUIRE_OK(peal_protocol_find(center, "Late", &other));
    CHECK_OK(peal_broadcast(find_method(other, "on_message"), "hall", "lost"));
    CHECK_EQUAL(state_of(late).lost, 1);
    CHECK_CONTAINS(state_of(late).reason, "another recorder");
    say(CALLS);
    CHECK_EQUAL(state_of(first).lost, 0);
    peal_recorder_destroy(late);
    peal_recorder_destroy(first);
    CHECK_EQUAL(count_calls(), 2 * CALLS);
    end();
}

CLAIM("R6", "links, devices, folders and FIFOs are refused, and a FIFO is not waited for")
{
    char target[96];
    struct stat facts;
    peal_recorder *recorder;
    peal_replay *replay;

    begin();
    snprintf(target, sizeof target, "%s/target", folder);
    REQUIRE(symlink(target, path) == 0);
    CHECK_STATUS(peal_recorder_create(path, NULL, &recorder), PEAL_ERROR_CREATION);
    CHECK_CONTAINS(peal_wire_last_message(), "only a regular file");
    CHECK(stat(target, &facts) != 0);
    REQUIRE(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    CHECK_STATUS(peal_recorder_create(path, NULL, &recorder), PEAL_ERROR_CREATION);
    CHECK_STATUS(peal_replay_create(path, center, &replay), PEAL_ERROR_NOT_FOUND);
    CHECK_STATUS(peal_recorder_create("/dev/null", NULL, &recorder), PEAL_ERROR_CREATION);
    CHECK_STATUS(peal_recorder_create(folder, NULL, &recorder), PEAL_ERROR_CREATION);
    CHECK_STATUS(peal_recorder_create("/tmp/", NULL, &recorder), PEAL_ERROR_CREATION);
    CHECK_EQUAL(count_files(), 1);
    end();
}

CLAIM("R6", "a process has 64 recorders at a time")
{
    enum { LIMIT = 64 };
    struct peal_recorder_options options = PEAL_RECORDER_OPTIONS;
    peal_recorder *recorders[LIMIT], *another;
    char name[128];

    options.capacity = 8192;
    begin();
    for (int i = 0; i < LIMIT; i++) {
        snprintf(name, sizeof name, "%s/%d", folder, i);
        REQUIRE_OK(peal_recorder_create(name, &options, &recorders[i]));
    }
    CHECK_STATUS(peal_recorder_create(path, NULL, &another), PEAL_ERROR_LIMIT);
    for (int i = 0; i < LIMIT; i++)
        peal_recorder_destroy(recorders[i]);
    REQUIRE_OK(peal_recorder_create(path, NULL, &another));
    peal_recorder_destroy(another);
    end();
}

/* ---- Forks ------------------------------------------------------------------------------------- */

static peal_recorder *parents;

/* What the child of a fork may try. */
static bool leaves_file_alone(void)
{
    peal_recorder *own = NULL;

    say(CALLS);
    const struct peal_recorder_info info = state_of(parents);
    const bool is_refused = peal_recorder_add(parents, chat) == PEAL_ERROR_STATE
                         && peal_recorder_create(path, NULL, &own) == PEAL_ERROR_CREATION;
    peal_recorder_destroy(parents);
    return is_refused && info.lost == CALLS && strstr(info.reason, "parent") != NULL;
}

CLAIM("R7", "the child of a fork adds nothing to its parent's recording, and ends its copy without an effect on it")
{
    begin();
    parents = record();
    say(CALLS);
    CHECK(in_child(leaves_file_alone, 20));
    say(CALLS);
    CHECK_EQUAL(state_of(parents).lost, 0);
    peal_recorder_destroy(parents);
    CHECK_EQUAL(count_calls(), 2 * CALLS);
    end();
}

CLAIM("R7", "a child that lives longer than its parent's recording does not keep the file locked")
{
    int ends[2];
    char byte;

    begin();
    parents = record();
    say(1);
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    peal_recorder_destroy(parents);
    parents = record();
    say(2);
    peal_recorder_destroy(parents);
    CHECK_EQUAL(count_calls(), 2);
    close(ends[0]);
    close(ends[1]);
    CHECK(waitpid(child, NULL, 0) == child);
    end();
}

static bool records_its_own(void)
{
    peal_recorder *recorder = record();
    struct peal_replay_call call = { .size = sizeof call };
    peal_replay *replay;

    say(1);
    peal_recorder_destroy(recorder);
    CHECK_OK(peal_replay_create(path, center, &replay));
    CHECK_OK(peal_replay_next(replay, &call));
    const bool is_own_thread = call.thread == (uint32_t)getpid();
    peal_replay_destroy(replay);
    return is_own_thread && count_calls() == 1;
}

CLAIM("R7", "a recorder that the child of a fork creates records the calls of the child, with its thread")
{
    begin();
    parents = record();
    say(1);
    peal_recorder_destroy(parents);
    CHECK(in_child(records_its_own, 20));
    end();
}

/* ---- Foreign files ----------------------------------------------------------------------------- */

enum {
    DESCRIPTIONS = 65536,
#ifdef PEAL_TEST_SANITIZED
    FACTOR = 32 /* Sanitizers have memory of their own for each byte. */
#else
    FACTOR = 4
#endif
};

/* Writes a file that describes one method as often as possible, with a call each. Returns its size. */
static size_t write_descriptions(uint64_t fingerprint)
{
    static const char header[64] = "pealrec1";
    static const unsigned char arguments[8] = { 0x82, 0x61, 'a', 0x61, 'b' };
    struct {
        uint32_t size;
        uint16_t kind, method;
        uint32_t thread, reserved;
        uint64_t ticks;
    } record = { 0 };
    char names[24] = "Chat\0on_message";
    FILE *file = fopen(path, "wb");

    fwrite(header, sizeof header, 1, file);
    for (unsigned i = 0; i < DESCRIPTIONS; i++) {
        record.method = (uint16_t)i;
        record.kind = 1;
        record.size = sizeof fingerprint + 17;
        fwrite(&record, sizeof record, 1, file);
        fwrite(&fingerprint, sizeof fingerprint, 1, file);
        fwrite(names, sizeof names, 1, file);
        record.kind = 2;
        record.size = 5;
        fwrite(&record, sizeof record, 1, file);
        fwrite(arguments, sizeof arguments, 1, file);
    }
    const size_t size = (size_t)ftell(file);
    CHECK(fclose(file) == 0);
    return size;
}

static bool takes_little_memory(void)
{
    struct peal_replay_info info = { .size = sizeof info };
    uint64_t fingerprint = 0;
    peal_replay *replay;

    CHECK_OK(peal_method_fingerprint(find_method(chat, "on_message"), &fingerprint));
    const size_t size = write_descriptions(fingerprint), before = memory_in_use();
    CHECK_OK(peal_replay_create(path, center, &replay));
    CHECK_OK(peal_replay_run(replay, PEAL_REPLAY_FULL_SPEED));
    CHECK_OK(peal_replay_get_info(replay, &info));
    const size_t after = memory_in_use();
    peal_replay_destroy(replay);
    return info.made == DESCRIPTIONS && info.failed == 0 && after < before + FACTOR * size;
}

CLAIM("R8", "a replay of a file with 65,536 descriptions and calls of one method takes less than four times its size")
{
    begin();
    CHECK(in_child(takes_little_memory, 60));
    end();
}

CLAIM("R8", "a small file of holes that announces a call of 4 GiB is refused, with the remedy")
{
    static const char header[64] = "pealrec1";
    const struct {
        uint32_t size;
        uint16_t kind, method;
        uint32_t thread, reserved;
        uint64_t ticks;
    } record = { UINT32_MAX - 15, 2, 0, 0, 0, 0 };
    peal_replay *replay = NULL;

    begin();
    FILE *file = fopen(path, "wb");
    REQUIRE(fwrite(header, sizeof header, 1, file) == 1 && fwrite(&record, sizeof record, 1, file) == 1);
    REQUIRE(fclose(file) == 0 && truncate(path, (off_t)5 << 30) == 0);
    CHECK_STATUS(peal_replay_create(path, center, &replay), PEAL_ERROR_LIMIT);
    CHECK_CONTAINS(peal_wire_last_message(), "cp --sparse=never");
    peal_replay_destroy(replay);
    /* 16 MiB cost little. */
    REQUIRE(truncate(path, sizeof header) == 0 && truncate(path, 16 << 20) == 0);
    CHECK_OK(peal_replay_create(path, center, &replay));
    peal_replay_destroy(replay);
    end();
}

/* Writes descriptions of methods whose names are no names of the center, but similar to these.
 *
 * is_numbered: each is of a protocol that the center does not have; otherwise all are of one that it has. */
static void write_unknown(bool is_numbered, unsigned count)
{
    static const char header[64] = "pealrec1";
    struct {
        uint32_t size;
        uint16_t kind, method;
        uint32_t thread, reserved;
        uint64_t ticks;
    } record = { 0, 1, 0, 0, 0, 0 };
    FILE *file = fopen(path, "wb");

    fwrite(header, sizeof header, 1, file);
    for (unsigned i = 0; i < count; i++) {
        char content[256] = { 0 };
        const int first = 9
                        + (is_numbered ? snprintf(content + 8, 120, "%s_9%04u", similar, i)
                                       : snprintf(content + 8, 120, "%s", similar));
        const int second = snprintf(content + first, 120, "%s_%05u", on_similar, i) + 1;
        record.method = (uint16_t)i;
        record.size = (uint32_t)(first + second + 1);
        fwrite(&record, sizeof record, 1, file);
        fwrite(content, (record.size + 7) & ~7u, 1, file);
    }
    CHECK(fclose(file) == 0);
}

/* The processor time of opening the file in a center, in nanoseconds: the least of three. */
static uint64_t opening_time(peal_center in)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 3; i++) {
        struct timespec begin, end;
        peal_replay *replay = NULL;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        CHECK_OK(peal_replay_create(path, in, &replay));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        peal_replay_destroy(replay);
        const uint64_t time = (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
        least = time < least ? time : least;
    }
    return least;
}

/* Returns a center of 200 protocols, with 200 methods in the first one of them. */
static peal_center center_with_many_names(void)
{
    enum { NAMES = 200, LENGTH = 120 };
    static char protocols[NAMES][LENGTH], texts[NAMES][LENGTH];
    static const char *many[NAMES + 1];
    const peal_center in = open_center();

    for (int i = 0; i < NAMES; i++) {
        snprintf(protocols[i], LENGTH, "%s_%05d", similar, NAMES - i);
        snprintf(texts[i], LENGTH, "optional void %s_%05d(void)", on_similar, i + 90000);
        many[i] = texts[i];
    }
    (void)protocol_of(in, similar, many);
    for (int i = 0; i < NAMES; i++)
        (void)protocol_of(in, protocols[i], methods);
    return in;
}

static void check_time(peal_center many, peal_center few)
{
    const uint64_t time = opening_time(many), expected = opening_time(few);

    if (!CHECK(time < 8 * expected))
        printf("  %llu ns instead of %llu\n", (unsigned long long)time, (unsigned long long)expected);
}

CLAIM("R8", "the time to open a file of unknown names does not grow with the names that the center has")
{
    enum { NAMES = 1024 };

    begin();
    const peal_center few = open_center(), many = center_with_many_names();
    (void)protocol_of(few, similar, methods);
    write_unknown(false, NAMES);
    check_time(many, few);
    write_unknown(true, NAMES);
    check_time(many, few);
    close_center(few);
    close_center(many);
    end();
}

/* Returns the status of a replay of a file that describes a method. */
static peal_status describe(const char *protocol, const char *name, const char *text)
{
    static const char header[64] = "pealrec1";
    char content[512] = { 0 };
    const size_t names = 8 + strlen(protocol) + 1 + strlen(name) + 1, size = names + strlen(text) + 1;
    const struct {
        uint32_t size;
        uint16_t kind, method;
        uint32_t thread, reserved;
        uint64_t ticks;
    } record = { (uint32_t)size, 1, 0, 0, 0, 0 };
    peal_replay *replay = NULL;
    FILE *file = fopen(path, "wb");

    memcpy(content + 8, protocol, strlen(protocol));
    memcpy(content + 8 + strlen(protocol) + 1, name, strlen(name));
    memcpy(content + names, text, strlen(text));
    fwrite(header, sizeof header, 1, file);
    fwrite(&record, sizeof record, 1, file);
    fwrite(content, (size + 7) & ~(size_t)7, 1, file);
    CHECK(fclose(file) == 0);
    const peal_status status = peal_replay_create(path, center, &replay);
    peal_replay_destroy(replay);
    return status;
}

CLAIM("R8", "a recording whose names have newlines or control characters, or are not UTF-8, is refused")
{
    begin();
    CHECK_OK(describe("Chat", "on_m\xc3\xa9ssage", "protocol Chat\nrequired void on_m()\n"));
    CHECK_STATUS(describe("Chat.x: skipped\nroot logged in", "on_message", ""), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on\033[2Jmessage", ""), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on\x7fmessage", ""), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat",
                     "on\xc2\x9b"
                     "2J",
                     ""),
        PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on\xff", ""), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on\xe2\x80", ""), PEAL_ERROR_SYNTAX);
    /* An override of direction, a separator of lines, and a tag. */
    CHECK_STATUS(describe("\xe2\x80\xaetahC", "on_message", ""), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on\xe2\x80\xa8message", ""), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on_message", "void on_message(\xf3\xa0\x81\x81)\n"), PEAL_ERROR_SYNTAX);
    CHECK_STATUS(describe("Chat", "on_message", "void on_message()\033[2J\n"), PEAL_ERROR_SYNTAX);
    end();
}

CLAIM("R8", "the reasons of at most 256 skipped methods are printed, and then the number of the others")
{
    char *text = malloc(1 << 20);
    peal_replay *replay;
    size_t length = 0;

    begin();
    write_descriptions(1);
    REQUIRE_OK(peal_replay_create(path, center, &replay));
    CHECK_OK(peal_replay_print_skipped(replay, text, 1 << 20, &length));
    CHECK_EQUAL(length, strlen(text));
    CHECK_CONTAINS(text, "\n65280 other methods\n");
    peal_replay_destroy(replay);
    free(text);
    end();
}
