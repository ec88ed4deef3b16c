/* SPDX-License-Identifier: Apache-2.0
 *
 * methods.h - the methods of an exported or imported protocol, with their subjects and plans.
 */
#ifndef PEAL_NATS_METHODS_H
#define PEAL_NATS_METHODS_H

#include <peal/broadcast.h>
#include <peal/nats.h>
#include <peal/reflection.h>
#include <peal/wire.h>

enum { METHOD_LIMIT = 256 /* of a handler */ };

struct bridge_method {
    peal_method handle;
    char *name;    /* as peal_method_find takes it */
    char *subject; /* "peal.v1.REALM.Protocol.method" */
    const char *token; /* the last part of the subject */
    char *request_subject; /* of requests: "peal.v1.REALM._request.Protocol._all.method" to all processes, or
                              "peal.v1.REALM._service.Protocol.method" to one that provides the protocol */
    uint64_t fingerprint;
    peal_wire_plan *plan; /* NULL: neither exported nor imported */
    bool has_result; /* it reaches other processes by requests alone */
    peal_type_kind result_kind; /* that of the integer for an enum */
    size_t result_size;
    peal_policy policy;
    size_t argument_count;
    size_t *argument_sizes; /* of a service; otherwise NULL */
    bool may_defer; /* a recursive broadcast runs later */
    uint8_t is_wanted; /* atomic. True if another process observes the exported method */
};

/* Methods are added at the end, before a handler or a subscription can use them. They never change. */
struct method_table {
    char *prefix;  /* "peal.v1.REALM.Protocol." */
    char *request_prefix; /* "peal.v1.REALM._request.Protocol."; the process and the method follow. Or
                             "peal.v1.REALM._service.Protocol.", and the method follows */
    char *presence_subject; /* "peal.v1.REALM._presence.Protocol", or "peal.v1.REALM._provided.Protocol" */
    bool is_service; /* all methods have answers */
    char **filter; /* names, ended by NULL; NULL: all methods */
    size_t count;
    struct bridge_method methods[METHOD_LIMIT];
};

/* Writes text as a part of a subject: other characters than letters, digits and some signs become "%2E". Returns the
 * memory, or NULL. */
char *subject_token(const char *text);

/* Writes bytes as hexadecimal digits, with a zero after them. */
void write_hexadecimal(char *out, const uint8_t *bytes, size_t size);
/* Reads as many digits as these bytes have. Returns false for other text. */
bool read_hexadecimal(const char *text, uint8_t *out, size_t size);

/* Makes an empty table. NULL: out of memory. */
struct method_table *method_table_create(
    const char *realm, peal_protocol protocol, const char *const *filter, bool is_service);
void method_table_destroy(struct method_table *table);

/* Adds the methods that the protocol has now and the table does not have.
 *
 * is_strict: fails for a method that cannot be carried. Otherwise such a method stays without a plan. */
peal_status method_table_update(struct method_table *table, peal_protocol protocol, bool is_strict);

/* Returns the index of the method with a part of a subject, or -1. */
int method_table_find(const struct method_table *table, const char *token, size_t length);
/* The same for a method. */
int method_table_find_handle(const struct method_table *table, peal_method method);
/* The same for a method as its own protocol declares it. */
int method_table_find_declared(const struct method_table *table, peal_method method);

/* Returns true if the method has answers of other processes. */
static inline bool has_answers(const struct method_table *table, const struct bridge_method *method)
{
    return table->is_service || method->has_result;
}

#endif
