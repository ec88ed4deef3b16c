/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect.h - information about a center: names, prototypes, counts.
 *
 * Texts are copied into the caller's buffer as snprintf does: cut to fit and ended by a zero. The whole
 * length is reported.
 */
#ifndef PEAL_INSPECT_H
#define PEAL_INSPECT_H

#include "types.h"

PEAL_BEGIN_DECLARATIONS

/* Reads the name of a protocol.
 *
 * buffer: filled with at most `capacity` bytes, the ending zero included; NULL when capacity is 0.
 * out_length: filled with the length of the whole text, in bytes, without the zero; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when the text was cut; PEAL_ERROR_HANDLE.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_name(peal_protocol protocol, char *buffer, size_t capacity, size_t *out_length);

/* Reads the version of a protocol: the highest `since` of its own methods, 1 without any. Adopted methods
 * have the versions of their own protocols.
 *
 * out_version: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_version(peal_protocol protocol, uint32_t *out_version);

/* Lists the methods of a protocol: adopted ones first, then its own in order.
 *
 * out_methods: filled with up to `capacity` handles; NULL when capacity is 0.
 * out_count: filled with the number of methods; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_list_methods(
    peal_protocol protocol, peal_method *out_methods, size_t capacity, size_t *out_count);

/* Counts the observers of a protocol, blocked ones included. Observers of protocols that adopt it are
 * counted too. A target that observes both is counted twice. Weak targets that have died are not counted:
 * each weak target is retained and released for this test.
 *
 * out_count: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_protocol_count_observers(peal_protocol protocol, size_t *out_count);

/* Reads a method's name, "on_message".
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_name(peal_method method, char *buffer, size_t capacity, size_t *out_length);

/* Reads a method's declaration, printed as C with its requirement and options:
 * "required bool keep(const char *line), first_true". The colons of a selector are printed as `_`.
 *
 * Parameters and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_declaration(peal_method method, char *buffer, size_t capacity, size_t *out_length);

/* Compares a prototype with a method's, as a call sees the two: names are ignored, and so are rules for
 * pointed-to memory. A binding that makes prototypes from the types of its language calls this before it broadcasts.
 *
 * prototype: *borrowed during the call*; without `self`; the function's name is ignored.
 * Returns PEAL_OK; PEAL_ERROR_CONFLICT, whose sentence names the first difference; PEAL_ERROR_SYNTAX or
 * PEAL_ERROR_TYPE with the column. Also PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_check(peal_method method, const char *prototype);

/* Counts the parameters of a method, without `self`.
 *
 * out_count: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_count_parameters(peal_method method, size_t *out_count);

/* Finds the index of a parameter by its name.
 *
 * name: *borrowed during the call*.
 * out_index: filled; from 0.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_NOT_FOUND, whose sentence lists the names.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_find_parameter(peal_method method, const char *name, size_t *out_index);

/* Reads a parameter's name; empty where the prototype has none.
 *
 * index: from 0. An index that is not below the number of parameters is PEAL_ERROR_ARGUMENT.
 * Buffer and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_parameter_name(
    peal_method method, size_t index, char *buffer, size_t capacity, size_t *out_length);

/* Reads a parameter's type as C writes it, "const char *". Arrays and functions are pointers here, as they
 * are passed.
 *
 * Index, buffer and statuses are those of peal_method_parameter_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_parameter_type(
    peal_method method, size_t index, char *buffer, size_t capacity, size_t *out_length);

/* Reads the size and alignment of a parameter's value, in bytes.
 *
 * out_size, out_alignment: filled; either may be NULL.
 * Index and statuses are those of peal_method_parameter_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_parameter_layout(
    peal_method method, size_t index, size_t *out_size, size_t *out_alignment);

/* The capture of an argument by a call that outlives its broadcast; types.h has the rules. */
typedef enum peal_ownership {
    PEAL_OWNERSHIP_VALUE = 1,    /* copied; no pointer */
    PEAL_OWNERSHIP_STRING = 2,   /* copied up to its zero */
    PEAL_OWNERSHIP_BUFFER = 3,   /* copied with its elements or bytes */
    PEAL_OWNERSHIP_OBJECT = 4,   /* retained, by peal_type_set_object */
    PEAL_OWNERSHIP_STRUCT = 5,   /* copied, by peal_type_set_copy */
    PEAL_OWNERSHIP_FUNCTION = 6, /* unchanged: a pointer to a function */
    PEAL_OWNERSHIP_BORROWED = 7, /* unchanged: by `borrowed`, the pointed-to memory outlives the call */
    PEAL_OWNERSHIP_BARE = 8      /* a pointer without a rule: cannot be captured */
} peal_ownership;

