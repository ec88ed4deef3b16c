/* SPDX-License-Identifier: Apache-2.0 */
#include "part.h"

#include "lane.h"

#include <stdio.h>
#include <string.h>

static peal_status take_step(struct part *part, struct peal_module_step *step, peal_status status)
{
    step->code = part->code;
    if (part->message != NULL)
        snprintf(step->message, sizeof step->message, "%s", part->message);
    return status;
}

static peal_status start(void *self, struct peal_module_step *step)
{
    struct part *part = self;

    CHECK_TEXT(step->module, part->name);
    CHECK_POINTER(step->context, part);
    CHECK_EQUAL(step->size, sizeof *step);
    journal_write("+%s", part->name);
    part->done = step->done;
    if (part->on_start != NULL)
        part->on_start(part, step);
    return take_step(part, step, part->starts);
}

static peal_status stop(void *self, struct peal_module_step *step)
{
    struct part *part = self;

    journal_write("-%s", part->name);
    part->done = step->done;
    if (part->on_stop != NULL)
        part->on_stop(part, step);
    return take_step(part, step, part->stops);
}

static void release(void *context) { journal_write("~%s", ((struct part *)context)->name); }

static void hear(struct part *part, const char *event)
{
    journal_write("%s.%s", part->name, event);
    if (part->on_event != NULL)
        part->on_event(part);
}

static void became(void *self) { hear(self, "became"); }
static bool open_url(void *self, const char *url)
{
    struct part *part = self;

    hear(part, url);
    return part->opens;
}
static void notified(void *self, const char *payload, peal_completion done)
{
    hear(self, payload);
    CHECK_OK(peal_complete(done, 1));
}

const struct peal_lifecycle part_table = {
    PEAL_TABLE(peal_lifecycle),
    .did_become_active = became,
    .open_url = open_url,
    .remote_notification = notified,
};

peal_status part_try(peal_center center, struct part *part)
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION(part->name);
    const struct peal_provision tables[] = {
        { part->is_deaf ? NULL : "PealLifecycle", part->table != NULL ? part->table : &part_table },
        { NULL, NULL },
    };

    description.class_name = part->class_name;
    description.dependencies = part->needs;
    description.tables = tables;
    description.priority = part->priority;
    description.timeout = part->timeout;
    description.queue = part->queue;
    description.owner = part->owner;
    description.context = part;
    description.start = start;
    description.stop = stop;
    description.release = release;
    return peal_module_register(center, &description, &part->module);
}

void part_add(peal_center center, struct part *part) { CHECK_OK(part_try(center, part)); }

struct peal_module_info part_info(const struct part *part)
{
    struct peal_module_info info;

    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    CHECK_OK(peal_module_get_info(part->module, &info));
    return info;
}

peal_module_state part_state(const struct part *part) { return part_info(part).state; }

peal_modules_state parts_state(peal_center center)
{
    peal_modules_state state = (peal_modules_state)99;

    CHECK_OK(peal_modules_get_state(center, &state));
    return state;
}

void parts_start_in_time(peal_center center)
{
    CHECK_OK(peal_clock_set_manual(true));
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_clock_set_manual(false));
}

void part_exceed_limit(const struct part *part)
{
    CHECK_OK(peal_clock_advance(PEAL_MILLISECONDS(part->timeout + 1), LANE_LONG));
}
