/* SPDX-License-Identifier: Apache-2.0
 *
 * record.h - recordings: files with each call of chosen protocols, and the same calls made again. In libpeal-wire.
 *
 *     peal_recorder *recorder;
 *     if (peal_recorder_create("chat.peal", NULL, &recorder) < 0 || peal_recorder_add(recorder, chat.protocol) < 0)
 *         printf("%s\n", peal_wire_last_message());
 *     ...
 *     peal_recorder_destroy(recorder);
 *
 * In this program or in another one, also in a later version of it:
 *
 *     peal_replay *replay;
 *     if (peal_replay_create("chat.peal", peal_center_default(), &replay) == PEAL_OK)
 *         peal_replay_run(replay, PEAL_REPLAY_ORIGINAL_SPEED);
 *     peal_replay_destroy(replay);
 *
 * docs/recording.md is the guide. It describes the file, too.
 */
#ifndef PEAL_RECORD_H
#define PEAL_RECORD_H

#include <peal/types.h>

PEAL_BEGIN_DECLARATIONS

/* ---- Recording --------------------------------------------------------------------------------- */

/* A file that is being written. */
typedef struct peal_recorder peal_recorder;

/* Options of a recorder. Begin with PEAL_RECORDER_OPTIONS or zeros and the size. */
struct peal_recorder_options {
    size_t size;       /* sizeof(struct peal_recorder_options) */
    uint64_t capacity; /* bytes that the file may have; calls that do not fit are counted. 0: 1 GiB */
};

/* An initialiser: struct peal_recorder_options options = PEAL_RECORDER_OPTIONS; */
#define PEAL_RECORDER_OPTIONS { sizeof(struct peal_recorder_options), 0 }

/* Creates a file that only its owner may read.
 *
 * The file gets its name with the first call that is recorded, and then replaces a regular file of that name. A recorder
 * without a call leaves no file, and a former one as it was. Until then the file is named `.peal-` and a number, in the
 * same folder; a program that is killed before its first call leaves it there. The file is locked (flock) until the
 * recorder is destroyed, so no other recorder replaces it. A symbolic link is refused, not followed.
 *
 * Each recorded call is in the file when its broadcast reaches the first observer, because the file is mapped into
 * memory. So the file has the calls also of a program that crashes or is killed. It need not survive a crash of the
 * machine.
 *
 * Another process of the user may cut the file. The program goes on: the recorder stops, and counts all later calls. For
 * this the first recorder of a process installs a handler of SIGBUS, which passes all other faults to the handler that was
 * there. It stays installed. Where it would not be called, the records are written by system calls, which takes some
 * microseconds each: on a thread that blocks SIGBUS, and in a program that has replaced the handler. A thread looks for these
 * once a millisecond. So do not block or handle SIGBUS and cut the file within the same millisecond.
 *
 * A cut that no store meets, and a file that was cut and has grown again, is noticed once a millisecond too, and by
 * peal_recorder_get_info. So the calls of the last millisecond may be missing and not counted, beside those that the cut has
 * removed.
 *
 * A file that reaches its capacity, the end of the disk or the size that the process may write (RLIMIT_FSIZE) gets no more
 * calls. They are counted.
 *
 * In the child of a fork the recorder records nothing and counts the calls. Only peal_recorder_get_info and
 * peal_recorder_destroy may be called, which leave the parent's file alone.
 *
 * path: *borrowed during the call*.
 * options: *borrowed during the call*; NULL for none.
 * out_recorder: filled, NULL on failure; *owned*: end it with peal_recorder_destroy.
 * Returns PEAL_OK; PEAL_ERROR_CREATION when the system refuses the file, when the path names anything but a regular file, or
 * when another recorder is writing it, with the reason; PEAL_ERROR_LIMIT for more than 64 recorders in a process;
 * PEAL_ERROR_ARGUMENT; PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_recorder_create(
    const char *path, const struct peal_recorder_options *options, peal_recorder **out_recorder);

/* Records a protocol from now on: each call of the methods that it has now, those of adopted protocols included. The
 * latter are recorded under the names of the protocols that declare them.
 *
 * The recorder is a passive observer of the protocol (PEAL_OBSERVE_PASSIVE), before all observers with a lower priority
 * than the highest one. So it counts among the called observers, and changes no result. Results are not recorded.
 *
 * Returns PEAL_OK; PEAL_ERROR_TYPE for a method whose arguments no message carries (peal_wire_plan_create), with a
 * sentence; PEAL_ERROR_STATE in the child of a fork. Otherwise the statuses of peal_observe_handler. After a failure the
 * protocol is not recorded.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_recorder_add(peal_recorder *recorder, peal_protocol protocol);

/* The state of a recorder. */
struct peal_recorder_info {
    size_t size;    /* sizeof(struct peal_recorder_info), set by the caller */
    uint64_t bytes; /* of the file that are used; 0 until it has its name */
    uint64_t lost;  /* calls that are not in the file */
    const char *reason; /* why the last of them was lost, or why the recorder has stopped, and what to change, *static*;
                           NULL for neither */
};

