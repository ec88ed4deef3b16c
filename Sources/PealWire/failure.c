/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <peal/wire.h>

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[1024];

peal_status wire_fail(peal_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status;
}

peal_status wire_fail_as_peal(peal_status status) { return wire_fail(status, "%s", peal_last_message()); }

const char *peal_wire_last_message(void) { return sentence; }
