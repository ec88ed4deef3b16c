/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the decoder of libpeal-wire. The first byte chooses the method. Unless its highest bit is set, the header of a
 * valid message is put before the other bytes, because no fuzzer guesses a fingerprint.
 */
#include "wire_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = 31, ROOM = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t methods;
    static unsigned char bytes[ROOM];
    size_t header = 0;

    if (methods == 0)
        methods = wire_oracle_begin();
    if (methods == 0)
        abort();
    if (size == 0 || size > ROOM - HEADER_SIZE)
        return 0;
    const size_t method = (data[0] & 0x7f) % methods;
    if ((data[0] & 0x80) == 0 && wire_oracle_message(method, bytes, sizeof bytes) > HEADER_SIZE)
        header = HEADER_SIZE;
    memcpy(bytes + header, data + 1, size - 1);
    const char *mistake = wire_oracle_check(method, bytes, header + size - 1);
    if (mistake != NULL) {
        fprintf(stderr, "%s\n", mistake);
        abort();
    }
    return 0;
}
