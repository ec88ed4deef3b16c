/* SPDX-License-Identifier: Apache-2.0 */
#include "spy.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- The calls --------------------------------------------------------------------------------- */

/* Captures a call. Returns zero if memory is refused. If a pointer of the method has no rule, the invocation has only
 * the values of the arguments. */
static peal_invocation capture(const struct peal_call *call, size_t parameters)
{
    peal_invocation invocation = { 0 };

    if (peal_invocation_create_with(call->method, call->arguments, parameters, &invocation) < 0)
        return (peal_invocation){ 0 };
    if (peal_invocation_retain_arguments(invocation) == PEAL_ERROR_MEMORY) {
        peal_invocation_destroy(invocation);
        return (peal_invocation){ 0 };
    }
    return invocation;
}

static bool has_room(peal_spy *spy)
{
    if (spy->call_count < spy->call_capacity)
        return true;
    const size_t capacity = spy->call_capacity * 2 + 16;
    struct spied_call *calls = realloc(spy->calls, capacity * sizeof *calls);
    if (calls == NULL)
        return false;
    spy->calls = calls;
    spy->call_capacity = capacity;
    return true;
}

static void record(void *target, const struct peal_call *call)
{
    peal_spy *spy = target;
    struct spied_method *method = &spy->methods[call->index];
    const peal_invocation invocation = capture(call, method->type->count);

    pthread_mutex_lock(&spy->lock);
    if (call->result != NULL && method->result != NULL)
        memcpy(call->result, method->result, method->type->target->value_size);
    if (invocation.id != 0 && has_room(spy)) {
        spy->calls[spy->call_count++] = (struct spied_call){ invocation, call->index };
        method->calls++;
    } else {
        spy->has_lost_calls = true;
        peal_invocation_destroy(invocation);
    }
    pthread_cond_broadcast(&spy->recorded);
    pthread_mutex_unlock(&spy->lock);
}

/* ---- Creation and destruction ------------------------------------------------------------------ */

static void free_spy(peal_spy *spy)
{
    for (size_t i = 0; i < spy->method_count; i++) {
        peal_type_destroy(spy->methods[i].type);
        free(spy->methods[i].name);
        free(spy->methods[i].result);
    }
    free(spy->methods);
    free(spy->calls);
    pthread_cond_destroy(&spy->recorded);
    pthread_mutex_destroy(&spy->lock);
    free(spy);
}

static peal_spy *make_spy(size_t method_count)
{
    peal_spy *spy = calloc(1, sizeof *spy);
    pthread_condattr_t attributes;

    if (spy == NULL)
        return NULL;
    pthread_mutex_init(&spy->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&spy->recorded, &attributes);
    pthread_condattr_destroy(&attributes);
    spy->methods = calloc(method_count + 1, sizeof *spy->methods);
    if (spy->methods == NULL) {
        free_spy(spy);
        return NULL;
    }
    return spy;
}

static peal_status add_method(peal_spy *spy, peal_method handle)
{
    struct spied_method *method = &spy->methods[spy->method_count++];
    size_t length = 0;
    peal_status status = peal_method_describe(handle, &method->type);

    method->method = handle;
    if (status >= 0)
        status = peal_method_name(handle, NULL, 0, &length);
    if (status < 0)
        return status;
    method->name = malloc(length + 1);
    method->result = calloc(1, method->type->target->value_size + 1);
    if (method->name == NULL || method->result == NULL)
        return PEAL_ERROR_MEMORY;
    return peal_method_name(handle, method->name, length + 1, NULL);
}

static peal_status find_methods(peal_spy **out_spy, peal_protocol protocol, const char *const *names, size_t count)
{
    peal_status status = names == NULL ? peal_protocol_list_methods(protocol, NULL, 0, &count) : PEAL_OK;

    if (status < 0)
        return status;
    peal_method *methods = calloc(count + 1, sizeof *methods);
    peal_spy *spy = methods != NULL ? make_spy(count) : NULL;
    if (spy == NULL) {
        free(methods);
        return PEAL_ERROR_MEMORY;
    }
    if (names == NULL)
        status = peal_protocol_list_methods(protocol, methods, count, NULL);
    for (size_t i = 0; i < count && status >= 0; i++) {
        if (names != NULL)
            status = peal_method_find(protocol, names[i], &methods[i]);
        if (status >= 0)
            status = add_method(spy, methods[i]);
    }
    free(methods);
    if (status < 0)
        free_spy(spy);
    else
        *out_spy = spy;
    return status < 0 ? status : PEAL_OK;
}

static bool are_usable(const struct peal_observe_options *options)
{
    return options->size == sizeof *options && options->destroy == NULL && options->weak == NULL
        && options->reference.id == 0;
}

peal_status peal_spy_create(peal_protocol protocol, const char *const *methods, size_t count,
    const struct peal_observe_options *options, peal_spy **out_spy)
{
    if (out_spy == NULL)
        return PEAL_ERROR_ARGUMENT;
    *out_spy = NULL;
    if ((methods == NULL && count != 0) || (options != NULL && !are_usable(options)))
        return PEAL_ERROR_ARGUMENT;
    peal_spy *spy = NULL;
    peal_status status = find_methods(&spy, protocol, methods, count);
    if (status < 0)
        return status;
    /* All names are passed, so that `call->index` is an index of `spy->methods` even if the protocol has grown. */
    const char **names = calloc(spy->method_count + 1, sizeof *names);
    if (names == NULL) {
        free_spy(spy);
        return PEAL_ERROR_MEMORY;
    }
    for (size_t i = 0; i < spy->method_count; i++)
        names[i] = methods != NULL ? methods[i] : spy->methods[i].name;
    status = peal_observe_handler(protocol, spy, record, names, spy->method_count, options, &spy->observation);
    free(names);
    if (status < 0)
        free_spy(spy);
    else
        *out_spy = spy;
    return status;
}

