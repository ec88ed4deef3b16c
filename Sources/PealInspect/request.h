/* SPDX-License-Identifier: Apache-2.0
 *
 * A request: a line of words with blanks between them. A word in quotes may have blanks, and escapes: \" \\ \n \t \xHH.
 */
#ifndef PEAL_INSPECT_REQUEST_H
#define PEAL_INSPECT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
    REQUEST_LENGTH_LIMIT = 65536, /* of a line, in bytes */
    REQUEST_WORD_LIMIT = 72
};

struct request {
    size_t count;
    char *words[REQUEST_WORD_LIMIT]; /* *borrowed* from the line */
};

/* Divides a line into words, in place.
 *
 * line: `length` bytes without the newline, and room for one byte more.
 * message: filled with a sentence on failure.
 * Returns false for a line that is no request. */
bool request_parse(char *line, size_t length, struct request *out_request, const char **out_message);

#endif
