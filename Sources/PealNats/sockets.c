/* SPDX-License-Identifier: Apache-2.0 */
#include "sockets.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list and its members */
static struct noted_socket *sockets;

static bool set_address(struct sockaddr_storage *out_address, const char *text, int port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)out_address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out_address;

    memset(out_address, 0, sizeof *out_address);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        return true;
    }
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
}

/* Returns true if the descriptor is a connected socket with this local address. */
static bool has_address(int descriptor, const struct sockaddr_storage *address)
{
    struct sockaddr_storage own = { 0 };
    struct sockaddr_storage peer;
    socklen_t size = sizeof own;
    socklen_t peer_size = sizeof peer;

    if (getsockname(descriptor, (struct sockaddr *)&own, &size) != 0 || own.ss_family != address->ss_family
        || getpeername(descriptor, (struct sockaddr *)&peer, &peer_size) != 0)
        return false;
    const struct sockaddr_in *four = (const struct sockaddr_in *)&own, *four_wanted = (const void *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&own, *six_wanted = (const void *)address;
    if (own.ss_family == AF_INET)
        return four->sin_port == four_wanted->sin_port && four->sin_addr.s_addr == four_wanted->sin_addr.s_addr;
    return six->sin6_port == six_wanted->sin6_port
        && memcmp(&six->sin6_addr, &six_wanted->sin6_addr, sizeof six->sin6_addr) == 0;
}

/* Returns the descriptor with this local address; -1 if there is none, or several with different peers. */
static int find_descriptor(const struct sockaddr_storage *address)
{
    DIR *folder = opendir("/proc/self/fd");
    int found = -1;
    size_t count = 0;

    if (folder == NULL)
        return -1;
    for (const struct dirent *each = readdir(folder); each != NULL; each = readdir(folder)) {
        const int descriptor = (int)strtol(each->d_name, NULL, 10);
        if (each->d_name[0] != '.' && has_address(descriptor, address)) {
            found = descriptor;
            count++;
        }
    }
    closedir(folder);
    return count == 1 ? found : -1;
}

void socket_note(struct noted_socket *socket, const char *address, int port)
{
    static const unsigned limit = WRITE_MILLISECONDS;
    struct sockaddr_storage wanted;
    const int descriptor = set_address(&wanted, address, port) ? find_descriptor(&wanted) : -1;

    if (descriptor >= 0) {
        (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
    }
    pthread_mutex_lock(&lock);
    socket->descriptor = descriptor;
    socket->address = wanted;
    if (!socket->is_noted) {
        socket->next = sockets;
        sockets = socket;
    }
    socket->is_noted = true;
    pthread_mutex_unlock(&lock);
}

void socket_forget(struct noted_socket *socket)
{
    pthread_mutex_lock(&lock);
    struct noted_socket **link = &sockets;
    while (*link != NULL && *link != socket)
        link = &(*link)->next;
    if (*link != NULL)
        *link = socket->next;
    socket->is_noted = false;
    pthread_mutex_unlock(&lock);
}

/* ---- The handlers ------------------------------------------------------------------------------ */

static void lock_for_fork(void) { pthread_mutex_lock(&lock); }

static void unlock_in_parent(void) { pthread_mutex_unlock(&lock); }

/* A connection that is lost at the time of the fork has no socket any more, and its number may be that of another file. */
static void close_in_child(void)
{
    for (const struct noted_socket *each = sockets; each != NULL; each = each->next)
        if (each->descriptor >= 0 && has_address(each->descriptor, &each->address))
            close(each->descriptor);
    sockets = NULL;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void prepare_for_fork(void)
{
    (void)pthread_atfork(lock_for_fork, unlock_in_parent, close_in_child);
}
