#include "thunk_code.h"

#if defined(__x86_64__) && PEAL_FRAME_SUPPORTED

#include <cpuid.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool peal_processor_ticks_are_steady(void)
{
    enum { POWER_LEAF = 0x80000007, INVARIANT = 1 << 8 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(POWER_LEAF, &a, &b, &c, &d) != 0 && (d & INVARIANT) != 0;
}

bool peal_processor_ticks_are_clock(void)
{
    char source[] = "....";
    const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t size = read(file, source, sizeof source - 1);
    (void)close(file);
    return size == sizeof source - 1 && strcmp(source, "tsc\n") == 0;
}

/* Constants for the assembly below, as text. */
#define RESULT 240 /* after the words of a frame */
#define ROOM 272   /* both */

_Static_assert(RESULT == 8 * PEAL_FRAME_WORDS, "the result follows the words");
_Static_assert(ROOM == RESULT + sizeof(struct peal_thunk_result) && ROOM % 16 == 0, "the room");
_Static_assert(PEAL_FRAME_FIRST_FLOAT == 6, "the first floating register");
_Static_assert(PEAL_THUNK_SIZE == 16 && PEAL_THUNK_BARE_SIZE == 32, "the sizes of entries");

#define ENTER                                                                                      \
    "    pushq %rbp\n"                                                                             \
    "    .cfi_def_cfa_offset 16\n"                                                                 \
    "    .cfi_offset %rbp, -16\n"                                                                  \
    "    movq %rsp, %rbp\n"                                                                        \
    "    .cfi_def_cfa_register %rbp\n"                                                             \
    "    subq $" TEXT_OF(ROOM) ", %rsp\n"

/* The handler returns whether there is a result. */
#define CALL_AND_LEAVE                                                                             \
    "    movsd %xmm0, 48(%rsp)\n"                                                                  \
    "    movsd %xmm1, 56(%rsp)\n"                                                                  \
    "    movsd %xmm2, 64(%rsp)\n"                                                                  \
    "    movsd %xmm3, 72(%rsp)\n"                                                                  \
    "    movsd %xmm4, 80(%rsp)\n"                                                                  \
    "    movsd %xmm5, 88(%rsp)\n"                                                                  \
    "    movsd %xmm6, 96(%rsp)\n"                                                                  \
    "    movsd %xmm7, 104(%rsp)\n"                                                                 \
    "    movq %rsp, %rdi\n"                                                                        \
    "    leaq 16(%rbp), %rdx\n"                                                                    \
    "    leaq " TEXT_OF(RESULT) "(%rsp), %rcx\n"                                                   \
    "    call *peal_thunk_targets+8(%rip)\n"                                                          \
    "    testb %al, %al\n"                                                                         \
    "    jne 1f\n"                                                                                 \
    "    xorl %eax, %eax\n"                                                                        \
    "    xorl %edx, %edx\n"                                                                        \
    "    xorps %xmm0, %xmm0\n"                                                                     \
    "    xorps %xmm1, %xmm1\n"                                                                     \
    "    leave\n"                                                                                  \
    "    .cfi_remember_state\n"                                                                    \
    "    .cfi_def_cfa %rsp, 8\n"                                                                   \
    "    ret\n"                                                                                    \
    "    .cfi_restore_state\n"                                                                     \
    "1:  movq " TEXT_OF(RESULT) "(%rsp), %rax\n"                                                   \
    "    movq " TEXT_OF(RESULT) "+8(%rsp), %rdx\n"                                                 \
    "    movsd " TEXT_OF(RESULT) "+16(%rsp), %xmm0\n"                                              \
    "    movsd " TEXT_OF(RESULT) "+24(%rsp), %xmm1\n"                                              \
    "    leave\n"                                                                                  \
    "    .cfi_def_cfa %rsp, 8\n"                                                                   \
    "    ret\n"

/* Calls that stay in registers: `way` is the index in peal_thunk_targets. The thunk's index is passed as a sixth
 * integer would be; floating numbers stay in their registers. */
#define TABLE_OF_ENTRIES(kind, way)                                                                \
    "    .balign 16\n"                                                                             \
    "    .hidden peal_thunk_" kind "_code\n"                                                       \
    "    .globl peal_thunk_" kind "_code\n"                                                        \
    "    .type peal_thunk_" kind "_code, @function\n"                                              \
    "peal_thunk_" kind "_code:\n"                                                                  \
    "    .cfi_startproc\n"                                                                         \
    "    .set peal_thunk_index, 0\n"                                                               \
    "    .rept " TEXT_OF(METHODS) "\n"                                                             \
    "    .balign 16\n"                                                                             \
    "    endbr64\n"                                                                                \
    "    movl $peal_thunk_index, %r9d\n"                                                           \
    "    jmp *peal_thunk_targets+" way "(%rip)\n"                                                     \
    "    .set peal_thunk_index, peal_thunk_index + 1\n"                                            \
    "    .endr\n"                                                                                  \
    "    .cfi_endproc\n"                                                                           \
    "    .size peal_thunk_" kind "_code, . - peal_thunk_" kind "_code\n"

/* The same for bare thunks: integers move up by one register, to make room for the number that `self` would be. */
#define BARE_ENTRIES(kind, way)                                                                    \
    "    .balign 32\n"                                                                             \
    "    .hidden peal_thunk_bare_" kind "_code\n"                                                  \
    "    .globl peal_thunk_bare_" kind "_code\n"                                                   \
    "    .type peal_thunk_bare_" kind "_code, @function\n"                                         \
    "peal_thunk_bare_" kind "_code:\n"                                                             \
    "    .cfi_startproc\n"                                                                         \
    "    .set peal_thunk_index, 0\n"                                                               \
    "    .rept " TEXT_OF(BARE) "\n"                                                                \
    "    .balign 32\n"                                                                             \
    "    endbr64\n"                                                                                \
    "    movq %rcx, %r8\n"                                                                         \
    "    movq %rdx, %rcx\n"                                                                        \
    "    movq %rsi, %rdx\n"                                                                        \
    "    movq %rdi, %rsi\n"                                                                        \
    "    movq peal_thunk_selves+8*peal_thunk_index(%rip), %rdi\n"                                  \
    "    xorl %r9d, %r9d\n"                                                                        \
    "    jmp *peal_thunk_targets+" way "(%rip)\n"                                                     \
    "    .set peal_thunk_index, peal_thunk_index + 1\n"                                            \
    "    .endr\n"                                                                                  \
    "    .cfi_endproc\n"                                                                           \
    "    .size peal_thunk_bare_" kind "_code, . - peal_thunk_bare_" kind "_code\n"

__asm__(
    "    .pushsection .text\n"

    TABLE_OF_ENTRIES("integers", "0") TABLE_OF_ENTRIES("numbers", "16")

    /* The index is passed in a register of no argument. */
    "    .balign 16\n"
    "    .hidden peal_thunk_frame_code\n"
    "    .globl peal_thunk_frame_code\n"
    "    .type peal_thunk_frame_code, @function\n"
    "peal_thunk_frame_code:\n"
    "    .cfi_startproc\n"
    "    .set peal_thunk_index, 0\n"
    "    .rept " TEXT_OF(METHODS) "\n"
    "    .balign 16\n"
    "    endbr64\n"
    "    movl $peal_thunk_index, %eax\n"
    "    jmp .Lpeal_thunk_frame\n"
    "    .set peal_thunk_index, peal_thunk_index + 1\n"
    "    .endr\n"
    "    .cfi_endproc\n"
    "    .size peal_thunk_frame_code, . - peal_thunk_frame_code\n"

    /* Writes the frame, calls, and loads the result into every register that a caller may read. */
    "    .balign 16\n"
    "    .type .Lpeal_thunk_frame, @function\n"
    ".Lpeal_thunk_frame:\n"
    "    .cfi_startproc\n" ENTER
    "    movq %rdi, 0(%rsp)\n"
    "    movq %rsi, 8(%rsp)\n"
    "    movq %rdx, 16(%rsp)\n"
    "    movq %rcx, 24(%rsp)\n"
    "    movq %r8, 32(%rsp)\n"
    "    movq %r9, 40(%rsp)\n"
    "    movl %eax, %esi\n" CALL_AND_LEAVE
    "    .cfi_endproc\n"
    "    .size .Lpeal_thunk_frame, . - .Lpeal_thunk_frame\n"

    /* The same with a number as the first argument: the one method of a bare thunk. */
    "    .balign 16\n"
    "    .type .Lpeal_thunk_bare_frame, @function\n"
    ".Lpeal_thunk_bare_frame:\n"
    "    .cfi_startproc\n" ENTER
    "    movq %rax, 0(%rsp)\n"
    "    movq %rdi, 8(%rsp)\n"
    "    movq %rsi, 16(%rsp)\n"
    "    movq %rdx, 24(%rsp)\n"
    "    movq %rcx, 32(%rsp)\n"
    "    movq %r8, 40(%rsp)\n"
    "    xorl %esi, %esi\n" CALL_AND_LEAVE
    "    .cfi_endproc\n"
    "    .size .Lpeal_thunk_bare_frame, . - .Lpeal_thunk_bare_frame\n"

    BARE_ENTRIES("integers", "0") BARE_ENTRIES("numbers", "16")

    "    .balign 16\n"
    "    .hidden peal_thunk_bare_frame_code\n"
    "    .globl peal_thunk_bare_frame_code\n"
    "    .type peal_thunk_bare_frame_code, @function\n"
    "peal_thunk_bare_frame_code:\n"
    "    .cfi_startproc\n"
    "    .set peal_thunk_index, 0\n"
    "    .rept " TEXT_OF(BARE) "\n"
    "    .balign 16\n"
    "    endbr64\n"
    "    movq peal_thunk_selves+8*peal_thunk_index(%rip), %rax\n"
    "    jmp .Lpeal_thunk_bare_frame\n"
    "    .set peal_thunk_index, peal_thunk_index + 1\n"
    "    .endr\n"
    "    .cfi_endproc\n"
    "    .size peal_thunk_bare_frame_code, . - peal_thunk_bare_frame_code\n"
    "    .popsection\n");

#else

/* A file must not be empty. */
typedef int peal_machine_is_another;

#endif
