/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function that takes a handle, with an invalid handle: zero, never created, of another kind, or of an
 * object that has ended.
 */
#include "center.h"
#include "destroyed.h"

#include <stdio.h>
#include <string.h>

#define BELL(METHOD) METHOD(optional, int, on_ring, (int n), sum)
PEAL_PROTOCOL(bell, "Bell", BELL);

static int rung;

static int ring(void *self, int n)
{
    (void)self;
    rung++;
    return n;
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };

/* One object of each kind. */
struct objects {
    peal_center center;
    struct bell_protocol bell;
    peal_observation observation;
};

static struct objects open_objects(void)
{
    struct objects objects;
    static int target;

    memset(&objects, 0, sizeof objects);
    objects.center = open_center();
    CHECK_OK(bell_define(objects.center, &objects.bell));
    CHECK_OK(bell_observe(&objects.bell, &target, &table, NULL, &objects.observation));
    return objects;
}

static void check_center_functions(peal_center center)
{
    static const struct peal_objc_method methods[] = { { "x", "v@:" }, { NULL, NULL } };
    peal_protocol protocol = { 0 };
    peal_method method = { 0 };
    size_t size = 0;

    CHECK_FAILURE(peal_center_destroy(center), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_type_declare(center, "struct p { int a; };"), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_type_layout(center, "int", &size, NULL), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_define(center, &bell_description, &protocol, &method, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_define_objc(center, "X", methods, NULL, &protocol), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_find(center, "Bell", &protocol), PEAL_ERROR_HANDLE);
}

static void check_protocol_functions(peal_protocol protocol)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const struct peal_binding binding = { "on_ring", (peal_function)ring, NULL };
    peal_observation observation = { 3 };
    peal_method method = { 0 };
    uint32_t version = 0;
    size_t count = 0;
    int target = 0;
    char text[8];

    options.destroy = count_destroy;
    destroyed = 0;
    CHECK_FAILURE(peal_observe(protocol, &target, &table, &options, &observation), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(observation.id, 0);
    CHECK_EQUAL(destroyed, 1);
    CHECK_FAILURE(peal_observe_bindings(protocol, &target, &binding, 1, &options, &observation), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(destroyed, 2);
    CHECK_FAILURE(peal_method_find(protocol, "on_ring", &method), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_name(protocol, text, sizeof text, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_version(protocol, &version), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_list_methods(protocol, &method, 1, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_protocol_count_observers(protocol, &count), PEAL_ERROR_HANDLE);
}

static peal_status ask_by_list(size_t count, peal_method method, void *out_result, ...)
{
    va_list list;
    peal_status status;

    va_start(list, out_result);
    status = peal_ask_list(count, method, out_result, list);
    va_end(list);
    return status;
}

static void check_method_functions(peal_method method)
{
    const struct peal_send_options options = PEAL_SEND_OPTIONS;
    struct bell_protocol handles;
    struct peal_entries entries;
    peal_call_path path = PEAL_CALL_PATH_FFI_CALL;
    int n = 1;
    void *const arguments[] = { &n };
    int result = 0;
    size_t calls = 0;
    size_t count = 0;
    char text[8];
    int visited = 0;

    rung = 0;
    CHECK_FAILURE(peal_send(method, arguments, 1, &result, &calls), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_send_with(method, arguments, 1, &options, &result, &calls), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_broadcast(method, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_ask(method, &result, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_broadcast_counted(1, method, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_ask_counted(1, method, &result, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(ask_by_list(1, method, &result, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_name(method, text, sizeof text, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_declaration(method, text, sizeof text, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_count_observers(method, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_method_call_path(method, &path), PEAL_ERROR_HANDLE);

    peal_clear_failure();
    entries = peal_entries_begin(method);
    CHECK(entries.next == NULL && entries.hazard == NULL);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK(peal_last_message()[0] != '\0');

    memset(&handles, 0, sizeof handles);
    handles.on_ring = method;
    peal_clear_failure();
    PEAL_BROADCAST(bell, &handles, on_ring, 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    PEAL_EACH(bell, &handles, on_ring, each)
        visited++;
    CHECK_EQUAL(visited, 0);
    CHECK_EQUAL(rung, 0);
}

static void check_observation_functions(peal_observation observation)
{
    CHECK_FAILURE(peal_observation_remove(observation), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observation_block(observation), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_observation_unblock(observation), PEAL_ERROR_HANDLE);
    CHECK(!peal_observation_is_active(observation));
}

static void check_all_functions(uint64_t number)
{
    const peal_center center = { number };
    const peal_protocol protocol = { number };
    const peal_method method = { number };
    const peal_observation observation = { number };
    char name[32];

    snprintf(name, sizeof name, "%#llx", (unsigned long long)number);
    check_case(name);
    check_center_functions(center);
    check_protocol_functions(protocol);
    check_method_functions(method);
    check_observation_functions(observation);
    check_case(NULL);
}

CLAIM("O11", "a zero handle gives a status in every function") { check_all_functions(0); }

CLAIM("O11", "a zero handle gives a status also when the first method of the process is gone")
{
    const struct objects objects = open_objects();

    close_center(objects.center);
    check_all_functions(0);
}

CLAIM("O11", "a handle that was never created gives a status in every function")
{
    static const uint64_t numbers[] = {
        UINT64_MAX,
        UINT64_MAX - 1,
        UINT64_MAX >> 1,
        (uint64_t)1 << 63,
        0xdeadbeefdeadbeefu,
        0xffffffff00000000u,
        0x00000000ffffffffu,
        0x8000000080000000u,
        0x0123456789abcdefu,
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++)
        check_all_functions(numbers[i]);
}

CLAIM("O11", "a handle whose number is near a valid one gives a status")
{
    const struct objects objects = open_objects();

    for (int bit = 0; bit < 64; bit++) {
        const uint64_t flip = (uint64_t)1 << bit;
        const peal_center center = { objects.center.id ^ flip };
        const peal_protocol protocol = { objects.bell.protocol.id ^ flip };
        const peal_method method = { objects.bell.on_ring.id ^ flip };
        const peal_observation observation = { objects.observation.id ^ flip };

        /* One bit away from a true handle may be another true handle, of the default center or of an
         * adopted method; never the same object. */
        if (center.id != peal_center_default().id)
            check_center_functions(center);
        check_protocol_functions(protocol);
        check_method_functions(method);
        check_observation_functions(observation);
    }
    CHECK(peal_observation_is_active(objects.observation));
    CHECK_EQUAL(count_observers(objects.bell.protocol), 1);
    close_center(objects.center);
}

CLAIM("O11", "a handle of another kind gives a status in every function")
{
    const struct objects objects = open_objects();
    const uint64_t numbers[] = { objects.center.id, objects.bell.protocol.id, objects.bell.on_ring.id,
        objects.observation.id };

    for (int kind = 0; kind < 4; kind++) {
        const peal_center center = { numbers[kind] };
        const peal_protocol protocol = { numbers[kind] };
        const peal_method method = { numbers[kind] };
        const peal_observation observation = { numbers[kind] };
        static const char *const kinds[] = { "a center", "a protocol", "a method", "an observation" };

        check_case(kinds[kind]);
        if (kind != 0)
            check_center_functions(center);
        if (kind != 1)
            check_protocol_functions(protocol);
        if (kind != 2)
            check_method_functions(method);
        if (kind != 3)
            check_observation_functions(observation);
    }
    CHECK(peal_observation_is_active(objects.observation));
    close_center(objects.center);
}

CLAIM("O11", "no two objects of any kind share a number")
{
    const struct objects one = open_objects();
    const struct objects two = open_objects();
    const uint64_t numbers[] = {
        one.center.id,
        one.bell.protocol.id,
        one.bell.on_ring.id,
        one.observation.id,
        two.center.id,
        two.bell.protocol.id,
        two.bell.on_ring.id,
        two.observation.id,
        peal_center_default().id,
    };

    for (size_t i = 0; i < CHECK_COUNT_OF(numbers); i++)
        for (size_t j = i + 1; j < CHECK_COUNT_OF(numbers); j++)
            CHECK(numbers[i] != numbers[j]);
    close_center(one.center);
    close_center(two.center);
}

CLAIM("O11", "handles of an ended center are stale in every function")
{
    const struct objects objects = open_objects();

    close_center(objects.center);
    check_center_functions(objects.center);
    check_protocol_functions(objects.bell.protocol);
    check_method_functions(objects.bell.on_ring);
    check_observation_functions(objects.observation);
}

CLAIM("O11", "stale handles stay stale when new objects use their slots")
{
    struct objects old[20];
    struct objects fresh[20];

    for (int i = 0; i < 20; i++)
        old[i] = open_objects();
    for (int i = 0; i < 20; i++)
        close_center(old[i].center);
    for (int i = 0; i < 20; i++)
        fresh[i] = open_objects();
    for (int i = 0; i < 20; i++) {
        check_center_functions(old[i].center);
        check_protocol_functions(old[i].bell.protocol);
        check_method_functions(old[i].bell.on_ring);
        check_observation_functions(old[i].observation);
    }
    for (int i = 0; i < 20; i++) {
        CHECK(peal_observation_is_active(fresh[i].observation));
        close_center(fresh[i].center);
    }
}

CLAIM("O11", "the handle of a removed observation is stale, also when another observation uses its slot")
{
    const struct objects objects = open_objects();
    peal_observation old = objects.observation;
    static int target;

    for (int round = 0; round < 300; round++) {
        peal_observation fresh = { 0 };

        REQUIRE_OK(peal_observation_remove(old));
        CHECK(!peal_observation_is_active(old));
        REQUIRE_OK(bell_observe(&objects.bell, &target, &table, NULL, &fresh));
        CHECK(fresh.id != old.id);
        CHECK_FAILURE(peal_observation_remove(old), PEAL_ERROR_HANDLE);
        CHECK(peal_observation_is_active(fresh));
        old = fresh;
    }
    close_center(objects.center);
}

CLAIM("O11", "a thousand centers are created and destroyed, and each works like the first")
{
    for (int i = 0; i < 1000; i++) {
        const struct objects objects = open_objects();

        CHECK_OK(peal_broadcast(objects.bell.on_ring, 1));
        close_center(objects.center);
    }
}

CLAIM("O11", "a failed function writes zero to the handle that it would fill, or does not change it")
{
    peal_protocol protocol = { 17 };
    peal_method method = { 17 };

    CHECK_FAILURE(peal_protocol_find(peal_center_default(), "Absent", &protocol), PEAL_ERROR_NOT_FOUND);
    CHECK(protocol.id == 0 || protocol.id == 17);
    CHECK_FAILURE(peal_method_find(protocol, "absent", &method), PEAL_ERROR_HANDLE);
    CHECK(method.id == 0 || method.id == 17);
}

CLAIM("O11", "the default center is always the same, and cannot be ended")
{
    const peal_center center = peal_center_default();

    CHECK(center.id != 0);
    CHECK_EQUAL(peal_center_default().id, center.id);
    CHECK_FAILURE(peal_center_destroy(center), PEAL_ERROR_STATE);
    CHECK_OK(peal_type_layout(center, "int", NULL, NULL));
}

CLAIM("O11", "using a handle of one center with an object of another center harms neither")
{
    const struct objects one = open_objects();
    const struct objects two = open_objects();
    struct bell_protocol mixed = one.bell;

    mixed.on_ring = two.bell.on_ring;
    rung = 0;
    PEAL_BROADCAST(bell, &mixed, on_ring, 1);
    CHECK_EQUAL(rung, 1);
    close_center(two.center);
    peal_clear_failure();
    PEAL_BROADCAST(bell, &mixed, on_ring, 1);
    CHECK_EQUAL(rung, 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    CHECK(peal_observation_is_active(one.observation));
    close_center(one.center);
}
