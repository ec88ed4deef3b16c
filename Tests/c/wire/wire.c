/* SPDX-License-Identifier: Apache-2.0 */
#include <peal/wire.h>

#include "center.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static peal_center center;

static peal_method define(const char *text)
{
    center = open_center();
    CHECK_OK(peal_type_declare(center,
        "enum color { RED = 1, GREEN = -2 }; struct point { double x; double y; };"
        "struct sample { char label; double value; short parts[2]; }; struct list { struct list *next; };"
        "union choice { bool is_set; int number; }; struct option { bool is_set; char label; };"
        "struct deep1 { int a[2]; }; struct deep2 { struct deep1 a[2]; }; struct deep3 { struct deep2 a[2]; };"
        "struct deep4 { struct deep3 a[2]; }; struct deep5 { struct deep4 a; };"));
    const struct peal_object_type object = PEAL_OBJECT_TYPE(free, free);
    CHECK_OK(peal_type_set_object(center, "struct widget", &object));
    return method_of(center, "Chat", text);
}

static peal_wire_plan *plan_of(const char *text)
{
    peal_wire_plan *plan = NULL;

    if (!CHECK_OK(peal_wire_plan_create(define(text), NULL, &plan)))
        check_give_up(peal_wire_last_message(), __FILE__, __LINE__);
    return plan;
}

static void end(peal_wire_plan *plan)
{
    peal_wire_plan_destroy(plan);
    close_center(center);
}

/* ---- Bytes ------------------------------------------------------------------------------------- */

/* Returns the arguments of an encoded call as hexadecimal digits, without the header. */
static const char *digits_of(const peal_wire_plan *plan, void *const *arguments)
{
    static char digits[1024];
    unsigned char message[512];
    size_t size = 0;
    const size_t header_size = 1 + 1 + 9 + 17 + 3;
    const struct peal_wire_header header = PEAL_WIRE_HEADER;

    digits[0] = '\0';
    if (!CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size)))
        return peal_wire_last_message();
    for (size_t i = header_size; i < size; i++)
        snprintf(digits + 2 * (i - header_size), 3, "%02x", message[i]);
    return digits;
}

static void check_bytes(const char *text, void *const *arguments, const char *digits)
{
    peal_wire_plan *plan = plan_of(text);

    check_case(text);
    CHECK_TEXT(digits_of(plan, arguments), digits);
    check_case(NULL);
    end(plan);
}

#define BYTES_OF(text, digits, ...)            \
    do {                                       \
        void *arguments_[] = { __VA_ARGS__ };  \
        check_bytes(text, arguments_, digits); \
    } while (0)

