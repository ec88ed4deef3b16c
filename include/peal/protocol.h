/* SPDX-License-Identifier: Apache-2.0
 *
 * protocol.h - named lists of methods, each declared by its C prototype.
 *
 * Write a protocol once, as a list. The same list gives the compiler a struct of typed functions
 * and gives peal the prototypes as text, so the two cannot differ:
 *
 *     #define CHAT(METHOD)                                                        \
 *         METHOD(required, void, on_message, (const char *room, const char *text)) \
 *         METHOD(optional, bool, on_close, (const char *room), first_true)
 *     PEAL_PROTOCOL(chat, "Chat", CHAT);
 *
 * The macro makes:
 *     struct chat           the table: `size_t size`, then one function pointer per method, each with
 *                           `void *self` before the parameters of its prototype
 *     struct chat_protocol  the handles: `protocol`, then one peal_method per method, by name
 *     chat_description      the same as text, for peal_protocol_define
 *     chat_define(center, &handles)
 *     chat_observe(&handles, target, &table, options, &observation)
 *     struct chat_use       the result of PEAL_SERVICE: `self`, `table`, `use` (service.h)
 *     struct chat_proxy     a table whose calls are forwarded: `table`, `self`, `proxy` (proxy.h)
 *     chat_proxy_create(&handles, options, &proxy)
 *     chat_proxy_create_for(&handles, target, &table, options, &proxy)
 *
 * The text of a method:
 *
 *     [required|optional] prototype [, option]...
 *
 * A method is required unless it is marked `optional`. The options:
 *
 *     since(N)       the first version of the protocol that has the method; 1 unless given; within one list it must
 *                    not fall (PEAL_ERROR_SYNTAX)
 *     all            results are dropped; the policy of a method that returns void
 *     first_true     stop at the first result that is true, and keep it; for bool and integers
 *     first_nonzero  stop at the first result that is not zero; for bool, real numbers, pointers and handles
 *     last           the last result; the default of a method with a result
 *     sum, min, max  over all results, which are real numbers; an integer sum saturates
 *     any            1 if one result is true; all are called; for bool and integers
 *     every          1 if all results are true; all are called; for bool and integers
 *     collect        all results, in order
 *     chain          each result becomes the first parameter of its type in the next call
 *     chain(name)    the same, with the parameter named
 *     fold           the caller's own function decides
 *     recursive      a broadcast inside a callback of the same method runs at once; the default
 *     defer          such a broadcast runs after the outer one has ended, with a copy of its arguments
 *     reject         such a broadcast is refused with PEAL_ERROR_RECURSION
 *     borrowed       the broadcaster promises that bare pointers outlive a captured call
 *     sticky         later observers get the last call: peal_method_clear_last_call
 *     sticky(name)   the same for each value of the parameter, an integer, bool, enum or text
 *
 * A method has one policy and one kind of recursion. A policy that the result does not fit is
 * refused at the definition, with PEAL_ERROR_SYNTAX. Without `borrowed`, `defer` is refused with
 * PEAL_ERROR_TYPE when a parameter is a bare pointer. A pointer is bare if no rule of types.h captures it: the
 * rules are for `const char *`, pointers with a length (__counted_by), functions, and types registered by
 * peal_type_set_object or peal_type_set_copy. A method with a result, a completion or a bare pointer cannot be
 * `sticky` (PEAL_ERROR_TYPE).
 *
 * Types: all scalars, the names of <stdint.h>, size_t and similar names, bool, enums, pointers, function
 * pointers, and structs and unions by value once they are declared (types.h). A pointed-to type may have any
 * name. A prototype may be copied from a header: extern, static, inline and attributes that do
 * not change the call are ignored. docs/signatures.md has the grammar with examples.
 */
#ifndef PEAL_PROTOCOL_H
#define PEAL_PROTOCOL_H

#include "broadcast.h"
#include "observer.h"
#include "proxy.h"
#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* A protocol as text. PEAL_PROTOCOL makes one; a program that reads names at run time fills it. */
struct peal_protocol_description {
    size_t size;                /* sizeof(struct peal_protocol_description) */
    const char *name;           /* the key in the center */
    const char *const *adopts;  /* names of adopted protocols, ended by NULL; may be NULL */
    const char *const *methods; /* texts of methods, ended by NULL; may be NULL */
    size_t table_size;          /* sizeof the table struct, to be checked; 0 skips the check */
};

