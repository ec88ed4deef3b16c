/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters and controls of the stand-in for libffi 3.7.
 */
#ifndef LIBFFI_WITH_PLANS_H
#define LIBFFI_WITH_PLANS_H

#include <stdbool.h>

extern int plans_made;
extern int plans_invoked;
extern bool plans_are_refused; /* the creation of a plan fails, as it does without memory */

#endif
