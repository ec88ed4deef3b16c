/* SPDX-License-Identifier: Apache-2.0
 *
 * The names in the sentences about failures. status.c tests how long a sentence is stored, and for which thread.
 */
#include "center.h"

#include <stdio.h>
#include <string.h>

#define CHAT(METHOD)                                                                       \
    METHOD(required, void, on_message, (const char *room, const char *text, int32_t kind)) \
    METHOD(optional, bool, may_join, (const char *who), first_true)
PEAL_PROTOCOL(chat, "Chat", CHAT);

static peal_center center;
static struct chat_protocol chat;

static void on_message(void *self, const char *room, const char *text, int32_t kind)
{
    (void)self;
    (void)room;
    (void)text;
    (void)kind;
}

static const struct chat table = { PEAL_TABLE(chat), .on_message = on_message };

static void open_chat(void)
{
    center = open_center();
    CHECK_OK(chat_define(center, &chat));
}

#define CHECK_SAYS(call, status, ...)                          \
    do {                                                       \
        static const char *const parts_[] = { __VA_ARGS__ };   \
        CHECK_FAILURE(call, status);                           \
        for (size_t i_ = 0; i_ < CHECK_COUNT_OF(parts_); i_++) \
            CHECK_CONTAINS(peal_last_message(), parts_[i_]);   \
    } while (0)

CLAIM("B8", "the sentence for a wrong number of arguments names protocol, method and both numbers")
{
    const char *room = "lobby";
    void *const arguments[] = { &room, &room, &room, &room };

    open_chat();
    CHECK_SAYS(peal_broadcast(chat.on_message, "lobby"), PEAL_ERROR_ARGUMENT_COUNT, "Chat", "on_message", "1", "3");
    CHECK_SAYS(peal_broadcast(chat.on_message), PEAL_ERROR_ARGUMENT_COUNT, "Chat", "on_message", "0");
    CHECK_SAYS(peal_send(chat.on_message, arguments, 4, NULL, NULL), PEAL_ERROR_ARGUMENT_COUNT, "Chat", "on_message",
        "4", "3");
    CHECK_SAYS(peal_send(chat.on_message, NULL, 0, NULL, NULL), PEAL_ERROR_ARGUMENT_COUNT, "Chat", "on_message");
    CHECK_SAYS(
        peal_send(chat.may_join, arguments, (size_t)-1, NULL, NULL), PEAL_ERROR_ARGUMENT_COUNT, "Chat", "may_join");
    close_center(center);
}

CLAIM("B8", "the sentence for a NULL argument pointer names protocol, method and parameter")
{
    const char *room = "lobby";
    int32_t kind = 1;
    void *const second[] = { &room, NULL, &kind };
    void *const third[] = { &room, &room, NULL };

    open_chat();
    CHECK_OK(chat_observe(&chat, NULL, &table, NULL, NULL));
    CHECK_SAYS(peal_send(chat.on_message, second, 3, NULL, NULL), PEAL_ERROR_ARGUMENT, "Chat", "on_message", "text");
    CHECK_SAYS(peal_send(chat.on_message, third, 3, NULL, NULL), PEAL_ERROR_ARGUMENT, "Chat", "on_message", "kind");
    CHECK_SAYS(peal_send(chat.on_message, NULL, 3, NULL, NULL), PEAL_ERROR_ARGUMENT, "Chat", "on_message");
    close_center(center);
}

CLAIM("B8", "a NULL argument and a wrong number of arguments are refused also without observers")
{
    const char *room = "lobby";
    void *const first[] = { NULL, &room, &room };

    open_chat();
    CHECK_SAYS(peal_send(chat.on_message, NULL, 3, NULL, NULL), PEAL_ERROR_ARGUMENT, "Chat", "on_message");
    CHECK_SAYS(peal_send(chat.on_message, first, 2, NULL, NULL), PEAL_ERROR_ARGUMENT_COUNT, "Chat", "on_message");
    CHECK_OK(peal_send(chat.on_message, first, 3, NULL, NULL));
    close_center(center);
}

