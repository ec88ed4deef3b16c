/* SPDX-License-Identifier: Apache-2.0
 *
 * call.h - broadcasts one signature in every way.
 */
#ifndef SIGNATURES_CALL_H
#define SIGNATURES_CALL_H

#include "expect.h"

/* Calls the observers through their own type, without peal. This tests the checks themselves. */
void call_directly(struct random *random);

/* Broadcasts by array, by default and through ffi_call, with every policy that fits. */
void call_by_array(peal_method method, struct random *random);

/* Broadcasts by array, by default and through ffi_call, with the method's policy. `path` describes the
 * method in messages. */
void call_by_array_once(peal_method method, const char *path, const char *path_by_ffi, struct random *random);

/* Broadcasts by peal_ask and peal_broadcast. */
void call_variadic(peal_method method, struct random *random);

/* Broadcasts by PEAL_BROADCAST and PEAL_EACH. */
void call_typed(const void *handles, struct random *random);

/* The proxies of a protocol: one that broadcasts, and one with the first observer as its target. */
struct proxied {
    peal_proxy proxy;
    void *self;
    const void *table; /* NULL if a method of the protocol collects */
};
struct proxies {
    struct proxied all;
    struct proxied one;
};

/* Calls through the tables of both proxies, and through bare functions of the method and of the
 * observer's function. */
void call_proxies(const struct proxies *proxies, peal_center center, peal_method method, struct random *random);

/* Broadcasts a method without observers. */
void call_nobody(peal_method method, struct random *random);

#endif
