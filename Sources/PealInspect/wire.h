/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of libpeal-wire, which is loaded by the first request that needs it. Programs without recordings need
 * neither that library nor libcbor.
 */
#ifndef PEAL_INSPECT_WIRE_H
#define PEAL_INSPECT_WIRE_H

#include <peal/record.h>

struct wire {
    const char *(*last_message)(void);
    peal_status (*recorder_open)(const char *, const struct peal_recorder_options *, peal_recorder **);
    peal_status (*recorder_add)(peal_recorder *, peal_protocol);
    peal_status (*recorder_get_info)(peal_recorder *, struct peal_recorder_info *);
    uint64_t (*recorder_close)(peal_recorder *);
    peal_status (*replay_open)(const char *, peal_center, peal_replay **);
    peal_status (*replay_get_info)(peal_replay *, struct peal_replay_info *);
    peal_status (*replay_print_skipped)(peal_replay *, char *, size_t, size_t *);
    peal_status (*replay_next)(peal_replay *, struct peal_replay_call *);
    void (*replay_close)(peal_replay *);
};

/* Loads the library. Returns NULL if it cannot be loaded; then *out_message has the reason, until the next call. */
const struct wire *wire_load(const char **out_message);

#endif
