/* SPDX-License-Identifier: Apache-2.0
 *
 * harness.c - measures each row with the program's peer and with peal.
 *
 *     bench-peer-NAME [--quick] [--row KEY]
 *
 * The two take turns in each round, and begin a round in turn. Rows of memory are measured first, each in a child
 * process, so that no row reuses the slots and tables of another row. A line is
 *     KEY CONTENDER FIGURE [RATIO]
 * FIGURE is the median of the rounds in which the core was not shared (ruler.h), or of all rounds if it was shared in
 * each. RATIO is the peer's: the median over all rounds of the peer's sample divided by peal's sample of the same round.
 * Both samples of a round are taken within a millisecond, so another program on the core makes both take longer. The
 * last line is `undisturbed`, the part of the rounds in which the core was not shared. The program whose peer is
 * `by hand` also measures the rows that only peal has.
 */
#define _GNU_SOURCE
#include "peers.h"

#include "../bench.h"
#include "../resident.h"
#include "../ruler.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MOST = 31 };
enum pass { PASS_MEMORY, PASS_THREADS, PASS_PINNED, PASSES };

void *volatile peers_pointer;
volatile int peers_int;
char peers_targets[OBSERVERS_MOST + 1];
bool peers_are_quick;
static clockid_t used_clock;
static double excluded;
static size_t rounds_begun, rounds_undisturbed;

