/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.h - calls and results of methods as messages of bytes, for files and for other processes. The functions are in a
 * library of their own, libpeal-wire. docs/wire.md describes the format.
 *
 *     peal_wire_plan *plan;
 *     struct peal_wire_header header = PEAL_WIRE_HEADER;
 *     unsigned char message[256];
 *     size_t message_size;
 *
 *     if (peal_wire_plan_create(method, NULL, &plan) < 0)
 *         printf("%s\n", peal_wire_last_message());
 *     header.number = 1;
 *     peal_wire_encode_call(plan, &header, arguments, message, sizeof message, &message_size);
 *
 * The receiver has a method with the same fingerprint (reflection.h), a plan of its own, and memory for the arguments:
 *
 *     const size_t arena_size = peal_wire_decode_size(plan, message_size);
 *     void *arena = malloc(arena_size);
 *     void *const *arguments;
 *     size_t count;
 *
 *     if (peal_wire_decode_call(plan, message, message_size, arena, arena_size, &arguments, &count) == PEAL_OK)
 *         peal_send(method, arguments, count, NULL, NULL);
 *
 * After a negative status, peal_wire_last_message has a sentence about the cause. peal_last_message has none, because
 * libpeal did not fail.
 */
#ifndef PEAL_WIRE_H
#define PEAL_WIRE_H

#include <peal/types.h>

PEAL_BEGIN_DECLARATIONS

/* ---- Plans ------------------------------------------------------------------------------------- */

/* How calls and results of one method are encoded. A plan never changes, so any number of threads may use it at once.
 * It outlives its method. */
typedef struct peal_wire_plan peal_wire_plan;

/* Options of peal_wire_plan_create. */
enum peal_wire_plan_flags {
    /* Only calls are encoded. The result of the method may have any type. */
    PEAL_WIRE_CALLS_ONLY = 1 << 0
};

/* Options of a plan. Begin with PEAL_WIRE_PLAN_OPTIONS or zeros and the size. */
struct peal_wire_plan_options {
    size_t size;    /* sizeof(struct peal_wire_plan_options) */
    uint32_t flags; /* enum peal_wire_plan_flags */
};

/* An initialiser: struct peal_wire_plan_options options = PEAL_WIRE_PLAN_OPTIONS; */
#define PEAL_WIRE_PLAN_OPTIONS { sizeof(struct peal_wire_plan_options), 0 }

/* Makes the plan of a method.
 *
 * A message carries numbers, bool, enums, structs and unions by value, const char *, and buffers with a length
 * (__counted_by and its like). It carries pointers to types with a codec (peal_type_set_codec), whose functions the plan
 * uses until it ends. It carries no other pointers, no functions, no handles and no long double.
 *
 * options: *borrowed during the call*; NULL for none.
 * out_plan: filled, NULL on failure; *owned*: end it with peal_wire_plan_destroy.
 * Returns PEAL_OK; PEAL_ERROR_TYPE for a type that no message carries. The sentence names the parameter, and its column
 * in the text of peal_method_declaration. PEAL_ERROR_LIMIT for values that are nested more than 8 deep. Also
 * PEAL_ERROR_HANDLE, PEAL_ERROR_ARGUMENT, PEAL_ERROR_MEMORY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_wire_plan_create(
    peal_method method, const struct peal_wire_plan_options *options, peal_wire_plan **out_plan);

/* Frees a plan.
 *
 * plan: *consumed*; NULL does nothing. No other thread may use it.
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_wire_plan_destroy(peal_wire_plan *plan);

/* ---- Headers ----------------------------------------------------------------------------------- */

/* The kind of a message. */
typedef enum peal_wire_kind { PEAL_WIRE_CALL = 1, PEAL_WIRE_RESULT = 2 } peal_wire_kind;

/* The part of a message that does not depend on its method. */
struct peal_wire_header {
    size_t size;          /* sizeof(struct peal_wire_header) */
    peal_wire_kind kind;  /* filled by peal_wire_peek */
    uint64_t fingerprint; /* of the method; filled by peal_wire_peek */
    uint64_t number;      /* of the call, counted by its origin; a result has the number of its call */
    uint8_t origin[16];   /* of a call: identifies the process that broadcast it first */
    uint32_t hops;        /* of a call: the number of processes that have forwarded it */
    uint64_t deadline;    /* of a call: in milliseconds since 1970, UTC; 0 for none */
    peal_status status;   /* of a result: that of the broadcast; a result with a negative status has no value */
};

/* An initialiser: struct peal_wire_header header = PEAL_WIRE_HEADER; */
#define PEAL_WIRE_HEADER { sizeof(struct peal_wire_header), PEAL_WIRE_CALL, 0, 0, { 0 }, 0, 0, PEAL_OK }

