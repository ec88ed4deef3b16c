/* SPDX-License-Identifier: Apache-2.0 */
#include "methods.h"

#include "failure.h"

#include <peal/enumerate.h>
#include <peal/inspect.h>
#include <peal/reflection.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *subject_token(const char *text)
{
    char *made = malloc(3 * strlen(text) + 1);
    char *next = made;

    if (made == NULL)
        return NULL;
    for (; *text != '\0'; text++) {
        if (isalnum((unsigned char)*text) || strchr("_-:", *text) != NULL)
            *next++ = *text;
        else
            next += sprintf(next, "%%%02X", (unsigned char)*text);
    }
    *next = '\0';
    return made;
}

void write_hexadecimal(char *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * size] = '\0';
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool read_hexadecimal(const char *text, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int high = digit_of(text[2 * i]);
        const int low = high >= 0 ? digit_of(text[2 * i + 1]) : -1;
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return text[2 * size] == '\0';
}

/* ---- Tables ------------------------------------------------------------------------------------ */

static char *make_subject(const char *realm, const char *kind, peal_protocol protocol, const char *end)
{
    struct peal_protocol_info info = { .size = sizeof info };
    char *prefix = NULL;

    if (peal_protocol_get_info(protocol, &info) < 0)
        return NULL;
    char *token = subject_token(info.name);
    if (token == NULL || asprintf(&prefix, "peal.v1.%s.%s%s%s", realm, kind, token, end) < 0)
        prefix = NULL;
    free(token);
    return prefix;
}

static char **copy_names(const char *const *names)
{
    size_t count = 0;

    while (names[count] != NULL)
        count++;
    char **made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made != NULL && i < count; i++)
        made[i] = strdup(names[i]);
    return made;
}

struct method_table *method_table_create(
    const char *realm, peal_protocol protocol, const char *const *filter, bool is_service)
{
    struct method_table *made = calloc(1, sizeof *made);

    if (made == NULL)
        return NULL;
    made->is_service = is_service;
    made->prefix = make_subject(realm, "", protocol, ".");
    made->request_prefix = make_subject(realm, is_service ? "_service." : "_request.", protocol, ".");
    made->presence_subject = make_subject(realm, is_service ? "_provided." : "_presence.", protocol, "");
    if (filter != NULL)
        made->filter = copy_names(filter);
    if (made->prefix != NULL && made->request_prefix != NULL && made->presence_subject != NULL
        && (filter == NULL || made->filter != NULL))
        return made;
    method_table_destroy(made);
    return NULL;
}

void method_table_destroy(struct method_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->count; i++) {
        free(table->methods[i].name);
        free(table->methods[i].subject);
        free(table->methods[i].request_subject);
        free(table->methods[i].argument_sizes);
        peal_wire_plan_destroy(table->methods[i].plan);
    }
    for (char **each = table->filter; each != NULL && *each != NULL; each++)
        free(*each);
    free(table->filter);
    free(table->prefix);
    free(table->request_prefix);
    free(table->presence_subject);
    free(table);
}

/* ---- Methods ----------------------------------------------------------------------------------- */

int method_table_find_handle(const struct method_table *table, peal_method method)
{
    const size_t count = __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);

    for (size_t i = 0; i < count; i++) {
        if (table->methods[i].handle.id == method.id)
            return (int)i;
    }
    return -1;
}

int method_table_find_declared(const struct method_table *table, peal_method method)
{
    const size_t count = __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
    struct peal_method_info wanted = { .size = sizeof wanted }, info = wanted;
    const int index = method_table_find_handle(table, method);

    if (index >= 0 || peal_method_get_info(method, &wanted) < 0)
        return index;
    for (size_t i = 0; i < count; i++) {
        if (peal_method_get_info(table->methods[i].handle, &info) == PEAL_OK && info.origin.id == wanted.origin.id
            && strcmp(info.name, wanted.name) == 0)
            return (int)i;
    }
    return -1;
}

/* An adopted method has the name "Other.method", so that it differs from a method of the protocol itself. */
static char *make_name(const struct peal_method_info *info)
{
    struct peal_protocol_info origin = { .size = sizeof origin };
    char *name = NULL;

    if (info->origin.id == info->protocol.id)
        return strdup(info->name);
    if (peal_protocol_get_info(info->origin, &origin) < 0 || asprintf(&name, "%s.%s", origin.name, info->name) < 0)
        return NULL;
    return name;
}

static bool is_selected(const struct method_table *table, peal_protocol protocol, peal_method method)
{
    peal_method found = { 0 };

    if (table->filter == NULL)
        return true;
    for (char **each = table->filter; *each != NULL; each++) {
        if (peal_method_find(protocol, *each, &found) == PEAL_OK && found.id == method.id)
            return true;
    }
    return false;
}

static peal_status check_filter(const struct method_table *table, peal_protocol protocol)
{
    peal_method found = { 0 };

    for (char **each = table->filter; each != NULL && *each != NULL; each++) {
        const peal_status status = peal_method_find(protocol, *each, &found);
        if (status < 0)
            return bridge_fail_as_peal(status);
    }
    return PEAL_OK;
}