void peal_spy_destroy(peal_spy *spy)
{
    if (spy == NULL)
        return;
    /* If the observer has already ended, its handle is stale. The removal then waits for its last call too. */
    peal_observation_remove_with(spy->observation, PEAL_REMOVE_WAIT, PEAL_FOREVER);
    peal_spy_clear(spy);
    free_spy(spy);
}

/* ---- The records ------------------------------------------------------------------------------- */

static struct spied_method *find_method(peal_spy *spy, const char *name)
{
    for (size_t i = 0; name != NULL && i < spy->method_count; i++)
        if (strcmp(spy->methods[i].name, name) == 0)
            return &spy->methods[i];
    return NULL;
}

peal_status peal_spy_set_result(peal_spy *spy, const char *method, const void *value, size_t size)
{
    struct spied_method *found = spy != NULL ? find_method(spy, method) : NULL;

    if (spy == NULL || value == NULL)
        return PEAL_ERROR_ARGUMENT;
    if (found == NULL)
        return PEAL_ERROR_NOT_FOUND;
    if (size == 0 || size != found->type->target->value_size)
        return PEAL_ERROR_ARGUMENT;
    pthread_mutex_lock(&spy->lock);
    memcpy(found->result, value, size);
    pthread_mutex_unlock(&spy->lock);
    return PEAL_OK;
}

size_t peal_spy_count_calls(peal_spy *spy, const char *method)
{
    const struct spied_method *found = spy != NULL ? find_method(spy, method) : NULL;
    size_t calls = 0;

    if (spy == NULL)
        return 0;
    pthread_mutex_lock(&spy->lock);
    if (method == NULL)
        calls = spy->call_count;
    else if (found != NULL)
        calls = found->calls;
    pthread_mutex_unlock(&spy->lock);
    return calls;
}

static struct timespec time_after(uint32_t milliseconds)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

peal_status peal_spy_wait(peal_spy *spy, const char *method, size_t count, uint32_t timeout)
{
    const struct spied_method *found = spy != NULL ? find_method(spy, method) : NULL;
    const struct timespec deadline = time_after(timeout == PEAL_FOREVER ? 0 : timeout);
    int error = 0;

    if (spy == NULL)
        return PEAL_ERROR_ARGUMENT;
    if (method != NULL && found == NULL)
        return PEAL_ERROR_NOT_FOUND;
    const size_t *calls = found != NULL ? &found->calls : &spy->call_count;
    pthread_mutex_lock(&spy->lock);
    while (*calls < count && error == 0)
        error = timeout == PEAL_FOREVER ? pthread_cond_wait(&spy->recorded, &spy->lock)
                                        : pthread_cond_timedwait(&spy->recorded, &spy->lock, &deadline);
    const bool is_done = *calls >= count;
    pthread_mutex_unlock(&spy->lock);
    return is_done ? PEAL_OK : PEAL_ERROR_TIMEOUT;
}

peal_status peal_spy_get_argument(
    peal_spy *spy, const char *method, size_t call, const char *parameter, void *out_value, size_t size)
{
    const struct spied_method *found = spy != NULL ? find_method(spy, method) : NULL;
    peal_status status = PEAL_ERROR_NOT_FOUND;

    if (spy == NULL || parameter == NULL || out_value == NULL)
        return PEAL_ERROR_ARGUMENT;
    if (found == NULL)
        return status;
    pthread_mutex_lock(&spy->lock);
    for (size_t i = 0; i < spy->call_count; i++)
        if (&spy->methods[spy->calls[i].method] == found && call-- == 0) {
            status = peal_invocation_get_argument_named(spy->calls[i].invocation, parameter, out_value, size);
            break;
        }
    pthread_mutex_unlock(&spy->lock);
    return status;
}

peal_status peal_spy_print(peal_spy *spy, char *buffer, size_t capacity, size_t *out_length)
{
    struct text text = { 0 };

    if (spy == NULL || (buffer == NULL && capacity != 0))
        return PEAL_ERROR_ARGUMENT;
    pthread_mutex_lock(&spy->lock);
    for (size_t i = 0; i < spy->call_count; i++)
        spy_print_call(&text, &spy->methods[spy->calls[i].method], spy->calls[i].invocation);
    if (spy->has_lost_calls)
        text_add(&text, "(memory was refused: calls are missing)\n");
    pthread_mutex_unlock(&spy->lock);
    if (capacity > 0) {
        const size_t kept = text.length < capacity ? text.length : capacity - 1;
        memcpy(buffer, text.bytes != NULL ? text.bytes : "", kept);
        buffer[kept] = '\0';
    }
    if (out_length != NULL)
        *out_length = text.length;
    free(text.bytes);
    if (text.is_refused)
        return PEAL_ERROR_MEMORY;
    return text.length < capacity ? PEAL_OK : PEAL_TRUNCATED;
}

void peal_spy_clear(peal_spy *spy)
{
    if (spy == NULL)
        return;
    pthread_mutex_lock(&spy->lock);
    struct spied_call *calls = spy->calls;
    const size_t count = spy->call_count;
    spy->calls = NULL;
    spy->call_count = spy->call_capacity = 0;
    spy->has_lost_calls = false;
    for (size_t i = 0; i < spy->method_count; i++)
        spy->methods[i].calls = 0;
    pthread_mutex_unlock(&spy->lock);
    /* The lock is not held here, because a function that releases an object may call the spy. */
    for (size_t i = 0; i < count; i++)
        peal_invocation_destroy(calls[i].invocation);
    free(calls);
}
