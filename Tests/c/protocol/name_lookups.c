/* SPDX-License-Identifier: Apache-2.0
 *
 * Lookups by name, which cache their results.
 */
#include "center.h"

#include <pthread.h>
#include <stdio.h>

static peal_protocol found_protocol(peal_center center, const char *name)
{
    peal_protocol found = { 0 };
    CHECK_OK(peal_protocol_find(center, name, &found));
    return found;
}

static peal_method found_method(peal_protocol protocol, const char *name)
{
    peal_method found = { 0 };
    CHECK_OK(peal_method_find(protocol, name, &found));
    return found;
}

CLAIM("P1", "each lookup of a name finds the same protocol and the same method")
{
    const peal_center center = open_center();
    const char *const methods[] = { "void first(int)", "void second(int)", NULL };
    const peal_protocol protocol = protocol_of(center, "Twice", methods);
    peal_protocol none;
    peal_method no_method;

    for (int turn = 0; turn < 3; turn++) {
        CHECK_EQUAL(found_protocol(center, "Twice").id, protocol.id);
        CHECK(found_method(protocol, "first").id != found_method(protocol, "second").id);
        CHECK_EQUAL(found_method(protocol, "second").id, found_method(protocol, "Twice.second").id);
        CHECK_FAILURE(peal_protocol_find(center, "Twic", &none), PEAL_ERROR_NOT_FOUND);
        CHECK_EQUAL(none.id, 0);
        CHECK_FAILURE(peal_method_find(protocol, "secon", &no_method), PEAL_ERROR_NOT_FOUND);
        CHECK_FAILURE(peal_method_find(protocol, "", &no_method), PEAL_ERROR_NOT_FOUND);
        CHECK_EQUAL(no_method.id, 0);
    }
    close_center(center);
}

CLAIM("O11", "a lookup in an ended center finds nothing, and the same names in the next center are found there")
{
    const char *const methods[] = { "void call(void)", NULL };
    peal_protocol last = { 0 };

    for (int turn = 0; turn < 20; turn++) {
        peal_center center;
        peal_protocol protocol;
        peal_method method;
        CHECK_OK(peal_center_create(&center));
        protocol = protocol_of(center, "Again", methods);
        CHECK(protocol.id != last.id);
        for (int time = 0; time < 2; time++)
            CHECK_EQUAL(found_protocol(center, "Again").id, protocol.id);
        method = found_method(protocol, "call");
        CHECK_EQUAL(found_method(protocol, "call").id, method.id);
        CHECK_OK(peal_send(method, NULL, 0, NULL, NULL));
        CHECK_OK(peal_center_destroy(center));
        CHECK_FAILURE(peal_protocol_find(center, "Again", &last), PEAL_ERROR_HANDLE);
        CHECK_FAILURE(peal_method_find(protocol, "call", &method), PEAL_ERROR_HANDLE);
        last = protocol;
    }
}

CLAIM("P4", "a lookup finds an adopted method until the protocol has a method of its own of that name")
{
    const peal_center center = open_center();
    const char *const inner[] = { "void call(int)", NULL };
    const char *const outer[] = { "void other(int)", NULL };
    const char *const grown[] = { "void other(int)", "optional void call(int), since(2)", NULL };
    const char *const adopts[] = { "Inner", NULL };
    peal_protocol protocol;
    peal_method adopted;

    CHECK_OK(try_protocol(center, "Inner", NULL, inner, NULL));
    CHECK_OK(try_protocol(center, "Outer", adopts, outer, &protocol));
    adopted = found_method(protocol, "call");
    CHECK_EQUAL(found_method(protocol, "call").id, adopted.id);
    CHECK_OK(try_protocol(center, "Outer", adopts, grown, NULL));
    for (int turn = 0; turn < 2; turn++) {
        CHECK(found_method(protocol, "call").id != adopted.id);
        CHECK_EQUAL(found_method(protocol, "Inner.call").id, adopted.id);
        CHECK_EQUAL(found_method(protocol, "Outer.call").id, found_method(protocol, "call").id);
        CHECK_EQUAL(found_protocol(center, "Outer").id, protocol.id);
    }
    close_center(center);
}

CLAIM("P4", "the name of an adopted method is ambiguous once another adopted protocol grows by a method of that name")
{
    const peal_center center = open_center();
    const char *const one[] = { "void call(int)", NULL };
    const char *const two[] = { "void two(int)", NULL };
    const char *const grown[] = { "void two(int)", "optional void call(int), since(2)", NULL };
    const char *const adopts[] = { "One", "Two", NULL };
    const char *const none[] = { NULL };
    peal_protocol protocol;
    peal_method method;

    CHECK_OK(try_protocol(center, "One", NULL, one, NULL));
    CHECK_OK(try_protocol(center, "Two", NULL, two, NULL));
    CHECK_OK(try_protocol(center, "Both", adopts, none, &protocol));
    CHECK_EQUAL(found_method(protocol, "call").id, found_method(protocol, "call").id);
    CHECK_OK(try_protocol(center, "Two", NULL, grown, NULL));
    for (int turn = 0; turn < 2; turn++)
        CHECK_FAILURE(peal_method_find(protocol, "call", &method), PEAL_ERROR_AMBIGUOUS);
    CHECK(found_method(protocol, "One.call").id != found_method(protocol, "Two.call").id);
    close_center(center);
}

