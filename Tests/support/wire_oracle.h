/* SPDX-License-Identifier: Apache-2.0
 *
 * wire_oracle.h - any bytes are decoded as a message of libpeal-wire, and the outcome is checked. For the tests and for
 * the fuzzer, which have their own ways to report.
 */
#ifndef PEAL_TEST_WIRE_ORACLE_H
#define PEAL_TEST_WIRE_ORACLE_H

#include <peal/peal.h>
#include <peal/wire.h>

PEAL_BEGIN_DECLARATIONS

/* Defines the methods, at the first call. Returns their number. The plans end with the process. */
size_t wire_oracle_begin(void);

/* Writes a valid message of a method, and returns its size. */
size_t wire_oracle_message(size_t method, unsigned char *buffer, size_t capacity);

/* Decodes bytes as a call and as a result of a method. Returns NULL, or a sentence about a mistake of the library. */
const char *wire_oracle_check(size_t method, const unsigned char *bytes, size_t size);

/* Returns how many messages were decoded successfully. */
size_t wire_oracle_count_accepted(void);

PEAL_END_DECLARATIONS

#endif
