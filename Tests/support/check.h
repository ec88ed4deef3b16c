/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h - claims and checks. A test program is a list of claims:
 *
 *     CLAIM("O6", "an observer removed before its turn is not called")
 *     {
 *         ...
 *         CHECK(calls == 0);
 *     }
 *
 * `main` is in claims.c. It runs the claims in the order of the file and prints each with its outcome. It ends with
 * "N passed, M failed", and fails if a claim failed or none ran. Arguments select claims:
 *
 *     c-queue                   the claims of all files of the program
 *     c-queue queue_pump.c      those of one file, as CTest runs them
 *     c-queue Q4                those whose number or sentence contains the text
 *     c-queue queue_pump.c Q1   both
 *
 * If the claims are of several files, those of each file run in a child process.
 */
#ifndef PEAL_TEST_CHECK_H
#define PEAL_TEST_CHECK_H

#include <peal/peal.h>

#include <stdbool.h>
#include <stddef.h>

PEAL_BEGIN_DECLARATIONS

/* The number of observers, threads or rounds of a test. It is smaller under a sanitizer, which makes each slow. */
#if defined(PEAL_TEST_SANITIZED)
#define CHECK_ROUNDS(rounds) ((rounds) / 10 + 1)
#else
#define CHECK_ROUNDS(rounds) (rounds)
#endif

struct check_claim {
    const char *file;
    const char *number;
    const char *sentence;
    void (*run)(void);
    struct check_claim *next;
};

void check_register(struct check_claim *claim);

/* Each prints the location and the actual value on failure, and returns true on success. Any thread. */
bool check_that(bool holds, const char *expression, const char *file, int line);
bool check_integer(long long actual, long long expected, const char *expression, const char *file, int line);
bool check_real(long double actual, long double expected, const char *expression, const char *file, int line);
bool check_pointer(const void *actual, const void *expected, const char *expression, const char *file, int line);
bool check_text(const char *actual, const char *expected, const char *expression, const char *file, int line);
bool check_contains(const char *text, const char *part, const char *expression, const char *file, int line);
bool check_status(peal_status actual, peal_status expected, const char *expression, const char *file, int line);
bool check_failure(peal_status actual, peal_status expected, const char *expression, const char *file, int line);

/* Names the case of a table for the following checks; NULL ends it. */
void check_case(const char *name);

/* Gives the calling claim more time than the default. */
void check_allow_seconds(unsigned seconds);

/* Ends the program as failed when a test cannot continue: a latch never opens, for example. */
void check_give_up(const char *reason, const char *file, int line) __attribute__((noreturn));
/* Ends the program as failed unless the status is PEAL_OK. For steps that a claim needs and does not test.
 *
 * what: the step, for the message. */
void check_must_at(peal_status status, const char *what, const char *file, int line);
#define check_must(status, what) check_must_at((status), (what), __FILE__, __LINE__)

/* For claims.c. */
struct check_totals {
    unsigned long run;
    unsigned long failed;
};
struct check_totals check_totals_so_far(void);
const char *check_without_folder(const char *path);

#define CLAIM(number, sentence) CHECK_CLAIM_(number, sentence, __LINE__)
#define CHECK_CLAIM_(number, sentence, line) CHECK_CLAIM_AT_(number, sentence, line)
#define CHECK_CLAIM_AT_(number, sentence, line)                                                                    \
    static void claim_##line(void);                                                                                \
    static struct check_claim claim_record_##line = { __FILE__, number, sentence, claim_##line, NULL };            \
    __attribute__((constructor)) static void claim_register_##line(void) { check_register(&claim_record_##line); } \
    static void claim_##line(void)

#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(actual, expected) \
    check_integer((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
#define CHECK_REAL(actual, expected) check_real((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_POINTER(actual, expected) check_pointer((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_CONTAINS(text, part) check_contains((text), (part), #text, __FILE__, __LINE__)
/* Checks that a status is exactly the expected one. */
#define CHECK_STATUS(actual, expected) check_status((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_OK(actual) CHECK_STATUS(actual, PEAL_OK)
/* Checks a failure: the expected status, which is also the thread's last one, with a sentence. */
#define CHECK_FAILURE(actual, expected) \
    check_failure((peal_clear_failure(), (actual)), (expected), #actual, __FILE__, __LINE__)
/* Ends the claim if the condition is false. */
#define REQUIRE(condition)     \
    do {                       \
        if (!CHECK(condition)) \
            return;            \
    } while (0)
#define REQUIRE_OK(actual)     \
    do {                       \
        if (!CHECK_OK(actual)) \
            return;            \
    } while (0)

#define CHECK_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

PEAL_END_DECLARATIONS

#endif
