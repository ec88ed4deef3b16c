/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <peal/nats.h>

#include "../PealText/message.h"

void bridge_explain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message_keep(format, arguments);
    va_end(arguments);
}

const char *peal_bridge_last_message(void) { return message_last(); }
