/* The variadic functions: they read the arguments by the method's types and call the array form. */
#include <peal/broadcast.h>
#include <peal/invocation.h>

#include "CPealSupport/snapshot.h"
#include "CPealSupport/thread.h"

/* PealCall's VariadicKind. */
enum variadic_kind {
    KIND_INT8,
    KIND_UINT8,
    KIND_INT16,
    KIND_UINT16,
    KIND_INT32,
    KIND_INT64,
    KIND_POINTER,
    KIND_BOOL,
    KIND_FLOAT,
    KIND_DOUBLE,
    KIND_LONG_DOUBLE,
    KIND_COMPLEX_FLOAT,
    KIND_COMPLEX_DOUBLE,
    KIND_COMPLEX_LONG_DOUBLE,
    KIND_REFERENCE
};

union value {
    int8_t int8;
    uint8_t uint8;
    int16_t int16;
    uint16_t uint16;
    int32_t int32;
    int64_t int64;
    void *pointer;
    bool boolean;
    float single;
    double number;
    long double extended;
    float _Complex complex_single;
    double _Complex complex_number;
    long double _Complex complex_extended;
};

/* Returns the address of the next argument's value. The value is stored in `value`, unless the argument is a pointer to
 * it. The list is passed by pointer, so that the caller continues after this argument. */
static void *other_argument(enum variadic_kind kind, union value *value, va_list *list)
{
    switch (kind) {
    case KIND_INT8: value->int8 = (int8_t)va_arg(*list, int); break;
    case KIND_UINT8: value->uint8 = (uint8_t)va_arg(*list, int); break;
    case KIND_INT16: value->int16 = (int16_t)va_arg(*list, int); break;
    case KIND_UINT16: value->uint16 = (uint16_t)va_arg(*list, int); break;
    case KIND_INT32: value->int32 = va_arg(*list, int32_t); break;
    case KIND_INT64: value->int64 = va_arg(*list, int64_t); break;
    case KIND_POINTER: value->pointer = va_arg(*list, void *); break;
    case KIND_BOOL: value->boolean = va_arg(*list, int) != 0; break;
    case KIND_FLOAT: value->single = (float)va_arg(*list, double); break;
    case KIND_DOUBLE: value->number = va_arg(*list, double); break;
    case KIND_LONG_DOUBLE: value->extended = va_arg(*list, long double); break;
    case KIND_COMPLEX_FLOAT: value->complex_single = va_arg(*list, float _Complex); break;
    case KIND_COMPLEX_DOUBLE: value->complex_number = va_arg(*list, double _Complex); break;
    case KIND_COMPLEX_LONG_DOUBLE: value->complex_extended = va_arg(*list, long double _Complex); break;
    case KIND_REFERENCE: return va_arg(*list, void *);
    }
    return value;
}

/* Tests for the three most frequent kinds. All others take a jump table. */
static inline void *next_argument(enum variadic_kind kind, union value *value, va_list *list)
{
    if (kind == KIND_POINTER)
        value->pointer = va_arg(*list, void *);
    else if (kind == KIND_INT32)
        value->int32 = va_arg(*list, int32_t);
    else if (kind == KIND_DOUBLE)
        value->number = va_arg(*list, double);
    else
        return other_argument(kind, value, list);
    return value;
}

/* Returns the kinds of a method's parameters, or NULL if the handle or the count is wrong. The array form then reports
 * which of the two is wrong. */
static inline const uint8_t *parameter_kinds(peal_method method, size_t argument_count)
{
    const struct peal_directory_element *element = peal_directory_find(method.id);
    if (element == NULL)
        return NULL;
    const size_t count = peal_directory_parameter_count(element);
    const uint8_t *kinds = peal_directory_variadic_kinds(element);
    /* The id is loaded last: if it is still the method's, so was all that was loaded before it. */
    return peal_directory_is_of(element, method.id) && count == argument_count ? kinds : NULL;
}

/* Inlined, since a call would cost as much as a few arguments. */
__attribute__((always_inline)) static inline peal_status send_list(
    size_t argument_count, peal_method method, void *out_result, va_list *list)
{
    union value values[PEAL_PARAMETER_LIMIT];
    void *arguments[PEAL_PARAMETER_LIMIT];
    const uint8_t *kinds = parameter_kinds(method, argument_count);
    if (kinds == NULL)
        return peal_send(method, NULL, argument_count, out_result, NULL);
    for (size_t i = 0; i < argument_count; i++)
        arguments[i] = next_argument((enum variadic_kind)kinds[i], &values[i], list);
    return peal_send(method, arguments, argument_count, out_result, NULL);
}

peal_status peal_ask_list(size_t argument_count, peal_method method, void *out_result, va_list list)
{
    va_list copy;
    va_copy(copy, list);
    const peal_status status = send_list(argument_count, method, out_result, &copy);
    va_end(copy);
    return status;
}

peal_status peal_ask_counted(size_t argument_count, peal_method method, void *out_result, ...)
{
    va_list list;
    va_start(list, out_result);
    const peal_status status = send_list(argument_count, method, out_result, &list);
    va_end(list);
    return status;
}

peal_status peal_broadcast_counted(size_t argument_count, peal_method method, ...)
{
    va_list list;
    va_start(list, method);
    const peal_status status = send_list(argument_count, method, NULL, &list);
    va_end(list);
    return status;
}

static peal_status make_invocation(
    size_t argument_count, peal_method method, peal_invocation *out_invocation, va_list *list)
{
    union value values[PEAL_PARAMETER_LIMIT];
    void *arguments[PEAL_PARAMETER_LIMIT];
    const uint8_t *kinds = parameter_kinds(method, argument_count);
    if (kinds == NULL)
        return peal_invocation_create_with(method, NULL, argument_count, out_invocation);
    for (size_t i = 0; i < argument_count; i++)
        arguments[i] = next_argument((enum variadic_kind)kinds[i], &values[i], list);
    return peal_invocation_create_with(method, arguments, argument_count, out_invocation);
}

peal_status peal_invocation_of_list(
    size_t argument_count, peal_method method, peal_invocation *out_invocation, va_list list)
{
    va_list copy;
    va_copy(copy, list);
    const peal_status status = make_invocation(argument_count, method, out_invocation, &copy);
    va_end(copy);
    return status;
}

peal_status peal_invocation_of_counted(size_t argument_count, peal_method method, peal_invocation *out_invocation, ...)
{
    va_list list;
    va_start(list, out_invocation);
    const peal_status status = make_invocation(argument_count, method, out_invocation, &list);
    va_end(list);
    return status;
}
