/* SPDX-License-Identifier: Apache-2.0
 *
 * fork.h - fork(2). The child has copies of the parent's bridges, but not their threads, and must not use their connections,
 * whose sockets it shares with the parent. So it uses neither the bridges, nor their locks, nor libnats. sockets.h has the
 * sockets.
 */
#ifndef PEAL_NATS_FORK_H
#define PEAL_NATS_FORK_H

#include <stdbool.h>
#include <stdint.h>

/* The number of forks between the first process and this one. What was made under another number belongs to a parent. */
extern uint32_t fork_generation;
static inline bool fork_is_left(uint32_t generation) { return generation != fork_generation; }

#define FORK_SENTENCE                                                                                                \
    "the process was forked after its parent had made a bridge: the connection, and the threads of libnats, are in " \
    "the parent; fork before the first bridge is made, or execute a program in the child"

/* Returns false if a parent of this process has used libnats, whose threads do not exist here. */
bool fork_may_use_libnats(void);

#endif
