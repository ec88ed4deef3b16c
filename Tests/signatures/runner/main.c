/* SPDX-License-Identifier: Apache-2.0
 *
 * signatures: broadcasts every generated signature in every way, and compares each bit.
 *
 *     signatures [--self-check] [--printed DIR]
 *                [--corrupt parameter|result|self|path|declaration [PATH]]
 *
 * --self-check calls the observers directly, without peal. --printed writes C files that declare each
 * function as it was written and as peal prints it, so that a compiler refuses them if the two differ.
 * --corrupt makes one expectation wrong, which must be found. Exits with 1 when a check fails.
 */
#include "expect.h"
#include "group.h"
#include "report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum corruption corruption;
    const char *path;
} corruptions[] = {
    { "parameter", CORRUPT_PARAMETER, "array" },
    { "result", CORRUPT_RESULT, "array" },
    { "self", CORRUPT_SELF, "array" },
    { "path", CORRUPT_PATH, "peal_method_call_path" },
    { "declaration", CORRUPT_DECLARATION, "peal_method_declaration" },
};

/* Short names of the paths, for the command line. */
static const char *const paths[][2] = {
    { "direct", "a direct call" },
    { "ffi", "array through ffi_call" },
    { "proxy", "a proxy of a target" },
    { "bare", "a bare function" },
    { "handlers", "array, to handlers" },
};

static const char *path_named(const char *name)
{
    for (size_t i = 0; i < LENGTH(paths); i++)
        if (!strcmp(paths[i][0], name))
            return paths[i][1];
    return name;
}

static int usage(void)
{
    fprintf(stderr, "usage: signatures [--self-check] [--printed DIR]\n"
                    "                  [--corrupt parameter|result|self|path|declaration [PATH]]\n");
    return 2;
}

static bool read_corruption(const char *name)
{
    for (size_t i = 0; i < LENGTH(corruptions); i++)
        if (!strcmp(corruptions[i].name, name)) {
            corruption = corruptions[i].corruption;
            corruption_path = corruptions[i].path;
            corruption_from = (size_t)(generated_seed % (generated_count / 2 + 1));
            return true;
        }
    return false;
}

/* Reports a crash as a failure of the current signature. printf may be used, because the process ends. */
static void report_crash(int number)
{
    signal(number, SIG_DFL);
    if (now.signature)
        fail("crashed with signal %d", number);
    else
        fail_alone("crashed with signal %d", number);
    raise(number);
}

int main(int argc, char **argv)
{
    const char *printed = NULL;
    bool self_check = false;
    size_t types = 0, count = 0;
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--self-check")) {
            self_check = true;
        } else if (!strcmp(argv[i], "--printed") && i + 1 < argc) {
            printed = argv[++i];
        } else if (!strcmp(argv[i], "--corrupt") && i + 1 < argc && read_corruption(argv[i + 1])) {
            i++;
            if (i + 1 < argc && argv[i + 1][0] != '-')
                corruption_path = path_named(argv[++i]);
        } else {
            return usage();
        }
    }
    for (size_t i = 0; i < LENGTH(crashes); i++)
        signal(crashes[i], report_crash);
    for (size_t i = 0; i < chunk_count; i++) {
        types += chunks[i]->type_count;
        for (size_t g = 0; g < chunks[i]->group_count; g++)
            count += chunks[i]->groups[g]->count;
        if (self_check)
            chunk_check_itself(chunks[i]);
        else
            chunk_check(chunks[i], printed);
    }
    printf("signatures: %zu signatures, %zu types, seed %" PRIu64 "\n", count, types, generated_seed);
    if (!self_check)
        report_print();
    printf("signatures: %zu signatures failed, %zu other failures\n", failed_signatures, failed_alone);
    return failed_signatures || failed_alone ? 1 : 0;
}
