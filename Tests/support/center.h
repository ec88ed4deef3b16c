/* SPDX-License-Identifier: Apache-2.0
 *
 * center.h - shortcuts for claims: centers, protocols as text, lookups. When the library refuses, a shortcut ends the
 * program as failed. Claims about refusals call the library directly.
 */
#ifndef PEAL_TEST_CENTER_H
#define PEAL_TEST_CENTER_H

#include "check.h"

PEAL_BEGIN_DECLARATIONS

/* Creates a center, which close_center ends. */
peal_center open_center(void);
void close_center(peal_center center);

/* Defines a protocol with one to eight method texts, ended by NULL. */
peal_protocol protocol_of(peal_center center, const char *name, const char *const *methods);
peal_status try_protocol(peal_center center, const char *name, const char *const *adopts, const char *const *methods,
    peal_protocol *out_protocol);

/* Defines a protocol with a single method and finds it. */
peal_method method_of(peal_center center, const char *protocol, const char *text);
peal_method find_method(peal_protocol protocol, const char *name);

/* Registers one function for one method, by name. */
peal_observation observe_with(peal_protocol protocol, void *target, const char *method, peal_function function,
    const struct peal_observe_options *options);

size_t count_observers(peal_protocol protocol);
size_t count_listed(peal_method method);

PEAL_END_DECLARATIONS

#endif
