/* SPDX-License-Identifier: Apache-2.0
 *
 * nats.h - broadcasts that reach other processes, through a NATS server. In a library of its own, libpeal-nats.
 *
 *     peal_bridge *bridge;
 *     if (peal_bridge_create(peal_center_default(), NULL, &bridge) < 0
 *         || peal_bridge_export(bridge, chat.protocol, NULL) < 0
 *         || peal_bridge_import(bridge, chat.protocol, NULL) < 0)
 *         printf("%s\n", peal_bridge_last_message());
 *
 * Each broadcast of an exported protocol is sent to the processes that import the protocol, and broadcast there. A
 * process may do both: a call that it imports is not sent back.
 *
 * Nothing is exported or imported by default. Calls are delivered at most once. A broadcast puts its call into the
 * connection and does not wait for an answer. While the server does not read, a broadcast may wait for about two seconds;
 * then the connection counts as lost and is made again, and a broadcast may wait for `timeout` while the server accepts
 * a connection but says nothing. A queue in the options of the export keeps these waits away from the broadcasting
 * thread. With `durable`, the server keeps the calls until the importing program has made them.
 *
 * A gathering (peal_gather in completion.h) of an exported method with a result gets one answer of each process that
 * observes the method. Other broadcasts of such a method are not sent.
 *
 * A remote service is a protocol that some processes provide (peal_bridge_provide), and others call through a proxy
 * (peal_bridge_proxy_create). Each call is made in one of the providers, and its result is returned.
 *
 * A bridge belongs to the process that creates it. In the child of a fork its broadcasts are not sent, functions with
 * the bridge return PEAL_ERROR_STATE, and calls of its proxies fail with PEAL_ERROR_HANDLE. The child uses none of the
 * parent's connections, and cannot create a bridge: libnats has threads, which stay in the parent. So fork before the
 * first bridge is created, or execute a program in the child.
 *
 * docs/beyond-one-process.md is the guide. After a negative status, peal_bridge_last_message has a sentence.
 */
#ifndef PEAL_NATS_H
#define PEAL_NATS_H

#include <peal/protocol.h>
#include <peal/proxy.h>
#include <peal/types.h>

PEAL_BEGIN_DECLARATIONS

/* ---- Bridges ----------------------------------------------------------------------------------- */

/* A connection of a center to a server, with its exports and imports. */
typedef struct peal_bridge peal_bridge;

/* Options of a bridge. Begin with PEAL_BRIDGE_OPTIONS or zeros and the size. All strings are *copied*. */
struct peal_bridge_options {
    size_t size;             /* sizeof(struct peal_bridge_options) */
    /* The addresses of servers, separated by commas: [nats://|tls://][USER:PASSWORD@]HOST[:PORT], with an IPv6 address
     * in brackets. NULL: "nats://127.0.0.1:4222". libnats takes user and password as they are, without an escape such as
     * %2C, so one with a comma or a blank needs natsOptions_SetUserInfo in `nats_options`. No sentence and no event
     * has them.
     *
     * "tls://" before one of the servers makes encryption mandatory for all of them, and so do `authorities` and
     * `certificate`: a server without it gets neither user nor password nor a call, also after a reconnection. Its
     * certificate must be of a trusted authority, and have the host's name. */
    const char *url;
    /* Only processes of one realm reach each other: letters, digits, '-' and '_'; NULL: "default". */
    const char *realm;
    /* The name of this program, the same after each start; it is shown by the server, and durable imports need
     * it. The characters are those of a realm. NULL: none. */
    const char *application;
    const char *credentials; /* file with the credentials (JWT and seed); NULL: none */
    const char *authorities; /* file with the trusted certificates; NULL: those of the system */
    const char *certificate; /* file with the certificate of this client; NULL: none */
    const char *key; /* file with the key of that certificate, which it needs; NULL: none */
    /* A natsOptions of libnats with further options, *borrowed until* the bridge is destroyed, or NULL. The bridge
     * sets its handlers in it, the options above, the options of reconnects and echoes, the prefix of inboxes, and
     * whether each message is written at once. The bridge does not see its servers: for one with "tls://", call
     * natsOptions_SetSecure too, because libnats ignores the scheme. */
    void *nats_options;
    uint32_t timeout; /* how long to wait for the server at first, in milliseconds; 0: 5,000 */
    /* Interval of announcements, in milliseconds; 0: 2,000; at most 60,000, or else PEAL_ERROR_ARGUMENT. A process that
     * has announced nothing for three intervals has ended. */
    uint32_t presence;
    /* Bytes of a call, a request or an answer that is accepted, and of a call or request that is sent; 0: 1 MiB. Of
     * calls that follow one another quickly in one message, each may have as many, and all together as many or
     * 16 KiB. */
    size_t message_limit;
};

