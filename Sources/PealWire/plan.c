/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t align(size_t offset, size_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }

static const char *cause_of(peal_ownership ownership, const struct peal_type *type)
{
    switch (ownership) {
    case PEAL_OWNERSHIP_OBJECT: return "a retained object is carried only if peal_type_set_codec registered its codec";
    case PEAL_OWNERSHIP_STRUCT:
        return "a struct that is copied by functions is carried only if peal_type_set_codec registered its codec";
    case PEAL_OWNERSHIP_FUNCTION: return "a function has no address in another process";
    default:
        return type->kind == PEAL_KIND_POINTER && type->target->kind == PEAL_KIND_FUNCTION
                 ? "a function has no address in another process"
                 : "the pointer has no rule for the memory that it points to";
    }
}

/* Sets the memory that a byte of a message may need: a struct's padding is not in the message. */
static void count_growth(struct peal_wire_plan *plan, size_t element_size, size_t packed_size)
{
    const size_t growth = (element_size * 16 + packed_size - 1) / packed_size;

    plan->growth_sixteenths = growth > plan->growth_sixteenths ? growth : plan->growth_sixteenths;
}

static bool compile_buffer_parameter(
    struct compiler *compiler, struct parameter *parameter, const struct peal_type_member *member)
{
    const struct peal_type *element = member->type->target;

    parameter->kind = PARAMETER_BUFFER;
    parameter->allows_null = member->allows_null;
    parameter->is_variable = member->length_is_parameter;
    parameter->length = member->length;
    compiler->packed_size = 0;
    if (!compile_buffer(compiler, element, member->length_in_bytes))
        return false;
    parameter->element_size = member->length_in_bytes ? 1 : element->value_size;
    parameter->element_alignment = element->alignment > 0 ? element->alignment : ARENA_ALIGNMENT;
    compiler->plan->slack += parameter->element_alignment;
    parameter->packed_size = compiler->packed_size;
    count_growth(compiler->plan, parameter->element_size, parameter->packed_size);
    return true;
}

static void recognise_run(const struct peal_wire_plan *plan, struct parameter *parameter)
{
    const struct step *step = &plan->steps[parameter->first_step];

    parameter->is_run = parameter->kind == PARAMETER_BUFFER && parameter->step_count == 1 && step->kind == STEP_RUN
                     && step->offset == 0 && (size_t)step->size * step->count == parameter->element_size;
}

static void recognise_number(const struct peal_wire_plan *plan, struct parameter *parameter)
{
    if (parameter->kind != PARAMETER_VALUE || parameter->step_count != 1)
        return;
    const struct step *step = &plan->steps[parameter->first_step];
    if (step->kind != STEP_ARRAY && step->kind != STEP_RUN && step->offset == 0)
        parameter->kind = PARAMETER_NUMBER;
}

/* Finds the codec of a parameter's pointed-to type. Returns false if it has none. */
static bool find_codec(const struct peal_wire_plan *plan, const struct peal_type_member *member, struct codec *codec)
{
    struct peal_method_info method = { .size = sizeof method };
    struct peal_type_info type = { .size = sizeof type };

    if (member->ownership != PEAL_OWNERSHIP_OBJECT && member->ownership != PEAL_OWNERSHIP_STRUCT)
        return false;
    if (peal_method_get_info(plan->method, &method) < 0
        || peal_type_get_info(method.center, member->type->target->name, &type) < 0 || type.encode == NULL)
        return false;
    *codec = (struct codec){ type.encode, type.decode, type.release };
    return true;
}

static bool compile_parameter(
    struct compiler *compiler, struct parameter *parameter, const struct peal_type_member *member)
{
    const struct peal_type *type = member->type;

    parameter->first_step = (uint32_t)compiler->plan->step_count;
    parameter->value_size = type->value_size;
    parameter->is_signed = type->kind == PEAL_KIND_SIGNED;
    parameter->is_nonnull = member->is_nonnull;
    if (member->ownership == PEAL_OWNERSHIP_VALUE) {
        if (!compile_value(compiler, type, 0, false))
            return false;
    } else if (member->ownership == PEAL_OWNERSHIP_STRING) {
        parameter->kind = PARAMETER_TEXT;
    } else if (member->ownership == PEAL_OWNERSHIP_BUFFER) {
        if (!compile_buffer_parameter(compiler, parameter, member))
            return false;
    } else if (find_codec(compiler->plan, member, &parameter->codec)) {
        parameter->kind = PARAMETER_OBJECT;
        compiler->plan->has_objects = true;
    } else {
        compiler->cause = cause_of(member->ownership, type);
        compiler->status = PEAL_ERROR_TYPE;
        return false;
    }
    parameter->step_count = (uint32_t)(compiler->plan->step_count - parameter->first_step);
    recognise_run(compiler->plan, parameter);
    recognise_number(compiler->plan, parameter);
    return true;
}

