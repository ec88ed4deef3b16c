/* SPDX-License-Identifier: Apache-2.0
 *
 * requests.h - calls of methods that other processes answer. A request has one recipient for each answer that it waits for.
 */
#ifndef PEAL_NATS_REQUESTS_H
#define PEAL_NATS_REQUESTS_H

#include "source.h"

#include <peal/nats.h>

#include <string.h>

struct export;
struct requests;

/* An answer is a byte string of CBOR with the identity of its sender, and the message of the result. All answers to a process
 * have one subject, because the server looks up a new subject by a slower way. The subject for the server's own message, that
 * no process receives a request, has one more part. */
enum { ANSWER_HEAD = 1 + ORIGIN_SIZE, ANSWER_HEAD_BYTE = 0x40 | ORIGIN_SIZE, REPLY_SIZE = 128 };

/* The subjects of answers of other bridges. Those of the server's answers differ, so that nobody needs the permission to
 * publish on them: subscribers of durable calls see them. */
#define INBOX_OF_BRIDGES "_INBOX.peal."
#define INBOX_OF_SERVER "_INBOX.peal_durable."

/* Writes one of these and a token. A process that does not know the token, which has 128 random bits, can neither answer nor
 * receive answers. */
void random_inbox(const char *beginning, char *out_subject, size_t capacity);

static inline void answer_write_head(uint8_t *message, const uint8_t *id)
{
    message[0] = ANSWER_HEAD_BYTE;
    memcpy(message + 1, id, ORIGIN_SIZE);
}

/* Reads the subject of an answer from that of a request's reply. Returns false for a reply that is not exactly one of a bridge.
 * This process may publish where the sender may not: it must not answer on a subject of the sender's choice.
 *
 * reply: NULL: none. */
bool answer_subject(const char *reply, char out_subject[REPLY_SIZE]);

/* The end of the wait for a recipient. */
enum outcome {
    OUTCOME_ANSWERED,
    OUTCOME_NOT_MADE, /* The recipient has not made the call, and will not make it. */
    OUTCOME_UNKNOWN   /* It may have made the call. */
};

/* The answer of a recipient. */
struct answered {
    enum outcome outcome;
    peal_status status;
    const void *result; /* *borrowed during the call*; NULL without one */
    bool is_message;    /* The recipient has sent a message. */
    const char *sentence; /* why it was not sent or answered; *borrowed during the call*; NULL: the status suffices */
};

struct recipient {
    uint8_t id[ORIGIN_SIZE];
    peal_completion token; /* of the creator */
    bool is_alone; /* The request is sent to it by itself, not to all. */
    bool is_any;   /* Any process may answer. */
    bool has_ended;  /* guarded by the lock of the waiting requests */
};

struct request;

/* A recipient has answered, or is not waited for any more. */
typedef void (*request_function)(
    const struct request *request, const struct recipient *recipient, const struct answered *answered);

/* A request. The members do not change after request_send. */
struct request {
    struct request *next; /* guarded by the lock of the waiting requests, and so is `waiting` */
    size_t waiting;       /* the recipients whose function has not returned, and the sender */
    uint64_t number;
    struct export *export;
    size_t method;
    request_function function;
    void *context;  /* of the creator */
    bool has_limit; /* The creator has a time limit of its own. */
    int64_t started; /* by now_in_milliseconds */
    int64_t expires;
    size_t count;
    struct recipient recipients[];
};

/* Makes the requests of a bridge, whose connection for requests must be open. */
peal_status requests_create(struct peal_bridge *bridge, struct requests **out_requests);
/* Ends the waiting requests. Later ones end at once. Exports may end afterwards. NULL does nothing. */
void requests_stop(struct requests *requests);
/* NULL does nothing. */
void requests_destroy(struct requests *requests);
/* Ends the requests that have not been answered in time. NULL does nothing. */
void requests_expire(struct requests *requests);
/* Ends the requests of an export that were sent until a time, because the processes that could answer have ended. NULL does
 * nothing. */
void requests_end_export(struct requests *requests, const struct export *export, int64_t started);

/* Makes a request with room for some recipients, of which none is listed. NULL: out of memory. */
struct request *request_create(struct export *export, size_t method, request_function function, size_t capacity);

/* Sends the request, and *consumes* it. `function` is called once for each recipient, on any thread, perhaps before this
 * returns.
 *
 * rest: of the time limit in milliseconds; -1: none.
 * Returns the number of the request. */
uint64_t request_send(struct request *request, int64_t rest, void *const *arguments);
/* Ends the wait for the only recipient of a request, without a call of its function. Returns false if the function has been
 * called, or is about to be. */
bool request_withdraw(struct requests *requests, uint64_t number);

/* Returns the system's time, in which processes give each other the deadlines of requests. */
int64_t system_milliseconds(void);

#endif
