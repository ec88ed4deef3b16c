/* The differences between processors, except for the ABI's view of types (PealCall/Machine). There is a pair of files
 * for each: machine_x86_64.h and .c, machine_aarch64.h and .c.
 *
 * Not Swift: registers, instructions, and parameter lists of C functions.
 */
#ifndef CPEAL_MACHINE_H
#define CPEAL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__LP64__)
#include "CPealSupport/machine_x86_64.h"
#elif defined(__aarch64__) && defined(__linux__) && defined(__LP64__) && defined(__AARCH64EL__)
#include "CPealSupport/machine_aarch64.h"
#else
#include "CPealSupport/machine_other.h"
#endif

#endif
