/* A tally as bytes that a plugin passes to its next version (log_plugin.h). */
#ifndef TALLY_STATE_H
#define TALLY_STATE_H

#include "log_plugin.h"
#include "tally.h"

/* Passes a tally to the plugin's next version. Called in a destroy callback.
 *
 * who: the plugin's name. */
void tally_keep(const struct tally *tally, peal_center center, const char *who);
/* Adds the passed tally to another one. Returns false if the bytes are too short. */
bool tally_take(struct tally *tally, struct log_kept *kept);

#endif