double peers_now(void)
{
    struct timespec time;
    clock_gettime(used_clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void peers_exclude(double nanoseconds) { excluded += nanoseconds; }

void peers_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: failed: %s: %s\n", file, line, condition, peal_last_message());
    exit(2);
}

size_t peers_memory(void)
{
    const size_t bytes = resident_memory();
    must(bytes != 0);
    return bytes;
}

const unsigned *peers_shuffled(size_t count)
{
    static unsigned order[OBSERVERS_MOST];
    unsigned long state = 88172645463325252ul;
    for (size_t i = 0; i < count; i++)
        order[i] = (unsigned)i;
    for (size_t i = count; i > 1; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const size_t j = state % i;
        const unsigned other = order[i - 1];
        order[i - 1] = order[j];
        order[j] = other;
    }
    return order;
}

struct contender {
    const char *name;
    const struct operation_of_row *operation;
    size_t turns;
    double samples[ROUNDS_MOST];
};
static bool round_is_shared[ROUNDS_MOST];

static double sample(const struct contender *contender)
{
    excluded = 0;
    const double begin = peers_now();
    contender->operation->run(contender->turns);
    return peers_now() - begin - excluded;
}

/* Returns the size of the operation, which is smaller in quick runs, since these only test the programs. */
static size_t size_of(const struct operation_of_row *operation)
{
    return peers_are_quick && operation->size > 100 ? 100 : operation->size;
}

/* Finds the number of turns that take the time of a sample. Two samples in a row must take it, since the first turns may
 * allocate, and since another program may make one sample take longer. */
static void calibrate(struct contender *contender)
{
    const double wanted = peers_are_quick ? 1e4 : 5e5;
    const size_t most = peers_are_quick ? TURNS_UNIT : (size_t)1 << 24;
    contender->turns = TURNS_UNIT;
    while ((sample(contender) < wanted || sample(contender) < wanted) && contender->turns < most)
        contender->turns *= 2;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* Returns the median of the rounds in which the core was not shared, or of all if there is none. */
static double figure_of(const struct contender *contender, size_t rounds)
{
    double used[ROUNDS_MOST];
    size_t count = 0;
    for (size_t round = 0; round < rounds; round++)
        if (!round_is_shared[round])
            used[count++] = contender->samples[round];
    if (count > 0)
        return median(used, count);
    memcpy(used, contender->samples, rounds * sizeof used[0]);
    return median(used, rounds);
}

static double ratio_of(const struct contender *contender, const struct contender *of_peal, size_t rounds)
{
    double ratios[ROUNDS_MOST];
    for (size_t round = 0; round < rounds; round++)
        ratios[round] = contender->samples[round] / of_peal->samples[round];
    return median(ratios, rounds);
}

static void measure(struct contender *contenders, size_t count)
{
    const size_t rounds = peers_are_quick ? 1 : ROUNDS_MOST;
    for (size_t c = 0; c < count; c++) {
        if (contenders[c].operation->begin)
            contenders[c].operation->begin(size_of(contenders[c].operation));
        if (contenders[c].operation->run)
            calibrate(&contenders[c]);
    }
    for (size_t round = 0; round < rounds; round++) {
        round_is_shared[round] = !contenders[0].operation->has_threads && core_is_shared();
        rounds_begun++;
        rounds_undisturbed += !round_is_shared[round];
        for (size_t turn = 0; turn < count; turn++) {
            struct contender *contender = &contenders[(round + turn) % count];
            if (contender->operation->run)
                contender->samples[round] = sample(contender) / (double)contender->turns;
        }
    }
    for (size_t c = 0; c < count; c++) {
        const struct operation_of_row *operation = contenders[c].operation;
        const double figure = operation->figure ? operation->figure(size_of(operation))
                                                : figure_of(&contenders[c], rounds);
        printf("%s\t%s\t%.2f", operation->row, contenders[c].name, figure);
        if (c > 0 && operation->run && contenders[0].operation->run)
            printf("\t%.4f", ratio_of(&contenders[c], &contenders[0], rounds));
        putchar('\n');
        fflush(stdout);
        if (operation->end)
            operation->end();
    }
}

static const struct operation_of_row *find(const struct peer *where, const char *row)
{
    for (const struct operation_of_row *operation = where->operations; operation->row; operation++)
        if (strcmp(operation->row, row) == 0)
            return operation;
    return NULL;
}

static enum pass pass_of(const struct operation_of_row *operation)
{
    if (strncmp(operation->row, "memory_", strlen("memory_")) == 0)
        return PASS_MEMORY;
    return operation->has_threads ? PASS_THREADS : PASS_PINNED;
}

static void measure_memory(const struct contender *contender)
{
    fflush(stdout);
    const pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        printf("%s\t%s\t%.2f\n", contender->operation->row, contender->name,
            contender->operation->figure(size_of(contender->operation)));
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child);
    must(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void measure_row(const struct operation_of_row *of_peal)
{
    struct contender contenders[2] = { { .name = "peal", .operation = of_peal } };
    const struct operation_of_row *other = find(&the_peer, of_peal->row);
    if (!other && strcmp(the_peer.name, "by hand") != 0)
        return;
    contenders[1] = (struct contender){ .name = the_peer.name, .operation = other };
    if (pass_of(of_peal) == PASS_MEMORY) {
        measure_memory(&contenders[0]);
        if (other)
            measure_memory(&contenders[1]);
        return;
    }
    used_clock = of_peal->has_threads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    measure(contenders, other ? 2 : 1);
}

int main(int argc, char **argv)
{
    const char *row = NULL;
    for (int i = 1; i < argc; i++) {
        peers_are_quick |= strcmp(argv[i], "--quick") == 0;
        if (strcmp(argv[i], "--row") == 0 && i + 1 < argc)
            row = argv[++i];
    }
    const struct peer *const all[] = { &peal_calls, &peal_objects, &peal_cpp };
    int where[2];
    const int there = processors(where);
    park_second_thread();
    /* A thread inherits the processors of its creator. So operations with threads are measured before this thread is
     * pinned. */
    for (enum pass pass = PASS_MEMORY; pass < PASSES; pass++) {
        if (pass == PASS_PINNED && there > 0)
            pin(where[there - 1]);
        for (size_t p = 0; p < sizeof all / sizeof all[0]; p++)
            for (const struct operation_of_row *o = all[p]->operations; o->row; o++)
                if (pass_of(o) == pass && (!row || strcmp(row, o->row) == 0))
                    measure_row(o);
    }
    printf("undisturbed\trounds\t%.3f\n", (double)rounds_undisturbed / (double)(rounds_begun ? rounds_begun : 1));
    return 0;
}
