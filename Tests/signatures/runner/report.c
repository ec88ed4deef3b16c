/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

enum { WORD_CLASSES = 6 };

struct counts {
    size_t frame;
    size_t ffi_call;
};

static struct counts all, must, results[PLACES], parameters[PLACES], words[WORD_CLASSES];
static const size_t word_limits[WORD_CLASSES] = { 0, 2, 4, 8, 15, SIZE_MAX };
static const char *const word_names[WORD_CLASSES] = { "no words", "1 to 2 words", "3 to 4 words", "5 to 8 words",
    "9 to 15 words", "16 words and more" };

static void count(struct counts *counts, peal_call_path path)
{
    if (path == PEAL_CALL_PATH_REGISTER_FRAME)
        counts->frame++;
    else
        counts->ffi_call++;
}

void report_count(const struct signature_class *class, peal_call_path path)
{
    size_t i = 0;
    while (class->stack_words > word_limits[i])
        i++;
    count(&all, path);
    if (class->must_frame)
        count(&must, path);
    count(&results[class->result], path);
    count(&parameters[class->heaviest], path);
    count(&words[i], path);
}

static void line(const char *name, struct counts counts)
{
    if (counts.frame + counts.ffi_call)
        printf("  %-34s %8zu %8zu\n", name, counts.frame, counts.ffi_call);
}

void report_print(void)
{
    printf("  %-34s %8s %8s\n", "", "frame", "ffi_call");
    line("all", all);
    line("those that must be framed", must);
    printf("  by result\n");
    for (size_t i = 0; i < PLACES; i++)
        line(place_names[i], results[i]);
    printf("  by the heaviest parameter\n");
    for (size_t i = 0; i < PLACES; i++)
        line(place_names[i], parameters[i]);
    printf("  by what is passed on the stack\n");
    for (size_t i = 0; i < WORD_CLASSES; i++)
        line(word_names[i], words[i]);
}