/* Defines a protocol in a center.
 *
 * A new name: either everything is defined or nothing. A known name with the same methods: the known
 * protocol is returned. Where one list is the start of the other, the protocol grows, or has already
 * grown: methods at the end that the center does not have must have a `since` above the versions of the
 * existing methods. Any other difference fails and is named.
 *
 * A name has 1 to 255 bytes, no dot and no control character. A method may have the name of an adopted one; both exist
 * (peal_method_find). Two methods of one list may not share a name, and no list adopts a
 * protocol twice: PEAL_ERROR_CONFLICT.
 *
 * center: where to define it.
 * description: *copied*. A size that is not sizeof the struct is PEAL_ERROR_ARGUMENT.
 * out_protocol: filled; may be NULL.
 * out_methods: filled with the handles of the description's own methods, in order; may be NULL.
 * method_capacity: how many handles fit in out_methods.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with method and column;
 * PEAL_ERROR_CONFLICT with the first difference. Also PEAL_ERROR_NOT_FOUND when an adopted protocol
 * is not defined, PEAL_ERROR_CONFORMANCE when table_size is not what the methods need,
 * PEAL_ERROR_LIMIT for a method with more than PEAL_PARAMETER_LIMIT parameters or a text of more
 * than 16 KiB, PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_define(peal_center center, const struct peal_protocol_description *description,
    peal_protocol *out_protocol, peal_method *out_methods, size_t method_capacity);

/* A method in the shape of Objective-C's struct objc_method_description. This struct never grows. */
struct peal_objc_method {
    const char *name;  /* the selector, such as "room:didReceive:"; NULL ends a list */
    const char *types; /* the type encoding, such as "v@:@@"; options may follow: "B@:@, first_true" */
};

/* Defines a protocol from Objective-C type encodings. Each method's receiver and selector (`@:`)
 * become the `self` of the observer's function; the rest are its parameters. The letter * is read
 * as `char *`, a string; q as `long long`; l has 32 bits. Growth, conflicts, results and errors are
 * those of peal_protocol_define.
 *
 * required, optional: *copied*; lists ended by a NULL name; either may be NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_define_objc(peal_center center, const char *name,
    const struct peal_objc_method *required, const struct peal_objc_method *optional, peal_protocol *out_protocol);

/* Finds a protocol by name.
 *
 * name: *borrowed during the call*.
 * out_protocol: filled.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_find(peal_center center, const char *name, peal_protocol *out_protocol);

/* Finds a method of a protocol: its own or an adopted one. Where both have the name, its own is found.
 *
 * The handle denotes the protocol too: a broadcast through a method found in `protocol` reaches the
 * observers that conform to `protocol`, even when the method itself is adopted.
 *
 * name: *borrowed during the call*; "on_close", or "Chat.on_close" where the short name is ambiguous.
 * out_method: filled, zero on failure.
 * Returns PEAL_OK; PEAL_ERROR_NOT_FOUND; PEAL_ERROR_AMBIGUOUS, whose sentence names the choices.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_find(peal_protocol protocol, const char *name, peal_method *out_method);

/* ---- The list macro -------------------------------------------------------------------------- */

/* Declares a protocol from a list: `tag` begins the names of the declarations, `protocol_name` is the name in
 * a center. */
#define PEAL_PROTOCOL(tag, protocol_name, LIST) PEAL_PROTOCOL_ADOPTING(tag, protocol_name, PEAL_ADOPTS_NOTHING_, LIST)

/* The same for a protocol that adopts others, given as a second list:
 *
 *     #define ROOM_ADOPTS(ADOPT) ADOPT(chat, "Chat") ADOPT(presence, "Presence")
 *     PEAL_PROTOCOL_ADOPTING(room, "Room", ROOM_ADOPTS, ROOM);
 *
 * The table then begins with the size and one pointer per adopted protocol, to that protocol's table:
 * `const struct chat *chat;`. So each protocol can grow independently. A protocol that is adopted on
 * two paths counts once: set its table on either path, or the same table on both. */
