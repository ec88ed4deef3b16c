/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads the name of a thread of this process, as `top -H` prints it. Empty if the thread has ended. */
static void name_thread(char *buffer, size_t capacity, uint32_t thread)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%u/comm", thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, buffer, capacity - 1) : 0;
    if (file >= 0)
        (void)close(file);
    buffer[length > 0 ? length : 0] = '\0';
    buffer[strcspn(buffer, "\n")] = '\0';
}

static void add_call(void *context, const struct peal_running_call_info *call)
{
    struct text *text = context;
    char name[600];
    const uint64_t object = call->observation.id != 0 ? call->observation.id
                          : call->timer.id != 0       ? call->timer.id
                                                      : call->proxy.id;

    json_begin(text, NULL);
    json_text(text, "kind", "running");
    if (call->method.id != 0) {
        name_object(name, sizeof name, call->method.id);
        json_text(text, "method", name);
    }
    json_id(text, "object", object);
    name_object(name, sizeof name, object);
    json_text(text, "name", name);
    if (call->queue.id != 0)
        json_id(text, "queue", call->queue.id);
    json_number(text, "thread", call->thread);
    name_thread(name, sizeof name, call->thread);
    json_text(text, "thread_name", name);
    json_number(text, "depth", call->depth);
    json_number(text, "running_ns", call->running_ns);
    json_end_line(text);
}

void answer_running(struct text *text) { (void)peal_call_visit_running(add_call, text, NULL); }
