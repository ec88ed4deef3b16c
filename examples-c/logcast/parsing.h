/* Lines of a package log, taken apart for all who observe LogFields. dpkg_line.h does it, and calls a
 * proxy: what it tells reaches them all, though it has never heard of peal. */
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
    bool is_wanted; /* somebody observed LogFields when that was last looked at */
    uint64_t lost;  /* lines of which not everybody was told */
};

/* False when peal refuses; peal_last_message() tells why.
 *
 * parsing: zeros. */
bool parsing_open(struct parsing *parsing, peal_center center);
void parsing_close(struct parsing *parsing);

/* Looks whether anybody observes LogFields: at the beginning, and when plugins may have changed. */
void parsing_look(struct parsing *parsing);
/* Takes a line apart; only while it is wanted. */
void parsing_pass(struct parsing *parsing, const struct log_line *line);

#endif