/* The functions that are registered for a type of a center. */
struct peal_type_info {
    size_t size;                      /* sizeof(struct peal_type_info), set by the caller */
    peal_ownership ownership;         /* of a pointer to the type: OBJECT, STRUCT, or BARE if nothing is registered */
    void (*retain)(void *object);     /* of an OBJECT; otherwise NULL */
    void *(*copy)(const void *value); /* of a STRUCT; otherwise NULL */
    void (*release)(void *value);     /* of an OBJECT, or the `destroy` of a STRUCT; otherwise NULL */
    /* The codec; both NULL without one. */
    peal_status (*encode)(const void *value, void *buffer, size_t capacity, size_t *out_size);
    void *(*decode)(const void *bytes, size_t byte_count);
};

/* Reads the functions that peal_type_set_object, peal_type_set_copy and peal_type_set_codec registered for a type. A
 * method keeps the functions that were registered when it was defined, and these may be others.
 *
 * type: *borrowed during the call*; the pointed-to type, such as "struct widget".
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_HANDLE; PEAL_ERROR_SYNTAX or PEAL_ERROR_TYPE with the column; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_type_get_info(peal_center center, const char *type, struct peal_type_info *out_info);

/* Reads how a call that outlives its broadcast captures the argument of a parameter.
 *
 * out_ownership: filled.
 * Index and statuses are those of peal_method_parameter_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_parameter_ownership(peal_method method, size_t index, peal_ownership *out_ownership);

/* Reads the type of a method's result as C writes it, "void" for none.
 *
 * Buffer and statuses are those of peal_protocol_name.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_result_type(peal_method method, char *buffer, size_t capacity, size_t *out_length);

/* Reads the size and alignment of a method's result, in bytes; 0 and 1 for void.
 *
 * out_size, out_alignment: filled; either may be NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_result_layout(peal_method method, size_t *out_size, size_t *out_alignment);

/* Reads the number of bytes of a call's argument values. Each begins at a multiple of 8 bytes, or of its type's alignment
 * if that is larger. A captured call needs these in addition to strings, buffers and the copies of types.
 *
 * out_length: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_frame_length(peal_method method, size_t *out_length);

/* Reads whether a method has no result, so that no caller needs to wait for its calls.
 *
 * out_is_oneway: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_is_oneway(peal_method method, bool *out_is_oneway);

/* Counts the observers of a method, blocked ones included, without weak targets that have died.
 *
 * out_count: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_count_observers(peal_method method, size_t *out_count);

/* Lists the registrations that a broadcast of a method reaches, in the order of their calls. Registrations
 * with queues are listed at the position that they would have without a queue. Dead weak targets are omitted.
 *
 * out_observations: filled with up to `capacity` handles; NULL when capacity is 0. A handle may be stale
 *   by the time it is used.
 * out_count: filled with the number of registrations; may be NULL.
 * Returns PEAL_OK; PEAL_TRUNCATED when not all fit; PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT.
 * The cost grows with the number of the protocol's observers.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_list_observations(
    peal_method method, peal_observation *out_observations, size_t capacity, size_t *out_count);

/* Lists the registrations for a protocol, and for protocols that adopt it, in the same order.
 *
 * Parameters, statuses and thread rule are those of peal_method_list_observations. Since 0.1. */
PEAL_API peal_status peal_protocol_list_observations(
    peal_protocol protocol, peal_observation *out_observations, size_t capacity, size_t *out_count);

/* The state of a registration. */
struct peal_observation_info {
    size_t size;            /* sizeof(struct peal_observation_info), set by the caller */
    peal_protocol protocol; /* the observed protocol */
    void *target;           /* identifies it; do not follow it: peal does not own it, and it may have
                               ended. NULL where `is_dead` */
    peal_queue queue;       /* zero without one */
    peal_owner owner;       /* zero without one */
    int32_t priority;
    uint32_t flags;         /* enum peal_observe_flags: ONCE, PASSIVE, LATER_METHODS; BLOCKED while blocked */
    bool is_weak;
    bool is_dead;           /* the weak target has died: the next broadcast removes the observer */
    char label[64];         /* of the options, cut to fit; empty without one */
    const void *function;   /* the handler, or the function for the first method that it has, also before a lazy
                               observer is created; NULL without one. It names the observer (dladdr); do not
                               call it */
};

/* Reads the state of a registration. A weak target is retained and released for this.
 *
 * Returns PEAL_OK; PEAL_ERROR_HANDLE when it has ended; PEAL_ERROR_ARGUMENT for a wrong size.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_observation_get_info(peal_observation observation, struct peal_observation_info *out_info);

/* The mechanism of a method's calls. */
typedef enum peal_call_path {
    PEAL_CALL_PATH_REGISTER_FRAME = 1, /* a register frame, built once per broadcast */
    PEAL_CALL_PATH_FFI_CALL = 2        /* ffi_call, for types that a frame cannot carry */
} peal_call_path;

/* Reads how a method's calls are made on this machine.
 *
 * out_path: filled.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_method_call_path(peal_method method, peal_call_path *out_path);

PEAL_END_DECLARATIONS

#endif