CLAIM("B8", "the sentence for an unknown method names the protocol and the requested name")
{
    peal_method method;

    open_chat();
    CHECK_SAYS(peal_method_find(chat.protocol, "on_mesage", &method), PEAL_ERROR_NOT_FOUND, "Chat", "on_mesage");
    CHECK_SAYS(peal_method_find(chat.protocol, "", &method), PEAL_ERROR_NOT_FOUND, "Chat");
    CHECK_SAYS(peal_method_find(chat.protocol, "Chat.", &method), PEAL_ERROR_NOT_FOUND, "Chat");
    CHECK_SAYS(peal_method_find(chat.protocol, ".on_message", &method), PEAL_ERROR_NOT_FOUND, "Chat");
    close_center(center);
}

CLAIM("B8", "the sentence for an unknown protocol names it")
{
    peal_protocol protocol;

    open_chat();
    CHECK_SAYS(peal_protocol_find(center, "Chatt", &protocol), PEAL_ERROR_NOT_FOUND, "Chatt");
    close_center(center);
}

CLAIM("B8", "the sentence for a missing required method names protocol and method")
{
    static const struct chat empty = { PEAL_TABLE(chat), NULL, NULL };

    open_chat();
    CHECK_SAYS(chat_observe(&chat, NULL, &empty, NULL, NULL), PEAL_ERROR_CONFORMANCE, "Chat", "on_message");
    close_center(center);
}

CLAIM("B8", "the sentence for a malformed method names protocol, method and column")
{
    static const char *const unknown[] = { "void fine(void)", "void on_it(thing t)", NULL };
    static const char *const option[] = { "void on_it(int n), deffer", NULL };

    open_chat();
    CHECK_SAYS(
        try_protocol(center, "New", NULL, unknown, NULL), PEAL_ERROR_TYPE, "New", "method 2", "thing", "column 12");
    CHECK_SAYS(try_protocol(center, "New", NULL, option, NULL), PEAL_ERROR_SYNTAX, "New", "deffer", "column 20");
    close_center(center);
}

CLAIM("B8", "the sentence for a policy that does not fit names protocol, method and policy")
{
    struct peal_send_options options = PEAL_SEND_OPTIONS;
    const char *room = "lobby";
    int32_t kind = 1;
    void *const arguments[] = { &room, &room, &kind };
    int result = 0;

    open_chat();
    options.policy = PEAL_POLICY_SUM;
    CHECK_SAYS(peal_send_with(chat.on_message, arguments, 3, &options, &result, NULL), PEAL_ERROR_POLICY, "Chat",
        "on_message", "sum");
    close_center(center);
}

CLAIM("B8", "the sentence for a duplicate names the protocol")
{
    static const char *const texts[] = { "optional void on_x(void)", NULL };
    const size_t empty = sizeof empty;
    peal_protocol protocol;
    int target = 0;

    open_chat();
    protocol = protocol_of(center, "Twice", texts);
    CHECK_OK(peal_observe(protocol, &target, &empty, NULL, NULL));
    CHECK_SAYS(peal_observe(protocol, &target, &empty, NULL, NULL), PEAL_ERROR_DUPLICATE, "Twice");
    close_center(center);
}

CLAIM("B8", "the sentence for a binding that fails names protocol and method")
{
    static const struct peal_binding unknown = { "on_dance", (peal_function)open_chat, NULL };
    static const struct peal_binding wrong = { "may_join", (peal_function)open_chat, "int f(const char *who)" };

    open_chat();
    CHECK_SAYS(
        peal_observe_bindings(chat.protocol, NULL, &unknown, 1, NULL, NULL), PEAL_ERROR_NOT_FOUND, "Chat", "on_dance");
    CHECK_SAYS(
        peal_observe_bindings(chat.protocol, NULL, &wrong, 1, NULL, NULL), PEAL_ERROR_CONFLICT, "Chat", "may_join");
    close_center(center);
}

