/* SPDX-License-Identifier: Apache-2.0
 *
 * version.h - the version of these headers and of the library at run time.
 */
#ifndef PEAL_VERSION_H
#define PEAL_VERSION_H

#include "base.h"

PEAL_BEGIN_DECLARATIONS

#define PEAL_VERSION_MAJOR 0
#define PEAL_VERSION_MINOR 1
#define PEAL_VERSION_PATCH 0
/* A number that grows with each release: major * 10000 + minor * 100 + patch. */
#define PEAL_VERSION (PEAL_VERSION_MAJOR * 10000 + PEAL_VERSION_MINOR * 100 + PEAL_VERSION_PATCH)

/* The number in the library's name, libpeal.so.0. It grows when programs must be compiled again. */
#define PEAL_SOVERSION 0

/* Returns the PEAL_VERSION that the loaded library was built from.
 *
 * Thread rule: any thread. Since 0.1. */
PEAL_API uint32_t peal_version(void);

PEAL_END_DECLARATIONS

#endif
