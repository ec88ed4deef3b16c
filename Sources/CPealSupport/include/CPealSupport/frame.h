/* Calls through a register frame.
 *
 * Not Swift: a function type for each shape, with up to thirty parameters, is a macro in C and would be pages of Swift.
 *
 * A frame contains the registers and stack words of a call: first the words of the integer registers (words[0] is the
 * observer's own target and not used), then those of the floating registers, then those of the stack. A function is
 * called with as many of them as its shape names. Additional words do not affect a function, since the caller cleans up
 * the stack. The System V ABI of x86-64 and AAPCS64 guarantee this. The C language does not. On other machines, and for
 * calls that do not fit into a frame, ffi_call is used.
 */
#ifndef CPEAL_FRAME_H
#define CPEAL_FRAME_H

#include "CPealSupport/machine.h"
#include "CPealSupport/nullability.h"

#include <stdint.h>

enum {
    PEAL_FRAME_FLOATS = 8,
    PEAL_FRAME_STACK = 16,
    PEAL_FRAME_FIRST_FLOAT = PEAL_FRAME_INTEGERS,
    PEAL_FRAME_FIRST_STACK = PEAL_FRAME_INTEGERS + PEAL_FRAME_FLOATS,
    PEAL_FRAME_WORDS = PEAL_FRAME_FIRST_STACK + PEAL_FRAME_STACK
};

/* Returns nonzero if this machine has frames. */
static inline int peal_frame_supported(void) { return PEAL_FRAME_SUPPORTED; }

/* Memory for a frame, in a local variable of a Swift function: without and with the stack's words. */
struct peal_register_frame {
    uint64_t words[PEAL_FRAME_FIRST_STACK];
};
struct peal_whole_frame {
    uint64_t words[PEAL_FRAME_WORDS];
};

/* Memory for the largest result in registers. */
struct peal_result_room {
    uint64_t words[PEAL_RESULT_FLOATS];
};

/* Return uninitialised memory for a frame. Swift would have to fill it first. The caller writes each word that the
 * called function reads. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
static inline struct peal_register_frame peal_register_frame_room(void)
{
    struct peal_register_frame room;
    return room;
}
static inline struct peal_whole_frame peal_whole_frame_room(void)
{
    struct peal_whole_frame room;
    return room;
}
#pragma GCC diagnostic pop

/* Results that are returned in two registers, or in all floating registers of results. */
struct peal_frame_ii {
    uint64_t first;
    uint64_t second;
};
struct peal_frame_ss {
    double numbers[PEAL_RESULT_FLOATS];
};
struct peal_frame_is {
    uint64_t first;
    double second;
};
struct peal_frame_si {
    double first;
    uint64_t second;
};

typedef void (*_Nonnull peal_frame_function)(void);

#define PEAL_G_1
#define PEAL_G_2 , w[1]
#define PEAL_G_3 PEAL_G_2, w[2]
#define PEAL_G_4 PEAL_G_3, w[3]
#define PEAL_G_5 PEAL_G_4, w[4]
#define PEAL_GT_1
#define PEAL_GT_2 , uint64_t
#define PEAL_GT_3 PEAL_GT_2, uint64_t
#define PEAL_GT_4 PEAL_GT_3, uint64_t
#define PEAL_GT_5 PEAL_GT_4, uint64_t
#define PEAL_X_0
#define PEAL_X_2 , x[0], x[1]
#define PEAL_X_8 PEAL_X_2, x[2], x[3], x[4], x[5], x[6], x[7]
#define PEAL_XT_0
#define PEAL_XT_2 , double, double
#define PEAL_XT_8 PEAL_XT_2 PEAL_XT_2 PEAL_XT_2 PEAL_XT_2
#define PEAL_S_0
#define PEAL_S_1 , s[0]
#define PEAL_S_2 PEAL_S_1, s[1]
#define PEAL_S_3 PEAL_S_2, s[2]
#define PEAL_S_4 PEAL_S_3, s[3]
#define PEAL_S_6 PEAL_S_4, s[4], s[5]
#define PEAL_S_8 PEAL_S_6, s[6], s[7]
#define PEAL_S_12 PEAL_S_8, s[8], s[9], s[10], s[11]
#define PEAL_S_16 PEAL_S_12, s[12], s[13], s[14], s[15]
#define PEAL_ST_0
#define PEAL_ST_1 , uint64_t
#define PEAL_ST_2 PEAL_ST_1 PEAL_ST_1
#define PEAL_ST_3 PEAL_ST_2 PEAL_ST_1
#define PEAL_ST_4 PEAL_ST_2 PEAL_ST_2
#define PEAL_ST_6 PEAL_ST_4 PEAL_ST_2
#define PEAL_ST_8 PEAL_ST_4 PEAL_ST_4
#define PEAL_ST_12 PEAL_ST_8 PEAL_ST_4
#define PEAL_ST_16 PEAL_ST_8 PEAL_ST_8

/* peal_frame_<result>_<integers>_<floats>_<stack words>(function, target, words); `all` is all integer registers. */
#define PEAL_FRAME_CALL(kind, result, g, f, k)                                               \
    __attribute__((always_inline)) static inline result peal_frame_##kind##_##g##_##f##_##k( \
        peal_frame_function function, void *_Nullable target, const uint64_t *_Nonnull w)    \
    {                                                                                        \
        const double *x = (const double *)(const void *)(w + PEAL_FRAME_FIRST_FLOAT);        \
        const uint64_t *s = w + PEAL_FRAME_FIRST_STACK;                                      \
        (void)w, (void)x, (void)s;                                                           \
        typedef result (*type)(void *PEAL_GT_##g PEAL_XT_##f PEAL_ST_##k);                   \
        return ((type)function)(target PEAL_G_##g PEAL_X_##f PEAL_S_##k);                    \
    }

#define PEAL_FRAME_INTEGER_CALLS(f)       \
    PEAL_FRAME_CALL(i, uint64_t, 1, f, 0) \
    PEAL_FRAME_CALL(i, uint64_t, 2, f, 0) \
    PEAL_FRAME_CALL(i, uint64_t, 3, f, 0) \
    PEAL_FRAME_CALL(i, uint64_t, 4, f, 0) \
    PEAL_FRAME_CALL(i, uint64_t, 5, f, 0) \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 0)
PEAL_FRAME_INTEGER_CALLS(0)
PEAL_FRAME_INTEGER_CALLS(2)
PEAL_FRAME_INTEGER_CALLS(8)

#define PEAL_FRAME_STACK_CALLS(f)            \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 1)  \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 2)  \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 3)  \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 4)  \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 6)  \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 8)  \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 12) \
    PEAL_FRAME_CALL(i, uint64_t, all, f, 16)
PEAL_FRAME_STACK_CALLS(0)
PEAL_FRAME_STACK_CALLS(8)

#define PEAL_FRAME_RESULT_CALLS(kind, result) \
    PEAL_FRAME_CALL(kind, result, all, 8, 0)  \
    PEAL_FRAME_CALL(kind, result, all, 8, 16)
PEAL_FRAME_RESULT_CALLS(s, double)
PEAL_FRAME_CALL(s, double, all, 2, 0)
PEAL_FRAME_RESULT_CALLS(ii, struct peal_frame_ii)
PEAL_FRAME_RESULT_CALLS(ss, struct peal_frame_ss)
PEAL_FRAME_RESULT_CALLS(is, struct peal_frame_is)
PEAL_FRAME_RESULT_CALLS(si, struct peal_frame_si)

#endif
