/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers to requests: lines of JSON, of which the last is {"end":true}, or a line with an "error".
 */
#ifndef PEAL_INSPECT_ANSWER_H
#define PEAL_INSPECT_ANSWER_H

#include "fork.h"
#include "json.h"
#include "names.h"
#include "request.h"

#include <peal/peal.h>

/* Fills in a text that a function of peal copies into a buffer, and its length. The text is *owned*; NULL without
 * memory, or for a stale handle. */
#define READ_TEXT(out_text, function, ...)                                  \
    do {                                                                    \
        size_t length_ = 0;                                                 \
        (out_text) = NULL;                                                  \
        if (function(__VA_ARGS__, NULL, 0, &length_) >= 0) {                \
            (out_text) = malloc(length_ + 1);                               \
            if ((out_text) != NULL)                                         \
                (void)function(__VA_ARGS__, (out_text), length_ + 1, NULL); \
        }                                                                   \
    } while (0)

/* Fills in a list of handles, which is *owned*, and their number. More objects may exist by the time the list is
 * read. Lists of observers call the hooks of weak targets, so the list is empty once one has forked. */
#define READ_LIST(out_list, out_count, function, ...)                                                                  \
    do {                                                                                                               \
        (out_count) = 0;                                                                                               \
        if (!server_has_forked())                                                                                      \
            (void)function(__VA_ARGS__ NULL, 0, &(out_count));                                                         \
        const size_t capacity_ = (out_count) + 8;                                                                      \
        (out_list) = calloc(capacity_, sizeof *(out_list));                                                            \
        if ((out_list) == NULL || server_has_forked() || function(__VA_ARGS__(out_list), capacity_, &(out_count)) < 0) \
            (out_count) = 0;                                                                                           \
        if ((out_count) > capacity_)                                                                                   \
            (out_count) = capacity_;                                                                                   \
    } while (0)

/* "hello": the process. */
void answer_hello(struct text *text);

/* "tree": all centers, protocols, methods, observers, queues, timers, services, modules, properties and owners. */
void answer_tree(struct text *text);

/* The calls of observers, timers and proxies that run now: a part of "tree", and of each period of "top". */
void answer_running(struct text *text);

/* "describe [PROTOCOL[.METHOD]]": declarations, types and fingerprints. The name may be NULL, and is changed. */
void answer_describe(struct text *text, char *name);

/* "send PROTOCOL.METHOD [ARGUMENT]...": a broadcast. */
void answer_send(struct text *text, const struct request *request);

/* Finds a protocol in the default center, else in another one.
 *
 * name: "Chat", or "Chat.on_message".
 * out_method: the part after the point, or NULL. */
bool find_protocol(char *name, peal_protocol *out_protocol, char **out_method);

#endif
