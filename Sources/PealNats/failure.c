/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <peal/nats.h>

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[1024];

void bridge_explain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
}

const char *peal_bridge_last_message(void) { return sentence; }
