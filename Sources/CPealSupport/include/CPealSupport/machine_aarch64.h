/* AArch64 Linux: AAPCS64. Included by machine.h.
 *
 * The address of a result in memory is passed in x8. A frame does not contain that register, so such calls have no
 * frame.
 */

/* 1 if calls can be made by register frames; the number of integer registers of a frame. */
#define PEAL_FRAME_SUPPORTED 1
enum { PEAL_FRAME_INTEGERS = 8 };
/* The number of floating registers of a result: a homogeneous aggregate has one for each member. */
enum { PEAL_RESULT_FLOATS = 4 };

/* All integer registers: as arguments of a call from the words `w` after the fifth, as their types, as parameters after
 * the first, and as the words of a frame. */
#define PEAL_G_all PEAL_G_5, w[5], w[6], w[7]
#define PEAL_GT_all PEAL_GT_5, uint64_t, uint64_t, uint64_t
#define PEAL_INTEGER_PARAMETERS \
    uint64_t i1, uint64_t i2, uint64_t i3, uint64_t i4, uint64_t i5, uint64_t i6, uint64_t i7
#define PEAL_INTEGER_WORDS { 0, i1, i2, i3, i4, i5, i6, i7 }

/* Bytes of machine code of a thunk (thunk_code.h). A struct of an integer and a floating number is returned in two
 * integer registers, so a thunk that does not distinguish the two kinds cannot return a number. */
#define PEAL_THUNK_SIZE 16
#define PEAL_THUNK_BARE_SIZE 16
#define PEAL_THUNK_HAS_NUMBERS 0

/* A change of page protection is broadcast by the hardware, and interrupts no processor. */
#define PEAL_PAGE_IS_FENCE 0

/* Releases the core for some cycles, for a thread that spins: `yield` has no effect on most cores. */
static inline void peal_processor_pause(void) { __asm__ volatile("isb"); }
/* A number that grows with time. */
static inline uint64_t peal_processor_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
/* Returns true if that number grows at one rate on all cores. */
static inline bool peal_processor_ticks_are_steady(void) { return true; }
/* Returns true if the kernel derives its clock from that number. */
static inline bool peal_processor_ticks_are_clock(void) { return true; }

/* See machine_x86_64.h. */
static inline uint64_t peal_thunk_word(uint64_t word)
{
    uint64_t copy;
    __asm__("mov %0, %1" : "=r"(copy) : "r"(word));
    return copy;
}
