/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include "latch.h"

#include <arpa/inet.h>
#include <ftw.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, length) < 0
        || getsockname(descriptor, (struct sockaddr *)&address, &length) < 0)
        check_give_up("no free port", __FILE__, __LINE__);
    close(descriptor);
    return ntohs(address.sin_port);
}

static bool answers(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)
    };
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char greeting[4] = "";

    const bool does = connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0
                   && recv(descriptor, greeting, sizeof greeting, 0) == (ssize_t)sizeof greeting
                   && memcmp(greeting, "INFO", sizeof greeting) == 0;
    close(descriptor);
    return does;
}

static void write_configuration(const struct server *server)
{
    char path[128];

    snprintf(path, sizeof path, "%s/server.conf", server->folder);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        check_give_up("the configuration cannot be written", __FILE__, __LINE__);
    fprintf(file, "listen: \"127.0.0.1:%d\"\njetstream { store_dir: \"%s/js\" }\nlogfile: \"%s/log\"\n%s\n",
        server->port, server->folder, server->folder, server->configuration != NULL ? server->configuration : "");
    fclose(file);
}

void server_restart(struct server *server)
{
    char path[128];

    snprintf(path, sizeof path, "%s/server.conf", server->folder);
    server->process = fork();
    if (server->process < 0)
        check_give_up("no process for the server", __FILE__, __LINE__);
    if (server->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("nats-server", "nats-server", "-c", path, (char *)NULL);
        execl("/usr/sbin/nats-server", "nats-server", "-c", path, (char *)NULL);
        _exit(127);
    }
    WAIT_UNTIL(answers(server->port));
}

void server_start(struct server *server, const char *configuration)
{
    memset(server, 0, sizeof *server);
    server->configuration = configuration;
    server->port = free_port();
    snprintf(server->url, sizeof server->url, "nats://127.0.0.1:%d", server->port);
    snprintf(server->folder, sizeof server->folder, "/tmp/peal-nats-XXXXXX");
    if (mkdtemp(server->folder) == NULL)
        check_give_up("no folder for the server", __FILE__, __LINE__);
    write_configuration(server);
    server_restart(server);
}

void server_kill(struct server *server)
{
    kill(server->process, SIGKILL);
    waitpid(server->process, NULL, 0);
    server->process = 0;
}

static int remove_entry(const char *path, const struct stat *state, int kind, struct FTW *position)
{
    (void)state;
    (void)kind;
    (void)position;
    return remove(path);
}

void server_stop(struct server *server)
{
    if (server->process != 0)
        server_kill(server);
    (void)nftw(server->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct server shared;

static void stop_shared(void) { server_stop(&shared); }

const char *shared_server_url(void)
{
    if (shared.process == 0) {
        server_start(&shared, NULL);
        atexit(stop_shared);
    }
    return shared.url;
}
