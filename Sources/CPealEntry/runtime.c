/* SPDX-License-Identifier: Apache-2.0
 *
 * What the self-contained library has in the place of functions of the Swift runtime inside it.
 */
#include <stdint.h>
#include <stdlib.h>

/* Brings the names of all characters of Unicode with it, half a megabyte. Nothing in peal asks for them: no character
 * has a name here. */
intptr_t peal_no_character_name(uint32_t character, uint8_t *buffer, intptr_t capacity);
intptr_t peal_no_character_name(uint32_t character, uint8_t *buffer, intptr_t capacity)
{
    (void)character, (void)buffer, (void)capacity;
    return 0;
}

/* Sets handlers of seven signals while the library is loaded, where the environment asks a Swift program for
 * backtraces. The handlers of a process belong to its program, so none is set, and success is returned: the runtime
 * would print a warning otherwise. */
int peal_no_crash_handler(void);
int peal_no_crash_handler(void) { return 0; }

/* Looks for the program that prints backtraces. Where the environment asks for backtraces and there is no such program,
 * the runtime prints a warning while the library is loaded. So a path is found then, and nothing runs it; the caller
 * frees it. */
char *peal_no_backtracer(const char *name);
char *peal_no_backtracer(const char *name)
{
    (void)name;
    return getenv("SWIFT_BACKTRACE") != NULL ? calloc(1, 1) : NULL;
}
