/* A tally as bytes that a plugin hands to its next self (log_plugin.h). */
#ifndef TALLY_STATE_H
#define TALLY_STATE_H

#include "log_plugin.h"
#include "tally.h"

/* Hands over a tally; called from a destroy callback.
 *
 * who: the plugin's name. */
void tally_keep(const struct tally *tally, peal_center center, const char *who);
/* Adds what was handed over to a tally. False when that is too short. */
bool tally_take(struct tally *tally, struct log_kept *kept);

#endif
