/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzes the decoder of libpeal-wire. The first byte chooses the method. Unless its highest bit is set, the header of a
 * valid message is put before the other bytes, because no fuzzer guesses a fingerprint.
 */
#include "items.h"
#include "wire_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = 31, ROOM = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* Three of four changes keep the structure. A message begins as a valid one of its method. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    const size_t methods = wire_oracle_begin();

    if (size < 2 && methods > 0 && capacity >= 400) {
        uint8_t message[400];
        const size_t length = wire_oracle_message(seed % methods, message, sizeof message);
        if (length > HEADER_SIZE) {
            data[0] = (uint8_t)(seed % methods);
            memcpy(data + 1, message + HEADER_SIZE, length - HEADER_SIZE);
            return 1 + length - HEADER_SIZE;
        }
    }
    if (size < 2 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, capacity);
    return 1 + change_item(data + 1, size - 1, capacity - 1, seed / 4);
}

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
