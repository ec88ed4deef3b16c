/* SPDX-License-Identifier: Apache-2.0
 *
 * status.h - statuses that functions return, and the sentence about a thread's last failure.
 *
 * Zero means success. A positive status means success with a remark. A negative status means failure, and
 * peal_last_message() returns a sentence about the cause; so it does after PEAL_NOT_WAITED. After a failure nothing was changed, unless the
 * function's comment states otherwise.
 */
#ifndef PEAL_STATUS_H
#define PEAL_STATUS_H

#include "base.h"

PEAL_BEGIN_DECLARATIONS

/* Every status: name, number, text. Numbers never change; a new status gets a new number. */
#define PEAL_STATUS_LIST(STATUS)                                                                            \
    STATUS(PEAL_OK, 0, "done")                                                                              \
    STATUS(PEAL_DEFERRED, 1, "done later, once the enclosing broadcast has ended")                          \
    STATUS(PEAL_TRUNCATED, 2, "done, but the buffer had no room for all results")                           \
    STATUS(PEAL_REJECTED, 3, "done, but a queue was full and refused its calls")                            \
    STATUS(PEAL_NOT_WAITED, 4, "done, without waiting for calls in progress")                               \
    STATUS(PEAL_ERROR_ARGUMENT, -1, "an argument is NULL or out of range")                                  \
    STATUS(PEAL_ERROR_HANDLE, -2, "invalid handle: zero, never created, already ended, or of another kind") \
    STATUS(PEAL_ERROR_SYNTAX, -3, "a text does not follow the grammar")                                     \
    STATUS(PEAL_ERROR_TYPE, -4, "a type is unknown, incomplete or not supported")                           \
    STATUS(PEAL_ERROR_CONFLICT, -5, "a name is already defined differently")                                \
    STATUS(PEAL_ERROR_NOT_FOUND, -6, "no object has that name")                                             \
    STATUS(PEAL_ERROR_AMBIGUOUS, -7, "the name is ambiguous")                                               \
    STATUS(PEAL_ERROR_CONFORMANCE, -8, "the table does not fit the protocol")                               \
    STATUS(PEAL_ERROR_DUPLICATE, -9, "the target already observes the protocol")                            \
    STATUS(PEAL_ERROR_ARGUMENT_COUNT, -10, "wrong number of arguments for the method")                      \
    STATUS(PEAL_ERROR_POLICY, -11, "the policy does not fit the method")                                    \
    STATUS(PEAL_ERROR_DEPTH, -12, "broadcasts are nested too deeply")                                       \
    STATUS(PEAL_ERROR_RECURSION, -13, "the method rejects broadcasts from its own callback")                \
    STATUS(PEAL_ERROR_STATE, -14, "the object's state does not allow the operation")                        \
    STATUS(PEAL_ERROR_MEMORY, -15, "out of memory")                                                         \
    STATUS(PEAL_ERROR_LIMIT, -16, "a limit of the library was reached")                                     \
    STATUS(PEAL_ERROR_WOULD_DEADLOCK, -17, "waiting here would deadlock")                                   \
    STATUS(PEAL_ERROR_TIMEOUT, -18, "the time limit has expired")                                           \
    STATUS(PEAL_ERROR_CYCLE, -19, "circular dependency")                                                    \
    STATUS(PEAL_ERROR_CREATION, -20, "a service could not be created")                                      \
    STATUS(PEAL_ERROR_START, -21, "a module could not be started")                                          \
    STATUS(PEAL_ERROR_FORBIDDEN, -22, "the system forbids run-time code")

typedef enum peal_status {
#define PEAL_STATUS_ENUMERATOR_(name, number, text) name = number,
    PEAL_STATUS_LIST(PEAL_STATUS_ENUMERATOR_)
#undef PEAL_STATUS_ENUMERATOR_
        PEAL_STATUS_RESERVED_ = -0x7fffffff /* not a status: keeps the enum signed and 32 bits wide */
} peal_status;

/* Returns the name of a status as it is written in C, such as "PEAL_ERROR_HANDLE".
 *
 * status: any number; "PEAL_UNKNOWN_STATUS" is returned for a number that is no status.
 * Returns a constant string, never NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API const char *peal_status_name(peal_status status);

/* Returns the meaning of a status in a few words.
 *
 * status: any number; "not a status of this library" is returned for a number that is no status.
 * Returns a constant string, never NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API const char *peal_status_text(peal_status status);

/* Returns the last status with a sentence that a function of peal returned on the calling thread: a negative
 * one or PEAL_NOT_WAITED, or PEAL_OK when there was none. A success does not reset it: to learn whether one
 * function has failed, compare its own status, or call peal_clear_failure() first. PEAL_ERROR_MEMORY is also
 * returned when the memory that keeps a status for this thread could not be allocated.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_last_status(void);

/* Returns a sentence about the calling thread's last failure: the cause, and what to change. After
 * PEAL_NOT_WAITED it names the call that still runs, its thread, and for how long it has run at least. The
 * string is empty when no function has failed. It is UTF-8 and has at most 1,023 bytes; a longer sentence is
 * cut between two characters.
 *
 * Returns a string *borrowed until* the next failure on this thread, never NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API const char *peal_last_message(void);

/* Clears the calling thread's last failure: peal_last_status() returns PEAL_OK again.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_clear_failure(void);

PEAL_END_DECLARATIONS

#endif
