/* AArch64 Linux: AAPCS64. Included by machine.h.
 *
 * The address of a result in memory travels in x8, which is no argument's: such calls have no frame.
 */

/* Whether calls can be made by register frames, and how many integer registers a frame has. */
#define PEAL_FRAME_SUPPORTED 1
enum { PEAL_FRAME_INTEGERS = 8 };
/* The number of floating registers of a result: a homogeneous aggregate has one for each member. */
enum { PEAL_RESULT_FLOATS = 4 };

/* All integer registers: as arguments of a call from the words `w` after the fifth, as their types, as parameters after
 * the first, and as the words of a frame. */
#define PEAL_G_all PEAL_G_5, w[5], w[6], w[7]
#define PEAL_GT_all PEAL_GT_5, uint64_t, uint64_t, uint64_t
#define PEAL_INTEGER_PARAMETERS                                                                    \
    uint64_t i1, uint64_t i2, uint64_t i3, uint64_t i4, uint64_t i5, uint64_t i6, uint64_t i7
#define PEAL_INTEGER_WORDS { 0, i1, i2, i3, i4, i5, i6, i7 }

/* Bytes of machine code that an entry takes (thunk_code.h). A struct of an integer and a floating number returns in two
 * integer registers, so no function returns a number whose kind it does not know. */
#define PEAL_THUNK_SIZE 16
#define PEAL_THUNK_BARE_SIZE 16
#define PEAL_THUNK_HAS_NUMBERS 0

/* A change of page protection is broadcast by the hardware, and interrupts no processor. */
#define PEAL_PAGE_IS_FENCE 0

/* Leaves the core alone for some cycles, for a thread that spins: `yield` does nothing on most cores. */
static inline void peal_processor_pause(void) { __asm__ volatile("isb"); }

/* See machine_x86_64.h. */
static inline uint64_t peal_thunk_word(uint64_t word)
{
    uint64_t copy;
    __asm__("mov %0, %1" : "=r"(copy) : "r"(word));
    return copy;
}
