/* SPDX-License-Identifier: Apache-2.0
 *
 * The self-contained library has this in the place of the standard library's function of the same type, which
 * brings the names of all characters of Unicode with it, half a megabyte. Nothing in peal asks for them.
 */
#include <stdint.h>

intptr_t peal_no_character_name(uint32_t character, uint8_t *buffer, intptr_t capacity);

/* No character has a name. */
intptr_t peal_no_character_name(uint32_t character, uint8_t *buffer, intptr_t capacity)
{
    (void)character, (void)buffer, (void)capacity;
    return 0;
}
