/* SPDX-License-Identifier: Apache-2.0
 *
 * message.h - the sentence of a thread's last failure in a library.
 */
#ifndef PEAL_TEXT_MESSAGE_H
#define PEAL_TEXT_MESSAGE_H

#include <stdarg.h>

/* Keeps a sentence for the calling thread. */
__attribute__((format(printf, 1, 0), cold)) void message_keep(const char *format, va_list arguments);
/* Returns the kept sentence, or "". It is valid until the thread keeps another one. */
const char *message_last(void);

#endif
