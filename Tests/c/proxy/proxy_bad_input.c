/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrong arguments to the creation of proxies. Each mistake gives a status and a sentence and creates nothing, and the
 * destroy callback runs.
 */
#include "center.h"
#include "destroyed.h"

#include <string.h>

PEAL_TYPE(large_text, struct large { long a, b, c; });

#define DESK(METHOD) METHOD(required, void, told, (int n)) METHOD(optional, int, asked, (int n), sum)
PEAL_PROTOCOL(desk, "Desk", DESK);

static peal_center center;
static struct desk_protocol desk;

static void on_told(void *self, int n) { (void)self, (void)n; }
static const struct desk table = { PEAL_TABLE(desk), on_told, NULL };
static bool retain(void *reference)
{
    (void)reference;
    return true;
}
static void release(void *reference, void *target) { (void)reference, (void)target; }

static const uint64_t bad_numbers[] = { 0, 1, UINT64_MAX, UINT64_C(0xd) << 60, UINT64_C(0xd000000010000fff) };

static void begin(void)
{
    destroyed = 0;
    center = open_center();
    CHECK_OK(desk_define(center, &desk));
}

/* Checks that a failed creation fills no table, no `self` and no function. */
static void check_table(peal_status status, peal_status expected, peal_proxy proxy, void *self, const void *found)
{
    CHECK_STATUS(status, expected);
    CHECK_STATUS(peal_last_status(), expected);
    CHECK(peal_last_message()[0] != 0);
    CHECK_EQUAL(proxy.id, 0);
    CHECK(self == NULL);
    CHECK(found == NULL);
}

static void create(peal_protocol protocol, const struct peal_proxy_options *options, peal_status expected)
{
    peal_proxy proxy = { 77 };
    void *self = &destroyed;
    const void *found = &destroyed;

    peal_status status;

    peal_clear_failure();
    status = peal_proxy_create(protocol, options, &proxy, &self, &found);
    check_table(status, expected, proxy, self, found);
}

static void create_for(
    peal_protocol protocol, const void *given, const struct peal_proxy_options *options, peal_status expected)
{
    peal_proxy proxy = { 77 };
    void *self = &destroyed;
    const void *found = &destroyed;

    peal_status status;

    peal_clear_failure();
    status = peal_proxy_create_for(protocol, &destroyed, given, options, &proxy, &self, &found);
    check_table(status, expected, proxy, self, found);
}

static void bare(peal_method method, const struct peal_proxy_options *options, peal_status expected)
{
    peal_proxy proxy = { 77 };
    peal_function function = (peal_function)on_told;

    CHECK_FAILURE(peal_closure_create(method, options, &proxy, &function), expected);
    CHECK_EQUAL(proxy.id, 0);
    CHECK(function == NULL);
}

static void bare_for(peal_center in, const char *prototype, peal_function called,
    const struct peal_proxy_options *options, peal_status expected)
{
    peal_proxy proxy = { 77 };
    peal_function function = (peal_function)on_told;

    CHECK_FAILURE(peal_closure_create_for(in, prototype, &destroyed, called, options, &proxy, &function), expected);
    CHECK_EQUAL(proxy.id, 0);
    CHECK(function == NULL);
}

static struct peal_proxy_options destroying(void)
{
    struct peal_proxy_options options = PEAL_PROXY_OPTIONS;

    options.destroy = count_destroy;
    return options;
}

