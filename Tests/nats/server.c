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

/* Returns true if this server answers on its port. Another program's server may have taken the port meanwhile. */
static bool answers(const struct server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)server->port)
    };
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char greeting[1024] = "";
    size_t length = 0;
    ssize_t count;

    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
        while (length < sizeof greeting - 1 && strchr(greeting, '\n') == NULL
               && (count = recv(descriptor, greeting + length, sizeof greeting - 1 - length, 0)) > 0)
            length += (size_t)count;
    }
    close(descriptor);
    return strncmp(greeting, "INFO", strlen("INFO")) == 0 && strstr(greeting, server->folder) != NULL;
}

/* Returns true if the process has ended, as a server does whose port is not free. */
static bool has_ended(struct server *server)
{
    if (waitpid(server->process, NULL, WNOHANG) != server->process)
        return false;
    server->process = 0;
    return true;
}

static void write_configuration(const struct server *server)
{
    char path[128];

    snprintf(path, sizeof path, "%s/server.conf", server->folder);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        check_give_up("the configuration cannot be written", __FILE__, __LINE__);
    fprintf(file,
        "server_name: \"%s\"\nlisten: \"127.0.0.1:%d\"\njetstream { store_dir: \"%s/js\" }\nlogfile: \"%s/log\"\n%s\n",
        server->folder, server->port, server->folder, server->folder,
        server->configuration != NULL ? server->configuration : "");
    fclose(file);
}

/* Returns false if the server ends at once. */
static bool try_start(struct server *server)
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
    WAIT_UNTIL(answers(server) || has_ended(server));
    return server->process != 0;
}

void server_restart(struct server *server)
{
    if (!try_start(server))
        check_give_up("the server does not start again", __FILE__, __LINE__);
}

void server_start(struct server *server, const char *configuration)
{
    memset(server, 0, sizeof *server);
    server->configuration = configuration;
    snprintf(server->folder, sizeof server->folder, "/tmp/peal-nats-XXXXXX");
    if (mkdtemp(server->folder) == NULL)
        check_give_up("no folder for the server", __FILE__, __LINE__);
    for (int tries = 0; server->process == 0; tries++) {
        if (tries == 10)
            check_give_up("the server does not start", __FILE__, __LINE__);
        server->port = free_port();
        write_configuration(server);
        (void)try_start(server);
    }
    snprintf(server->url, sizeof server->url, "nats://127.0.0.1:%d", server->port);
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
