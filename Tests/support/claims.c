/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of a program's claims, and its main function.
 */
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

void check_register(struct check_claim *claim)
{
    *end_of_claims = claim;
    end_of_claims = &claim->next;
}

void check_allow_seconds(unsigned seconds) { alarm(seconds); }

static void end_claim_without_end(int signal_number)
{
    static const char text[] = "  the claim does not end\n0 passed, 1 failed\n";

    (void)signal_number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        _exit(3);
    _exit(1);
}

static unsigned seconds_for_a_claim(void)
{
    const char *more = getenv("PEAL_CHECK_SECONDS");
    const int seconds = more == NULL ? 0 : atoi(more);

    return seconds > SECONDS_FOR_A_CLAIM ? (unsigned)seconds : SECONDS_FOR_A_CLAIM;
}

static bool claim_holds(const struct check_claim *claim)
{
    const struct check_totals before = check_totals_so_far();

    /* The claim is printed before it runs, so that a crash can be assigned to it. */
    printf("%s: %s\n", claim->number, claim->sentence);
    fflush(stdout);
    alarm(seconds_for_a_claim());
    claim->run();
    alarm(0);
    check_case(NULL);
    /* A thread that the claim has left may still check. */
    const struct check_totals after = check_totals_so_far();
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

/* The claims that are wanted. NULL: of each file, of each number. */
struct selection {
    const char *file;
    const char *words; /* of the number or the sentence */
};

static bool is_in_file(const struct check_claim *claim, const char *file)
{
    return file == NULL || strcmp(check_without_folder(claim->file), check_without_folder(file)) == 0;
}

static bool is_wanted(const struct check_claim *claim, struct selection wanted)
{
    return is_in_file(claim, wanted.file)
        && (wanted.words == NULL || strstr(claim->number, wanted.words) != NULL
            || strstr(claim->sentence, wanted.words) != NULL);
}

/* Returns the first wanted claim at or after a claim; NULL if there is none. */
static const struct check_claim *next_wanted(const struct check_claim *claim, struct selection wanted)
{
    while (claim != NULL && !is_wanted(claim, wanted))
        claim = claim->next;
    return claim;
}

/* Returns the first wanted claim of the next file. The claims of a file follow each other. */
static const struct check_claim *next_file(const struct check_claim *claim, struct selection wanted)
{
    const char *const file = claim->file;

    do
        claim = next_wanted(claim->next, wanted);
    while (claim != NULL && is_in_file(claim, file));
    return claim;
}

/* Of claims. Processes share it. */
struct outcome {
    unsigned long passed;
    unsigned long failed;
};

static void run_wanted(struct selection wanted, struct outcome *outcome)
{
    for (const struct check_claim *claim = next_wanted(first_claim, wanted); claim != NULL;
        claim = next_wanted(claim->next, wanted))
        if (claim_holds(claim))
            outcome->passed++;
        else
            outcome->failed++;
}

/* Runs the wanted claims of a file in a process of their own, because they may change what the claims of another file
   rely on: the default center, for example. The calling process has not used peal. */
static void run_in_child(struct selection wanted, struct outcome *outcome)
{
    int status = 0;
    pid_t child;

    printf("%s\n", wanted.file);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        run_wanted(wanted, outcome);
        exit(EXIT_SUCCESS); /* also if claims failed: they are counted */
    }
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
        return;
    printf("  FAILED: the process of %s ended by %s %d\n", wanted.file, WIFSIGNALED(status) ? "signal" : "status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    outcome->failed++;
}

static void run_each_file(struct selection wanted, struct outcome *outcome)
{
    for (const struct check_claim *claim = next_wanted(first_claim, wanted); claim != NULL;
        claim = next_file(claim, wanted))
        run_in_child((struct selection){ check_without_folder(claim->file), wanted.words }, outcome);
}

static bool names_a_file(const char *argument)
{
    const char *const dot = strrchr(argument, '.');

    return dot != NULL && (strcmp(dot, ".c") == 0 || strcmp(dot, ".cpp") == 0);
}

/* Weak: a program with a main of its own uses the shared functions alone. */
__attribute__((weak)) int main(int argument_count, char **arguments)
{
    struct selection wanted = { NULL, NULL };
    const struct check_claim *first;
    struct outcome *const outcome = mmap(
        NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (outcome == MAP_FAILED)
        return EXIT_FAILURE;
    for (int i = 1; i < argument_count; i++)
        if (names_a_file(arguments[i]))
            wanted.file = arguments[i];
        else
            wanted.words = arguments[i];
    signal(SIGALRM, end_claim_without_end);
    first = next_wanted(first_claim, wanted);
    /* A debugger and valgrind need not follow a child if there is one file. */
    if (first != NULL && next_file(first, wanted) != NULL)
        run_each_file(wanted, outcome);
    else
        run_wanted(wanted, outcome);
    printf("%lu passed, %lu failed\n", outcome->passed, outcome->failed);
    fflush(stdout);
    return outcome->failed == 0 && outcome->passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
