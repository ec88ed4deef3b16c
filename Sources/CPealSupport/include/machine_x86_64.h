/* x86-64 Linux: the System V ABI. Included by machine.h. */

/* Whether calls can be made by register frames, and how many integer registers a frame has. */
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

/* Bytes of machine code that an entry takes (thunk_code.h). An integer and a floating number return in different
 * registers, so one function can return a number whose kind it does not know. */
#define PEAL_THUNK_SIZE 16
#define PEAL_THUNK_BARE_SIZE 32
#define PEAL_THUNK_HAS_NUMBERS 1

/* Taking the right to write from a page interrupts every processor that may have cached its entry. */
#define PEAL_PAGE_IS_FENCE 1

/* Leaves the processor's execution units to the other thread of its core, for a thread that spins. */
static inline void peal_processor_pause(void) { __builtin_ia32_pause(); }

/* The same word, of which the compiler does not know that it came in an argument's register: else it brings it back
 * there after every call of a loop, and out of the way before. */
static inline uint64_t peal_thunk_word(uint64_t word)
{
    uint64_t copy;
    __asm__("movq %1, %0" : "=r"(copy) : "r"(word));
    return copy;
}
