/* SPDX-License-Identifier: Apache-2.0
 *
 * expect.h - the arguments that the observers of one broadcast must receive, and the reports of failures.
 */
#ifndef SIGNATURES_EXPECT_H
#define SIGNATURES_EXPECT_H

#include "value.h"

enum { PARAMETERS_MOST = 32, OBSERVERS_LEAST = 2, OBSERVERS_MOST = 5, GUARD = 32 };

/* A deliberately wrong bit, which the checks must find. */
enum corruption { CORRUPT_NOTHING, CORRUPT_PARAMETER, CORRUPT_RESULT, CORRUPT_SELF, CORRUPT_PATH, CORRUPT_DECLARATION };

struct expectation {
    const struct signature *signature;
    const char *path; /* the kind of call, for messages */
    peal_policy policy;
    void *given[PARAMETERS_MOST];    /* passed to peal */
    void *expected[PARAMETERS_MOST]; /* copies, compared with the received arguments */
    char *results;                   /* the results of the observers, one after the other */
    char *told;                      /* the results that the caller expects */
    void *targets[OBSERVERS_MOST];
    size_t observers;
    size_t calls;
    size_t returns;
    bool chains;
};

/* The current broadcast. */
extern struct expectation now;

/* Allocates memory for a signature's values, and draws the arguments. */
void expect_signature(const struct signature *signature, size_t observers, struct random *random);

/* Draws new results and begins a broadcast of one kind. */
void expect_broadcast(const char *path, peal_policy policy, peal_policy effective, struct random *random);

/* Compares the number of calls, and the caller's arguments with their values before the broadcast. */
void expect_calls(size_t calls);

/* Compares one result of the broadcast with the expected one. */
void expect_result(const void *expected, const void *result);

void expect_end(void);

/* Reports a failure of the current signature. Prints at most a few lines for each signature. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports a failure that belongs to no signature. */
void fail_alone(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern size_t failed_signatures;
extern size_t failed_alone;

/* The requested corruption. It is applied to the first signature from `corruption_from` on that permits it,
 * in the kind of call with this name. */
extern enum corruption corruption;
extern size_t corruption_from;
extern const char *corruption_path;
extern size_t corrupted; /* the index of that signature, or SIZE_MAX */

/* Returns true if the corruption is to be applied now. Records and prints it. */
bool corruption_is_due(enum corruption kind, const char *path);

#endif
