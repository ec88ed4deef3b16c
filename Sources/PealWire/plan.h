/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h - the inside of a plan: for each parameter, a range of a flat array of steps.
 */
#ifndef PEAL_WIRE_PLAN_H
#define PEAL_WIRE_PLAN_H

#include <peal/peal.h>
#include <peal/wire.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "typed arrays are copied as they are in memory, so the machine must be little-endian"
#endif

enum step_kind {
    STEP_ARRAY,    /* the head of an array of `count` items: a struct, or an array of structs */
    STEP_UNSIGNED, /* one number each */
    STEP_SIGNED,
    STEP_BOOL,
    STEP_FLOAT,
    STEP_RUN /* `count` numbers of each element, as one typed array */
};

struct step {
    uint8_t kind; /* enum step_kind */
    uint8_t size; /* of a number, in bytes */
    uint8_t tag;  /* RUN: of the typed array; 0 for a byte string */
    bool is_bool; /* RUN: each byte is 0 or 1 */
    uint32_t offset; /* in the value, or in the element */
    uint32_t count;
};

enum parameter_kind {
    PARAMETER_VALUE,
    PARAMETER_NUMBER /* a value of one step */,
    PARAMETER_TEXT,
    PARAMETER_BUFFER,
    PARAMETER_OBJECT
};

/* The functions of a registered type, of which a value is a byte string. */
struct codec {
    peal_status (*encode)(const void *value, void *buffer, size_t capacity, size_t *out_size);
    void *(*decode)(const void *bytes, size_t byte_count);
    void (*release)(void *value);
};

struct parameter {
    uint8_t kind;        /* enum parameter_kind */
    bool allows_null;    /* a buffer may be NULL with any length */
    bool is_nonnull;     /* no text, buffer or object may be NULL */
    bool is_variable;    /* `length` is the index of the parameter with the length */
    bool is_run;         /* the elements of a buffer are one typed array without gaps */
    bool is_signed;      /* this parameter is an integer with a sign, which may be a length */
    uint32_t first_step; /* in the plan's steps */
    uint32_t step_count;
    size_t value_offset; /* in the arena */
    size_t value_size;
    size_t length;
    size_t element_size; /* 1 where the length counts bytes */
    size_t element_alignment;
    size_t packed_size; /* the bytes of an element in a message: its numbers, without padding */
    struct codec codec; /* of an object */
};

enum { FINGERPRINT_SIZE = 8, BEGINNING_SIZE = 3 + FINGERPRINT_SIZE };

struct peal_wire_plan {
    peal_method method;
    uint64_t fingerprint;
    uint8_t call_beginning[BEGINNING_SIZE]; /* the first bytes of each message */
    uint8_t result_beginning[BEGINNING_SIZE];
    bool has_results; /* results are encoded too */
    bool has_objects; /* decoded arguments must be released */
    size_t parameter_count;
    bool is_oneway;
    struct parameter result;
    struct step *steps;
    size_t step_count;
    size_t frame_size;      /* of the array of pointers and the argument values */
    size_t frame_alignment;
    size_t slack;           /* what aligning the memory of texts and buffers takes at most */
    size_t growth_sixteenths; /* the memory for a byte of the message, at most, times 16 */
    char *name;             /* "Chat.on_message"; *owned* */
    struct parameter parameters[];
};

enum {
    NESTING_LIMIT = 8,
    ARENA_ALIGNMENT = 16 /* of malloc */
};

struct compiler {
    struct peal_wire_plan *plan;
    size_t step_capacity;
    size_t packed_size; /* the bytes of the numbers of the value */
    unsigned depth;
    const char *cause;  /* of a refusal */
    peal_status status;
};

/* Appends the steps that encode a value. With `is_column`, each number becomes a typed array of
 * the numbers of all elements. */
bool compile_value(struct compiler *compiler, const struct peal_type *type, size_t offset, bool is_column);

/* The same for the element of a buffer; `is_of_bytes` if its length counts bytes. */
bool compile_buffer(struct compiler *compiler, const struct peal_type *element, bool is_of_bytes);

/* Fills the bytes that all messages of a kind and a method begin with. */
void make_beginning(uint8_t *out, peal_wire_kind kind, uint64_t fingerprint);

/* Keeps the sentence about a parameter that cannot be carried, with its column in the method's declaration.
 *
 * parameter: the index; PEAL_PARAMETER_LIMIT for the result. */
void explain_refusal(
    peal_method method, const char *name, const struct peal_type *type, size_t parameter, const char *cause);

#endif