CLAIM("B8", "the sentence for a NULL argument of a function names the parameter")
{
    peal_protocol found;

    open_chat();
    CHECK_SAYS(peal_protocol_find(center, NULL, &found), PEAL_ERROR_ARGUMENT, "name");
    CHECK_SAYS(peal_method_find(chat.protocol, "on_message", NULL), PEAL_ERROR_ARGUMENT, "out_method");
    CHECK_SAYS(peal_protocol_define(center, NULL, NULL, NULL, 0), PEAL_ERROR_ARGUMENT, "description");
    CHECK_SAYS(peal_observe(chat.protocol, NULL, NULL, NULL, NULL), PEAL_ERROR_ARGUMENT, "table");
    CHECK_SAYS(peal_type_declare(center, NULL), PEAL_ERROR_ARGUMENT, "declarations");
    CHECK_SAYS(peal_type_layout(center, NULL, NULL, NULL), PEAL_ERROR_ARGUMENT, "type");
    CHECK_SAYS(peal_center_create(NULL), PEAL_ERROR_ARGUMENT, "out_center");
    close_center(center);
}

CLAIM("B8", "the sentence for an unknown protocol names a similar one, where it is looked for, adopted or provided")
{
    static const char *const methods[] = { "void f(void)", NULL };
    static const char *const adopts[] = { "Spekaer", NULL };
    peal_protocol found = { 0 };

    center = open_center();
    protocol_of(center, "Speaker", methods);
    CHECK_FAILURE(peal_protocol_find(center, "Speeker", &found), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "did you mean Speaker?");
    CHECK_FAILURE(try_protocol(center, "Loud", adopts, methods, NULL), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "did you mean Speaker?");
    CHECK_FAILURE(peal_protocol_find(center, "Quux", &found), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "define it first");
    close_center(center);
}

CLAIM("B8", "the sentence for an unknown class or dependency of modules names a similar one, except among very many")
{
    enum { MODULES = 501 };
    static const char *const needs[] = { "module 5x", NULL };
    char name[32] = "module x";
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION(name);

    center = open_center();
    description.class_name = "Codec";
    description.dependencies = needs;
    check_must(peal_module_register(center, &description, NULL), "a module");
    description.dependencies = NULL;
    for (int i = 1; i < MODULES; i++) {
        if (i == MODULES - 1) {
            CHECK_FAILURE(peal_modules_remove_class(center, "Codek", NULL), PEAL_ERROR_NOT_FOUND);
            CHECK_CONTAINS(peal_last_message(), "did you mean Codec?");
            CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_NOT_FOUND);
            CHECK_CONTAINS(peal_last_message(), "did you mean module 5?");
        }
        (void)snprintf(name, sizeof name, "module %d", i);
        check_must(peal_module_register(center, &description, NULL), "a module");
    }
    CHECK_FAILURE(peal_modules_remove_class(center, "Codek", NULL), PEAL_ERROR_NOT_FOUND);
    CHECK(strstr(peal_last_message(), "did you mean") == NULL);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_NOT_FOUND);
    CHECK(strstr(peal_last_message(), "did you mean") == NULL);
    close_center(center);
}

CLAIM("B8", "the sentence for a mistake with completions names protocol, method and column")
{
    static const struct {
        const char *text;
        const char *column;
    } mistakes[] = {
        { "void push(peal_completion a, peal_completion b)", "column 30" },
        { "peal_completion push(void)", "column 1:" },
        { "int push(peal_completion done)", "column 10" },
    };

    center = open_center();
    for (size_t i = 0; i < CHECK_COUNT_OF(mistakes); i++) {
        const char *const methods[] = { mistakes[i].text, NULL };

        check_case(mistakes[i].text);
        CHECK_FAILURE(try_protocol(center, "Pusher", NULL, methods, NULL), PEAL_ERROR_TYPE);
        CHECK_CONTAINS(peal_last_message(), "Pusher");
        CHECK_CONTAINS(peal_last_message(), "method 1");
        CHECK_CONTAINS(peal_last_message(), mistakes[i].column);
        CHECK_CONTAINS(peal_last_message(), "'push'");
    }
    check_case(NULL);
    close_center(center);
}
