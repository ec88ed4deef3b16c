/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PEAL_TEST_TWO_COPIES_H
#define PEAL_TEST_TWO_COPIES_H

#ifndef PEAL_DL
#include <peal/peal.h>
#endif

#include <stdbool.h>

/* A handle of each kind. */
struct handles {
    peal_center center;
    peal_protocol protocol;
    peal_method method;
    peal_observation observation;
    peal_queue queue;
    peal_timer timer;
    peal_owner owner;
    peal_property property;
    peal_invocation invocation;
    peal_reference reference;
    peal_tap tap;
};

/* Loads a second copy of the library. */
bool other_copy_open(const char *path);
/* Makes objects of the same kinds with the second copy, and checks that it takes the handles for stale ones. */
void other_copy_check(const struct handles *handles);

#endif
