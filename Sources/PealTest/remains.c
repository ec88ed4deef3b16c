/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/peal.h>
#include <peal/test.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spy.h"

/* ---- Draining ---------------------------------------------------------------------------------- */

static uint64_t milliseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns all queues of the process, *owned*; NULL when memory is refused, and for no queues. */
static peal_queue *list_queues(size_t *out_count)
{
    peal_queue *queues = NULL;
    size_t capacity = 0;

    *out_count = 0;
    while (peal_queue_list(queues, capacity, out_count) == PEAL_TRUNCATED) {
        free(queues);
        capacity = *out_count + 8;
        queues = malloc(capacity * sizeof *queues);
        if (queues == NULL)
            *out_count = capacity = 0;
        if (queues == NULL)
            break;
    }
    return queues;
}

static bool read_queue(peal_queue queue, struct peal_queue_info *info)
{
    *info = (struct peal_queue_info){ .size = sizeof *info };
    return peal_queue_get_info(queue, info) >= 0;
}

/* Pumps what waits on pumped queues now. Returns the number of calls that were made. */
static size_t pump_all(void)
{
    size_t count;
    size_t made = 0;
    peal_queue *queues = list_queues(&count);

    for (size_t i = 0; i < count; i++) {
        struct peal_queue_info info;
        size_t calls = 0;
        if (read_queue(queues[i], &info) && info.kind == PEAL_QUEUE_PUMPED
            && peal_queue_pump(queues[i], 0, &calls) >= 0)
            made += calls;
    }
    free(queues);
    return made;
}

peal_status peal_test_drain(uint32_t timeout)
{
    const uint64_t deadline = milliseconds_now() + timeout;
    uint64_t now = milliseconds_now();
    size_t made;

    do {
        const peal_status status = peal_clock_advance(
            0, timeout == PEAL_FOREVER ? timeout : (uint32_t)(deadline - now));
        if (status < 0)
            return status;
        made = pump_all();
        now = milliseconds_now();
    } while (made > 0 && (timeout == PEAL_FOREVER || now < deadline));
    return made == 0 ? PEAL_OK : PEAL_ERROR_TIMEOUT;
}

/* ---- What remains ------------------------------------------------------------------------------ */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static size_t report_observers(struct text *text, peal_protocol protocol)
{
    struct peal_protocol_info info = { .size = sizeof info };
    size_t count = 0;

    if (peal_protocol_count_observers(protocol, &count) < 0 || count == 0
        || peal_protocol_get_info(protocol, &info) < 0)
        return 0;
    text_add(text, "protocol %s: %zu observer%s\n", info.name, count, plural(count));
    return count;
}

static size_t report_protocols(struct text *text, peal_center center)
{
    size_t count = 0;
    size_t found = 0;

    (void)peal_protocol_list(center, NULL, 0, &count);
    peal_protocol *protocols = malloc((count + 1) * sizeof *protocols);
    if (protocols == NULL)
        return 0;
    size_t listed = 0;
    (void)peal_protocol_list(center, protocols, count, &listed);
    for (size_t i = 0; i < count && i < listed; i++)
        found += report_observers(text, protocols[i]);
    free(protocols);
    return found;
}

static size_t report_service(struct text *text, peal_service service)
{
    static const char own[] = "peal.";
    struct peal_service_info info = { .size = sizeof info };

    if (peal_service_get_info(service, &info) < 0 || strncmp(info.name, own, sizeof own - 1) == 0)
        return 0;
    text_add(text, "service %s: %zu use%s\n", info.name, info.uses, plural(info.uses));
    return 1;
}

static size_t report_services(struct text *text, peal_center center)
{
    size_t count = 0;
    size_t found = 0;

    (void)peal_service_list(center, NULL, 0, &count);
    peal_service *services = malloc((count + 1) * sizeof *services);
    if (services == NULL)
        return 0;
    size_t listed = 0;
    (void)peal_service_list(center, services, count, &listed);
    for (size_t i = 0; i < count && i < listed; i++)
        found += report_service(text, services[i]);
    free(services);
    return found;
}

static size_t report_queues(struct text *text)
{
    size_t count;
    size_t found = 0;
    peal_queue *queues = list_queues(&count);

    for (size_t i = 0; i < count; i++) {
        struct peal_queue_info info;
        if (!read_queue(queues[i], &info) || info.waiting == 0)
            continue;
        text_add(text, "queue: %" PRIu64 " waiting call%s\n", info.waiting, plural((size_t)info.waiting));
        found += (size_t)info.waiting;
    }
    free(queues);
    return found;
}

size_t peal_test_check_leaks(peal_center center, char *buffer, size_t capacity)
{
    struct text text = { 0 };
    size_t found = report_protocols(&text, center);

    found += report_services(&text, center);
    found += report_queues(&text);
    if (buffer != NULL && capacity > 0) {
        const size_t kept = text.length < capacity ? text.length : capacity - 1;
        memcpy(buffer, text.bytes != NULL ? text.bytes : "", kept);
        buffer[kept] = '\0';
    }
    free(text.bytes);
    return found;
}
