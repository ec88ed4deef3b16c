/* x86-64 Linux: the System V ABI. Included by machine.h. */

/* 1 if calls can be made by register frames; the number of integer registers of a frame. */
#define PEAL_FRAME_SUPPORTED 1
enum { PEAL_FRAME_INTEGERS = 6 };
/* The number of floating registers of a result. */
enum { PEAL_RESULT_FLOATS = 2 };

/* All integer registers: as arguments of a call from the words `w` after the fifth, as their types, as parameters after
 * the first, and as the words of a frame. */
#define PEAL_G_all PEAL_G_5, w[5]
#define PEAL_GT_all PEAL_GT_5, uint64_t
#define PEAL_INTEGER_PARAMETERS uint64_t i1, uint64_t i2, uint64_t i3, uint64_t i4, uint64_t i5
#define PEAL_INTEGER_WORDS { 0, i1, i2, i3, i4, i5 }

/* Bytes of machine code of a thunk (thunk_code.h). An integer and a floating number are returned in different
 * registers, so one function can return a number without distinguishing the two kinds. */
#define PEAL_THUNK_SIZE 16
#define PEAL_THUNK_BARE_SIZE 32
#define PEAL_THUNK_HAS_NUMBERS 1

/* When a page loses its write permission, the kernel interrupts every processor that may have cached its entry. */
#define PEAL_PAGE_IS_FENCE 1

/* Yields the processor's execution units to the other thread of its core, for a thread that spins. */
static inline void peal_processor_pause(void) { __builtin_ia32_pause(); }
/* A number that grows with time. */
static inline uint64_t peal_processor_ticks(void) { return __builtin_ia32_rdtsc(); }
/* Returns true if that number grows at one rate on all cores: the invariant time stamp counter. */
bool peal_processor_ticks_are_steady(void);
/* Returns true if the kernel derives its clock from that number, which it does only if all cores have the same. */
bool peal_processor_ticks_are_clock(void);

/* Returns the same word, and hides from the compiler that it was passed in an argument register. Otherwise the compiler
 * moves the word out of that register before each call of a loop, and back after the call. */
static inline uint64_t peal_thunk_word(uint64_t word)
{
    uint64_t copy;
    __asm__("movq %1, %0" : "=r"(copy) : "r"(word));
    return copy;
}