#define PEAL_PROTOCOL_ADOPTING(tag, protocol_name, ADOPTS, LIST)                                                    \
    struct tag {                                                                                                    \
        size_t size;                                                                                                \
        ADOPTS(PEAL_ADOPTED_TABLE_)                                                                                 \
        LIST(PEAL_TABLE_MEMBER_)                                                                                    \
    };                                                                                                              \
    struct tag##_protocol {                                                                                         \
        peal_protocol protocol;                                                                                     \
        LIST(PEAL_HANDLE_MEMBER_)                                                                                   \
    };                                                                                                              \
    static const char *const tag##_adopts[] PEAL_UNUSED = { ADOPTS(PEAL_ADOPTED_NAME_) NULL };                      \
    static const char *const tag##_methods[] PEAL_UNUSED = { LIST(PEAL_METHOD_TEXT_) NULL };                        \
    static const struct peal_protocol_description tag##_description PEAL_UNUSED = {                                 \
        sizeof(struct peal_protocol_description),                                                                   \
        protocol_name,                                                                                              \
        tag##_adopts,                                                                                               \
        tag##_methods,                                                                                              \
        sizeof(struct tag),                                                                                         \
    };                                                                                                              \
    PEAL_UNUSED static inline peal_status tag##_define(peal_center center_, struct tag##_protocol *out_handles_)    \
    {                                                                                                               \
        return peal_protocol_define(center_, &tag##_description, out_handles_ ? &out_handles_->protocol : NULL,     \
            out_handles_ ? (peal_method *)(void *)(&out_handles_->protocol + 1) : NULL,                             \
            sizeof(struct tag##_protocol) / sizeof(peal_method) - 1);                                               \
    }                                                                                                               \
    PEAL_UNUSED static inline peal_status tag##_observe(const struct tag##_protocol *handles_, void *target_,       \
        const struct tag *table_, const struct peal_observe_options *options_, peal_observation *out_observation_)  \
    {                                                                                                               \
        const peal_protocol nothing_ = { 0 };                                                                       \
        return peal_observe(handles_ ? handles_->protocol : nothing_, target_, table_, options_, out_observation_); \
    }                                                                                                               \
    PEAL_CURSOR_(tag)                                                                                               \
    PEAL_USE_(tag)                                                                                                  \
    PEAL_PROXY_(tag)                                                                                                \
    struct tag

/* The result of PEAL_SERVICE of service.h. */
#define PEAL_USE_(tag)                                                                     \
    struct tag##_use {                                                                     \
        void *self;                                                                        \
        const struct tag *table;                                                           \
        peal_use use;                                                                      \
    };                                                                                     \
    PEAL_UNUSED static inline struct tag##_use tag##_use_of_(struct peal_service_use use_) \
    {                                                                                      \
        struct tag##_use typed_;                                                           \
        typed_.self = use_.self;                                                           \
        typed_.table = (const struct tag *)use_.table;                                     \
        typed_.use = use_.use;                                                             \
        return typed_;                                                                     \
    }

/* The first member of a table's initialiser: { PEAL_TABLE(chat), .on_message = print_message }. That is
 * C. In C++ name all members or none: { .size = sizeof(struct chat), .on_message = print_message } is
 * C (C99 and later) and C++20, with the methods in the order of the list.
 * { PEAL_TABLE(chat), print_message, nullptr } is any C and any C++. */
#define PEAL_TABLE(tag) sizeof(struct tag)

#define PEAL_ADOPTS_NOTHING_(ADOPT)
#define PEAL_ADOPTED_TABLE_(tag, protocol_name) const struct tag *tag;
#define PEAL_ADOPTED_NAME_(tag, protocol_name) protocol_name,
#define PEAL_TABLE_MEMBER_(requirement, ...) \
    PEAL_IF_METHOD_(requirement)(PEAL_TABLE_MEMBER_OF_(__VA_ARGS__), PEAL_NO_REQUIREMENT_(requirement))
#define PEAL_TABLE_MEMBER_OF_(result, name, ...) result(*name) PEAL_WITH_SELF_(PEAL_FIRST_(__VA_ARGS__, ~));
#define PEAL_HANDLE_MEMBER_(requirement, ...) PEAL_IF_METHOD_(requirement)(PEAL_HANDLE_MEMBER_OF_(__VA_ARGS__), )
#define PEAL_HANDLE_MEMBER_OF_(result, name, ...) peal_method name;
/* The text is made here, of the words as written: another macro would expand __counted_by(n) to nothing. */
#define PEAL_METHOD_TEXT_(requirement, result, name, ...) #requirement " " #result " " #name " " #__VA_ARGS__,

