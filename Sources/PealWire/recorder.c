/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorder observes its protocols by handlers, before all other observers.
 */
#include <peal/record.h>

#include "coding.h"
#include "failure.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

enum {
    STACK_BYTES = 1024, /* Arguments of up to this size are encoded once. */
    METHOD_LIMIT = 256  /* of a handler */
};

static const char not_encoded[] =
    "a value cannot be encoded: a text is not UTF-8, a NULL is forbidden, a length is wrong, "
    "or the codec of its type refuses it";

#define DEFAULT_CAPACITY ((uint64_t)1 << 30)

struct recorded_method {
    peal_wire_plan *plan;
    uint16_t index; /* in the file */
};

struct recorded_protocol {
    struct recorded_protocol *next;
    struct peal_recorder *recorder;
    peal_observation observation;
    size_t count;
    struct recorded_method methods[];
};

struct peal_recorder {
    struct log *log;
    pthread_mutex_t lock; /* of the members below */
    struct recorded_protocol *protocols;
    size_t method_count; /* in the file */
};

/* ---- Calls ------------------------------------------------------------------------------------- */

/* Records arguments that need `size` bytes. */
static void record_large(struct log *log, const struct recorded_method *method, void *const *arguments, size_t size)
{
    uint8_t *bytes = malloc(size);

    if (bytes == NULL) {
        log_count_lost(log, "out of memory");
        return;
    }
    struct writer writer = writer_of(bytes, size);
    /* Another thread may have changed the arguments since they were counted. */
    if (encode_arguments(method->plan, arguments, &writer) == PEAL_OK && written_size(&writer, bytes) == size)
        log_append(log, RECORD_CALL, method->index, bytes, size);
    else
        log_count_lost(log, not_encoded);
    free(bytes);
}

static void record_call(void *target, const struct peal_call *call)
{
    const struct recorded_protocol *protocol = target;
    const struct recorded_method *method = &protocol->methods[call->index];
    struct log *log = protocol->recorder->log;
    uint8_t bytes[STACK_BYTES];
    struct writer writer = writer_of(bytes, sizeof bytes);

    if (encode_arguments(method->plan, call->arguments, &writer) < 0) {
        log_count_lost(log, not_encoded);
        return;
    }
    if (writer.missing > 0)
        record_large(log, method, call->arguments, written_size(&writer, bytes));
    else
        log_append(log, RECORD_CALL, method->index, bytes, written_size(&writer, bytes));
}

/* ---- Methods ----------------------------------------------------------------------------------- */

/* Makes the content of the record that describes a method: `size` bytes, of which the text has the last. */
static peal_status fill_description(const struct peal_wire_plan *plan, char *content, size_t size, size_t text_length)
{
    memcpy(content, &plan->fingerprint, sizeof plan->fingerprint);
    memcpy(content + sizeof plan->fingerprint, plan->name, strlen(plan->name) + 1);
    *strchr(content + sizeof plan->fingerprint, '.') = '\0';
    const peal_status status = peal_method_canonical_text(
        plan->method, content + size - text_length - 1, text_length + 1, NULL);
    return status == PEAL_OK ? PEAL_OK : wire_fail_as_peal(status);
}

/* Writes the record that describes a method. */
static peal_status describe_method(struct log *log, const struct recorded_method *method)
{
    const struct peal_wire_plan *plan = method->plan;
    size_t length = 0;
    peal_status status = peal_method_canonical_text(plan->method, NULL, 0, &length);

    if (status < 0)
        return wire_fail_as_peal(status);
    /* "Chat.on_message": the dot becomes a zero. */
    const size_t size = sizeof plan->fingerprint + strlen(plan->name) + 1 + length + 1;
    char *content = malloc(size);
    if (content == NULL)
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    status = fill_description(plan, content, size, length);
    if (status == PEAL_OK && !log_append(log, RECORD_METHOD, method->index, content, size))
        status = wire_fail(PEAL_ERROR_LIMIT, "the recording is full, or has stopped");
    free(content);
    return status;
}

static peal_status plan_method(struct peal_recorder *recorder, peal_method handle, struct recorded_method *method)
{
    const struct peal_wire_plan_options options = { sizeof options, PEAL_WIRE_CALLS_ONLY };
    const peal_status status = peal_wire_plan_create(handle, &options, &method->plan);

    if (status < 0)
        return status;
    if (recorder->method_count > UINT16_MAX)
        return wire_fail(PEAL_ERROR_LIMIT, "a recording has at most 65,536 methods");
    method->index = (uint16_t)recorder->method_count++;
    return describe_method(recorder->log, method);
}

