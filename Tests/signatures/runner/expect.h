/* SPDX-License-Identifier: Apache-2.0
 *
 * expect.h - what the observers of one broadcast must see, and the failures.
 */
#ifndef SIGNATURES_EXPECT_H
#define SIGNATURES_EXPECT_H

#include "value.h"

enum { PARAMETERS_MOST = 32, OBSERVERS_LEAST = 2, OBSERVERS_MOST = 5, GUARD = 32 };

/* A wrong bit put in on purpose, to prove that it is caught. */
enum corruption { CORRUPT_NOTHING, CORRUPT_PARAMETER, CORRUPT_RESULT, CORRUPT_SELF, CORRUPT_PATH, CORRUPT_DECLARATION };

struct expectation {
    const struct signature *signature;
    const char *path; /* the way of calling, for messages */
    peal_policy policy;
    void *given[PARAMETERS_MOST];    /* handed to peal */
    void *expected[PARAMETERS_MOST]; /* kept, and compared with what is received */
    char *results;                   /* what the observers return, one after the other */
    char *told;                      /* the same, as expected at the caller */
    void *targets[OBSERVERS_MOST];
    size_t observers;
    size_t calls;
    size_t returns;
    bool chains;
};

/* The broadcast that is under way. */
extern struct expectation now;

/* Makes room for a signature's values; `random` draws the arguments. */
void expect_signature(const struct signature *signature, size_t observers, struct random *random);

/* Draws new results and begins a broadcast along a path. */
void expect_broadcast(const char *path, peal_policy policy, peal_policy effective, struct random *random);

/* Compares the number of calls, and the arguments with what they were before. */
void expect_calls(size_t calls);

/* Compares one result of the broadcast with the expected one. */
void expect_result(const void *expected, const void *result);

void expect_end(void);

/* Reports a failure of the current signature; a few lines for each, then it is quiet. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports a failure that no signature has. */
void fail_alone(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern size_t failed_signatures;
extern size_t failed_alone;

/* The requested corruption. It is put into the first signature from `corruption_from` on that it fits,
 * when the path of this name is taken. */
extern enum corruption corruption;
extern size_t corruption_from;
extern const char *corruption_path;
extern size_t corrupted; /* the index of that signature; SIZE_MAX before */

/* Returns true if the corruption is to be put in here and now. Notes and prints it. */
bool corruption_is_due(enum corruption kind, const char *path);

#endif