static peal_status refuse_result(const struct bridge_method *made, const char *cause)
{
    return bridge_fail(PEAL_ERROR_POLICY, "%s has a result that a bridge does not carry: %s", made->name, cause);
}

/* The result of a process is one value, which the policy makes of the results of its observers. */
static peal_status check_result(const struct bridge_method *made)
{
    if (made->result_kind == PEAL_KIND_POINTER)
        return refuse_result(made, "its memory has no owner in the process that gathers");
    if (made->policy == PEAL_POLICY_COLLECT || made->policy == PEAL_POLICY_CHAIN || made->policy == PEAL_POLICY_FOLD)
        return refuse_result(made, "its policy does not make one value of the results of a process");
    return PEAL_OK;
}

static bool read_sizes(struct bridge_method *made, const struct peal_type *function)
{
    size_t index = 0;

    made->argument_count = function->count;
    made->argument_sizes = calloc(function->count + 1, sizeof *made->argument_sizes);
    for (const struct peal_type_member *each = function->members; made->argument_sizes != NULL && each != NULL;
        each = each->next)
        made->argument_sizes[index++] = each->type->value_size;
    return made->argument_sizes != NULL;
}

static peal_status read_types(struct bridge_method *made)
{
    const struct peal_type *function = NULL;
    const peal_status status = peal_method_describe(made->handle, &function);

    if (status < 0)
        return bridge_fail_as_peal(status);
    const struct peal_type *type = function->target;
    made->result_size = type->value_size;
    made->result_kind = type->kind == PEAL_KIND_ENUM ? type->target->kind : type->kind;
    const bool is_read = read_sizes(made, function);
    peal_type_destroy(function);
    return is_read ? PEAL_OK : bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
}

static peal_status plan_method(struct bridge_method *made, bool has_answer, bool is_strict)
{
    const struct peal_wire_plan_options options = { sizeof options, has_answer ? 0 : PEAL_WIRE_CALLS_ONLY };
    peal_status status = has_answer ? read_types(made) : PEAL_OK;

    if (status == PEAL_OK && made->has_result)
        status = check_result(made);
    if (status < 0)
        return is_strict ? status : PEAL_OK;
    status = peal_wire_plan_create(made->handle, &options, &made->plan);
    return status < 0 && is_strict ? bridge_fail_as_wire(status) : PEAL_OK;
}

static peal_status add_method(struct method_table *table, peal_protocol protocol, peal_method handle, bool is_strict)
{
    struct bridge_method *made = &table->methods[table->count];
    struct peal_method_info info = { .size = sizeof info };
    peal_status status = peal_method_get_info(handle, &info);

    memset(made, 0, sizeof *made);
    if (status == PEAL_OK)
        status = peal_method_fingerprint(handle, &made->fingerprint);
    if (status < 0)
        return bridge_fail_as_peal(status);
    made->handle = handle;
    made->policy = info.policy;
    made->has_result = !info.is_oneway;
    made->may_defer = info.recursion == PEAL_RECURSION_DEFER;
    made->name = make_name(&info);
    char *token = made->name != NULL ? subject_token(made->name) : NULL;
    if (token == NULL || asprintf(&made->subject, "%s%s", table->prefix, token) < 0)
        made->subject = NULL;
    if (token == NULL
        || asprintf(&made->request_subject, "%s%s%s", table->request_prefix, table->is_service ? "" : "_all.", token)
               < 0)
        made->request_subject = NULL;
    free(token);
    if (made->subject == NULL || made->request_subject == NULL)
        status = bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    if (status == PEAL_OK && is_selected(table, protocol, handle))
        status = plan_method(made, has_answers(table, made), is_strict);
    if (status < 0) {
        free(made->name);
        free(made->subject);
        free(made->request_subject);
        free(made->argument_sizes);
        return status;
    }
    made->token = made->subject + strlen(table->prefix);
    __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
    return PEAL_OK;
}

peal_status method_table_update(struct method_table *table, peal_protocol protocol, bool is_strict)
{
    peal_method methods[METHOD_LIMIT];
    size_t count = 0;
    peal_status status = peal_protocol_list_methods(protocol, methods, METHOD_LIMIT, &count);

    if (status != PEAL_OK)
        return status < 0 ? bridge_fail_as_peal(status)
                          : bridge_fail(PEAL_ERROR_LIMIT, "the protocol has more than 256 methods");
    if (is_strict)
        status = check_filter(table, protocol);
    for (size_t i = 0; i < count && status == PEAL_OK; i++) {
        if (method_table_find_handle(table, methods[i]) < 0)
            status = add_method(table, protocol, methods[i], is_strict);
    }
    return status;
}

int method_table_find(const struct method_table *table, const char *token, size_t length)
{
    const size_t count = __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);

    for (size_t i = 0; i < count; i++) {
        if (strncmp(table->methods[i].token, token, length) == 0 && table->methods[i].token[length] == '\0')
            return (int)i;
    }
    return -1;
}
