/* SPDX-License-Identifier: Apache-2.0
 *
 * simulated.h - a transport without server, sockets and threads (simulated.c), and a server of durable calls
 * (simulated_streams.c). They take the places of transport.c, thread.c and jetstream.c.
 *
 * Bridges whose `url` is the same are connected by a network. A generator of random numbers decides for each message and each
 * subscription whether the message is lost, delivered twice, and how late. The same seed decides the same. Time is that of the
 * manual clock (clock.h). Messages are delivered, and bridges do their work, inside simulation_advance on the calling thread.
 *
 * As with NATS, each subscription gets the messages of one connection in their order. Second deliveries are the exception: they
 * may be later than newer messages, as the messages of another way through a ring are.
 */
#ifndef PEAL_TEST_NATS_SIMULATED_H
#define PEAL_TEST_NATS_SIMULATED_H

#include "party.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SIMULATION_BUFFER = 64, /* messages that a connection keeps while it has no network */
    SIMULATION_PENDING = 16, /* messages that a subscription keeps while its process is stopped */
    SIMULATION_PRESENCE = 200 /* milliseconds between the announcements of a party */
};

struct simulation {
    uint64_t seed;
    unsigned loss;        /* of 1,000 messages */
    unsigned duplication; /* of 1,000 messages */
    unsigned delay;       /* the greatest, in milliseconds */
};

/* The deliveries of calls. Announcements and questions do not count. */
struct simulation_counts {
    uint64_t sent;       /* messages, however many subscriptions get them */
    uint64_t copies;     /* messages for a subscription, second deliveries included */
    uint64_t lost;       /* copies that were lost */
    uint64_t overflowed; /* copies that a stopped process had no room for */
    uint64_t delivered;  /* copies that a bridge got */
};

/* Runs a simulation for each seed, and names the first seed with a failure. PEAL_NATS_SEED=n repeats one seed alone. */
void simulation_repeat(unsigned rounds, void (*run)(struct simulation *simulation));

/* Begins a simulation, with the manual clock. */
void simulation_begin(const struct simulation *simulation);
/* Ends it. All bridges must have been closed. */
void simulation_end(void);

/* Opens a party with the name of an application, whose bridge is in a network. */
void simulation_open_party(struct party *party, const char *application, const char *network);

/* Returns a random number below a bound, of the same generator. */
unsigned simulation_random(unsigned bound);

/* Advances the clock. Delivers the messages and does the work of the bridges that become due, in the order of their times. */
void simulation_advance(unsigned milliseconds);
/* Advances the clock until no call is on its way. */
void simulation_settle(void);

/* Separates the bridges of an application from their network, or connects them again. A separated bridge keeps some
 * messages, as libnats does, and gets none. */
void simulation_separate(const char *application, bool is_separate);
/* Stops the delivery to an application, or continues it with the messages that were kept. */
void simulation_stop(const char *application, bool is_stopped);
/* Sends a message from a stranger to all subscriptions. It is neither lost nor late. */
void simulation_inject(const char *subject, const void *message, size_t size);
/* Returns the bytes of the last call that was sent, and its subject; borrowed until the next one. */
const void *simulation_last_call(const char **out_subject, size_t *out_size);

struct simulation_counts simulation_get_counts(void);

/* Changes the loss of messages from now on. */
void simulation_set_loss(unsigned loss);
/* Cuts the connections of durable calls of an application. It notices this later. */
void simulation_cut(const char *application);
/* Makes the server of durable calls lose the next confirmation. */
void simulation_lose_confirmation(void);
/* The server shows all streams with this fault (stream_fault.h); NULL: without one. */
void simulation_set_fault(const char *fault);
/* Restarts the server of durable calls: all connections are cut, and it refuses calls for some time. */
void simulation_restart_server(void);

/* ---- For simulated_streams.c ------------------------------------------------------------------- */

bool simulation_is_separate(const char *application);
/* The generator decides whether a message is lost or delivered twice, and how late in milliseconds. */
bool simulation_loses(void);
bool simulation_repeats(void);
int64_t simulation_delay(void);
/* Calls a function at a time, also at the end of the simulation. */
void simulation_at(int64_t due, void (*function)(void *context), void *context);
/* The thread whose round is performed now; or NULL. It waits until a time, unless it is woken. */
struct rounds *simulation_current_rounds(void);
void simulation_wait(int64_t until);
/* Removes all streams. */
void simulation_end_server(void);

#endif
