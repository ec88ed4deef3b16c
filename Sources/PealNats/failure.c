/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <peal/nats.h>
#include <peal/wire.h>

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[1024];

peal_status bridge_fail(peal_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status;
}

peal_status bridge_fail_as_peal(peal_status status) { return bridge_fail(status, "%s", peal_last_message()); }
peal_status bridge_fail_as_wire(peal_status status) { return bridge_fail(status, "%s", peal_wire_last_message()); }

const char *peal_bridge_last_message(void) { return sentence; }
