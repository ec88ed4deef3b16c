/* SPDX-License-Identifier: Apache-2.0
 *
 * arrivals.h - which calls of each origin have arrived, by their numbers.
 *
 * The numbers of an origin grow, with gaps: a process may have been away, or have imported other methods. A *run* has numbers
 * that followed one another with gaps of at most 65,536. Its greatest number and the 255 before it are known one by one, and
 * an older one counts as late. A number further ahead begins another run, and so does one that is more than 16,777,216 below,
 * so forged numbers make at most that many later calls of the genuine sender late. The last four runs of an origin are known.
 */
#ifndef PEAL_NATS_ARRIVALS_H
#define PEAL_NATS_ARRIVALS_H

#include "source.h"

struct arrivals *arrivals_create(void);
void arrivals_destroy(struct arrivals *arrivals);

/* Notes a call, and returns if it is new, a duplicate or late. Any thread. */
enum arrival arrivals_note(struct arrivals *arrivals, const struct identity *identity);

#endif
