/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <peal/wire.h>

#include "../PealText/message.h"

peal_status wire_fail(peal_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    message_keep(format, arguments);
    va_end(arguments);
    return status;
}

peal_status wire_fail_as_peal(peal_status status) { return wire_fail(status, "%s", peal_last_message()); }

const char *peal_wire_last_message(void) { return message_last(); }
