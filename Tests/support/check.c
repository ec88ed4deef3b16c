/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *current_case;
static unsigned long failed_checks;
static unsigned long run_checks;

struct check_totals check_totals_so_far(void)
{
    return (struct check_totals){ __atomic_load_n(&run_checks, __ATOMIC_RELAXED),
        __atomic_load_n(&failed_checks, __ATOMIC_RELAXED) };
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

const char *check_without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Returns true if the check passed; counts it, and prints the location of a failure. */
static bool judge(bool holds, const char *expression, const char *file, int line, const char *found)
{
    __atomic_fetch_add(&run_checks, 1, __ATOMIC_RELAXED);
    if (holds)
        return true;
    __atomic_fetch_add(&failed_checks, 1, __ATOMIC_RELAXED);
    flockfile(stdout);
    printf("  %s:%d: %s", check_without_folder(file), line, expression);
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
