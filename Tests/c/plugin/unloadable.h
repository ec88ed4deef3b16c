/* SPDX-License-Identifier: Apache-2.0
 *
 * unloadable.h - the interface between plugin_unload.c and its plugins.
 */
#ifndef UNLOADABLE_H
#define UNLOADABLE_H

#include <peal/peal.h>

/* The host's protocol. */
#define NEWS(METHOD)                           \
    METHOD(optional, void, on_news, (int n))   \
    METHOD(optional, int, count, (int n), sum) \
    METHOD(optional, void, on_load, (int n))
PEAL_PROTOCOL(news, "UnloadNews", NEWS);

/* The functions and data of the host that a plugin uses. */
struct unloadable_host {
    peal_center center;
    const struct news_protocol *news;
    peal_queue queue;          /* the host's: pumped */
    void (*enter)(int n);      /* called from the plugin's own code, by the observer of `n` */
    unsigned *calls;           /* of all plugins */
    unsigned *destroyed;       /* destroy callbacks run */
};

/* The function `unloadable_start` that a plugin exports. It registers an object of each kind for the entered owner.
 * Returns the first status that is not PEAL_OK. */
typedef int unloadable_start(const struct unloadable_host *host);

enum {
    UNLOADABLE_DESTROYED = 4 /* destroy callbacks of one start: three observers, one queue */
};

#endif
