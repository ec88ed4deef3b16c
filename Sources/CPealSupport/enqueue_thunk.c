#include "CPealSupport/enqueue_thunk.h"

#include <string.h>

#include "CPealSupport/frame.h"

uint32_t peal_enqueue_thunk_gate;

_Static_assert(offsetof(struct peal_snapshot, entries)
                   == offsetof(struct peal_snapshot, enqueue_thunk) + sizeof(struct peal_entry),
    "the enqueue_thunk is the entry in front of the first");

#if PEAL_FRAME_SUPPORTED

#define FLOATS double f0, double f1, double f2, double f3, double f4, double f5, double f6, double f7
#define STACK                                                                                               \
    uint64_t s0, uint64_t s1, uint64_t s2, uint64_t s3, uint64_t s4, uint64_t s5, uint64_t s6, uint64_t s7, \
        uint64_t s8, uint64_t s9, uint64_t s10, uint64_t s11, uint64_t s12, uint64_t s13, uint64_t s14, uint64_t s15

/* Callers reach these as functions of the method's type, so clang's check of function types is disabled. */
#if defined(__clang__)
#define ANY_TYPE __attribute__((no_sanitize("function")))
#else
#define ANY_TYPE
#endif

#define RECORDERS(name, type)                                                                                       \
    ANY_TYPE static type name##_registers(const struct peal_snapshot *list, PEAL_INTEGER_PARAMETERS, FLOATS)        \
    {                                                                                                               \
        uint64_t words[PEAL_FRAME_FIRST_STACK] = PEAL_INTEGER_WORDS;                                                \
        const double floats[PEAL_FRAME_FLOATS] = { f0, f1, f2, f3, f4, f5, f6, f7 };                                \
        memcpy(words + PEAL_FRAME_FIRST_FLOAT, floats, sizeof floats);                                              \
        list->record(list, words);                                                                                  \
        type zero;                                                                                                  \
        memset(&zero, 0, sizeof zero);                                                                              \
        return zero;                                                                                                \
    }                                                                                                               \
    ANY_TYPE static type name##_stack(const struct peal_snapshot *list, PEAL_INTEGER_PARAMETERS, FLOATS, STACK)     \
    {                                                                                                               \
        uint64_t words[PEAL_FRAME_WORDS] = PEAL_INTEGER_WORDS;                                                      \
        const double floats[PEAL_FRAME_FLOATS] = { f0, f1, f2, f3, f4, f5, f6, f7 };                                \
        const uint64_t stack[PEAL_FRAME_STACK] = { s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, \
            s15 };                                                                                                  \
        memcpy(words + PEAL_FRAME_FIRST_FLOAT, floats, sizeof floats);                                              \
        memcpy(words + PEAL_FRAME_FIRST_STACK, stack, sizeof stack);                                                \
        list->record(list, words);                                                                                  \
        type zero;                                                                                                  \
        memset(&zero, 0, sizeof zero);                                                                              \
        return zero;                                                                                                \
    }

RECORDERS(integer, uint64_t)
RECORDERS(number, double)
RECORDERS(integers, struct peal_frame_ii)
RECORDERS(numbers, struct peal_frame_ss)
RECORDERS(integer_number, struct peal_frame_is)
RECORDERS(number_integer, struct peal_frame_si)

typedef void (*function)(void);

/* In the order of ResultLocation: none, integer, float, integers, floats, integerFloat, floatInteger, singles. */
static const function functions[][2] = {
    { (function)integer_registers, (function)integer_stack },
    { (function)integer_registers, (function)integer_stack },
    { (function)number_registers, (function)number_stack },
    { (function)integers_registers, (function)integers_stack },
    { (function)numbers_registers, (function)numbers_stack },
    { (function)integer_number_registers, (function)integer_number_stack },
    { (function)number_integer_registers, (function)number_integer_stack },
    { (function)numbers_registers, (function)numbers_stack },
};

void (*peal_enqueue_thunk_function(uint8_t location, bool uses_stack))(void)
{
    return location < sizeof functions / sizeof *functions ? functions[location][uses_stack] : NULL;
}

#else

void (*peal_enqueue_thunk_function(uint8_t location, bool uses_stack))(void)
{
    (void)location;
    (void)uses_stack;
    return NULL;
}

#endif
