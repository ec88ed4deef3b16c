/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect.h - what a center knows: names, prototypes, counts.
 *
 * Texts are copied into the caller's buffer as snprintf does: cut to fit and ended by a zero, with
 * the whole length told.
 */
#ifndef PEAL_INSPECT_H
#define PEAL_INSPECT_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* The name of a protocol.
 *
 * buffer: filled with at most `capacity` bytes, the ending zero included; NULL when capacity is 0.
 * out_length: filled with the length of the whole text, in bytes, without the zero; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when the text was cut; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_name(
    peal_protocol protocol, char *buffer, size_t capacity, size_t *out_length);

/* The version of a protocol: the highest `since` of its own methods, 1 without any. Those that it
 * adopts have the versions of their own protocols.
 *
 * out_version: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_version(peal_protocol protocol, uint32_t *out_version);

/* The methods of a protocol: those of the adopted ones first, then its own in order.
 *
 * out_methods: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of methods; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_list_methods(
    peal_protocol protocol, peal_method *out_methods, size_t capacity, size_t *out_count);

/* The number of observers registered for a protocol, blocked ones included; those of protocols that
 * adopt it are counted too, a target that observes both twice.
 *
 * out_count: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_count_observers(peal_protocol protocol, size_t *out_count);

/* A method's name, "on_message".
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_name(
    peal_method method, char *buffer, size_t capacity, size_t *out_length);

/* A method's declaration, printed back as C with its requirement and options:
 * "required bool keep(const char *line), first_true". The colons of a selector are printed as `_`.
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_declaration(
    peal_method method, char *buffer, size_t capacity, size_t *out_length);

/* The number of observers listed under a method, blocked ones included.
 *
 * out_count: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_count_observers(peal_method method, size_t *out_count);

/* How a method's calls are made. */
typedef enum peal_call_path {
    PEAL_CALL_PATH_REGISTER_FRAME = 1, /* a register frame, built once a broadcast */
    PEAL_CALL_PATH_FFI_CALL = 2        /* ffi_call, for what a frame cannot carry */
} peal_call_path;

/* Tells how a method's calls are made on this machine.
 *
 * out_path: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_call_path(peal_method method, peal_call_path *out_path);

PEAL_END_DECLARATIONS

#endif