/* An initialiser: struct peal_bridge_options options = PEAL_BRIDGE_OPTIONS; */
#define PEAL_BRIDGE_OPTIONS \
    { sizeof(struct peal_bridge_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0 }

/* Creates a bridge, which connects to a server. A lost connection is re-established automatically.
 *
 * center: has the protocols. The bridge defines "PealBridge" in it (below).
 * options: *borrowed during the call*; NULL for none.
 * out_bridge: filled, NULL on failure; *owned*: end it with peal_bridge_destroy.
 * Returns PEAL_OK; PEAL_ERROR_CREATION when no server answers, it refuses the connection, or it does not encrypt as the
 * options demand, with the reason; PEAL_ERROR_ARGUMENT, also for a `url` that is not as above; PEAL_ERROR_HANDLE;
 * PEAL_ERROR_MEMORY; PEAL_ERROR_LIMIT when there are 64 bridges; PEAL_ERROR_STATE in the child of a fork, if its parent has
 * created a bridge.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_bridge_create(
    peal_center center, const struct peal_bridge_options *options, peal_bridge **out_bridge);

/* Destroys a bridge with its exports and imports: waits until none of its calls is running, and disconnects. Durable
 * calls that the server does not have yet are lost unless peal_bridge_flush has waited for them.
 *
 * bridge: *consumed*; NULL does nothing. In the child of a fork, only the child's copy ends: its handlers are removed,
 *   and its memory stays. The caller must not be inside an imported call or a call of "PealBridge".
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API void peal_bridge_destroy(peal_bridge *bridge);

/* ---- Exports ----------------------------------------------------------------------------------- */

/* Options of an export. Begin with PEAL_EXPORT_OPTIONS or zeros and the size. */
struct peal_export_options {
    size_t size; /* sizeof(struct peal_export_options) */
    /* *Copied*; names as for peal_method_find, ended by NULL: only these are exported. NULL: all methods, also
     * those that are added later. */
    const char *const *methods;
    /* Sends the calls, in the order of the broadcasts; its capacity and its overflow policy bound them. Zero:
     * the broadcasting thread puts each call into the buffer of libnats, and durable calls go to a queue of the
     * bridge with 65,536 calls. */
    peal_queue queue;
    bool durable; /* the server keeps the calls, in a file; it needs JetStream of nats-server 2.9 or later */
    /* *Copied*; durable: the name under which this program continues after a restart. NULL: each process has an
     * identity of its own. The server stores a random secret for each identity and protocol, in the stream
     * "peal_REALM_origins". The origin and the ids of the messages are made of it, so that no client can use the ids
     * first and have the calls dropped as repeated ones. Clients that are not trusted must not read that stream. */
    const char *identity;
    /* Required with an identity: the number of the next call, at least 1. The server drops a call whose number it
     * has stored within `window_seconds`. The bridge then compares the stored message with the call: if they differ,
     * the call is lost, counts as dropped, and is reported by on_refused. PEAL_ERROR_ARGUMENT for 0, for an empty
     * identity, and for an identity without `durable`. */
    uint64_t next_number;
    /* Durable, of a stream that the bridge makes: how long the server keeps a call at most, whether or not it has been made;
     * 0: 7 days. And how long the server recognises a repeated number; 0: 120. */
    uint64_t keep_seconds;
    uint64_t window_seconds;
};

#define PEAL_EXPORT_OPTIONS { sizeof(struct peal_export_options), NULL, { 0 }, false, NULL, 0, 0, 0 }

/* Exports a protocol: from now on its broadcasts are sent to the processes of the realm that import it. The export
 * ends with the bridge.
 *
 * protocol: of the bridge's center.
 * options: *borrowed during the call*; NULL for none.
 *
 * While no process has an observer for a method, its calls are neither encoded nor sent, and the protocol has no more
 * observers than without the bridge. Durable calls are always sent. The bridge is called before other observers.
 *
 * Returns PEAL_OK; PEAL_ERROR_TYPE for a method that no message carries (peal_wire_plan_create in wire.h), with a
 * sentence; PEAL_ERROR_POLICY for a method whose result has a pointer, or is made by COLLECT, CHAIN or FOLD;
 * PEAL_ERROR_DUPLICATE when the bridge exports the protocol already; PEAL_ERROR_CONFLICT when another bridge exports it
 * with another identity, or the server of this bridge has another secret for it; PEAL_ERROR_CREATION when the server
 * refuses `durable` or is older than nats-server 2.9, has a stream of that name with a setting by which calls would be
 * lost, never stored, come from or go elsewhere, or its secret of the identity is unreadable, with the reason;
 * PEAL_ERROR_NOT_FOUND for the name of a method;
 * PEAL_ERROR_HANDLE; PEAL_ERROR_ARGUMENT; PEAL_ERROR_MEMORY. After a failure nothing is exported.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_bridge_export(
    peal_bridge *bridge, peal_protocol protocol, const struct peal_export_options *options);

/* ---- Imports ----------------------------------------------------------------------------------- */

/* Options of an import. Begin with PEAL_IMPORT_OPTIONS or zeros and the size. */
struct peal_import_options {
    size_t size; /* sizeof(struct peal_import_options) */
    /* *Copied*; names as for peal_method_find, ended by NULL: only these are accepted. NULL: all methods, also
     * those that are added later. */
    const char *const *methods;
    /* Runs the calls; its capacity and its overflow policy bound them. Zero: a thread of libnats. Before either, libnats
     * keeps up to 65,536 messages and 256 MiB for each import, and drops newer messages. A durable import ignores the
     * queue, and fetches the next calls after the current ones have ended. */
    peal_queue queue;
    /* Also calls from before this process started: all that the server keeps and this application has not made.
     * It needs `application` of the bridge, and at most one process may import the protocol under that name. */
    bool durable;
};

#define PEAL_IMPORT_OPTIONS { sizeof(struct peal_import_options), NULL, { 0 }, false }

/* Imports a protocol: from now on the calls that other processes of the realm export are broadcast in this one. The
 * import ends with the bridge. The parameters are those of peal_bridge_export. Each call is checked before: a call
 * with another fingerprint, and bytes that are no message, are counted as refused.
 *
 * While the protocol has no observer in this process, the server sends no calls. An import that is not durable
 * delivers each call at most once. It knows the last 256 numbers of a sender one by one, and refuses a call that arrives
 * after more than these, because it may have been made. A durable import makes a call again if the process ended before
 * the call did. So it can use the identity and the number (peal_imported_call_get_current) to make each effect once.
 *
 * Returns the statuses of peal_bridge_export; also PEAL_ERROR_STATE for `durable` without an application, and
 * PEAL_ERROR_CREATION when the stored position of the application is unreadable. An unreadable position, or a stream with
 * such a setting, that is found later is reported by on_refused, and no call is made until it is repaired or deleted: without
 * a position, the application begins with the first stored call.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_bridge_import(
    peal_bridge *bridge, peal_protocol protocol, const struct peal_import_options *options);

/* An imported call. */
struct peal_imported_call {
    size_t size; /* sizeof(struct peal_imported_call), set by the caller */
    /* The identity of the first sender: that of its export, or else of its process. It is a claim that the server does
     * not check. It is unrelated to `origin` of struct peal_call_info, which is 0 or a number of the importing bridge. */
    uint8_t origin[16];
    uint64_t number; /* of the call: grows with each call of the origin and the protocol */
    uint32_t hops; /* processes that have forwarded the call */
    const char *realm; /* of the bridge; *borrowed during the call* */
};

/* Reads the imported call that the calling thread is making. An observer with a queue of its own runs on
 * another thread, where this returns PEAL_ERROR_STATE.
 *
 * out_call: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_STATE when the thread is not inside an imported call; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_imported_call_get_current(struct peal_imported_call *out_call);

/* ---- Remote services --------------------------------------------------------------------------- */

/* Provides a protocol: this process makes calls of the proxies of other processes, while it has observers for their
 * method. The server passes each call to one of the processes that provide the protocol. The answer is the result that
 * the method's policy makes of the observers' results, those on queues too. A handler may answer later
 * (peal_call_defer). It ends with the bridge.
 *
 * A process keeps at most 16,384 requests of a protocol open, each for at most ten minutes, whatever time limit its sender
 * has. Then the sender gets PEAL_ERROR_TIMEOUT. More requests are not made, and neither is one that arrives after its time
 * limit by the clock of this machine: their senders get PEAL_ERROR_LIMIT. The same holds for the requests of gatherings.
 *
 * protocol: of the bridge's center.
 * options: *borrowed during the call*; NULL for none. `durable` is PEAL_ERROR_ARGUMENT. Without a queue, the calls are
 *   made one after the other.
 *
 * A request is answered on "_INBOX.peal.TOKEN" alone, where TOKEN has 128 random bits of the caller's bridge. Another reply
 * subject is refused and the call is not made, because this process may be permitted to publish where the caller is not.
 *
 * Returns the statuses of peal_bridge_import.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_bridge_provide(
    peal_bridge *bridge, peal_protocol protocol, const struct peal_import_options *options);

/* Options of a proxy for a remote service. Begin with PEAL_REMOTE_PROXY_OPTIONS or zeros and the size. */
struct peal_remote_proxy_options {
    size_t size; /* sizeof(struct peal_remote_proxy_options) */
    uint32_t timeout; /* how long a call waits for its answer, in milliseconds; 0: 5,000 */
};

#define PEAL_REMOTE_PROXY_OPTIONS { sizeof(struct peal_remote_proxy_options), 0 }

/* Makes a proxy (proxy.h) of a protocol that other processes provide. A call waits for the answer of the process that
 * made it, and returns its result. A call without a result waits too.
 *
 * A failed call returns zero, and peal_last_status() states if the call was made:
 *     PEAL_ERROR_TIMEOUT     perhaps: there is no answer within the time limit
 *     PEAL_ERROR_STATE       perhaps: the process has ended during the call, or its answer was refused or has an unknown
 *                            status
 *     PEAL_ERROR_NOT_FOUND   no: no process provides the method, or the server cannot be reached
 *     PEAL_ERROR_CONFLICT    no: the process has another declaration of the method
 *     all others             no: for example, PEAL_ERROR_LIMIT when the message would be longer than `message_limit` of
 *                            the bridge or than the server permits, and PEAL_ERROR_ARGUMENT for a value that no message
 *                            carries (peal_wire_encode_call in wire.h), with a sentence. A codec's PEAL_ERROR_TIMEOUT
 *                            and PEAL_ERROR_STATE become PEAL_ERROR_ARGUMENT
 *
 * bridge: the calls of the proxy fail with PEAL_ERROR_HANDLE after its end, which waits for calls in progress.
 * protocol: of the bridge's center.
 * options: *copied*; NULL for none.
 * out_proxy, out_self, out_table: as for peal_proxy_create. The proxy ends with the bridge too.
 * Returns PEAL_OK; the failures of peal_bridge_import and of peal_proxy_create_for.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API PEAL_CHECK peal_status peal_bridge_proxy_create(peal_bridge *bridge, peal_protocol protocol,
    const struct peal_remote_proxy_options *options, peal_proxy *out_proxy, void **out_self, const void **out_table);

/* ---- Waiting and states ------------------------------------------------------------------------ */

/* Waits until calls that the calling thread has broadcast have reached the server, except those that count as dropped. With
 * `durable`, the server has stored them.
 *
 * timeout: in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_bridge_flush(peal_bridge *bridge, uint32_t timeout);

/* Waits until at least `peers` other processes import an exported protocol and have observers for it. A program that
 * broadcasts once and ends needs this, because a new bridge has not yet received the announcements of other
 * processes. For a protocol that is not exported and has a proxy, it waits for processes that provide the protocol.
 *
 * timeout: in milliseconds; PEAL_FOREVER for no limit.
 * Returns PEAL_OK; PEAL_ERROR_TIMEOUT; PEAL_ERROR_NOT_FOUND when the bridge does not export the protocol
 * and has no proxy of it; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread; it may wait. Since 0.1. */
PEAL_API peal_status peal_bridge_wait_for_peers(
    peal_bridge *bridge, peal_protocol protocol, size_t peers, uint32_t timeout);

/* The state of a bridge, or of its part for one protocol. */
struct peal_bridge_info {
    size_t size; /* sizeof(struct peal_bridge_info), set by the caller */
    bool is_connected;
    size_t exports; /* exported protocols */
    size_t imports; /* imported and provided protocols */
    size_t peers; /* processes that import an exported protocol and observe it, or provide one that has a proxy, counted
                     for each protocol; at most 1,024 for one. While there are more, the calls of all methods are
                     sent, and a gathering reaches 1,024 */
    uint64_t sent; /* calls and requests that were put into the connection. Durable: calls that the server has stored */
    uint64_t received; /* calls that were broadcast here */
    /* Calls that were not sent or not made: a queue was full or has ended, a value could not be encoded, a call was
     * longer than `message_limit`, the server has dropped a durable call because of another message with its id or
     * deleted it before this application had made it, or messages arrived faster than they were made. Such a message
     * counts once, and may have had several calls that followed one another quickly. Deleted calls count whether or not
     * the application imports their method. */
    uint64_t dropped;
    /* Messages that are no call of an imported method, calls that arrived too late, announcements that were not
     * accepted, requests whose reply subject is not that of a bridge, subjects that the server refused, and refusals of
     * the server to store a durable call or a position, or to read a stream. */
    uint64_t refused;
    uint64_t duplicates; /* calls that arrived again, on another way or from the server */
    uint64_t reconnects; /* connections that were made again */
};

/* Reads the state of a bridge.
 *
 * protocol: counts its exports and imports alone; zero: all.
 * out_info: filled; its size must be set.
 * Returns PEAL_OK; PEAL_ERROR_ARGUMENT.
 * Thread rule: any thread. Since 0.1. */
PEAL_API peal_status peal_bridge_get_info(
    peal_bridge *bridge, peal_protocol protocol, struct peal_bridge_info *out_info);

/* Returns a sentence about the calling thread's last failure of a function of this library, and an empty string if
 * none has failed. It is UTF-8.
 *
 * Returns a string *borrowed until* the next failure on this thread, never NULL.
 * Thread rule: any thread. Since 0.1. */
PEAL_API const char *peal_bridge_last_message(void);

/* ---- Events ------------------------------------------------------------------------------------ */

/* The protocol "PealBridge" of the center: what happens to its bridges. A thread of the bridge broadcasts it.
 *
 *     on_connected      the bridge is connected again, after it had lost its server
 *     on_disconnected   the connection is lost. libnats keeps calls for some time; durable calls wait in their queue
 *     on_refused        a message was refused, or the server refused a subject, a durable call or a position; `reason`
 *                       is a sentence. A durable call that is refused waits, and those after it. At most one event a
 *                       second and cause: `count` has the total
 *     on_dropped        calls of a protocol were dropped; `count` has the total, as `dropped` of peal_bridge_info. A durable
 *                       call for which the server has another message is reported by on_refused too, with the reason
 *     on_peers          the number of peers of an exported protocol, or of one with a proxy, has changed; `count` is the
 *                       new number */
#define PEAL_BRIDGE_EVENTS(METHOD)                                                                                    \
    METHOD(optional, void, on_connected, (const char *realm, const char *url))                                        \
    METHOD(optional, void, on_disconnected, (const char *realm, const char *reason))                                  \
    METHOD(optional, void, on_refused, (const char *realm, const char *protocol, const char *reason, uint64_t count)) \
    METHOD(optional, void, on_dropped, (const char *realm, const char *protocol, uint64_t count))                     \
    METHOD(optional, void, on_peers, (const char *realm, const char *protocol, uint64_t count))
PEAL_PROTOCOL(peal_bridge_events, "PealBridge", PEAL_BRIDGE_EVENTS);

PEAL_END_DECLARATIONS

#endif