/* Reads the header of a message, of a method that need not be known. The rest of the message is not looked at.
 *
 * message: *borrowed during the call*; `message_size` bytes, of any content.
 * out_header: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_SYNTAX when the bytes do not begin as a message does; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_wire_peek(const void *message, size_t message_size, struct peal_wire_header *out_header);

/* ---- Calls ------------------------------------------------------------------------------------- */

/* Encodes a call. Equal arguments and headers give equal bytes.
 *
 * header: *borrowed during the call*; `number`, `origin`, `hops` and `deadline` are used.
 * arguments: *borrowed during the call*; one pointer per parameter, as for peal_send.
 * buffer: filled with the message, up to `capacity` bytes.
 * out_size: filled with the size of the message, also when it did not fit.
 * Returns PEAL_OK; PEAL_ERROR_LIMIT when the message did not fit, and the buffer has no message; PEAL_ERROR_ARGUMENT for
 * a value that no message carries: a text that is not UTF-8, a length below zero, NULL for a buffer with elements or for
 * a parameter that is _Nonnull; or the status with which a codec refuses a value.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_wire_encode_call(const peal_wire_plan *plan, const struct peal_wire_header *header,
    void *const *arguments, void *buffer, size_t capacity, size_t *out_size);

/* Returns the size of memory that suffices to decode any message of `message_size` bytes. It is the memory of the
 * argument values, which depends on the method alone, and at most twice the size of the message. It is more for a
 * method with a buffer of structs of which more than half is padding.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API size_t peal_wire_decode_size(const peal_wire_plan *plan, size_t message_size);

/* Decodes a call. No other memory than the arena is used, except by the codecs of types.
 *
 * message: *borrowed during the call*; `message_size` bytes, of any content. They must be exactly one message.
 * arena: *borrowed until* the arguments are no longer used; aligned as malloc aligns.
 * arena_size: its size; peal_wire_decode_size returns one that suffices.
 * out_arguments, out_count: filled with what peal_send takes; NULL and 0 on failure. The arguments point into the
 *   arena, and not into the message. Where a parameter has a type with a codec, *owned*: end them with
 *   peal_wire_arguments_release, before the arena is freed or used again.
 * Returns PEAL_OK; PEAL_ERROR_CONFLICT when the message has another fingerprint; PEAL_ERROR_SYNTAX when it is no message
 * of this method, has null for a parameter that is _Nonnull, or has bytes that a codec refuses; PEAL_ERROR_LIMIT when the
 * arena is too small; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_wire_decode_call(const peal_wire_plan *plan, const void *message, size_t message_size,
    void *arena, size_t arena_size, void *const **out_arguments, size_t *out_count);

/* Releases the values that codecs have made for decoded arguments. It does nothing for a method without such parameters.
 *
 * arguments: *consumed*; those that peal_wire_decode_call filled in; NULL does nothing.
 * Thread rule: any thread. Since 0.1. */
PEAL_API void peal_wire_arguments_release(const peal_wire_plan *plan, void *const *arguments);

/* ---- Results ----------------------------------------------------------------------------------- */

/* Encodes the result of a call.
 *
 * header: *borrowed during the call*; `number` and `status` are used.
 * result: *borrowed during the call*; a value of the method's result type. NULL where the method returns void. Not used
 *   when the status is negative.
 * The rest is as for peal_wire_encode_call. PEAL_ERROR_ARGUMENT also for a plan with PEAL_WIRE_CALLS_ONLY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_wire_encode_result(const peal_wire_plan *plan, const struct peal_wire_header *header,
    const void *result, void *buffer, size_t capacity, size_t *out_size);

/* Decodes the result of a call. peal_wire_peek reads its number and its status.
 *
 * out_result: filled with a pointer into the arena, to a value of the method's result type. NULL where the method
 *   returns void, where the status is negative, and on failure.
 * The rest is as for peal_wire_decode_call. PEAL_ERROR_ARGUMENT also for a plan with PEAL_WIRE_CALLS_ONLY.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_wire_decode_result(const peal_wire_plan *plan, const void *message, size_t message_size,
    void *arena, size_t arena_size, const void **out_result);

/* ---- Failures ---------------------------------------------------------------------------------- */

/* Returns a sentence about the calling thread's last failure of a function of this library, and an empty string if none
 * has failed. It is UTF-8.
 *
 * Returns a string *borrowed until* the next failure on this thread, never NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API const char *peal_wire_last_message(void);

PEAL_END_DECLARATIONS

#endif