CLAIM("P4", "in protocols of many methods, own, adopted and ambiguous methods are found by their names and titles")
{
    enum { MANY = 40 };
    const peal_center center = open_center();
    static char texts[MANY + 1][48];
    const char *methods[MANY + 2] = { NULL };
    const char *const own[] = { "void m7(int)", "void last(int)", NULL };
    const char *const adopts[] = { "One", "Two", NULL };
    peal_protocol one, two, heir;
    peal_method method;

    for (int i = 0; i <= MANY; i++)
        snprintf(texts[i], sizeof texts[i], "optional void m%d(int), since(%d)", i, i < MANY ? 1 : 2);
    for (int i = 0; i < MANY; i++)
        methods[i] = texts[i];
    CHECK_OK(try_protocol(center, "One", NULL, methods, &one));
    methods[1] = NULL;
    CHECK_OK(try_protocol(center, "Two", NULL, methods, &two));
    CHECK_OK(try_protocol(center, "Heir", adopts, own, &heir));
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < MANY; i++) {
            char name[16];
            char found[16];
            snprintf(name, sizeof name, "m%d", i);
            CHECK_OK(peal_method_name(found_method(one, name), found, sizeof found, NULL));
            CHECK_TEXT(found, name);
        }
        CHECK_FAILURE(peal_method_find(heir, "m0", &method), PEAL_ERROR_AMBIGUOUS);
        CHECK(found_method(heir, "One.m0").id != found_method(heir, "Two.m0").id);
        CHECK_EQUAL(found_method(heir, "m7").id, found_method(heir, "Heir.m7").id);
        CHECK(found_method(heir, "One.m7").id != found_method(heir, "m7").id);
        CHECK_EQUAL(found_method(heir, "m8").id, found_method(heir, "One.m8").id);
        CHECK_FAILURE(peal_method_find(heir, "Two.m8", &method), PEAL_ERROR_NOT_FOUND);
        CHECK_FAILURE(peal_method_find(heir, "m", &method), PEAL_ERROR_NOT_FOUND);
        CHECK_FAILURE(peal_method_find(heir, "m99", &method), PEAL_ERROR_NOT_FOUND);
    }
    CHECK_FAILURE(peal_method_find(heir, "m40", &method), PEAL_ERROR_NOT_FOUND);
    for (int i = 1; i <= MANY; i++)
        methods[i] = texts[i];
    CHECK_OK(try_protocol(center, "One", NULL, methods, NULL));
    CHECK_EQUAL(found_method(heir, "m40").id, found_method(heir, "One.m40").id);
    close_center(center);
}

struct nested {
    peal_center center;
    peal_protocol protocol;
    int depth;
};

static void look_up(void *self)
{
    struct nested *nested = self;
    const peal_method method = found_method(found_protocol(nested->center, "Nested"), "call");
    if (++nested->depth < 5)
        CHECK_OK(peal_send(method, NULL, 0, NULL, NULL));
}

CLAIM("B6", "names are looked up inside of broadcasts at any depth of nesting")
{
    const peal_center center = open_center();
    const char *const methods[] = { "void call(void)", NULL };
    struct nested nested = { center, protocol_of(center, "Nested", methods), 0 };

    observe_with(nested.protocol, &nested, "call", (peal_function)look_up, NULL);
    CHECK_OK(peal_send(found_method(nested.protocol, "call"), NULL, 0, NULL, NULL));
    CHECK_EQUAL(nested.depth, 5);
    close_center(center);
}

/* ---- Threads ------------------------------------------------------------------------------------ */

static uint64_t current_center;
static bool is_over;

static void *look_up_always(void *context)
{
    (void)context;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        const peal_center center = { __atomic_load_n(&current_center, __ATOMIC_ACQUIRE) };
        peal_protocol protocol = { 0 };
        peal_method method = { 0 };
        if (peal_protocol_find(center, "Short", &protocol) == PEAL_OK
            && peal_method_find(protocol, "call", &method) == PEAL_OK) {
            const peal_status status = peal_send(method, NULL, 0, NULL, NULL);
            CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        }
    }
    return NULL;
}

CLAIM("O11", "threads look up names while centers with these names end")
{
    enum { THREADS = 2 };
    const char *const methods[] = { "void call(void)", NULL };
    pthread_t threads[THREADS];

    __atomic_store_n(&is_over, false, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, look_up_always, NULL), 0);
    for (int round = 0; round < CHECK_ROUNDS(500); round++) {
        peal_center center;
        CHECK_OK(peal_center_create(&center));
        (void)protocol_of(center, "Short", methods);
        __atomic_store_n(&current_center, center.id, __ATOMIC_RELEASE);
        (void)found_method(found_protocol(center, "Short"), "call");
        CHECK_OK(peal_center_destroy(center));
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
}
