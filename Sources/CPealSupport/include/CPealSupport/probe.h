/* Functions that show the registers and stack words of a call, and libffi's view of a result in known registers.
 *
 * Not Swift: they read stack words past their own arguments, which no sanitizer may instrument.
 */
#ifndef CPEAL_PROBE_H
#define CPEAL_PROBE_H

#include <stdint.h>

#include "CPealSupport/frame.h"

/* Returns a function that copies its frame into the PEAL_FRAME_WORDS words that its first argument points to. */
peal_frame_function peal_probe_frame(void);

/* The locations of a result: one or two registers, integer (I) or floating (S), or floating registers with four bytes
 * of the result each. */
enum { PEAL_PROBE_I = 1, PEAL_PROBE_S, PEAL_PROBE_II, PEAL_PROBE_SS, PEAL_PROBE_IS, PEAL_PROBE_SI, PEAL_PROBE_SINGLES };

/* Returns a function whose result is recognisable words in one location. peal_probe_expect writes these words. */
peal_frame_function peal_probe_result(int location);
void peal_probe_expect(int location, uint64_t out[_Nonnull PEAL_RESULT_FLOATS]);

#endif
