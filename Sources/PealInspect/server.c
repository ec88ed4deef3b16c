/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include "folder.h"
#include "recording.h"
#include "user.h"
#include "watch.h"

#include <peal/inspection.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct clients {
    struct client all[CLIENT_LIMIT];
    struct clients *before; /* among those that were abandoned */
};

/* The inspection of this process. The lock guards opening and closing, also of the clients' descriptors, so that a fork finds
 * each open one here. The thread alone uses the rest of the clients. */
static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    enum { CLOSED, OPEN, CLOSING } state;
    uint32_t flags;
    int listening;
    int wake; /* readable when the thread must end */
    struct sockaddr_un address;
    sigset_t mask_of_program; /* of the thread that has opened the inspection */
    struct clients *clients;
    struct clients *abandoned; /* to threads that have forked. Leak checkers find them here. */
} server = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* In the static block of thread-local memory. The leak sanitizer of gcc 12 crashes while it looks at a thread that has
 * accessed a thread-local variable of a library that was loaded later. */
static __thread bool is_server_thread __attribute__((tls_model("initial-exec")));
static __thread bool has_forked __attribute__((tls_model("initial-exec")));

enum {
    FLUSH_TIME = 320,  /* milliseconds, at the end of the inspection, for all clients */
    ACCEPT_PERIOD = 100 /* between attempts to accept a connection for which the system has no descriptor */
};

/* ---- The thread -------------------------------------------------------------------------------- */

/* False while the system has no descriptor for a further connection. */
static bool is_accepting;

