/* Parses lines of a package log for all observers of LogFields. The parser of dpkg_line.h calls the functions of a
 * proxy. So its calls reach all observers, although the parser does not use peal. */
#ifndef PARSING_H
#define PARSING_H

#include <stdbool.h>

#include "dpkg_line.h"
#include "log_fields.h"
#include "log_sink.h"

struct parsing {
    struct log_fields_protocol protocol;
    struct log_fields_proxy everybody;
    struct dpkg_handlers handlers; /* the proxy's functions */
    bool is_wanted; /* LogFields had observers at the last test */
    uint64_t lost;  /* lines that did not reach every observer */
};

/* Opens the parser. Returns false if peal refuses, with peal_last_message().
 *
 * parsing: filled with zeros. */
bool parsing_open(struct parsing *parsing, peal_center center);
void parsing_close(struct parsing *parsing);

/* Tests if LogFields has observers. Call it at the beginning, and when the plugins may have changed. */
void parsing_look(struct parsing *parsing);
/* Parses a line. Call it only while `is_wanted` is true. */
void parsing_pass(struct parsing *parsing, const struct log_line *line);

#endif
