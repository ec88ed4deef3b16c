/* Protocols with each kind of parameter and result that peal-declarations writes Swift for. */
#ifndef KINDS_H
#define KINDS_H

#include <peal/peal.h>
#include <sys/types.h>
#include <time.h>

/* Few of the pointers have attributes for NULL. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wnullability-completeness"
#endif

PEAL_TYPE(kind_declarations, struct kind_point { double x, y; }; typedef struct {
    uint8_t kind;
    bool is_on;
    const char *text;
} kind_event;);

enum kind_color { KIND_RED, KIND_GREEN };

/* Pointers with a length. */
#define KIND_BUFFERS(METHOD)                                                                                          \
    METHOD(optional, void, samples, (const float *__counted_by(n) samples, size_t n))                                 \
    METHOD(optional, void, maybe, (const int64_t *__counted_by_or_null(count) numbers, size_t count))                 \
    METHOD(optional, void, bytes, (const char *name, const void *bytes __sized_by(n), size_t n))                      \
    METHOD(optional, void, points, (const struct kind_point *__counted_by(n) points, size_t n))                       \
    METHOD(optional, void, sizes, (const size_t *__counted_by(n) sizes, long n))                                      \
    METHOD(optional, void, short_count, (const int32_t *__counted_by(n) numbers, int n))                              \
    METHOD(optional, void, stereo, (const float *__counted_by(n) left, const float *__counted_by(n) right, size_t n)) \
    METHOD(optional, void, room, (char *__counted_by(n) room, size_t n))                                              \
    METHOD(optional, void, eight, (const double *__counted_by(8) numbers))                                            \
    METHOD(optional, void, limit,                                                                                     \
        (const int32_t *__counted_by_or_null(1) limit, const bool *__counted_by_or_null(1) is_on))
PEAL_PROTOCOL(kind_buffers, "KindBuffers", KIND_BUFFERS);

/* Pointers without a length, and functions. */
#define KIND_POINTERS(METHOD)                                                                      \
    METHOD(optional, void, text, (const char *_Nullable text, const char *_Nonnull const other))   \
    METHOD(optional, void, array, (int a[4], const uint8_t key[16]))                               \
    METHOD(optional, void, function, (void (*done)(void *context, int code), void *context))       \
    METHOD(optional, void, names, (const char *const *names, const char **list, char const *tail)) \
    METHOD(optional, void, unnamed, (size_t, unsigned long, const char *, struct kind_point *))
PEAL_PROTOCOL(kind_pointers, "KindPointers", KIND_POINTERS);

/* Values, results and options. */
#define KIND_NUMBERS(METHOD)                                                                       \
    METHOD(optional, void, integers, (char c, short s, unsigned u, long long l, unsigned long ul)) \
    METHOD(optional, void, named, (uint_least8_t a, intptr_t b, pid_t c, time_t d, wchar_t e))     \
    METHOD(optional, size_t, total, (void), sum)                                                   \
    METHOD(optional, pid_t, process, (void), since(1), last)
#define KIND_VALUES(METHOD)                                                                     \
    KIND_NUMBERS(METHOD)                                                                        \
    METHOD(optional, void, paint, (enum kind_color color), reject)                              \
    METHOD(optional, struct kind_point, move, (struct kind_point from, double by), chain(from)) \
    METHOD(optional, void, event, (kind_event event))                                           \
    METHOD(optional, const int32_t *, table, (void), last)                                      \
    METHOD(optional, void, later, (const char *word, peal_completion done))                     \
    METHOD(optional, void, state, (const char *part, bool is_ready), sticky(part))              \
    METHOD(optional, void, init, (void))                                                        \
    METHOD(optional, void, name, (void), defer, since(2))                                       \
    METHOD(optional, void, repeat, (void), since(2))
PEAL_PROTOCOL(kind_values, "KindValues", KIND_VALUES);

/* Results whose C type Swift does not write. C defines this protocol first. */
#define KIND_RESULTS(METHOD)                               \
    METHOD(optional, long long, longest, (void))           \
    METHOD(optional, char, letter, (void), last)           \
    METHOD(optional, enum kind_color, color, (void), last) \
    METHOD(optional, struct kind_point *, corner, (void))  \
    METHOD(optional, const char *const *, names, (void))   \
    METHOD(optional, int, votes, (void), collect)
PEAL_PROTOCOL(kind_results, "KindResults", KIND_RESULTS);

#define KIND_ADOPTS(ADOPT) ADOPT(kind_buffers, "KindBuffers") ADOPT(kind_pointers, "KindPointers")
#define KIND_ADOPTING(METHOD) METHOD(optional, void, both, (void))
PEAL_PROTOCOL_ADOPTING(kind_adopting, "KindAdopting", KIND_ADOPTS, KIND_ADOPTING);

static inline peal_status kinds_declare(peal_center center) { return peal_type_declare(center, kind_declarations); }

#endif