static void accept_locked(void)
{
    const int descriptor = accept4(server.listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    /* The connection waits, and poll would return at once for it. */
    is_accepting = descriptor >= 0 || (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM);
    if (descriptor < 0)
        return;
    for (size_t i = 0; i < CLIENT_LIMIT; i++)
        if (server.clients->all[i].descriptor < 0) {
            client_begin(&server.clients->all[i], descriptor);
            return;
        }
    static const char busy[] = "{\"error\":\"16 other connections are open\"}\n";
    (void)!send(descriptor, busy, sizeof busy - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(descriptor);
}

static void accept_client(void)
{
    pthread_mutex_lock(&server.lock);
    accept_locked();
    pthread_mutex_unlock(&server.lock);
}

static void disconnect(struct client *client)
{
    /* Not under the lock: the end of a stream may call functions of the program. */
    client_end(client);
    pthread_mutex_lock(&server.lock);
    if (client->descriptor >= 0)
        close(client->descriptor);
    client->descriptor = -1;
    pthread_mutex_unlock(&server.lock);
}

/* Fills in the descriptors to wait for, and returns the time to wait. */
static int prepare(struct pollfd *waits)
{
    int timeout = is_accepting ? -1 : ACCEPT_PERIOD;

    waits[0] = (struct pollfd){ server.wake, POLLIN, 0 };
    waits[1] = (struct pollfd){ server.listening, (short)(is_accepting ? POLLIN : 0), 0 };
    for (size_t i = 0; i < CLIENT_LIMIT; i++) {
        const struct client *client = &server.clients->all[i];
        waits[i + 2] = (struct pollfd){ client->descriptor, 0, 0 };
        if (client->descriptor < 0)
            continue;
        waits[i + 2].events = client_events(client);
        int wanted = -1;
        if (client->watch != NULL)
            wanted = watch_period(client->watch);
        else if (client->recording != NULL && client->output.length == 0)
            wanted = recording_period(client->recording);
        else if (client->output.length > 0)
            wanted = STALL_SECONDS * 1000;
        if (wanted >= 0 && (timeout < 0 || wanted < timeout))
            timeout = wanted;
    }
    return timeout;
}

static void run_clients(struct clients *clients, const struct pollfd *waits)
{
    for (size_t i = 0; i < CLIENT_LIMIT && !has_forked; i++) {
        struct client *client = &clients->all[i];
        const short events = waits[i + 2].revents;
        if (client->descriptor < 0
            || (events == 0 && client->watch == NULL && client->recording == NULL && client->output.length == 0))
            continue;
        if (!client_run(client, events, server.flags) && !has_forked)
            disconnect(client);
    }
}

static void *run(void *context)
{
    struct clients *clients = context;
    struct pollfd waits[CLIENT_LIMIT + 2];

    is_server_thread = true;
    is_accepting = true;
    prctl(PR_SET_NAME, "peal:inspect");
    for (;;) {
        const int timeout = prepare(waits);
        if (poll(waits, CLIENT_LIMIT + 2, timeout) < 0 && errno != EINTR)
            break;
        if (waits[0].revents != 0)
            break;
        run_clients(clients, waits);
        /* The child of a fork. The server's descriptors may be those of an inspection that the child has opened. */
        if (has_forked)
            return NULL;
        if (waits[1].revents != 0 || !is_accepting)
            accept_client();
    }
    /* The last events of the program, which may be the most interesting ones. */
    for (size_t i = 0; i < CLIENT_LIMIT && !has_forked; i++)
        if (clients->all[i].descriptor >= 0) {
            client_flush(&clients->all[i], FLUSH_TIME / CLIENT_LIMIT);
            if (!has_forked)
                disconnect(&clients->all[i]);
        }
    return NULL;
}

bool server_has_forked(void) { return has_forked; }

/* ---- Fork and exit ----------------------------------------------------------------------------- */

static void lock_for_fork(void) { pthread_mutex_lock(&server.lock); }

static void unlock_in_parent(void) { pthread_mutex_unlock(&server.lock); }

/* If the thread that answers has forked, in a function of the program, it is a thread of the program until that function
 * returns, and then ends. It is in the middle of an answer, so an inspection that the child opens gets other clients. */
static void leave_in_child(void)
{
    pthread_sigmask(SIG_SETMASK, &server.mask_of_program, NULL);
    is_server_thread = false;
    has_forked = true;
    server.clients->before = server.abandoned;
    server.abandoned = server.clients;
    server.clients = NULL;
}

/* The child has no thread that answers. Its copies of the descriptors would keep the parent's connections open. */
static void close_in_child(void)
{
    if (server.state != CLOSED) {
        close(server.listening);
        close(server.wake);
        for (size_t i = 0; i < CLIENT_LIMIT; i++) {
            if (server.clients->all[i].descriptor >= 0)
                close(server.clients->all[i].descriptor);
            server.clients->all[i].descriptor = -1;
        }
    }
    if (is_server_thread)
        leave_in_child();
    server.state = CLOSED;
    pthread_mutex_unlock(&server.lock);
}

__attribute__((constructor)) static void prepare_for_fork(void)
{
    pthread_atfork(lock_for_fork, unlock_in_parent, close_in_child);
}

/* Lets the thread end, if the inspection is open. The caller must hold the lock. */
static bool begin_closing(void)
{
    const uint64_t one = 1;

    if (server.state != OPEN)
        return false;
    server.state = CLOSING;
    (void)!write(server.wake, &one, sizeof one);
    return true;
}

/* Lets the thread send what its clients have not received. Another thread of the program may hold the lock for ever, and the
 * thread that answers may be in a call that does not return, so each wait has a limit. */
static void flush_at_exit(void)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += FLUSH_TIME * 1000000L;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    if (is_server_thread || pthread_mutex_timedlock(&server.lock, &limit) != 0)
        return;
    const bool is_open = begin_closing();
    pthread_mutex_unlock(&server.lock);
    if (is_open)
        (void)pthread_timedjoin_np(server.thread, NULL, &limit);
}

__attribute__((destructor)) static void remove_socket(void)
{
    if (server.state != OPEN)
        return;
    flush_at_exit();
    unlink(server.address.sun_path);
}

/* ---- Opening ----------------------------------------------------------------------------------- */

static peal_status fail(struct peal_inspection_options *options, peal_status status, const char *sentence)
{
    if (options != NULL && sentence != options->message)
        snprintf(options->message, sizeof options->message, "%s", sentence);
    return status;
}

static bool make_path(const struct peal_inspection_options *options, char *folder, size_t capacity)
{
    char path[sizeof server.address.sun_path];
    int length;

    if (options != NULL && options->folder != NULL) {
        length = snprintf(folder, capacity, "%s", options->folder);
        if (length < 0 || (size_t)length >= capacity)
            return false;
    } else if (!folder_path(folder, capacity)) {
        return false;
    }
    length = snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
    /* The name begins with a dot at first. */
    if (length < 0 || (size_t)length + 1 >= sizeof path)
        return false;
    server.address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy(server.address.sun_path, path, sizeof path);
    return true;
}

/* Creates the socket. It gets its name when it listens: clients remove one that refuses connections, as that of an ended
 * process. A file of the name is that of an ended process with the same number. */
static bool listen_at_path(void)
{
    struct sockaddr_un hidden = server.address;
    char *name = strrchr(hidden.sun_path, '/') + 1;

    memmove(name + 1, name, strlen(name) + 1);
    *name = '.';
    server.listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    server.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    unlink(hidden.sun_path);
    /* The mode of the descriptor becomes that of the file, so the file is never open to other users. */
    if (server.listening >= 0 && server.wake >= 0 && fchmod(server.listening, 0600) == 0
        && bind(server.listening, (struct sockaddr *)&hidden, sizeof hidden) == 0
        && listen(server.listening, CLIENT_LIMIT) == 0 && rename(hidden.sun_path, server.address.sun_path) == 0)
        return true;
    const int error = errno;
    unlink(hidden.sun_path);
    if (server.listening >= 0)
        close(server.listening);
    if (server.wake >= 0)
        close(server.wake);
    errno = error;
    return false;
}

/* Starts the thread. It receives no signals, which belong to the program, except those that its own instructions raise and
 * that of profilers. */
static int start_thread(void)
{
    static const int own[] = { SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF };
    sigset_t all;

    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &server.mask_of_program);
    const int error = pthread_create(&server.thread, NULL, run, server.clients);
    pthread_sigmask(SIG_SETMASK, &server.mask_of_program, NULL);
    return error;
}

