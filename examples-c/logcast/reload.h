/* When plugins are reloaded: on SIGHUP all, and every so many lines one, in turn. */
#ifndef RELOAD_H
#define RELOAD_H

#include "interrupt.h"
#include "plugins.h"

struct reload {
    struct plugins *plugins;
    uint64_t every; /* lines; 0: never */
    uint64_t left;  /* of them */
};

/* To be called where no call of a plugin runs on this thread: between two lines. */
static inline void reload_if_asked(struct reload *reload)
{
    if (interrupt_takes_reload())
        plugins_reload_all(reload->plugins);
}

static inline void reload_after_line(struct reload *reload)
{
    if (reload->every > 0 && --reload->left == 0) {
        reload->left = reload->every;
        plugins_reload_next(reload->plugins);
    }
}

#endif
