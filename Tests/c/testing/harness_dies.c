/* SPDX-License-Identifier: Apache-2.0
 *
 * A second file of claims beside harness_fails.c. Its process is killed.
 */
#include "check.h"

#include <signal.h>

CLAIM("H14", "a file whose process is killed is a failure") { CHECK(raise(SIGKILL) == 0); }