static bool compile_parameters(struct compiler *compiler, const struct peal_type *function)
{
    struct peal_wire_plan *plan = compiler->plan;
    size_t offset = function->count * sizeof(void *);
    size_t index = 0;

    plan->frame_alignment = sizeof(void *);
    plan->growth_sixteenths = 16;
    plan->parameter_count = function->count;
    for (const struct peal_type_member *each = function->members; each != NULL; each = each->next, index++) {
        struct parameter *parameter = &plan->parameters[index];
        if (!compile_parameter(compiler, parameter, each)) {
            explain_refusal(plan->method, plan->name, each->type, index, compiler->cause);
            return false;
        }
        offset = align(offset, each->type->alignment);
        parameter->value_offset = offset;
        offset += each->type->value_size;
        if (each->type->alignment > plan->frame_alignment)
            plan->frame_alignment = each->type->alignment;
    }
    plan->frame_size = offset;
    return true;
}

static bool compile_result(struct compiler *compiler, const struct peal_type *type)
{
    struct peal_wire_plan *plan = compiler->plan;

    plan->is_oneway = type->kind == PEAL_KIND_VOID;
    if (plan->is_oneway)
        return true;
    plan->result.first_step = (uint32_t)plan->step_count;
    plan->result.value_size = type->value_size;
    if (type->kind == PEAL_KIND_POINTER && type->target->is_const && strcmp(type->target->resolved_name, "char") == 0) {
        plan->result.kind = PARAMETER_TEXT;
    } else if (!compile_value(compiler, type, 0, false)) {
        explain_refusal(plan->method, plan->name, type, PEAL_PARAMETER_LIMIT, compiler->cause);
        return false;
    }
    plan->result.step_count = (uint32_t)(plan->step_count - plan->result.first_step);
    if (type->value_size > plan->frame_size)
        plan->frame_size = type->value_size;
    if (type->alignment > plan->frame_alignment)
        plan->frame_alignment = type->alignment;
    return true;
}

static peal_status read_name(struct peal_wire_plan *plan)
{
    struct peal_method_info method = { .size = sizeof method };
    struct peal_protocol_info protocol = { .size = sizeof protocol };
    peal_status status = peal_method_get_info(plan->method, &method);

    if (status == PEAL_OK)
        status = peal_protocol_get_info(method.origin, &protocol);
    if (status < 0)
        return wire_fail_as_peal(status);
    if (asprintf(&plan->name, "%s.%s", protocol.name, method.name) < 0) {
        plan->name = NULL;
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    }
    return PEAL_OK;
}

static peal_status compile_method(struct peal_wire_plan *plan, const struct peal_type *function)
{
    struct compiler compiler = { .plan = plan };
    const bool is_compiled = compile_parameters(&compiler, function)
                          && (!plan->has_results || compile_result(&compiler, function->target));

    if (plan->frame_alignment > ARENA_ALIGNMENT)
        plan->slack += plan->frame_alignment;
    return is_compiled ? PEAL_OK : compiler.status;
}

/* Makes the plan of a method that was described. */
static peal_status make_plan(peal_method method, uint64_t fingerprint, bool has_results,
    const struct peal_type *function, peal_wire_plan **out_plan)
{
    struct peal_wire_plan *plan = calloc(1, sizeof *plan + function->count * sizeof plan->parameters[0]);

    if (plan == NULL)
        return wire_fail(PEAL_ERROR_MEMORY, "out of memory");
    plan->method = method;
    plan->fingerprint = fingerprint;
    make_beginning(plan->call_beginning, PEAL_WIRE_CALL, fingerprint);
    make_beginning(plan->result_beginning, PEAL_WIRE_RESULT, fingerprint);
    plan->has_results = has_results;
    peal_status status = read_name(plan);
    if (status == PEAL_OK)
        status = compile_method(plan, function);
    if (status < 0)
        peal_wire_plan_destroy(plan);
    else
        *out_plan = plan;
    return status;
}

peal_status peal_wire_plan_create(
    peal_method method, const struct peal_wire_plan_options *options, peal_wire_plan **out_plan)
{
    const struct peal_type *function;
    uint64_t fingerprint = 0;

    if (out_plan == NULL)
        return wire_fail(PEAL_ERROR_ARGUMENT, "out_plan is NULL");
    *out_plan = NULL;
    if (options != NULL
        && (options->size != sizeof *options || (options->flags & ~(uint32_t)PEAL_WIRE_CALLS_ONLY) != 0))
        return wire_fail(PEAL_ERROR_ARGUMENT, "the options have another size, or unknown flags");
    peal_status status = peal_method_fingerprint(method, &fingerprint);
    if (status == PEAL_OK)
        status = peal_method_describe(method, &function);
    if (status < 0)
        return wire_fail_as_peal(status);
    const bool has_results = options == NULL || (options->flags & PEAL_WIRE_CALLS_ONLY) == 0;
    status = make_plan(method, fingerprint, has_results, function, out_plan);
    peal_type_destroy(function);
    return status;
}

void peal_wire_plan_destroy(peal_wire_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->steps);
    free(plan->name);
    free(plan);
}

size_t peal_wire_decode_size(const peal_wire_plan *plan, size_t message_size)
{
    size_t size;

    if (plan == NULL || __builtin_mul_overflow(message_size, plan->growth_sixteenths, &size)
        || __builtin_add_overflow(size / 16 + 1, plan->frame_size + plan->slack, &size))
        return SIZE_MAX;
    return size;
}
