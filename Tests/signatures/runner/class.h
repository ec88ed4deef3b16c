/* SPDX-License-Identifier: Apache-2.0
 *
 * class.h - where a signature's values are passed on x86-64 System V and by AAPCS64. It is derived from the
 * texts of the ABIs and not from peal. The names are those of x86-64.
 */
#ifndef SIGNATURES_CLASS_H
#define SIGNATURES_CLASS_H

#include "signature.h"

enum place {
    PLACE_NOWHERE, /* void */
    PLACE_WORD,
    PLACE_FLOAT,
    PLACE_STRUCT_I,
    PLACE_STRUCT_S,
    PLACE_STRUCT_II,
    PLACE_STRUCT_IS,
    PLACE_STRUCT_SI,
    PLACE_STRUCT_SS,
    PLACE_STRUCT_COMPLEX, /* in registers, with a complex member */
    PLACE_STRUCT_X87, /* a result in x87 registers; in memory as a parameter */
    PLACE_STRUCT_MEMORY,
    PLACE_LONG_DOUBLE,
    PLACE_COMPLEX,
    PLACES
};

extern const char *const place_names[PLACES];

enum place place_of(const struct type *type);

struct signature_class {
    enum place result;
    enum place heaviest; /* the greatest value of all parameters */
    size_t stack_words;
    bool must_frame; /* a register frame can carry the call, so peal must use one */
};

struct signature_class class_of(const struct signature *signature);

#endif
