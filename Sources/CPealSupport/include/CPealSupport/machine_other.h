/* Processors without register frames: each call uses ffi_call. Included by machine.h. */

#define PEAL_FRAME_SUPPORTED 0
enum { PEAL_FRAME_INTEGERS = 6 };
enum { PEAL_RESULT_FLOATS = 2 };
#define PEAL_G_all PEAL_G_5, w[5]
#define PEAL_GT_all PEAL_GT_5, uint64_t
#define PEAL_INTEGER_PARAMETERS uint64_t i1, uint64_t i2, uint64_t i3, uint64_t i4, uint64_t i5
#define PEAL_INTEGER_WORDS { 0, i1, i2, i3, i4, i5 }
#define PEAL_THUNK_HAS_NUMBERS 0
#define PEAL_PAGE_IS_FENCE 0

static inline void peal_processor_pause(void) {}
static inline uint64_t peal_processor_ticks(void) { return 0; }
static inline bool peal_processor_ticks_are_steady(void) { return false; }
static inline bool peal_processor_ticks_are_clock(void) { return false; }
static inline uint64_t peal_thunk_word(uint64_t word) { return word; }
