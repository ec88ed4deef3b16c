/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A claim that does not end in this time is reported as failed. CTest's own time limit could not name it. Where each
   instruction is interpreted, PEAL_CHECK_SECONDS allows more. */
#if defined(PEAL_TEST_SANITIZED) || defined(PEAL_TEST_EMULATED)
enum { SECONDS_FOR_A_CLAIM = 120 };
#else
enum { SECONDS_FOR_A_CLAIM = 30 };
#endif

static struct check_claim *first_claim;
static struct check_claim **end_of_claims = &first_claim;
static const char *current_case;
static unsigned long failed_checks;
static unsigned long run_checks;

void check_register(struct check_claim *claim)
{
    *end_of_claims = claim;
    end_of_claims = &claim->next;
}

void check_case(const char *name) { current_case = name; }

/* Prints a text. Bytes that are not printable are written as \xNN. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text >= ' ' && (unsigned char)*text < 0x7f)
            putchar(*text);
        else
            printf("\\x%02x", (unsigned char)*text);
}

/* Returns true if the check passed; counts it, and prints the location of a failure. */
static bool judge(bool holds, const char *expression, const char *file, int line, const char *found)
{
    const char *slash = strrchr(file, '/');

    __atomic_fetch_add(&run_checks, 1, __ATOMIC_RELAXED);
    if (holds)
        return true;
    __atomic_fetch_add(&failed_checks, 1, __ATOMIC_RELAXED);
    flockfile(stdout);
    printf("  %s:%d: %s", slash != NULL ? slash + 1 : file, line, expression);
    if (found[0] != '\0') {
        printf(": ");
        print_text(found);
    }
    if (current_case != NULL) {
        printf(" [case: ");
        print_text(current_case);
        printf("]");
    }
    printf("\n");
    fflush(stdout);
    funlockfile(stdout);
    return false;
}

bool check_that(bool holds, const char *expression, const char *file, int line)
{
    return judge(holds, expression, file, line, holds ? "" : "does not hold");
}

bool check_integer(long long actual, long long expected, const char *expression, const char *file, int line)
{
    char found[96];

    snprintf(found, sizeof found, "is %lld, not %lld", actual, expected);
    return judge(actual == expected, expression, file, line, found);
}

bool check_real(long double actual, long double expected, const char *expression, const char *file, int line)
{
    char found[128];

    snprintf(found, sizeof found, "is %.12Lg, not %.12Lg", actual, expected);
    return judge(actual == expected, expression, file, line, found);
}

bool check_pointer(const void *actual, const void *expected, const char *expression, const char *file, int line)
{
    char found[96];

    snprintf(found, sizeof found, "is %p, not %p", actual, expected);
    return judge(actual == expected, expression, file, line, found);
}

bool check_text(const char *actual, const char *expected, const char *expression, const char *file, int line)
{
    char found[1024];

    snprintf(found, sizeof found, "is \"%s\", not \"%s\"", actual != NULL ? actual : "(null)", expected);
    return judge(actual != NULL && strcmp(actual, expected) == 0, expression, file, line, found);
}

bool check_contains(const char *text, const char *part, const char *expression, const char *file, int line)
{
    char found[1024];

    snprintf(found, sizeof found, "is \"%s\", without \"%s\"", text != NULL ? text : "(null)", part);
    return judge(text != NULL && strstr(text, part) != NULL, expression, file, line, found);
}

bool check_status(peal_status actual, peal_status expected, const char *expression, const char *file, int line)
{
    char found[1024];

    if (actual == expected)
        return judge(true, expression, file, line, "");
    snprintf(found, sizeof found, "is %s, not %s%s%s", peal_status_name(actual), peal_status_name(expected),
        actual < 0 ? "; says: " : "", actual < 0 ? peal_last_message() : "");
    return judge(false, expression, file, line, found);
}

bool check_failure(peal_status actual, peal_status expected, const char *expression, const char *file, int line)
{
    const char *message = peal_last_message();

    if (!check_status(actual, expected, expression, file, line))
        return false;
    if (peal_last_status() != expected)
        return judge(false, expression, file, line, "is not kept as the thread's last status");
    if (message == NULL || message[0] == '\0')
        return judge(false, expression, file, line, "leaves no sentence");
    return true;
}

void check_allow_seconds(unsigned seconds) { alarm(seconds); }

void check_give_up(const char *reason, const char *file, int line)
{
    judge(false, reason, file, line, "gives up");
    printf("0 passed, 1 failed\n");
    fflush(stdout);
    _exit(1);
}

void check_must_at(peal_status status, const char *what, const char *file, int line)
{
    char reason[1200];

    if (status == PEAL_OK)
        return;
    snprintf(reason, sizeof reason, "%s: %s: %s", what, peal_status_name(status), peal_last_message());
    check_give_up(reason, file, line);
}

static void end_claim_without_end(int signal_number)
{
    static const char text[] = "  the claim does not end\n0 passed, 1 failed\n";

    (void)signal_number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        _exit(3);
    _exit(1);
}

static bool is_wanted(const struct check_claim *claim, const char *filter)
{
    return filter == NULL || strstr(claim->number, filter) != NULL || strstr(claim->sentence, filter) != NULL;
}

static unsigned seconds_for_a_claim(void)
{
    const char *more = getenv("PEAL_CHECK_SECONDS");
    const int seconds = more == NULL ? 0 : atoi(more);

    return seconds > SECONDS_FOR_A_CLAIM ? (unsigned)seconds : SECONDS_FOR_A_CLAIM;
}

struct counts {
    unsigned long run;
    unsigned long failed;
};

static struct counts checks_so_far(void)
{
    return (struct counts){ __atomic_load_n(&run_checks, __ATOMIC_RELAXED),
        __atomic_load_n(&failed_checks, __ATOMIC_RELAXED) };
}

static bool claim_holds(const struct check_claim *claim)
{
    const struct counts before = checks_so_far();

    /* The claim is printed before it runs, so that a crash can be assigned to it. */
    printf("%s: %s\n", claim->number, claim->sentence);
    fflush(stdout);
    alarm(seconds_for_a_claim());
    claim->run();
    alarm(0);
    check_case(NULL);
    /* A thread that the claim has left may still check. */
    const struct counts after = checks_so_far();
    if (after.run == before.run) {
        printf("  FAILED: nothing was checked\n");
        return false;
    }
    if (after.failed != before.failed) {
        printf("  FAILED: %lu of %lu checks\n", after.failed - before.failed, after.run - before.run);
        return false;
    }
    return true;
}

/* Weak: a program with a main of its own uses the shared functions alone. */
__attribute__((weak)) int main(int argument_count, char **arguments)
{
    const char *filter = argument_count > 1 ? arguments[1] : NULL;
    unsigned long passed = 0;
    unsigned long failed = 0;

    signal(SIGALRM, end_claim_without_end);
    for (const struct check_claim *claim = first_claim; claim != NULL; claim = claim->next) {
        if (!is_wanted(claim, filter))
            continue;
        if (claim_holds(claim))
            passed++;
        else
            failed++;
    }
    printf("%lu passed, %lu failed\n", passed, failed);
    fflush(stdout);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
