#include "CPealSupport/probe.h"

#include <string.h>

#include "CPealSupport/sanitizer.h"

#if defined(__has_include) && !defined(__cppcheck__)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif
#ifndef VALGRIND_MAKE_MEM_DEFINED
#define VALGRIND_MAKE_MEM_DEFINED(start, size) ((void)0)
#endif

PEAL_NOT_INSTRUMENTED("address", "thread", "undefined")
static void probe_frame(uint64_t *out, PEAL_INTEGER_PARAMETERS, double x0, double x1, double x2, double x3, double x4,
    double x5, double x6, double x7, uint64_t s0, uint64_t s1, uint64_t s2, uint64_t s3, uint64_t s4, uint64_t s5,
    uint64_t s6, uint64_t s7, uint64_t s8, uint64_t s9, uint64_t s10, uint64_t s11, uint64_t s12, uint64_t s13,
    uint64_t s14, uint64_t s15)
{
    const uint64_t integers[PEAL_FRAME_INTEGERS] = PEAL_INTEGER_WORDS;
    const double floats[PEAL_FRAME_FLOATS] = { x0, x1, x2, x3, x4, x5, x6, x7 };
    const uint64_t stack[PEAL_FRAME_STACK] = { s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15 };
    memcpy(out, integers, sizeof integers);
    memcpy(out + PEAL_FRAME_FIRST_FLOAT, floats, sizeof floats);
    memcpy(out + PEAL_FRAME_FIRST_STACK, stack, sizeof stack);
    /* The prober also compares the words that carry no argument. Valgrind would report these as uninitialised. */
    VALGRIND_MAKE_MEM_DEFINED(out, PEAL_FRAME_WORDS * sizeof *out);
}

/* Each location has words of its own, loaded straight from memory into the register that returns them. A word that
 * remained in another register would look like a result there. */
static volatile uint64_t integer_words[] = {
    0x0123456789abcdef,
    0x3f1e2d4c5b6a7988,
    0x11f7e6d5c4b3a290,
    0x2468ace013579bdf,
};
static volatile double float_words[] = { 0x1.23456789abcdep+7, -0x1.fedcba987654p-9, 0x1.0f1e2d3c4b5a6p+3,
    -0x1.13579bdf02468p+5 };

static uint64_t result_i(void) { return integer_words[0]; }
static double result_s(void) { return float_words[0]; }
static struct peal_frame_ii result_ii(void)
{
    struct peal_frame_ii result = { integer_words[1], integer_words[2] };
    return result;
}
static struct peal_frame_ss result_ss(void)
{
    struct peal_frame_ss result;
    for (int i = 0; i < PEAL_RESULT_FLOATS; i++)
        result.numbers[i] = float_words[(1 + i) % 4];
    return result;
}
static struct peal_frame_is result_is(void)
{
    struct peal_frame_is result = { integer_words[3], float_words[3] };
    return result;
}
static struct peal_frame_si result_si(void)
{
    struct peal_frame_si result = { float_words[0], integer_words[0] };
    return result;
}

void peal_probe_expect(int location, uint64_t out[PEAL_RESULT_FLOATS])
{
    const double floats[4] = { float_words[0], float_words[1], float_words[2], float_words[3] };
    const struct peal_frame_ss all = result_ss();
    memset(out, 0, sizeof all);
    switch (location) {
    case PEAL_PROBE_I: out[0] = integer_words[0]; break;
    case PEAL_PROBE_S: memcpy(out, &floats[0], 8); break;
    case PEAL_PROBE_II: out[0] = integer_words[1], out[1] = integer_words[2]; break;
    case PEAL_PROBE_SS: memcpy(out, &all, sizeof all); break;
    /* The low halves of the registers. */
    case PEAL_PROBE_SINGLES:
        for (int i = 0; i < PEAL_RESULT_FLOATS; i++)
            memcpy((char *)out + 4 * i, &all.numbers[i], 4);
        break;
    case PEAL_PROBE_IS: out[0] = integer_words[3], memcpy(out + 1, &floats[3], 8); break;
    case PEAL_PROBE_SI: memcpy(out, &floats[0], 8), out[1] = integer_words[0]; break;
    }
}

peal_frame_function peal_probe_result(int location)
{
    switch (location) {
    case PEAL_PROBE_I: return (peal_frame_function)result_i;
    case PEAL_PROBE_S: return (peal_frame_function)result_s;
    case PEAL_PROBE_II: return (peal_frame_function)result_ii;
    case PEAL_PROBE_SS:
    case PEAL_PROBE_SINGLES: return (peal_frame_function)result_ss;
    case PEAL_PROBE_IS: return (peal_frame_function)result_is;
    default: return (peal_frame_function)result_si;
    }
}

peal_frame_function peal_probe_frame(void) { return (peal_frame_function)probe_frame; }
