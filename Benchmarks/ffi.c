/* SPDX-License-Identifier: Apache-2.0
 *
 * ffi.c - broadcasts whose result fits no register frame, compared with a loop over ffi_call with a prepared interface.
 *
 *     bench-ffi [ROUNDS]
 *
 * Prints medians of paired rounds, in ns for each broadcast. libffi 3.7 and later have reusable call plans, which peal
 * uses. LD_LIBRARY_PATH selects the libffi.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <ffi.h>
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS_MOST = 1000, BROADCASTS = 2000, OBSERVERS_MOST = 16 };

PEAL_TYPE(box_text, struct box { int64_t a, b, c; });

#define FFI_SHAPES(METHOD)                                         \
    METHOD(optional, struct box, three, (void *a, void *b, int c)) \
    METHOD(optional, struct box, eight, (int a, int b, int c, int d, int e, int f, int g, int h))
PEAL_PROTOCOL(shapes, "Shapes", FFI_SHAPES);

static struct box on_three(void *self, void *a, void *b, int c)
{
    (void)a;
    (void)b;
    return (struct box){ *(int *)self, c, 0 };
}

static struct box on_eight(void *self, int a, int b, int c, int d, int e, int f, int g, int h)
{
    return (struct box){ *(int *)self, a + b + c + d, e + f + g + h };
}

static const struct shapes shapes_table = { PEAL_TABLE(shapes), on_three, on_eight };
static int targets[OBSERVERS_MOST];

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double time_of_loop(ffi_cif *interface, void (*function)(void), void **arguments, int observers)
{
    const double begin = now_ns();

    for (int n = 0; n < BROADCASTS; n++)
        for (int i = 0; i < observers; i++) {
            struct box box;
            void *self = &targets[i], *slots[9] = { &self };
            for (unsigned k = 1; k < interface->nargs; k++)
                slots[k] = arguments[k - 1];
            ffi_call(interface, function, &box, slots);
        }
    return (now_ns() - begin) / BROADCASTS;
}

static double time_of_broadcast(peal_method method, void **arguments, size_t count)
{
    const double begin = now_ns();

    for (int n = 0; n < BROADCASTS; n++) {
        struct box box;
        if (peal_send(method, arguments, count, &box, NULL) != PEAL_OK)
            abort();
    }
    return (now_ns() - begin) / BROADCASTS;
}

int main(int argc, char **argv)
{
    ffi_type *members[] = { &ffi_type_sint64, &ffi_type_sint64, &ffi_type_sint64, NULL };
    ffi_type box = { 0, 0, FFI_TYPE_STRUCT, members };
    ffi_type *three[] = { &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, &ffi_type_sint };
    ffi_type *eight[] = { &ffi_type_pointer, &ffi_type_sint, &ffi_type_sint, &ffi_type_sint, &ffi_type_sint,
        &ffi_type_sint, &ffi_type_sint, &ffi_type_sint, &ffi_type_sint };
    ffi_cif interfaces[2];
    int number = 1, rounds = argc > 1 ? atoi(argv[1]) : 200;
    void *pointer = &number;
    void *arguments[2][8] = { { &pointer, &pointer, &number },
        { &number, &number, &number, &number, &number, &number, &number, &number } };
    peal_center center;
    struct shapes_protocol shapes;
    double samples[2][ROUNDS_MOST];

    if (rounds < 1 || rounds > ROUNDS_MOST)
        rounds = 200;
    if (ffi_prep_cif(&interfaces[0], FFI_DEFAULT_ABI, 4, &box, three) != FFI_OK
        || ffi_prep_cif(&interfaces[1], FFI_DEFAULT_ABI, 9, &box, eight) != FFI_OK
        || peal_center_create(&center) != PEAL_OK || peal_type_declare(center, box_text) != PEAL_OK
        || shapes_define(center, &shapes) != PEAL_OK)
        return 1;
    printf("libffi %s call plans\n", dlsym(RTLD_DEFAULT, "ffi_call_plan_invoke") != NULL ? "with" : "without");
    puts("result in memory, parameters  observers  ffi_call loop  peal_send");
    for (int observers = 0; observers < OBSERVERS_MOST;) {
        const int wanted = observers == 0 ? 1 : OBSERVERS_MOST;
        for (; observers < wanted; observers++)
            if (shapes_observe(&shapes, &targets[observers], &shapes_table, NULL, NULL) != PEAL_OK)
                return 1;
        for (int shape = 0; shape < 2; shape++) {
            void (*const function)(void) = shape ? (void (*)(void))on_eight : (void (*)(void))on_three;
            for (int round = 0; round < rounds; round++) {
                samples[0][round] = time_of_loop(&interfaces[shape], function, arguments[shape], observers);
                samples[1][round] = time_of_broadcast(
                    shape ? shapes.eight : shapes.three, arguments[shape], interfaces[shape].nargs - 1);
            }
            for (int contender = 0; contender < 2; contender++)
                qsort(samples[contender], (size_t)rounds, sizeof **samples, compare);
            printf("%28d  %9d  %13.1f  %9.1f\n", (int)interfaces[shape].nargs - 1, observers, samples[0][rounds / 2],
                samples[1][rounds / 2]);
        }
    }
    return peal_center_destroy(center) != PEAL_OK;
}
