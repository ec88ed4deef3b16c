/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor.h"

#include "answer.h"
#include "event.h"
#include "names.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { PENDING_LIMIT = 1 << 20 /* bytes that wait for the thread that answers */ };

/* The lock guards the pending lines. A thread of the program locks it to copy one line. */
struct monitor {
    pthread_mutex_t lock;
    pid_t process;
    struct text pending;
    uint64_t lost;
    bool is_finished;
};

static void add_line(struct monitor *monitor, const struct text *line)
{
    pthread_mutex_lock(&monitor->lock);
    const bool has_room = monitor->pending.length < PENDING_LIMIT && !line->is_refused;
    if (has_room && !monitor->is_finished)
        text_add_bytes(&monitor->pending, line->bytes, line->length);
    monitor->lost += !monitor->is_finished && (!has_room || monitor->pending.is_refused);
    pthread_mutex_unlock(&monitor->lock);
}

static void add_event(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    struct monitor *monitor = context;
    const int error = errno;
    struct text line = { 0 }, printed = { 0 };

    (void)result;
    if (!event_has_line(record) || getpid() != monitor->process)
        return;
    event_print(&printed, record, arguments);
    json_begin(&line, NULL);
    json_text(&line, "kind", "event");
    json_text(&line, "event", event_name(record->event));
    json_number(&line, "time", record->time);
    json_number(&line, "thread", record->thread);
    if (record->broadcast != 0)
        json_number(&line, "broadcast", record->broadcast);
    if (event_center(record) != 0)
        json_number(&line, "center", event_center(record));
    json_text(&line, "text", printed.bytes != NULL ? printed.bytes : "");
    json_end_line(&line);
    /* In the child of a fork another thread of the parent may hold the lock. A hook of a weak target, which is called for
     * the observer's name, may have forked. */
    if (getpid() == monitor->process)
        add_line(monitor, &line);
    text_free(&line);
    text_free(&printed);
    errno = error;
}

static void destroy(void *context)
{
    struct monitor *monitor = context;

    text_free(&monitor->pending);
    pthread_mutex_destroy(&monitor->lock);
    free(monitor);
}

struct monitor *monitor_make(struct peal_tap_options *options)
{
    struct monitor *monitor = calloc(1, sizeof *monitor);

    if (monitor == NULL)
        return NULL;
    pthread_mutex_init(&monitor->lock, NULL);
    monitor->process = getpid();
    options->function = add_event;
    options->context = monitor;
    options->destroy = destroy;
    options->capacity = 0;
    remember_observers();
    /* What began before the first event. A filter selects methods of events alone. */
    if (options->filter == NULL)
        answer_running(&monitor->pending);
    return monitor;
}

void monitor_finish(struct monitor *monitor)
{
    pthread_mutex_lock(&monitor->lock);
    monitor->is_finished = true;
    pthread_mutex_unlock(&monitor->lock);
}

void monitor_collect(struct monitor *monitor, struct text *output)
{
    pthread_mutex_lock(&monitor->lock);
    struct text pending = monitor->pending;
    const uint64_t lost = monitor->lost;
    monitor->pending = (struct text){ 0 };
    monitor->lost = 0;
    pthread_mutex_unlock(&monitor->lock);
    if (pending.length > 0)
        text_add_bytes(output, pending.bytes, pending.length);
    text_free(&pending);
    if (lost > 0) {
        json_begin(output, NULL);
        json_text(output, "kind", "lost");
        json_number(output, "count", lost);
        json_end_line(output);
    }
}