static void free_protocol(struct recorded_protocol *protocol)
{
    for (size_t i = 0; i < protocol->count; i++)
        peal_wire_plan_destroy(protocol->methods[i].plan);
    free(protocol);
}

/* ---- Protocols --------------------------------------------------------------------------------- */

static peal_status observe(struct recorded_protocol *recorded, peal_protocol protocol, const peal_method *methods)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_status status = PEAL_OK;

    for (size_t i = 0; i < recorded->count && status == PEAL_OK; i++)
        status = plan_method(recorded->recorder, methods[i], &recorded->methods[i]);
    if (status < 0)
        return status;
    options.priority = INT32_MAX;
    options.flags = PEAL_OBSERVE_PASSIVE;
    options.label = "recorder";
    status = peal_observe_handler(protocol, recorded, record_call, NULL, 0, &options, &recorded->observation);
    return status < 0 ? wire_fail_as_peal(status) : status;
}

static peal_status add_protocol(struct peal_recorder *recorder, peal_protocol protocol)
{
    peal_method methods[METHOD_LIMIT];
    size_t count = 0;
    peal_status status = peal_protocol_list_methods(protocol, methods, METHOD_LIMIT, &count);

    if (status != PEAL_OK)
        return status < 0 ? wire_fail_as_peal(status)
                          : wire_fail(PEAL_ERROR_LIMIT, "the protocol has more than 256 methods");
    struct recorded_protocol *recorded = calloc(1, sizeof *recorded + count * sizeof recorded->methods[0]);
    if (recorded == NULL)
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    recorded->recorder = recorder;
    recorded->count = count;
    status = observe(recorded, protocol, methods);
    if (status < 0) {
        free_protocol(recorded);
        return status;
    }
    recorded->next = recorder->protocols;
    recorder->protocols = recorded;
    return PEAL_OK;
}

peal_status peal_recorder_add(peal_recorder *recorder, peal_protocol protocol)
{
    if (recorder == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "the recorder is NULL");
    /* Before the lock, which a thread of the parent may have held. */
    if (log_is_of_parent(recorder->log))
        return wire_fail(PEAL_ERROR_STATE, "the recorder belongs to the parent of this process");
    pthread_mutex_lock(&recorder->lock);
    const peal_status status = add_protocol(recorder, protocol);
    pthread_mutex_unlock(&recorder->lock);
    return status;
}

/* ---- Recorders --------------------------------------------------------------------------------- */

peal_status peal_recorder_create(
    const char *path, const struct peal_recorder_options *options, peal_recorder **out_recorder)
{
    if (out_recorder == NULL || path == NULL || (options != NULL && options->size != sizeof *options))
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_recorder_create is NULL, or a size is wrong");
    *out_recorder = NULL;
    struct peal_recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL)
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    const peal_status status = log_create(
        path, options != NULL && options->capacity != 0 ? options->capacity : DEFAULT_CAPACITY, &recorder->log);
    if (status < 0) {
        free(recorder);
        return status;
    }
    pthread_mutex_init(&recorder->lock, NULL);
    *out_recorder = recorder;
    return PEAL_OK;
}

peal_status peal_recorder_get_info(peal_recorder *recorder, struct peal_recorder_info *out_info)
{
    if (recorder == NULL || out_info == NULL || out_info->size != sizeof *out_info)
        return wire_fail(PEAL_ERROR_ARGUMENT, "an argument of peal_recorder_get_info is NULL, or a size is wrong");
    log_check_file(recorder->log);
    out_info->bytes = log_used(recorder->log);
    out_info->lost = __atomic_load_n(&recorder->log->lost, __ATOMIC_RELAXED);
    out_info->reason = __atomic_load_n(&recorder->log->reason, __ATOMIC_RELAXED);
    return PEAL_OK;
}

uint64_t peal_recorder_destroy(peal_recorder *recorder)
{
    if (recorder == NULL)
        return 0;
    while (recorder->protocols != NULL) {
        struct recorded_protocol *protocol = recorder->protocols;
        recorder->protocols = protocol->next;
        peal_observation_remove_with(protocol->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
        free_protocol(protocol);
    }
    const uint64_t lost = recorder->log->lost;
    log_close(recorder->log);
    pthread_mutex_destroy(&recorder->lock);
    free(recorder);
    return lost;
}
