/* Control characters in texts of other machines. A collector's plugins print and store them, and a terminal obeys them.
 *
 * They are those below the blank except the tab, the one of deletion, and U+0080 to U+009F, whether the text is UTF-8 or has
 * one byte for each character. Other bytes, valid UTF-8 or not, are none. */
#ifndef REMOTE_TEXT_H
#define REMOTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

bool remote_text_has_control(const char *text, size_t length);
/* Replaces each byte of a control character by '?'. */
void remote_text_replace_control(char *text, size_t length);

#endif
