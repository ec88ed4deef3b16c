#include "thunk_code.h"

#if defined(__aarch64__) && PEAL_FRAME_SUPPORTED

/* Constants for the assembly below, as text. */
#define RESULT 256 /* after the words of a frame */
#define ROOM 304   /* both */

_Static_assert(RESULT == 8 * PEAL_FRAME_WORDS, "the result follows the words");
_Static_assert(ROOM == RESULT + sizeof(struct peal_thunk_result) && ROOM % 16 == 0, "the room");
_Static_assert(PEAL_FRAME_FIRST_FLOAT == 8, "the first floating register");
_Static_assert(PEAL_THUNK_SIZE == 16 && PEAL_THUNK_BARE_SIZE == 16, "the sizes of entries");

/* Loads one of peal_thunk_targets, of which `way` is the index. */
#define LOAD_WAY(way)                                                                              \
    "    adrp x16, peal_thunk_targets\n"                                                              \
    "    add x16, x16, :lo12:peal_thunk_targets\n"                                                    \
    "    ldr x16, [x16, #" way "]\n"

/* Loads the number that a bare thunk leads to; its index is in w9. Another thread may be writing it. */
#define LOAD_SELF(register)                                                                        \
    "    adrp x16, peal_thunk_selves\n"                                                            \
    "    add x16, x16, :lo12:peal_thunk_selves\n"                                                  \
    "    add x16, x16, w9, uxtw #3\n"                                                              \
    "    ldar " register ", [x16]\n"

#define ENTER                                                                                      \
    "    stp x29, x30, [sp, #-16]!\n"                                                              \
    "    .cfi_def_cfa_offset 16\n"                                                                 \
    "    .cfi_offset 29, -16\n"                                                                    \
    "    .cfi_offset 30, -8\n"                                                                     \
    "    mov x29, sp\n"                                                                            \
    "    .cfi_def_cfa_register 29\n"                                                               \
    "    sub sp, sp, #" TEXT_OF(ROOM) "\n"

/* The handler returns whether there is a result. */
#define CALL_AND_LEAVE                                                                             \
    "    stp d0, d1, [sp, #64]\n"                                                                  \
    "    stp d2, d3, [sp, #80]\n"                                                                  \
    "    stp d4, d5, [sp, #96]\n"                                                                  \
    "    stp d6, d7, [sp, #112]\n"                                                                 \
    "    mov x0, sp\n"                                                                             \
    "    add x2, x29, #16\n"                                                                       \
    "    add x3, sp, #" TEXT_OF(RESULT) "\n"                                                       \
    LOAD_WAY("8")                                                                                  \
    "    blr x16\n"                                                                                \
    "    tst w0, #0xff\n"                                                                          \
    "    b.ne 1f\n"                                                                                \
    "    stp xzr, xzr, [sp, #" TEXT_OF(RESULT) "]\n"                                               \
    "    stp xzr, xzr, [sp, #" TEXT_OF(RESULT) "+16]\n"                                            \
    "    stp xzr, xzr, [sp, #" TEXT_OF(RESULT) "+32]\n"                                            \
    "1:  ldp x0, x1, [sp, #" TEXT_OF(RESULT) "]\n"                                                 \
    "    ldp d0, d1, [sp, #" TEXT_OF(RESULT) "+16]\n"                                              \
    "    ldp d2, d3, [sp, #" TEXT_OF(RESULT) "+32]\n"                                              \
    "    mov sp, x29\n"                                                                            \
    "    .cfi_def_cfa_register 31\n"                                                               \
    "    ldp x29, x30, [sp], #16\n"                                                                \
    "    .cfi_restore 29\n"                                                                        \
    "    .cfi_restore 30\n"                                                                        \
    "    .cfi_def_cfa_offset 0\n"                                                                  \
    "    ret\n"

/* Thunks of three instructions each, which differ in their index alone: it is loaded into `index`, and all of them
 * continue at `tail`. `hint #34` is `bti c`, which older assemblers do not support. */
#define ENTRIES(kind, count, index, tail)                                                          \
    "    .balign 16\n"                                                                             \
    "    .hidden peal_thunk_" kind "_code\n"                                                       \
    "    .globl peal_thunk_" kind "_code\n"                                                        \
    "    .type peal_thunk_" kind "_code, %function\n"                                              \
    "peal_thunk_" kind "_code:\n"                                                                  \
    "    .cfi_startproc\n"                                                                         \
    "    .set peal_thunk_index, 0\n"                                                               \
    "    .rept " TEXT_OF(count) "\n"                                                               \
    "    .balign 16\n"                                                                             \
    "    hint #34\n"                                                                               \
    "    mov " index ", #peal_thunk_index\n"                                                       \
    "    b " tail "\n"                                                                             \
    "    .set peal_thunk_index, peal_thunk_index + 1\n"                                            \
    "    .endr\n"                                                                                  \
    "    .cfi_endproc\n"                                                                           \
    "    .size peal_thunk_" kind "_code, . - peal_thunk_" kind "_code\n"

#define BEGIN(name)                                                                                \
    "    .balign 16\n"                                                                             \
    "    .type " name ", %function\n"                                                              \
    name ":\n"                                                                                     \
    "    .cfi_startproc\n"
#define END(name)                                                                                  \
    "    .cfi_endproc\n"                                                                           \
    "    .size " name ", . - " name "\n"

__asm__(
    "    .pushsection .text\n"

    /* Calls that stay in registers: the index is passed as a sixth integer would be. */
    ENTRIES("integers", METHODS, "w5", ".Lpeal_thunk_integers")
    /* The index is passed in a register of no argument. x8 has the address of a result in memory. */
    ENTRIES("frame", METHODS, "w9", ".Lpeal_thunk_frame")
    ENTRIES("bare_integers", BARE, "w9", ".Lpeal_thunk_bare_integers")
    ENTRIES("bare_frame", BARE, "w9", ".Lpeal_thunk_bare_frame")

    BEGIN(".Lpeal_thunk_integers")
    LOAD_WAY("0")
    "    br x16\n"
    END(".Lpeal_thunk_integers")

    /* The same for bare thunks: integers move up by one register, to make room for the number that `self` would be. */
    BEGIN(".Lpeal_thunk_bare_integers")
    "    mov x4, x3\n"
    "    mov x3, x2\n"
    "    mov x2, x1\n"
    "    mov x1, x0\n"
    LOAD_SELF("x0")
    "    mov w5, #0\n"
    LOAD_WAY("0")
    "    br x16\n"
    END(".Lpeal_thunk_bare_integers")

    /* Writes the frame, calls, and loads the result into every register that a caller may read. */
    BEGIN(".Lpeal_thunk_frame") ENTER
    "    stp x0, x1, [sp]\n"
    "    stp x2, x3, [sp, #16]\n"
    "    stp x4, x5, [sp, #32]\n"
    "    stp x6, x7, [sp, #48]\n"
    "    mov w1, w9\n" CALL_AND_LEAVE
    END(".Lpeal_thunk_frame")

    /* The same with a number as the first argument: the one method of a bare thunk. */
    BEGIN(".Lpeal_thunk_bare_frame") ENTER
    LOAD_SELF("x10")
    "    stp x10, x0, [sp]\n"
    "    stp x1, x2, [sp, #16]\n"
    "    stp x3, x4, [sp, #32]\n"
    "    stp x5, x6, [sp, #48]\n"
    "    mov w1, #0\n" CALL_AND_LEAVE
    END(".Lpeal_thunk_bare_frame")
    "    .popsection\n");

#else

/* A file must not be empty. */
typedef int peal_machine_is_another;

#endif