CLAIM("W2", "arguments are positional CBOR in its deterministic form, and buffers are typed arrays")
{
    int number = -500;
    unsigned char byte = 23;
    uint64_t large = UINT64_MAX;
    bool yes = true;
    double one = 1, tenth = 0.1;
    float largest = 65504, third = 1.0f / 3;
    int color = -2;
    const char *text = "\xc3\xbc", *none = NULL;
    struct {
        double x, y;
    } point = { 1.5, -0.0 };
    struct {
        char label;
        double value;
        short parts[2];
    } samples[2] = { { 'a', 1, { 1, 2 } }, { '\xff', 2, { 3, -1 } } };
    short shorts[] = { 1, -2 };
    float floats[] = { 1 };
    const void *memory = shorts, *more = floats, *structs = samples;
    size_t two = 2;

    /* These are examples of RFC 8949, appendix A, where it has one. */
    BYTES_OF("required void f(int a)", "813901f3", &number);
    BYTES_OF("required void f(uint8_t a)", "8117", &byte);
    BYTES_OF("required void f(uint64_t a)", "811bffffffffffffffff", &large);
    BYTES_OF("required void f(bool a, enum color b)", "82f521", &yes, &color);
    BYTES_OF("required void f(double a, double b)", "82f93c00fb3fb999999999999a", &one, &tenth);
    BYTES_OF("required void f(float a, float b)", "82f97bfffa3eaaaaab", &largest, &third);
    BYTES_OF("required void f(const char *a, const char *b)", "8262c3bcf6", &text, &none);
    BYTES_OF("required void f(struct point a)", "8182f93e00f98000", &point);
    BYTES_OF("required void f(const short *a __counted_by(n), size_t n)", "82d84d440100feff02", &memory, &two);
    BYTES_OF("required void f(const float *a __counted_by(1))",
        "81d85544"
        "0000803f",
        &more);
    BYTES_OF("required void f(const void *a __sized_by(n), size_t n)", "8242010002", &memory, &two);
    /* A column for each member: two labels, two values, four parts. */
    BYTES_OF("required void f(const struct sample *a __counted_by(2))",
        "81"
        "83"
        "4261ff"
        "d85650"
        "000000000000f03f"
        "0000000000000040"
        "d84d48"
        "010002000300ffff",
        &structs);
    BYTES_OF("required void f(void)", "80", NULL);
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

static void check_refusal(const char *text, peal_status status, const char *sentence)
{
    peal_wire_plan *plan = (peal_wire_plan *)&center;

    check_case(text);
    CHECK_STATUS(peal_wire_plan_create(define(text), NULL, &plan), status);
    CHECK_POINTER(plan, NULL);
    CHECK_CONTAINS(peal_wire_last_message(), sentence);
    check_case(NULL);
    close_center(center);
}

CLAIM("W3", "a plan is refused for what no message carries, with the parameter and its column")
{
    check_refusal("required void f(int a, void *b)", PEAL_ERROR_TYPE,
        "Chat.f: column 24: parameter 2, void *: the pointer has no rule");
    check_refusal("required void f(void (*a)(int, int), int b)", PEAL_ERROR_TYPE, "column 17: parameter 1");
    check_refusal(
        "required void f(const int *a __counted_by(3), char **b)", PEAL_ERROR_TYPE, "column 47: parameter 2, char **");
    check_refusal("required void f(peal_timer a)", PEAL_ERROR_TYPE, "a handle has no meaning in another process");
    check_refusal("required void f(long double a)", PEAL_ERROR_TYPE, "long double");
    check_refusal("required void f(struct widget *a)", PEAL_ERROR_TYPE,
        "carried only if peal_type_set_codec registered its codec");
    check_refusal("required void f(struct list a)", PEAL_ERROR_TYPE, "parameter 1, struct list: the pointer");
    check_refusal("required void f(const char **a __counted_by(2))", PEAL_ERROR_TYPE, "column 17: parameter 1");
    check_refusal("required void f(struct deep5 a)", PEAL_ERROR_LIMIT, "nested more than 8 deep");
    check_refusal("required void *f(int a)", PEAL_ERROR_TYPE, "column 10: the result, void *");
    check_refusal("required void f(union choice a)", PEAL_ERROR_TYPE, "numbers other than bool");
    check_refusal(
        "required void f(const struct option *a __sized_by(n), int n)", PEAL_ERROR_TYPE, "numbers other than bool");
    check_refusal("required void f(const union choice *a __counted_by(2))", PEAL_ERROR_TYPE, "numbers other than bool");
}

/* The last byte of the buffer is before the length. */
static void check_last_bool(const char *text, unsigned char byte, peal_status status)
{
    static const bool flags[] = { true, false };
    const bool *buffer = flags;
    int two = 2;
    size_t size = 0, room = 0;
    void *const arguments[] = { &buffer, &two }, *const *found = NULL;
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    unsigned char message[128];
    unsigned char arena[512] __attribute__((aligned(16)));
    peal_wire_plan *plan = plan_of(text);

    check_case(text);
    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size));
    message[size - 2] = byte;
    CHECK_STATUS(peal_wire_decode_call(plan, message, size, arena, sizeof arena, &found, &room), status);
    check_case(NULL);
    end(plan);
}

CLAIM("W4", "no bool of another value than true and false is decoded, from memory with a length in bytes too")
{
    static const char *const texts[] = { "required void f(const bool *a __counted_by(n), int n)",
        "required void f(const bool *a __sized_by(n), int n)" };

    for (size_t i = 0; i < CHECK_COUNT_OF(texts); i++) {
        check_last_bool(texts[i], 1, PEAL_OK);
        check_last_bool(texts[i], 7, PEAL_ERROR_SYNTAX);
    }
}

CLAIM("W3", "with CALLS_ONLY the result may have any type, and results have no messages")
{
    struct peal_wire_plan_options options = PEAL_WIRE_PLAN_OPTIONS;
    struct peal_wire_header header = PEAL_WIRE_HEADER;
    peal_wire_plan *plan = NULL;
    unsigned char message[64];
    size_t size = 0;

    options.flags = PEAL_WIRE_CALLS_ONLY;
    CHECK_OK(peal_wire_plan_create(define("required void *f(int a)"), &options, &plan));
    CHECK_STATUS(peal_wire_encode_result(plan, &header, &plan, message, sizeof message, &size), PEAL_ERROR_ARGUMENT);
    end(plan);
}

