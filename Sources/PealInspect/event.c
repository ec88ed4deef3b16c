/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "names.h"

#include "../PealText/print.h"

#include <stdio.h>

enum { ARGUMENT_LIMIT = 80 /* bytes and elements of one argument */ };

const char *event_name(uint32_t event)
{
    static const char *const names[] = { "broadcast", "broadcast_end", "call", "call_end", "enqueued", "dropped",
        "registered", "removed", "created", "ended", "property_set", "timer_fired", "failed", "lost" };
    const int bit = event != 0 ? __builtin_ctz(event) : 31;

    return (size_t)bit < sizeof names / sizeof *names ? names[bit] : "unknown";
}

bool event_has_line(const struct peal_tap_record *record)
{
    return record->event != PEAL_TAP_CALL_END || record->queue != 0;
}

unsigned event_center(const struct peal_tap_record *record)
{
    struct known_method *method = record->method != 0 ? known_method_take(record->method) : NULL;
    const unsigned center = method != NULL ? method->center : 0;

    known_method_put(method);
    return center;
}

static void add_duration(struct text *text, uint64_t nanoseconds)
{
    if (nanoseconds < 1000)
        text_add(text, "%u ns", (unsigned)nanoseconds);
    else if (nanoseconds < 1000000)
        text_add(text, "%.1f us", (double)nanoseconds / 1e3);
    else if (nanoseconds < 1000000000)
        text_add(text, "%.1f ms", (double)nanoseconds / 1e6);
    else
        text_add(text, "%.2f s", (double)nanoseconds / 1e9);
}

static void add_ended(struct text *text, uint64_t id)
{
    char name[600];

    name_ended(name, sizeof name, id);
    text_add(text, "%s", name);
}

static void add_object(struct text *text, uint64_t id)
{
    char name[600];

    name_object(name, sizeof name, id);
    text_add(text, "%s", name);
}

static void add_method(struct text *text, const struct peal_tap_record *record, void *const *arguments)
{
    static void *const none[PEAL_PARAMETER_LIMIT] = { NULL };
    struct known_method *method = known_method_take(record->method);

    text_add(text, "%s(", method != NULL ? method->name : "a method");
    if (method != NULL && method->type != NULL) {
        const struct printed_call call = { method->type, arguments != NULL ? arguments : none, arguments != NULL,
            ARGUMENT_LIMIT, true };
        print_arguments(text, &call);
    }
    text_add(text, ")");
    known_method_put(method);
}

static void add_count(struct text *text, uint32_t count, const char *noun)
{
    text_add(text, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

static void print(struct text *text, const struct peal_tap_record *record, void *const *arguments)
{
    switch (record->event) {
    case PEAL_TAP_BROADCAST_END:
        add_method(text, record, arguments);
        text_add(text, ", ");
        add_count(text, record->count, "observer");
        text_add(text, ", ");
        add_duration(text, record->duration);
        if (record->status != PEAL_OK)
            text_add(text, ", %s", peal_status_name((peal_status)record->status));
        break;
    case PEAL_TAP_CALL_END:
        add_method(text, record, arguments);
        text_add(text, " by ");
        add_object(text, record->object);
        text_add(text, " on ");
        add_object(text, record->queue);
        text_add(text, ", ");
        add_duration(text, record->duration);
        break;
    case PEAL_TAP_DROPPED:
        add_method(text, record, arguments);
        text_add(text, ": ");
        add_count(text, record->count, "call");
        text_add(text, " dropped by ");
        add_object(text, record->queue);
        break;
    case PEAL_TAP_FAILED:
        text_add(text, "%s: %s", peal_status_name((peal_status)record->status), peal_last_message());
        break;
    case PEAL_TAP_TIMER_FIRED:
        add_object(text, record->object);
        text_add(text, " fired, ");
        add_duration(text, record->duration);
        text_add(text, " late");
        break;
    case PEAL_TAP_PROPERTY_SET:
        add_object(text, record->object);
        text_add(text, " set");
        break;
    case PEAL_TAP_REMOVED:
    case PEAL_TAP_ENDED:
        add_ended(text, record->object);
        text_add(text, " %s", event_name(record->event));
        break;
    case PEAL_TAP_REGISTERED:
    case PEAL_TAP_CREATED:
        remember_object(record->object);
        add_object(text, record->object);
        text_add(text, " %s", event_name(record->event));
        break;
    default:
        add_object(text, record->object);
        text_add(text, " %s", event_name(record->event));
        break;
    }
}

void event_print(struct text *text, const struct peal_tap_record *record, void *const *arguments)
{
    const bool has_no_failure = peal_last_status() == PEAL_OK;

    print(text, record, arguments);
    /* An observer may have ended meanwhile. The program must not see the failure of the lookup. */
    if (has_no_failure)
        peal_clear_failure();
}
