/* SPDX-License-Identifier: Apache-2.0
 *
 * Registrations of handlers that fail. Each mistake gives a status and a sentence, and the destroy callback runs once.
 */
#include "center.h"

#include <string.h>

#define CHAT(METHOD)                         \
    METHOD(required, void, on_line, (int n)) \
    METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static peal_center center;
static struct chat_protocol chat;
static int destroyed;
static int calls;

static void destroy(void *target) { *(int *)target += 1; }
static void hear(void *target, const struct peal_call *call) { (void)target, (void)call, calls++; }

static void begin(void)
{
    destroyed = calls = 0;
    center = open_center();
    CHECK_OK(chat_define(center, &chat));
}

/* Checks that a registration fails, that its destroy callback runs once, and that there is no observer. */
static void refuse(peal_protocol protocol, peal_handler handler, const char *const *methods, size_t count,
    peal_status expected, const char *part)
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    peal_observation observation = { 77 };

    destroyed = 0;
    options.destroy = destroy;
    CHECK_FAILURE(
        peal_observe_handler(protocol, &destroyed, handler, methods, count, &options, &observation), expected);
    CHECK_CONTAINS(peal_last_message(), part);
    CHECK_EQUAL(observation.id, 0);
    CHECK_EQUAL(destroyed, 1);
    CHECK_EQUAL(count_observers(chat.protocol), 0);
}

CLAIM("F1", "a handler for an invalid protocol is refused: zero, never created, stale or of another kind")
{
    peal_protocol protocol = { 0 };
    peal_center other;

    begin();
    refuse(protocol, hear, NULL, 0, PEAL_ERROR_HANDLE, "protocol");
    protocol.id = UINT64_MAX;
    refuse(protocol, hear, NULL, 0, PEAL_ERROR_HANDLE, "protocol");
    protocol.id = chat.on_line.id;
    refuse(protocol, hear, NULL, 0, PEAL_ERROR_HANDLE, "protocol");
    other = open_center();
    protocol = protocol_of(other, "Gone", (const char *[]){ "void m(void)", NULL });
    close_center(other);
    refuse(protocol, hear, NULL, 0, PEAL_ERROR_HANDLE, "protocol");
    close_center(center);
}

CLAIM("F1", "a NULL for a required argument of a handler's registration is named")
{
    static const char *const hole[] = { "on_line", NULL };

    begin();
    refuse(chat.protocol, NULL, NULL, 0, PEAL_ERROR_ARGUMENT, "handler is NULL");
    refuse(chat.protocol, hear, NULL, 2, PEAL_ERROR_ARGUMENT, "methods is NULL");
    refuse(chat.protocol, hear, hole, 2, PEAL_ERROR_ARGUMENT, "NULL");
    CHECK_OK(peal_observe_handler(chat.protocol, NULL, hear, NULL, 0, NULL, NULL));
    close_center(center);
}

CLAIM("F1", "a handler's names that are unknown, no text, twice or too many are refused")
{
    static const char *const unknown[] = { "on_line", "on_open" };
    static const char *const twice[] = { "on_line", "on_close", "Chat.on_line" };
    static const char *const no_text[] = { "on_line", "\xff\xfe" };
    static const char *many[300];

    begin();
    refuse(chat.protocol, hear, unknown, 2, PEAL_ERROR_NOT_FOUND, "on_open");
    refuse(chat.protocol, hear, twice, 3, PEAL_ERROR_CONFLICT, "Chat.on_line");
    refuse(chat.protocol, hear, no_text, 2, PEAL_ERROR_ARGUMENT, "UTF-8");
    refuse(chat.protocol, hear, unknown, SIZE_MAX, PEAL_ERROR_ARGUMENT, "methods");
    for (size_t i = 0; i < CHECK_COUNT_OF(many); i++)
        many[i] = "on_line";
    refuse(chat.protocol, hear, many, CHECK_COUNT_OF(many), PEAL_ERROR_LIMIT, "256");
    close_center(center);
}

CLAIM("F1", "a handler's name that two adopted protocols have is refused as ambiguous")
{
    static const char *const names[] = { "shared" };
    static const char *const methods[] = { "optional void shared(void)", NULL };
    static const char *const own[] = { "optional void own(void)", NULL };
    static const char *const adopts[] = { "One", "Two", NULL };
    peal_protocol both;

    begin();
    (void)protocol_of(center, "One", methods);
    (void)protocol_of(center, "Two", methods);
    REQUIRE_OK(try_protocol(center, "Both", adopts, own, &both));
    refuse(both, hear, names, 1, PEAL_ERROR_AMBIGUOUS, "Two.shared");
    CHECK_OK(peal_observe_handler(both, &calls, hear, NULL, 0, NULL, NULL));
    close_center(center);
}

CLAIM("F1", "a handler with an empty list of names is refused when the protocol requires a method")
{
    static const char *const none[] = { "on_line" };

    begin();
    refuse(chat.protocol, hear, none, 0, PEAL_ERROR_CONFORMANCE, "Chat.on_line");
    close_center(center);
}

CLAIM("F1", "options that are refused for tables are refused for handlers")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    options.flags = 1u << 30;
    CHECK_FAILURE(peal_observe_handler(chat.protocol, &calls, hear, NULL, 0, &options, NULL), PEAL_ERROR_ARGUMENT);
    options.flags = PEAL_OBSERVE_REPLACE | PEAL_OBSERVE_ALLOW_DUPLICATE;
    CHECK_FAILURE(peal_observe_handler(chat.protocol, &calls, hear, NULL, 0, &options, NULL), PEAL_ERROR_ARGUMENT);
    options.flags = 0;
    options.size = 3;
    CHECK_FAILURE(peal_observe_handler(chat.protocol, &calls, hear, NULL, 0, &options, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(count_observers(chat.protocol), 0);
    close_center(center);
}

/* A caller may pass any arguments to a function of a table, also ones that neither a proxy nor a handler passes. */
CLAIM("F1", "a function of a proxy with a target or NULL as `self` calls no observer, also beside handlers")
{
    struct chat_proxy proxy;

    begin();
    CHECK_OK(peal_observe_handler(chat.protocol, &calls, hear, NULL, 0, NULL, NULL));
    REQUIRE_OK(chat_proxy_create(&chat, NULL, &proxy));
    proxy.table->on_line(NULL, 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    peal_clear_failure();
    proxy.table->on_line(&calls, 1);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_HANDLE);
    peal_clear_failure();
    CHECK_EQUAL(calls, 0);
    proxy.table->on_line(proxy.self, 1);
    CHECK_EQUAL(calls, 1);
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    close_center(center);
}