/* Reads the state of a recorder, and finds out if another process has cut or overwritten its file. Some system calls.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_recorder_get_info(peal_recorder *recorder, struct peal_recorder_info *out_info);

/* Destroys a recorder: waits until none of its calls is running, and closes the file. A file that another process has cut
 * is left as it is.
 *
 * recorder: *consumed*; NULL does nothing. The caller must not be inside a call of a recorded method.
 * Returns the number of calls that are not in the file, those since the last peal_recorder_get_info included.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API uint64_t peal_recorder_destroy(peal_recorder *recorder);

/* ---- Replay ------------------------------------------------------------------------------------ */

/* A recording that is read. One thread may use it at a time. */
typedef struct peal_replay peal_replay;

/* Speeds of peal_replay_run. Another number is a factor: 2 for twice the original speed. */
#define PEAL_REPLAY_ORIGINAL_SPEED 1.0
#define PEAL_REPLAY_FULL_SPEED 0.0

/* Creates a replay of a recording, even of one that a crashed program has left, or that is still written. Any process may
 * cut the file: then it has fewer calls. Time and memory are at most a small multiple of the size of the file.
 *
 * A recorded method is replayed by the method of the same name and fingerprint, in the protocol of the same name. So the
 * protocol may have grown since. Calls of other methods are skipped, and peal_replay_print_skipped has the reasons.
 *
 * path: *borrowed during the call*.
 * center: has the protocols.
 * out_replay: filled, NULL on failure; *owned*: end it with peal_replay_destroy.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND when the file cannot be opened; PEAL_ERROR_SYNTAX when it is no recording;
 * PEAL_ERROR_LIMIT for a file of more than 16 MiB that has fewer than a thirty-second of them on the disk;
 * PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_replay_create(const char *path, peal_center center, peal_replay **out_replay);

/* The content of a recording. */
struct peal_replay_info {
    size_t size; /* sizeof(struct peal_replay_info), set by the caller */
    uint64_t calls; /* recorded */
    uint64_t skipped; /* of these: of methods that the center does not have */
    uint64_t made; /* calls that were replayed */
    uint64_t failed; /* of these: calls whose broadcast failed, and calls that could not be decoded */
    uint64_t lost; /* calls that the recorder counted and did not record */
    uint64_t duration; /* from the beginning of the recording to its last call, in nanoseconds */
    bool
        is_closed; /* by peal_recorder_destroy, and whole. Otherwise its program has ended before, or is still recording, or
                       another process has cut or overwritten the file: the calls of its end are missing */
};

/* Reads the content of a recording.
 *
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API peal_status peal_replay_get_info(peal_replay *replay, struct peal_replay_info *out_info);

/* Prints a line for each recorded method that is skipped, with the reason; nothing if there is none. After 256 lines one
 * more has the number of the others. A method that no message carries is skipped only if it has calls.
 *
 * Buffer and statuses are those of peal_protocol_name.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API peal_status peal_replay_print_skipped(peal_replay *replay, char *buffer, size_t capacity, size_t *out_length);

/* One recorded call. */
struct peal_replay_call {
    size_t size; /* sizeof(struct peal_replay_call), set by the caller */
    const char *protocol; /* their names; *borrowed until* the replay is destroyed */
    const char *method_name;
    peal_method method; /* in the center; zero if the call is skipped */
    void *const *arguments; /* as peal_send takes them; *borrowed until* the next call is read. NULL if skipped */
    size_t argument_count;
    uint64_t time; /* since the beginning of the recording, in nanoseconds */
    uint32_t thread; /* that made the call, as gettid returned it */
};

/* Reads the next call and does not make it: for programs that print a recording, or choose the calls.
 *
 * out_call: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND after the last call, and where the file was cut meanwhile; PEAL_ERROR_SYNTAX for a
 * call that cannot be decoded: the following one can be read; PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API peal_status peal_replay_next(peal_replay *replay, struct peal_replay_call *out_call);

/* Makes the remaining calls in their order, each as a broadcast on the calling thread. The thread sleeps until each call is
 * due: for years if the file says so. For a file of others look at the duration first (peal_replay_get_info), or read the calls
 * by peal_replay_next, and wait as long as you like.
 *
 * speed: a factor of the original speed; PEAL_REPLAY_FULL_SPEED waits for nothing.
 * Returns PEAL_OK, also if broadcasts failed: peal_replay_get_info counts them. If the file is cut meanwhile, the calls that
 * were made, failed and skipped are fewer than its `calls`. PEAL_ERROR_ARGUMENT for a speed below
 * zero; PEAL_ERROR_MEMORY.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API peal_status peal_replay_run(peal_replay *replay, double speed);

/* Begins again with the first call.
 *
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API void peal_replay_rewind(peal_replay *replay);

/* Destroys a replay.
 *
 * replay: *consumed*; NULL does nothing. The caller must not be inside a replayed call.
 * Thread rule: one thread at a time. Since 0.1. */
PEAL_API void peal_replay_destroy(peal_replay *replay);

PEAL_END_DECLARATIONS

#endif