CLAIM("F1", "creating a proxy with invalid handles gives a status, and its destroy callback runs")
{
    const struct peal_proxy_options options = destroying();
    struct desk_proxy typed;
    peal_center ended;
    peal_protocol protocol;
    peal_method method;

    begin();
    for (size_t i = 0; i < CHECK_COUNT_OF(bad_numbers); i++) {
        protocol.id = method.id = ended.id = bad_numbers[i];
        create(protocol, NULL, PEAL_ERROR_HANDLE);
        destroyed = 0;
        create_for(protocol, &table, &options, PEAL_ERROR_HANDLE);
        bare(method, NULL, PEAL_ERROR_HANDLE);
        bare_for(ended, "void f(int n)", (peal_function)on_told, &options, PEAL_ERROR_HANDLE);
        CHECK_EQUAL(destroyed, 2);
        CHECK_FAILURE(peal_proxy_destroy((peal_proxy){ bad_numbers[i] }), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_proxy_destroy_and_wait((peal_proxy){ bad_numbers[i] }, 0), PEAL_ERROR_HANDLE);
        CHECK(!peal_proxy_is_alive((peal_proxy){ bad_numbers[i] }));
    }
    close_center(center);
    create(desk.protocol, NULL, PEAL_ERROR_HANDLE);
    create_for(desk.protocol, &table, NULL, PEAL_ERROR_HANDLE);
    bare(desk.told, NULL, PEAL_ERROR_HANDLE);
    CHECK_FAILURE(desk_proxy_create(NULL, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(desk_proxy_create(NULL, NULL, &typed), PEAL_ERROR_HANDLE);
    CHECK(typed.table == NULL && typed.self == NULL && typed.proxy.id == 0);
}

CLAIM("F1", "a NULL for a required argument of a proxy's creation is named")
{
    const struct peal_proxy_options options = destroying();
    peal_proxy proxy;
    void *self;
    const void *found;

    begin();
    CHECK_FAILURE(peal_proxy_create(desk.protocol, NULL, &proxy, NULL, &found), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "out_self");
    CHECK_FAILURE(peal_proxy_create(desk.protocol, NULL, &proxy, &self, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "out_table");
    create_for(desk.protocol, NULL, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "table");
    CHECK_FAILURE(
        peal_proxy_create_for(desk.protocol, NULL, &table, &options, &proxy, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_closure_create(desk.told, NULL, &proxy, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "out_function");
    bare_for(center, NULL, (peal_function)on_told, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "prototype");
    bare_for(center, "void f(int n)", NULL, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "function");
    CHECK_EQUAL(destroyed, 4);
    close_center(center);
}

CLAIM("F1", "options of a proxy of a wrong size, or without a meaning, are refused")
{
    struct peal_proxy_options options = destroying();
    static const struct peal_weak_type weak = { retain, release };
    static const struct peal_weak_type half = { retain, NULL };
    peal_reference reference;
    int object;

    begin();
    /* A size that ends before the destroy callback, and one that is too large, like that of a later version. */
    options.size = sizeof options - 8;
    create_for(desk.protocol, &table, &options, PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(destroyed, 0);
    options.size = sizeof options + 8;
    create_for(desk.protocol, &table, &options, PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(destroyed, 1);
    options.size = 0;
    create(desk.protocol, &options, PEAL_ERROR_ARGUMENT);
    bare(desk.told, &options, PEAL_ERROR_ARGUMENT);

    /* A broadcasting proxy has no target. */
    options = destroying();
    create(desk.protocol, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "peal_proxy_create_for");
    bare(desk.told, &options, PEAL_ERROR_ARGUMENT);
    options.destroy = NULL;
    options.weak = &weak;
    create(desk.protocol, &options, PEAL_ERROR_ARGUMENT);

    REQUIRE_OK(peal_reference_create(&object, NULL, &reference));
    options.reference = reference;
    create_for(desk.protocol, &table, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "exclude");
    options.weak = NULL;
    create_for(desk.protocol, &table, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "object of the reference");
    CHECK_EQUAL(peal_reference_count(reference), 1);
    CHECK_OK(peal_reference_release(reference));
    create_for(desk.protocol, &table, &options, PEAL_ERROR_HANDLE);
    options.reference.id = 0;
    options.weak = &half;
    create_for(desk.protocol, &table, &options, PEAL_ERROR_ARGUMENT);
    options.weak = NULL;
    options.owner.id = 12345;
    create(desk.protocol, &options, PEAL_ERROR_HANDLE);
    create_for(desk.protocol, &table, &options, PEAL_ERROR_HANDLE);
    close_center(center);
}

static peal_function resolve(void *target, peal_method method)
{
    (void)target, (void)method;
    return NULL;
}

CLAIM("F1", "a bare function with the stages of forwarding is refused")
{
    struct peal_proxy_options options = destroying();

    begin();
    options.resolve = resolve;
    bare_for(center, "void f(int n)", (peal_function)on_told, &options, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "stages");
    CHECK_EQUAL(destroyed, 1);
    close_center(center);
}

CLAIM("F1", "a proxy's table of a wrong size, or without a required method, is refused, and the sentence names the mistake")
{
    struct desk wrong = table;
    const struct peal_proxy_options options = destroying();

    begin();
    wrong.size = 0;
    create_for(desk.protocol, &wrong, &options, PEAL_ERROR_CONFORMANCE);
    wrong.size = sizeof wrong + 8;
    create_for(desk.protocol, &wrong, &options, PEAL_ERROR_CONFORMANCE);
    wrong.size = sizeof wrong - 1;
    create_for(desk.protocol, &wrong, &options, PEAL_ERROR_CONFORMANCE);
    wrong.size = sizeof wrong;
    wrong.told = NULL;
    create_for(desk.protocol, &wrong, &options, PEAL_ERROR_CONFORMANCE);
    CHECK_CONTAINS(peal_last_message(), "Desk.told");
    CHECK_EQUAL(destroyed, 4);
    close_center(center);
}

CLAIM("F1", "a method that no broadcasting proxy can carry is named, with the reason")
{
    static const char *const collects[] = { "void plain(int n)", "int votes(int n), collect", NULL };
    static const char *const folds[] = { "int folded(int n), fold", NULL };
    const struct peal_proxy_options options = PEAL_PROXY_OPTIONS;
    struct {
        size_t size;
        peal_function plain, votes;
    } functions = { sizeof functions, (peal_function)on_told, (peal_function)on_told };
    peal_protocol protocol;
    peal_proxy proxy;
    void *self;
    const void *found;

    begin();
    protocol = protocol_of(center, "Collects", collects);
    create(protocol, NULL, PEAL_ERROR_POLICY);
    CHECK_CONTAINS(peal_last_message(), "Collects.votes");
    CHECK_CONTAINS(peal_last_message(), "collect");
    bare(find_method(protocol, "votes"), NULL, PEAL_ERROR_POLICY);
    protocol = protocol_of(center, "Folds", folds);
    create(protocol, NULL, PEAL_ERROR_POLICY);
    CHECK_CONTAINS(peal_last_message(), "Folds.folded");
    /* A proxy of one target ignores the policy. */
    protocol = protocol_of(center, "Collects", collects);
    CHECK_OK(peal_proxy_create_for(protocol, NULL, &functions, &options, &proxy, &self, &found));
    CHECK_OK(peal_proxy_destroy(proxy));
    close_center(center);
}

CLAIM("F1", "a malformed prototype of a bare function is refused with the column")
{
    static const struct {
        const char *text;
        peal_status status;
    } wrong[] = {
        { "", PEAL_ERROR_SYNTAX },
        { "int", PEAL_ERROR_SYNTAX },
        { "int f(int", PEAL_ERROR_SYNTAX },
        { "int f(struct unknown u)", PEAL_ERROR_TYPE },
        { "int f(const char *format, ...)", PEAL_ERROR_TYPE },
        { "int f(union u x)", PEAL_ERROR_TYPE },
        { "\xff\xfe", PEAL_ERROR_SYNTAX },
    };
    const struct peal_proxy_options options = destroying();

    begin();
    for (size_t i = 0; i < CHECK_COUNT_OF(wrong); i++) {
        check_case(wrong[i].text);
        bare_for(center, wrong[i].text, (peal_function)on_told, &options, wrong[i].status);
    }
    check_case(NULL);
    CHECK_EQUAL(destroyed, CHECK_COUNT_OF(wrong));
    close_center(center);
}

CLAIM("F1", "a protocol without methods has a proxy with an empty table")
{
    static const char *const none[] = { NULL };
    peal_protocol protocol;
    peal_proxy proxy;
    void *self;
    const void *found;
    size_t size = sizeof size;

    begin();
    protocol = protocol_of(center, "Empty", none);
    REQUIRE_OK(peal_proxy_create(protocol, NULL, &proxy, &self, &found));
    CHECK_EQUAL(*(const size_t *)found, sizeof(size_t));
    CHECK(peal_proxy_is_alive(proxy));
    CHECK_OK(peal_proxy_destroy(proxy));
    REQUIRE_OK(peal_proxy_create_for(protocol, NULL, &size, NULL, &proxy, &self, &found));
    CHECK(peal_proxy_is_alive(proxy));
    CHECK_OK(peal_proxy_destroy(proxy));
    close_center(center);
}