/* A METHOD that does not begin with `required` or `optional` causes one compile error and adds no member. */
#define PEAL_IF_METHOD_(requirement) PEAL_IF_METHOD_CHOICE_(PEAL_SECOND_(PEAL_REQUIREMENT_##requirement, NO, ~))
#define PEAL_REQUIREMENT_required ~, YES
#define PEAL_REQUIREMENT_optional ~, YES
#define PEAL_SECOND_(...) PEAL_SECOND_OF_(__VA_ARGS__)
#define PEAL_SECOND_OF_(first, second, ...) second
#define PEAL_IF_METHOD_CHOICE_(is_method) PEAL_IF_METHOD_CHOSEN_(is_method)
#define PEAL_IF_METHOD_CHOSEN_(is_method) PEAL_IF_METHOD_##is_method
#define PEAL_IF_METHOD_YES(method, mistake) method
#define PEAL_IF_METHOD_NO(method, mistake) mistake
#ifdef __cplusplus
#define PEAL_NO_REQUIREMENT_(requirement) \
    static_assert(false, "METHOD must begin with required or optional, not with " #requirement);
#elif __STDC_VERSION__ >= 201112L
#define PEAL_NO_REQUIREMENT_(requirement) \
    _Static_assert(0, "METHOD must begin with required or optional, not with " #requirement);
#else
#define PEAL_NO_REQUIREMENT_(requirement) char METHOD_must_begin_with_required_or_optional[-1];
#endif

#define PEAL_FIRST_(...) PEAL_FIRST_OF_(__VA_ARGS__)
#define PEAL_FIRST_OF_(first, ...) first
/* (int a) becomes (void *self, int a); () and (void) become (void *self). */
#define PEAL_WITH_SELF_(parameters) PEAL_SELF_BEFORE_ parameters
#define PEAL_SELF_BEFORE_(...) PEAL_SELF_CHOICE_(PEAL_IS_VOID_(__VA_ARGS__))(__VA_ARGS__)
#define PEAL_SELF_CHOICE_(is_void) PEAL_SELF_CHOSEN_(is_void)
#define PEAL_SELF_CHOSEN_(is_void) PEAL_SELF_##is_void
#define PEAL_SELF_0(...) (void *self, __VA_ARGS__)
#define PEAL_SELF_1(...) (void *self)
/* 1 for an empty list and for a lone `void`, else 0. `void` pasted to a prefix vanishes. `PEAL_COMMA_ remainder()`
 * yields a comma if the remainder is empty, or if it begins with parentheses as a function pointer may. In the
 * second case `PEAL_COMMA_ remainder` yields a comma too, which distinguishes the cases. */
#define PEAL_IS_VOID_(...) PEAL_IS_EMPTY_(PEAL_FIRST_(PEAL_VANISHING_##__VA_ARGS__, ~))
#define PEAL_VANISHING_
#define PEAL_VANISHING_void
#define PEAL_IS_EMPTY_(first) \
    PEAL_EMPTY_CHOICE_(PEAL_HAS_COMMA_(PEAL_COMMA_ first), PEAL_HAS_COMMA_(PEAL_COMMA_ first()))
#define PEAL_COMMA_(...) ,
#define PEAL_HAS_COMMA_(...) PEAL_HAS_COMMA_PICK_(__VA_ARGS__, 1, 1, 0, ~)
#define PEAL_HAS_COMMA_PICK_(_1, _2, _3, pick, ...) pick
#define PEAL_EMPTY_CHOICE_(begins_with_call, ends_with_call) PEAL_EMPTY_CHOSEN_(begins_with_call, ends_with_call)
#define PEAL_EMPTY_CHOSEN_(begins_with_call, ends_with_call) PEAL_EMPTY_##begins_with_call##ends_with_call
#define PEAL_EMPTY_00 0
#define PEAL_EMPTY_01 1
#define PEAL_EMPTY_10 0
#define PEAL_EMPTY_11 0

PEAL_END_DECLARATIONS

#endif