static bool make_clients(void)
{
    if (server.clients == NULL)
        server.clients = calloc(1, sizeof *server.clients);
    for (size_t i = 0; server.clients != NULL && i < CLIENT_LIMIT; i++)
        server.clients->all[i].descriptor = -1;
    return server.clients != NULL;
}

static peal_status open_locked(struct peal_inspection_options *options)
{
    char folder[4096], message[256];
    uid_t user;

    if (server.state != CLOSED)
        return fail(options, PEAL_ERROR_STATE, "the inspection is already open");
    if (user_is_elevated() || !user_is_single(&user))
        return fail(options, PEAL_ERROR_STATE,
            "the program has the rights of several users or groups (setuid, setgid, capabilities, seteuid), so a request "
            "of one could be executed with the rights of another");
    if (!make_path(options, folder, sizeof folder))
        return fail(options, PEAL_ERROR_ARGUMENT, "the folder's name is too long for a socket");
    if (!folder_check(folder, true, message, sizeof message))
        return fail(options, PEAL_ERROR_STATE, message);
    if (!make_clients())
        return fail(options, PEAL_ERROR_MEMORY, "out of memory");
    if (!listen_at_path()) {
        snprintf(message, sizeof message, "the socket %.108s cannot be created: %s", server.address.sun_path,
            strerror(errno));
        return fail(options, PEAL_ERROR_LIMIT, message);
    }
    server.flags = options != NULL ? options->flags : 0;
    if (start_thread() != 0) {
        close(server.listening);
        close(server.wake);
        unlink(server.address.sun_path);
        return fail(options, PEAL_ERROR_LIMIT, "the system gives no thread");
    }
    server.state = OPEN;
    return PEAL_OK;
}

peal_status peal_inspection_start(struct peal_inspection_options *options)
{
    if (options != NULL && options->size != sizeof *options)
        return PEAL_ERROR_ARGUMENT;
    if (options != NULL && (options->flags & ~(uint32_t)PEAL_INSPECTION_CONTROL) != 0)
        return fail(options, PEAL_ERROR_ARGUMENT, "unknown flags");
    pthread_mutex_lock(&server.lock);
    const peal_status status = open_locked(options);
    pthread_mutex_unlock(&server.lock);
    return status;
}

peal_status peal_inspection_stop(void)
{
    if (is_server_thread)
        return PEAL_ERROR_WOULD_DEADLOCK;
    pthread_mutex_lock(&server.lock);
    const bool is_open = begin_closing();
    if (is_open)
        unlink(server.address.sun_path);
    pthread_mutex_unlock(&server.lock);
    if (!is_open)
        return PEAL_ERROR_STATE;
    /* Without the lock: the thread may be in a call for "send", which may need it. */
    pthread_join(server.thread, NULL);
    pthread_mutex_lock(&server.lock);
    /* The child of a fork in that call has no inspection to close. */
    if (server.state == CLOSING) {
        close(server.listening);
        close(server.wake);
        server.state = CLOSED;
    }
    pthread_mutex_unlock(&server.lock);
    return PEAL_OK;
}

peal_status peal_inspection_path(char *buffer, size_t capacity, size_t *out_length)
{
    if (buffer == NULL && capacity > 0)
        return PEAL_ERROR_ARGUMENT;
    pthread_mutex_lock(&server.lock);
    const char *path = server.state == OPEN ? server.address.sun_path : "";
    const size_t length = strlen(path);
    if (capacity > 0)
        snprintf(buffer, capacity, "%s", path);
    pthread_mutex_unlock(&server.lock);
    if (out_length != NULL)
        *out_length = length;
    return length < capacity || (length == 0 && capacity == 0) ? PEAL_OK : PEAL_TRUNCATED;
}
