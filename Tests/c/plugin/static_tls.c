/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with a thread-local variable of the initial-exec model, which peal uses too. The C library has a reserve
 * for such variables of libraries that are loaded by dlopen. This library takes much of that reserve.
 */
#include <string.h>

static __thread char taken[STATIC_TLS_BYTES] __attribute__((tls_model("initial-exec")));

void take_static_tls(int byte);
void take_static_tls(int byte) { memset(taken, byte, sizeof taken); }