CLAIM("W3", "a wrong method, wrong options and NULL give a status")
{
    struct peal_wire_plan_options options = PEAL_WIRE_PLAN_OPTIONS;
    peal_wire_plan *plan = NULL;
    const peal_method none = { 0 }, method = define("required void f(void)");

    CHECK_STATUS(peal_wire_plan_create(none, NULL, &plan), PEAL_ERROR_HANDLE);
    CHECK(strlen(peal_wire_last_message()) > 0);
    CHECK_STATUS(peal_wire_plan_create(method, NULL, NULL), PEAL_ERROR_ARGUMENT);
    options.flags = 1u << 31;
    CHECK_STATUS(peal_wire_plan_create(method, &options, &plan), PEAL_ERROR_ARGUMENT);
    options.size = 1;
    CHECK_STATUS(peal_wire_plan_create(method, &options, &plan), PEAL_ERROR_ARGUMENT);
    peal_wire_plan_destroy(NULL);
    close_center(center);
}

CLAIM("W3", "values that no message carries are refused when a call is encoded")
{
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    peal_wire_plan *plan = plan_of(
        "required void f(const char *text, const int *numbers __counted_by(count), int count)");
    unsigned char message[128];
    size_t size = 0;
    const char *text = "plain";
    int numbers[2] = { 1, 2 }, count = 2;
    const int *memory = numbers;
    void *arguments[] = { &text, &memory, &count };
    static const char *const bad[] = { "\xff", "caf\xe9", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82" };

    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size));
    for (size_t i = 0; i < CHECK_COUNT_OF(bad); i++) {
        text = bad[i];
        CHECK_STATUS(
            peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size), PEAL_ERROR_ARGUMENT);
        CHECK_CONTAINS(peal_wire_last_message(), "not UTF-8");
    }
    text = "plain";
    count = -1;
    CHECK_STATUS(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size), PEAL_ERROR_ARGUMENT);
    count = 2;
    memory = NULL;
    CHECK_STATUS(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size), PEAL_ERROR_ARGUMENT);
    count = 0;
    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &size));
    end(plan);
}

/* A text, a buffer and an object, each of which must be there. The null of the other buffer is permitted. */
static const char *const nonnull_text =
    "required void f(const char *_Nonnull a, const short *_Nonnull b __counted_by(n),"
    " const short *_Nullable c __counted_by(n), size_t n)";

/* Encodes without a promise about null pointers, which has the same fingerprint. */
static size_t encode_plainly(void *const *arguments, unsigned char *message, size_t capacity)
{
    peal_wire_plan *plan = plan_of(
        "required void f(const char *a, const short *b __counted_by(n), const short *c __counted_by(n), size_t n)");
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    size_t size = 0;

    CHECK_OK(peal_wire_encode_call(plan, &header, arguments, message, capacity, &size));
    end(plan);
    return size;
}

static void check_null(bool has_text, bool has_buffer, peal_status encoded, peal_status decoded)
{
    static const short shorts[1];
    const char *text = has_text ? "text" : NULL;
    const short *buffer = has_buffer ? shorts : NULL, *none = NULL;
    size_t count = 0, size = 0, room = 0;
    void *const arguments[] = { &text, &buffer, &none, &count }, *const *found = NULL;
    const struct peal_wire_header header = PEAL_WIRE_HEADER;
    unsigned char message[256], scratch[256];
    unsigned char arena[1024] __attribute__((aligned(16)));

    const size_t plain = encode_plainly(arguments, message, sizeof message);
    peal_wire_plan *plan = plan_of(nonnull_text);
    CHECK_STATUS(peal_wire_encode_call(plan, &header, arguments, scratch, sizeof scratch, &size), encoded);
    CHECK_STATUS(peal_wire_decode_call(plan, message, plain, arena, sizeof arena, &found, &room), decoded);
    if (decoded < 0)
        CHECK_CONTAINS(peal_wire_last_message(), "_Nonnull");
    else
        CHECK(room == 4 && *(const short **)found[1] != NULL && *(const short **)found[2] == NULL);
    end(plan);
}

CLAIM("W6", "null for a _Nonnull parameter is refused when a call is encoded, and when a message is decoded")
{
    check_null(true, true, PEAL_OK, PEAL_OK);
    check_null(false, true, PEAL_ERROR_ARGUMENT, PEAL_ERROR_SYNTAX);
    check_null(true, false, PEAL_ERROR_ARGUMENT, PEAL_ERROR_SYNTAX);
}
