/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of taps as text.
 */
#ifndef PEAL_INSPECT_EVENT_H
#define PEAL_INSPECT_EVENT_H

#include "../PealText/text.h"

#include <peal/peal.h>

/* The events with a line: the end of a broadcast, of a call that a queue made, and what is no call. */
enum {
    EVENTS_OF_CALLS = PEAL_TAP_BROADCAST_END | PEAL_TAP_CALL_END,
    EVENTS_OF_FAILURES = PEAL_TAP_FAILED | PEAL_TAP_DROPPED,
    EVENTS_OF_LIFE = PEAL_TAP_REGISTERED | PEAL_TAP_REMOVED | PEAL_TAP_CREATED | PEAL_TAP_ENDED | PEAL_TAP_PROPERTY_SET
        | PEAL_TAP_TIMER_FIRED
};

/* Returns the name of an event: "broadcast_end". */
const char *event_name(uint32_t event);

/* Returns false for the end of a call that the broadcast itself made: the line of the broadcast counts it. */
bool event_has_line(const struct peal_tap_record *record);

/* Prints an event: "Chat.on_message(room: \"lobby\"), 2 observers, 3.4 us". On the thread of the event. */
void event_print(struct text *text, const struct peal_tap_record *record, void *const *arguments);

/* Returns the ordinal of the center of the event's method; 0 without one. */
unsigned event_center(const struct peal_tap_record *record);

#endif
