/* SPDX-License-Identifier: Apache-2.0
 *
 * The inspection of a running program, from the side of a client of its socket.
 */
#include <peal/inspection.h>

#include "center.h"
#include "child.h"
#include "latch.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64];
static peal_center center;
static peal_protocol chat;

/* ---- A client ---------------------------------------------------------------------------------- */

static void open_inspection(uint32_t flags)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;

    snprintf(folder, sizeof folder, "/tmp/peal-inspection-%d", (int)getpid());
    if (mkdir(folder, 0700) != 0)
        check_give_up("a folder", __FILE__, __LINE__);
    options.folder = folder;
    options.flags = flags;
    if (!CHECK_OK(peal_inspection_start(&options)))
        check_give_up(options.message, __FILE__, __LINE__);
}

static void close_inspection(void)
{
    CHECK_OK(peal_inspection_stop());
    CHECK_EQUAL(rmdir(folder), 0);
}

static bool connect_now(int client)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    CHECK_OK(peal_inspection_path(address.sun_path, sizeof address.sun_path, NULL));
    return connect(client, (struct sockaddr *)&address, sizeof address) == 0;
}

static int connect_client_later(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

static int connect_client(void)
{
    const int client = connect_client_later();

    if (client < 0 || !connect_now(client))
        check_give_up("a connection", __FILE__, __LINE__);
    return client;
}

static void send_bytes(int client, const char *bytes, size_t length)
{
    CHECK_EQUAL(send(client, bytes, length, MSG_NOSIGNAL), length);
}

/* Long: with sanitizers, the answers to hundreds of requests of other clients take seconds. */
enum { ANSWER_MILLISECONDS = 60000 };

/* Reads until the answer has a line with "end", or until the connection ends. */
static const char *read_answer(int client)
{
    static char answer[65536];
    size_t length = 0;

    answer[0] = '\0';
    while (length < sizeof answer - 1) {
        struct pollfd wait = { client, POLLIN, 0 };
        const int count = poll(&wait, 1, ANSWER_MILLISECONDS);
        /* A change of the user interrupts all threads. */
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            check_give_up("an answer", __FILE__, __LINE__);
        const ssize_t part = recv(client, answer + length, sizeof answer - 1 - length, 0);
        if (part <= 0)
            break;
        length += (size_t)part;
        answer[length] = '\0';
        if (strstr(answer, "{\"end\":true}\n") != NULL)
            break;
    }
    return answer;
}

static const char *request_of(int client, const char *line)
{
    send_bytes(client, line, strlen(line));
    send_bytes(client, "\n", 1);
    return read_answer(client);
}

/* ---- Observers --------------------------------------------------------------------------------- */

static char heard[256];
static int close_status;

static void on_message(void *self, const char *room, int count)
{
    (void)self;
    snprintf(heard, sizeof heard, "%s %d", room, count);
}

static void on_samples(void *self, const short *samples, size_t count)
{
    (void)self;
    snprintf(heard, sizeof heard, "%zu samples, last %d", count, count > 0 ? samples[count - 1] : 0);
}

struct point {
    int x;
    double y;
};
enum color { RED = 1, GREEN = 2 };

static bool may_move(void *self, struct point to, enum color color)
{
    (void)self;
    snprintf(heard, sizeof heard, "%d %g %d", to.x, to.y, (int)color);
    return to.x > 0;
}

static void on_close(void *self)
{
    (void)self;
    close_status = peal_inspection_stop();
}

static void open_chat(void)
{
    static const char *const methods[] = { "optional void on_message(const char *room, int count)",
        "optional void on_samples(const short *samples __counted_by(count), size_t count)",
        "optional bool may_move(struct point to, enum color color), every", "optional void on_close(void)",
        "optional void on_bare(void *memory)", NULL };
    const struct peal_binding bindings[] = { { "on_message", (peal_function)on_message, NULL },
        { "on_samples", (peal_function)on_samples, NULL }, { "may_move", (peal_function)may_move, NULL },
        { "on_close", (peal_function)on_close, NULL } };

    center = open_center();
    CHECK_OK(peal_type_declare(center, "enum color { RED = 1, GREEN = 2 }; struct point { int x; double y; };"));
    chat = protocol_of(center, "InspectedChat", methods);
    CHECK_OK(peal_observe_bindings(chat, heard, bindings, 4, NULL, NULL));
}

/* ---- N1: the socket ---------------------------------------------------------------------------- */

CLAIM("I1", "an inspection is opened once, is closed once, and removes its socket")
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;
    char path[128], short_path[4];
    size_t length;

    CHECK_STATUS(peal_inspection_stop(), PEAL_ERROR_STATE);
    CHECK_OK(peal_inspection_path(path, sizeof path, &length));
    CHECK_TEXT(path, "");
    open_inspection(0);
    CHECK_STATUS(peal_inspection_start(&options), PEAL_ERROR_STATE);
    CHECK_TEXT(options.message, "the inspection is already open");
    CHECK_OK(peal_inspection_path(path, sizeof path, &length));
    CHECK_EQUAL(length, strlen(path));
    CHECK_STATUS(peal_inspection_path(short_path, sizeof short_path, NULL), PEAL_TRUNCATED);
    CHECK_STATUS(peal_inspection_path(NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(access(path, F_OK), 0);
    close_inspection();
    CHECK(access(path, F_OK) != 0);
    CHECK_STATUS(peal_inspection_stop(), PEAL_ERROR_STATE);
}

static int status_before_listening; /* of the connection of a client */

/* Instead of the function of the C library: another program looks for inspections. */
int listen(int descriptor, int count)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s/%d", folder, (int)getpid());
    status_before_listening = connect(client, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(client);
    return (int)syscall(SYS_listen, descriptor, count);
}

CLAIM("I1", "a socket that does not listen yet has not its name, so that peal ps does not remove it")
{
    open_inspection(0);
    CHECK_EQUAL(status_before_listening, ENOENT);
    const int client = connect_client();
    CHECK_CONTAINS(request_of(client, "hello"), "process");
    close(client);
    close_inspection();
}

CLAIM("I1", "options of a wrong size, unknown flags and folders with long names are refused")
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;
    char name[200];

    options.size--;
    CHECK_STATUS(peal_inspection_start(&options), PEAL_ERROR_ARGUMENT);
    options.size++;
    options.flags = 1u << 31;
    CHECK_STATUS(peal_inspection_start(&options), PEAL_ERROR_ARGUMENT);
    options.flags = 0;
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    options.folder = name;
    CHECK_STATUS(peal_inspection_start(&options), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(options.message, "too long");
}

CLAIM("I1", "the socket and its folder are accessible to their user alone; a folder that is open to others is refused")
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;
    char path[128], link[80];
    struct stat status;

    open_inspection(0);
    CHECK_OK(peal_inspection_path(path, sizeof path, NULL));
    CHECK_EQUAL(stat(path, &status), 0);
    CHECK_EQUAL(status.st_mode & 0777, 0600);
    CHECK_OK(peal_inspection_stop());
    CHECK_EQUAL(chmod(folder, 0755), 0);
    options.folder = folder;
    CHECK_STATUS(peal_inspection_start(&options), PEAL_ERROR_STATE);
    CHECK_CONTAINS(options.message, "open to other users");
    CHECK_EQUAL(chmod(folder, 0700), 0);
    snprintf(link, sizeof link, "%s-link", folder);
    CHECK_EQUAL(symlink(folder, link), 0);
    options.folder = link;
    CHECK_STATUS(peal_inspection_start(&options), PEAL_ERROR_STATE);
    CHECK_CONTAINS(options.message, "not a folder");
    CHECK_EQUAL(unlink(link), 0);
    CHECK_EQUAL(rmdir(folder), 0);
}

/* Root alone can become another user. */
static bool is_root(void)
{
    const bool is = getuid() == 0;

    if (!is)
        printf("  only root can test this\n");
    CHECK_EQUAL(is, getuid() == 0);
    return is;
}

/* A client of another user, in a process of its own. */
static bool is_refused_as_other_user(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer[256] = "";

    if (peal_inspection_path(address.sun_path, sizeof address.sun_path, NULL) < 0)
        return false;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%d", folder, (int)getppid());
    if (setuid(65534) != 0 || connect(client, (struct sockaddr *)&address, sizeof address) != 0)
        return false;
    (void)!send(client, "tree\n", 5, MSG_NOSIGNAL);
    const ssize_t length = recv(client, answer, sizeof answer - 1, MSG_WAITALL);
    return length > 0 && strstr(answer, "the user of the program alone") != NULL && strstr(answer, "kind") == NULL;
}

CLAIM("I1", "a process of another user gets no answer")
{
    char path[128];

    if (!is_root())
        return;
    open_inspection(0);
    CHECK_OK(peal_inspection_path(path, sizeof path, NULL));
    /* The modes keep other users out, so the test opens them. */
    CHECK_EQUAL(chmod(folder, 0711), 0);
    CHECK_EQUAL(chmod(path, 0666), 0);
    CHECK(in_child(is_refused_as_other_user, 20));
    close_inspection();
}

/* In the child of a fork: the inspection is closed, and another one can be opened. */
static bool has_no_inspection(void)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;
    char path[128];

    options.folder = folder;
    return peal_inspection_stop() == PEAL_ERROR_STATE && peal_inspection_path(path, sizeof path, NULL) == PEAL_OK
        && *path == '\0' && peal_inspection_start(&options) == PEAL_OK
        && strstr(request_of(connect_client(), "hello"), "\"kind\":\"process\"") != NULL
        && peal_inspection_stop() == PEAL_OK;
}

CLAIM("I1", "the child of a fork does not answer for its parent, and may open an inspection of its own")
{
    open_inspection(0);
    const int client = connect_client();
    CHECK_CONTAINS(request_of(client, "hello"), "process");
    CHECK(in_child(has_no_inspection, 20));
    CHECK_CONTAINS(request_of(client, "hello"), "process");
    close(client);
    close_inspection();
}

static bool child_holds;
static pid_t forked;

/* A call of the thread that answers. The child goes on in a process without that thread, and its return ends it. */
static void fork_in_call(void *self)
{
    sigset_t blocked;

    (void)self;
    forked = fork();
    if (forked != 0)
        return;
    alarm(20);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    child_holds = CHECK(!sigismember(&blocked, SIGTERM)) && CHECK_STATUS(peal_inspection_stop(), PEAL_ERROR_STATE);
    if (!child_holds)
        _exit(1);
}

CLAIM("I1", "a call that the inspection makes may fork: the child blocks what the program does, and answers nobody")
{
    const struct peal_binding binding = { "on_close", (peal_function)fork_in_call, NULL };
    int status = 1;

    open_chat();
    CHECK_OK(peal_protocol_remove_observations_of(chat, heard, NULL));
    CHECK_OK(peal_observe_bindings(chat, NULL, &binding, 1, NULL, NULL));
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    CHECK_CONTAINS(request_of(client, "send InspectedChat.on_close"), "\"calls\":1");
    CHECK_EQUAL(waitpid(forked, &status, 0), forked);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_CONTAINS(request_of(client, "hello"), "process");
    close(client);
    close_inspection();
    close_center(center);
}

/* Where the thread of the inspection is when another thread of the program forks. */
enum moment { NEVER, AFTER_ACCEPT, BEFORE_CLOSE, AFTER_CLOSE };
static enum moment moment;
static int number; /* of the connection */
static size_t own_sockets;
static pid_t child_of_moment;
static struct latch is_about_to_fork = LATCH_INITIALIZER;
static struct latch has_forked = LATCH_INITIALIZER;

static size_t count_sockets(void)
{
    size_t count = 0;

    for (int descriptor = 0; descriptor < 256; descriptor++) {
        int type;
        socklen_t length = sizeof type;
        count += getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
    }
    return count;
}

/* The file gets the number of a connection that was closed. */
static void *open_file_and_fork(void *context)
{
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (context != NULL)
        CHECK_EQUAL(file, number);
    latch_open(&is_about_to_fork);
    const pid_t child = fork();
    if (child == 0)
        _exit(fcntl(file, F_GETFD) < 0 ? 1 : count_sockets() != own_sockets ? 2 : 0);
    child_of_moment = child;
    latch_open(&has_forked);
    CHECK_EQUAL(close(file), 0);
    return NULL;
}

/* A fork that does not happen soon must wait until the thread of the inspection has left this function. */
static void fork_at(enum moment now)
{
    static pthread_t thread;

    if (__atomic_load_n(&moment, __ATOMIC_ACQUIRE) != now)
        return;
    __atomic_store_n(&moment, NEVER, __ATOMIC_RELEASE);
    thread = thread_start(open_file_and_fork, now == AFTER_CLOSE ? &thread : NULL);
    latch_wait(&is_about_to_fork);
    for (int i = 0; i < 100 && !latch_is_open(&has_forked); i++)
        usleep(1000);
    pthread_detach(thread);
}

/* Instead of the functions of the C library. */
int close(int descriptor)
{
    fork_at(BEFORE_CLOSE);
    const int result = (int)syscall(SYS_close, descriptor);
    number = descriptor;
    fork_at(AFTER_CLOSE);
    return result;
}

/* By its name for the linker: GNU's header declares it with an argument that is a union. */
int accept_and_fork(int descriptor, struct sockaddr *address, socklen_t *length, int flags) __asm__("accept4");

int accept_and_fork(int descriptor, struct sockaddr *address, socklen_t *length, int flags)
{
    const int result = (int)syscall(SYS_accept4, descriptor, address, length, flags);
    const int error = errno;

    if (result >= 0)
        fork_at(AFTER_ACCEPT);
    errno = error;
    return result;
}

/* Opens and ends a connection while another thread forks. Returns what is wrong in the child; 0 for nothing. */
static int child_at(enum moment chosen)
{
    int status = -1;

    latch_shut(&is_about_to_fork);
    latch_shut(&has_forked);
    own_sockets = count_sockets() + 1;
    open_inspection(0);
    __atomic_store_n(&moment, chosen == AFTER_ACCEPT ? chosen : NEVER, __ATOMIC_RELEASE);
    const int client = connect_client();
    CHECK_CONTAINS(request_of(client, "hello"), "process");
    __atomic_store_n(&moment, chosen != AFTER_ACCEPT ? chosen : NEVER, __ATOMIC_RELEASE);
    shutdown(client, SHUT_RDWR);
    latch_wait(&has_forked);
    CHECK(child_of_moment > 0 && waitpid(child_of_moment, &status, 0) == child_of_moment);
    close_inspection();
    close(client);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CLAIM("I1", "the child of a fork has no connection of its parent that is just being opened or closed")
{
    CHECK_EQUAL(child_at(AFTER_ACCEPT), 0);
    CHECK_EQUAL(child_at(BEFORE_CLOSE), 0);
}

CLAIM("I1", "the child of a fork keeps a file of the program whose number was that of a connection")
{
    CHECK_EQUAL(child_at(AFTER_CLOSE), 0);
}

/* ---- I1: forks of the thread that answers -------------------------------------------------------- */

static pid_t forked_once = -1; /* 0 in the child */
static pthread_t forking;
static int calls_in_child; /* of that thread, after the one that has forked */
static int own_client; /* of the child's inspection */

/* In the child, when the thread that has forked is gone. */
static void *check_child(void *context)
{
    size_t lines = 0;

    (void)context;
    CHECK_EQUAL(pthread_join(forking, NULL), 0);
    const char *answer = request_of(own_client, "hello");
    for (const char *end = answer; (end = strchr(end, '\n')) != NULL; end++)
        lines++;
    const bool holds = CHECK_CONTAINS(answer, "{\"kind\":\"process\"") && CHECK_EQUAL(lines, 2)
                    && CHECK_EQUAL(calls_in_child, 0) && CHECK_OK(peal_inspection_stop());
    fflush(stdout);
    _exit(holds ? 0 : 1);
}

/* On the thread that answers. The child opens an inspection, which has a client when this function returns. */
static void fork_once(void)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;

    calls_in_child += forked_once == 0 && pthread_equal(pthread_self(), forking);
    if (forked_once != -1)
        return;
    fflush(stdout);
    forking = pthread_self();
    forked_once = fork();
    if (forked_once != 0)
        return;
    alarm(20);
    options.folder = folder;
    if (!CHECK_OK(peal_inspection_start(&options)))
        _exit(1);
    own_client = connect_client();
    CHECK_CONTAINS(request_of(own_client, "hello"), "process");
    thread_start(check_child, NULL);
}

static void fork_in_observer(void *self)
{
    (void)self;
    fork_once();
}

static bool fork_in_retain(void *reference)
{
    (void)reference;
    if (pthread_equal(pthread_self(), *(pthread_t *)reference) == 0)
        fork_once();
    return true;
}

static void release_nothing(void *reference, void *target)
{
    (void)reference;
    (void)target;
}

/* Sends a request whose answer lets the program fork, and more requests at once. */
static bool check_fork_in(const char *requests, const char *last_answer)
{
    int status = 1;

    forked_once = -1;
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    send_bytes(client, requests, strlen(requests));
    bool is_answered = false;
    for (const char *answer; !is_answered && *(answer = read_answer(client)) != '\0';)
        is_answered = strstr(answer, last_answer) != NULL;
    CHECK(is_answered);
    CHECK(forked_once > 0 && waitpid(forked_once, &status, 0) == forked_once);
    const bool is_child_well = CHECK(WIFEXITED(status)) && CHECK_EQUAL(WEXITSTATUS(status), 0);
    close(client);
    close_inspection();
    return is_answered && is_child_well;
}

CLAIM("I1", "a child that an observer of a sent call forks has clients of its own, and executes no further request of its parent")
{
    const struct peal_binding binding = { "on_close", (peal_function)fork_in_observer, NULL };

    open_chat();
    CHECK_OK(peal_protocol_remove_observations_of(chat, heard, NULL));
    CHECK_OK(peal_observe_bindings(chat, NULL, &binding, 1, NULL, NULL));
    check_fork_in("send InspectedChat.on_close\nsend InspectedChat.on_close\nsend InspectedChat.on_bare\n", "error");
    close_center(center);
}

CLAIM("I1", "a child that the hook of a weak target forks during a request has clients of its own")
{
    static const struct peal_weak_type weak = { fork_in_retain, release_nothing };
    static pthread_t self;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    const struct peal_binding binding = { "on_close", (peal_function)fork_in_observer, NULL };

    self = pthread_self();
    open_chat();
    options.weak = &weak;
    options.weak_reference = &self;
    CHECK_OK(peal_observe_bindings(chat, &self, &binding, 1, &options, NULL));
    check_fork_in("tree\n", "\"weak\":true");
    close_center(center);
}

/* ---- N2: bad input ----------------------------------------------------------------------------- */

CLAIM("I2", "a line that is no request gets an error, and the connection answers the next one")
{
    static const struct {
        const char *line;
        const char *error;
    } cases[] = {
        { "", "a request is empty" },
        { "nonsense", "is unknown" },
        { "tree and more", "is unknown" },
        { "send", "is unknown" },
        { "describe \"Chat", "has no end" },
        { "describe \"Ch\"at", "followed by a blank" },
        { "describe \"\\q\"", "escape" },
        { "describe \"\\x0\"", "escape" },
        { "describe \"\\x00\"", "escape" },
        { "describe Nowhere", "no protocol is named 'Nowhere'" },
        { "describe \xff\xfe", "\xef\xbf\xbd" },
    };

    open_inspection(0);
    const int client = connect_client();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(cases[i].line);
        const char *answer = request_of(client, cases[i].line);
        CHECK_CONTAINS(answer, "{\"error\":\"");
        CHECK_CONTAINS(answer, cases[i].error);
        CHECK_CONTAINS(answer, "{\"end\":true}");
    }
    check_case(NULL);
    send_bytes(client, "he\0lo\n", 6);
    CHECK_CONTAINS(read_answer(client), "zero byte");
    CHECK_CONTAINS(request_of(client, "hello\r"), "\"kind\":\"process\"");
    close(client);
    close_inspection();
}

CLAIM("I2", "a line of more than 65,536 bytes and a request of more than 72 words are refused")
{
    static char line[70000];

    open_inspection(0);
    int client = connect_client();
    memset(line, 'x', sizeof line);
    send_bytes(client, line, sizeof line);
    CHECK_CONTAINS(read_answer(client), "more than 65,536 bytes");
    close(client);
    client = connect_client();
    for (size_t i = 0; i < 200; i += 2)
        line[i] = ' ';
    line[200] = '\0';
    CHECK_CONTAINS(request_of(client, line), "more than 72 words");
    close(client);
    close_inspection();
}

CLAIM("I2", "a client that ends inside a request, or that does not read, delays no other client")
{
    int clients[8];

    open_inspection(0);
    open_chat();
    int client = connect_client();
    send_bytes(client, "descr", 5);
    close(client);
    for (size_t i = 0; i < 8; i++) {
        clients[i] = connect_client();
        for (int k = 0; k < 100; k++)
            if (send(clients[i], "describe\n", 9, MSG_DONTWAIT | MSG_NOSIGNAL) != 9)
                break;
    }
    client = connect_client();
    CHECK_CONTAINS(request_of(client, "describe InspectedChat"), "on_samples");
    close(client);
    for (size_t i = 0; i < 8; i++)
        close(clients[i]);
    close_center(center);
    close_inspection();
}

CLAIM("I2", "the seventeenth client is refused, and a place is free once another one has ended")
{
    int clients[16];

    open_inspection(0);
    for (size_t i = 0; i < 16; i++) {
        clients[i] = connect_client();
        CHECK_CONTAINS(request_of(clients[i], "hello"), "process");
    }
    int client = connect_client();
    CHECK_CONTAINS(read_answer(client), "16 other connections");
    close(client);
    close(clients[3]);
    do {
        client = connect_client();
        if (strstr(request_of(client, "hello"), "process") != NULL)
            break;
        close(client);
    } while (true);
    close(client);
    for (size_t i = 0; i < 16; i++)
        if (i != 3)
            close(clients[i]);
    close_inspection();
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Returns the processor time that all other threads take while this one takes 0.3 s. So it does not depend on the load. */
static double seconds_of_others(void)
{
    const double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID), own = seconds_of(CLOCK_THREAD_CPUTIME_ID);

    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) - own < 0.3)
        ;
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - own);
}

/* In a child process: no descriptor is left for the connection of a client. */
static bool waits_for_a_descriptor(void)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;
    struct rlimit before;

    options.folder = folder;
    if (peal_inspection_start(&options) < 0 || getrlimit(RLIMIT_NOFILE, &before) != 0)
        return false;
    const int first = connect_client();
    if (strstr(request_of(first, "hello"), "process") == NULL)
        return false;
    const int waiting = connect_client_later();
    struct rlimit few = { 64, before.rlim_max };
    int last = -1;
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        return false;
    for (int more = dup(waiting); more >= 0; more = dup(waiting))
        last = more;
    if (!connect_now(waiting))
        return false;
    const double used = seconds_of_others();
    return used < 0.1 && strstr(request_of(first, "hello"), "process") != NULL && close(last) == 0
        && strstr(request_of(waiting, "hello"), "process") != NULL && peal_inspection_stop() == PEAL_OK;
}

CLAIM("I2", "a program without a free descriptor takes no processor time for a waiting client, and answers it later")
{
    open_inspection(0);
    CHECK_OK(peal_inspection_stop());
    CHECK(in_child(waits_for_a_descriptor, 20));
    CHECK_EQUAL(rmdir(folder), 0);
}

/* ---- N3: answers ------------------------------------------------------------------------------- */

CLAIM("I3", "the tree has the objects of the program, and a description the types of a method")
{
    struct peal_queue_options options = PEAL_PUMPED_QUEUE_OPTIONS;
    peal_queue queue;

    open_chat();
    options.capacity = 7;
    CHECK_OK(peal_queue_create(&options, &queue));
    open_inspection(0);
    const int client = connect_client();
    const char *answer = request_of(client, "tree");
    CHECK_CONTAINS(answer, "{\"kind\":\"process\",\"pid\":");
    CHECK_CONTAINS(
        answer, "\"type\":\"pumped\",\"waiting\":0,\"delivered\":0,\"dropped\":0,\"rejected\":0,\"capacity\":7");
    CHECK_CONTAINS(answer, "\"name\":\"InspectedChat\",\"version\":1");
    CHECK_CONTAINS(answer, "\"declaration\":\"optional void on_message(const char *room, int count)\"");
    CHECK_CONTAINS(answer, "{\"kind\":\"observer\"");
    CHECK_CONTAINS(answer, "{\"end\":true}");
    answer = request_of(client, "describe InspectedChat.on_samples");
    CHECK_CONTAINS(answer,
        "{\"name\":\"samples\",\"type\":\"const short *\",\"size\":8,\"ownership\":\"buffer\",\"length_parameter\":1,"
        "\"unit\":\"elements\"}");
    CHECK_CONTAINS(request_of(client, "describe InspectedChat.on_nothing"), "{\"error\":\"");
    close(client);
    close_inspection();
    CHECK_OK(peal_queue_destroy(queue));
    close_center(center);
}

CLAIM("I3", "arguments are decoded from text by their types, and the result is printed")
{
    static const struct {
        const char *arguments;
        const char *heard;
        const char *answer;
    } cases[] = {
        { "on_message lobby 3", "lobby 3", "\"calls\":1" },
        { "on_message \"a \\\"b\\\" \\x41\" -2147483648", "a \"b\" A -2147483648", "\"calls\":1" },
        { "on_message NULL 0x10", "(null) 16", "\"calls\":1" },
        { "on_samples [1,2,-3] 3", "3 samples, last -3", "\"calls\":1" },
        { "on_samples \"[1, 2]\" _", "2 samples, last 2", "\"calls\":1" },
        { "on_samples <01000200> 1", "1 samples, last 1", "\"calls\":1" },
        { "on_samples [] 0", "0 samples, last 0", "\"calls\":1" },
        { "may_move \"{ x: 3, y: 0.5 }\" GREEN", "3 0.5 2", "\"result\":\"true\"" },
        { "may_move {-1,2} 1", "-1 2 1", "\"result\":\"false\"" },
    };
    char line[256];

    open_chat();
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(cases[i].arguments);
        snprintf(line, sizeof line, "send InspectedChat.%s", cases[i].arguments);
        CHECK_CONTAINS(request_of(client, line), cases[i].answer);
        CHECK_TEXT(heard, cases[i].heard);
    }
    check_case(NULL);
    close(client);
    close_inspection();
    close_center(center);
}

CLAIM("I3", "an argument that cannot be made is refused with its name, and no observer is called")
{
    static const struct {
        const char *arguments;
        const char *error;
    } cases[] = {
        { "on_message lobby", "2 parameters, but the number of arguments is 1" },
        { "on_message lobby three", "argument 2, 'count': 'three' is no int" },
        { "on_message lobby 2147483648", "is no int" },
        { "on_message lobby 3x", "'x' is too much" },
        { "on_message lobby _", "is no int" },
        { "on_samples [1,2] 3", "its length is 3, and only 2 are given" },
        { "on_samples [1,70000] 2", "is no short" },
        { "on_samples <010> 1", "no byte" },
        { "on_samples <01> 1", "no whole number" },
        { "on_samples [1,2 2", "where , or ] is needed" },
        { "on_samples NULL 1", "NULL has no elements" },
        { "may_move {1,2,3} RED", "has 2 members" },
        { "may_move {z:1} RED", "has no member 'z'" },
        { "may_move {1,2} BLUE", "'BLUE' is no value of enum color" },
        { "on_bare 0x1234", "only NULL can be sent" },
        { "on_nothing", "on_nothing" },
    };
    char line[256];

    open_chat();
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    snprintf(heard, sizeof heard, "silence");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(cases[i].arguments);
        snprintf(line, sizeof line, "send InspectedChat.%s", cases[i].arguments);
        const char *answer = request_of(client, line);
        CHECK_CONTAINS(answer, "{\"error\":\"");
        CHECK_CONTAINS(answer, cases[i].error);
        CHECK_TEXT(heard, "silence");
    }
    check_case(NULL);
    close(client);
    close_inspection();
    close_center(center);
}

CLAIM("I3", "a call of the inspection's own thread cannot close it")
{
    open_chat();
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    CHECK_CONTAINS(request_of(client, "send InspectedChat.on_close"), "\"calls\":1");
    CHECK_STATUS(close_status, PEAL_ERROR_WOULD_DEADLOCK);
    close(client);
    close_inspection();
    close_center(center);
}

CLAIM("I3", "the arguments of a call need at most 16 MiB of memory, however large the elements of a buffer are")
{
    static const char *const methods[] = { "optional void on_blocks(const struct inspected_block *first "
                                           "__counted_by(count), const struct inspected_block *second "
                                           "__counted_by(count), size_t count)",
        NULL };
    static char line[9000];
    size_t length = (size_t)snprintf(line, sizeof line, "send InspectedBlocks.on_blocks ");

    center = open_center();
    CHECK_OK(peal_type_declare(center, "struct inspected_block { char bytes[4096]; };"));
    (void)protocol_of(center, "InspectedBlocks", methods);
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    /* 3,000 characters make room for as many elements of 4,096 bytes: 12 MB for each of two buffers. */
    for (int buffer = 0; buffer < 2; buffer++) {
        length += (size_t)snprintf(line + length, sizeof line - length, "[");
        for (int i = 0; i < 1000; i++)
            length += (size_t)snprintf(line + length, sizeof line - length, "%s{}", i > 0 ? "," : "");
        length += (size_t)snprintf(line + length, sizeof line - length, "] ");
    }
    snprintf(line + length, sizeof line - length, "_");
    CHECK_CONTAINS(request_of(client, line), "more than 16 MiB");
    close(client);
    close_inspection();
    close_center(center);
}

/* ---- Control ----------------------------------------------------------------------------------- */

CLAIM("I7", "an inspection looks only, and its refusals of send, record and replay name the value that permits them")
{
    static const char *const requests[] = { "send InspectedChat.on_message lobby 1",
        "record /tmp/recording InspectedChat", "replay /tmp/recording" };

    CHECK_EQUAL(PEAL_INSPECTION_READ_ONLY, 0);
    open_chat();
    open_inspection(PEAL_INSPECTION_READ_ONLY);
    int client = connect_client();
    snprintf(heard, sizeof heard, "silence");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        check_case(requests[i]);
        const char *answer = request_of(client, requests[i]);
        CHECK_CONTAINS(answer, "{\"error\":\"");
        CHECK_CONTAINS(answer, "PEAL_INSPECT=control");
    }
    check_case(NULL);
    CHECK_TEXT(heard, "silence");
    CHECK_CONTAINS(request_of(client, "tree"), "InspectedChat");
    close(client);
    close_inspection();
    open_inspection(PEAL_INSPECTION_CONTROL);
    client = connect_client();
    CHECK_CONTAINS(request_of(client, "send InspectedChat.on_message lobby 1"), "\"calls\":1");
    CHECK_TEXT(heard, "lobby 1");
    close(client);
    close_inspection();
    close_center(center);
}

/* ---- Recordings -------------------------------------------------------------------------------- */

/* Writes a recording of calls of on_close.
 *
 * arguments: the encoded ones of each call, one byte: 0x80 has no elements, and 0xff cannot be decoded. */
static void write_calls(const char *path, unsigned thousands, unsigned char arguments)
{
    enum { SIZE = 32 };
    static char block[1000 * SIZE], header[64] = "pealrec1", description[56];
    const struct {
        uint32_t size;
        uint16_t kind, method;
    } call = { 1, 2, 0 }, described = { 8 + sizeof "InspectedChat\0on_close\0", 1, 0 };
    FILE *file = fopen(path, "wb");
    uint64_t fingerprint = 0;

    CHECK_OK(peal_method_fingerprint(find_method(chat, "on_close"), &fingerprint));
    memcpy(description, &described, sizeof described);
    memcpy(description + 24, &fingerprint, sizeof fingerprint);
    memcpy(description + 32, "InspectedChat\0on_close\0", sizeof "InspectedChat\0on_close\0");
    for (size_t i = 0; i < 1000; i++) {
        memcpy(block + i * SIZE, &call, sizeof call);
        block[i * SIZE + 24] = (char)arguments;
    }
    fwrite(header, sizeof header, 1, file);
    fwrite(description, sizeof description, 1, file);
    for (unsigned i = 0; i < thousands; i++)
        fwrite(block, sizeof block, 1, file);
    CHECK(fclose(file) == 0);
}

/* In a child process: a replay uses the default center. */
static bool replays_in_parent_alone(void)
{
    static const char *const methods[] = { "optional void on_close(void)", NULL };
    const struct peal_binding binding = { "on_close", (peal_function)fork_in_observer, NULL };
    char path[96], line[128];

    chat = protocol_of(peal_center_default(), "InspectedChat", methods);
    CHECK_OK(peal_observe_bindings(chat, NULL, &binding, 1, NULL, NULL));
    snprintf(path, sizeof path, "/tmp/peal-inspection-forks-%d", (int)getpid());
    write_calls(path, 1, 0x80);
    snprintf(line, sizeof line, "replay %s 0\n", path);
    return check_fork_in(line, "\"kind\":\"replayed\",\"made\":1000,") && CHECK_EQUAL(unlink(path), 0);
}

CLAIM("I6", "a replay whose call forks goes on in the parent alone") { CHECK(in_child(replays_in_parent_alone, 60)); }

/* ---- Ends of streams ---------------------------------------------------------------------------- */

/* Ends the side of the client. Returns the last lines of its answer. */
static const char *end_of(int client)
{
    static char end[4096];
    size_t length = 0;
    ssize_t part;

    CHECK_EQUAL(shutdown(client, SHUT_WR), 0);
    while ((part = recv(client, end + length, sizeof end - 1 - length, 0)) > 0) {
        length += (size_t)part;
        if (length > sizeof end / 2) {
            memmove(end, end + length - sizeof end / 4, sizeof end / 4);
            length = sizeof end / 4;
        }
    }
    end[length] = '\0';
    return end;
}

static struct latch is_held = LATCH_INITIALIZER, may_go_on = LATCH_INITIALIZER;

/* A call of the thread that answers, and reads the records of streams. */
static void hold_inspection(void *self)
{
    (void)self;
    latch_open(&is_held);
    latch_wait(&may_go_on);
}

CLAIM("I4", "the end of a stream has the number of lost records, also of a thread that has had no record since")
{
    /* A broadcast with one observer has two records. */
    enum { BROADCASTS = 20000, RING = 32768 };
    const struct peal_binding binding = { "on_close", (peal_function)hold_inspection, NULL };
    char wanted[64];

    open_chat();
    CHECK_OK(peal_observe_bindings(chat, NULL, &binding, 1, NULL, NULL));
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int watching = connect_client(), controlling = connect_client();
    send_bytes(watching, "slices InspectedChat.on_message\n", 32);
    char begun[sizeof "{\"kind\":\"begun\"}\n"] = "";
    CHECK_EQUAL(recv(watching, begun, sizeof begun - 1, MSG_WAITALL), sizeof begun - 1);
    send_bytes(controlling, "send InspectedChat.on_close\n", 28);
    latch_wait(&is_held);
    for (int i = 0; i < BROADCASTS; i++)
        CHECK_OK(peal_broadcast(find_method(chat, "on_message"), "hall", i));
    latch_open(&may_go_on);
    CHECK_CONTAINS(read_answer(controlling), "\"calls\"");
    snprintf(wanted, sizeof wanted, "{\"kind\":\"total\",\"lost\":%d}\n{\"end\":true}\n", 2 * BROADCASTS - RING);
    CHECK_CONTAINS(end_of(watching), wanted);
    close(watching);
    close(controlling);
    close_inspection();
    close_center(center);
}

CLAIM("I6", "a client that ends its own side receives a whole list of calls, and the final numbers of a recording")
{
    char path[80], line[128];

    snprintf(path, sizeof path, "/tmp/peal-inspection-list-%d", (int)getpid());
    open_chat();
    write_calls(path, 3, 0xff);
    open_inspection(PEAL_INSPECTION_CONTROL);
    /* The protocols of recordings are those of the default center. */
    static const char *const methods[] = { "optional void on_close(void)", NULL };
    const peal_protocol listed = protocol_of(peal_center_default(), "InspectedChat", methods);
    int client = connect_client();
    snprintf(line, sizeof line, "calls %s\n", path);
    send_bytes(client, line, strlen(line));
    CHECK_CONTAINS(end_of(client), "{\"kind\":\"listed\",\"listed\":0,\"failed\":3000,\"left\":0}\n{\"end\":true}\n");
    close(client);
    client = connect_client();
    snprintf(line, sizeof line, "record %s InspectedChat\n", path);
    send_bytes(client, line, strlen(line));
    char first[sizeof "{\"kind\":\"recorded\""] = "";
    CHECK_EQUAL(recv(client, first, sizeof first - 1, MSG_WAITALL), sizeof first - 1);
    CHECK_OK(peal_broadcast(find_method(listed, "on_close")));
    CHECK_EQUAL(truncate(path, 0), 0);
    for (int i = 0; i < 5; i++)
        CHECK_OK(peal_broadcast(find_method(listed, "on_close")));
    const char *end = end_of(client);
    CHECK_CONTAINS(end, "\"is_last\":true");
    CHECK_CONTAINS(end, "\"lost\":5,\"reason\":\"another process has cut the file; ");
    CHECK_CONTAINS(end, "{\"end\":true}\n");
    close(client);
    close_inspection();
    CHECK_EQUAL(unlink(path), 0);
    close_center(center);
}

/* ---- The user of the program ------------------------------------------------------------------- */

static bool is_refused(const char *answer)
{
    return strstr(answer, "the user of the program alone") != NULL && strstr(answer, "kind") == NULL;
}

/* In a child process: connections that root has opened, after the program has become another user for a while. */
static bool loses_its_right(void)
{
    const int looking = connect_client(), watching = connect_client();

    if (strstr(request_of(looking, "hello"), "process") == NULL)
        return false;
    send_bytes(watching, "top\n", 4);
    /* The stream has begun once it has a line. */
    char byte;
    if (recv(watching, &byte, 1, 0) != 1 || seteuid(65534) != 0)
        return false;
    if (!is_refused(request_of(looking, "hello"))
        || strstr(read_answer(watching), "the user of the program alone") == NULL)
        return false;
    return seteuid(0) == 0 && strstr(request_of(connect_client(), "hello"), "process") != NULL
        && peal_inspection_stop() == PEAL_OK;
}

static bool opens_and_loses_its_right(void)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;

    options.folder = folder;
    return peal_inspection_start(&options) == PEAL_OK && loses_its_right();
}

CLAIM("I8", "a connection that was opened before the program changed its user gets no answer, and its stream ends")
{
    if (!is_root())
        return;
    open_inspection(0);
    CHECK_OK(peal_inspection_stop());
    CHECK(in_child(opens_and_loses_its_right, 20));
    CHECK_EQUAL(rmdir(folder), 0);
}

static int closes;

/* A call of the thread that answers. */
static void become_another_user(void *self)
{
    (void)self;
    closes++;
    CHECK_EQUAL(seteuid(65534), 0);
}

static char recorded_closes[80];

/* In a child process: requests that arrived together, the first of which lets the program become another user. A replay
 * uses the default center. */
static bool answers_one_request(const char *requests)
{
    static const char *const methods[] = { "optional void on_close(void)", NULL };
    const struct peal_binding binding = { "on_close", (peal_function)become_another_user, NULL };

    chat = protocol_of(peal_center_default(), "InspectedChat", methods);
    CHECK_OK(peal_observe_bindings(chat, NULL, &binding, 1, NULL, NULL));
    write_calls(recorded_closes, 1, 0x80);
    open_inspection(PEAL_INSPECTION_CONTROL);
    const int client = connect_client();
    send_bytes(client, requests, strlen(requests));
    const char *answer = read_answer(client);
    if (strstr(answer, "the user of the program alone") == NULL)
        answer = read_answer(client);
    const bool is_one = CHECK_CONTAINS(answer, "the user of the program alone") && CHECK_EQUAL(closes, 1);
    CHECK_EQUAL(seteuid(0), 0);
    close(client);
    close_inspection();
    return is_one;
}

static bool answers_one_send(void)
{
    return answers_one_request("send InspectedChat.on_close\nsend InspectedChat.on_close\n");
}

static bool makes_one_recorded_call(void)
{
    char line[128];

    snprintf(line, sizeof line, "replay %s 0\n", recorded_closes);
    return answers_one_request(line);
}

CLAIM("I8", "of requests that arrived together, and of a replay's calls, none is executed once the program has changed its user")
{
    if (!is_root())
        return;
    snprintf(recorded_closes, sizeof recorded_closes, "/tmp/peal-inspection-closes-%d", (int)getpid());
    CHECK(in_child(answers_one_send, 20));
    CHECK(in_child(makes_one_recorded_call, 20));
    CHECK_EQUAL(unlink(recorded_closes), 0);
}

static bool is_refused_with_message(void)
{
    struct peal_inspection_options options = PEAL_INSPECTION_OPTIONS;

    return peal_inspection_start(&options) == PEAL_ERROR_STATE
        && strstr(options.message, "the rights of several users") != NULL;
}

static bool opens_nothing_as_two_users(void) { return seteuid(65534) == 0 && is_refused_with_message(); }

static bool opens_nothing_with_a_saved_user(void)
{
    return setresuid(65534, 65534, 0) == 0 && is_refused_with_message();
}

static bool opens_nothing_as_two_groups(void) { return setegid(65534) == 0 && is_refused_with_message(); }

CLAIM("I8", "a program whose real, effective and saved user or group differ opens no inspection")
{
    if (!is_root())
        return;
    CHECK(in_child(opens_nothing_as_two_users, 20));
    CHECK(in_child(opens_nothing_with_a_saved_user, 20));
    CHECK(in_child(opens_nothing_as_two_groups, 20));
}

static char elevated_program[80];

static bool is_refused_when_elevated(void)
{
    execl(elevated_program, elevated_program, "also after it has given them up", (char *)NULL);
    return false;
}

CLAIM("I8", "a program that was started with the rights of another group opens no inspection, also after it has given them up")
{
    char command[400];

    if (getauxval(AT_SECURE) != 0) {
        CHECK_EQUAL(setresgid(getgid(), getgid(), getgid()), 0);
        CHECK(is_refused_with_message());
        return;
    }
    if (!is_root())
        return;
    snprintf(elevated_program, sizeof elevated_program, "/tmp/peal-elevated-%d", (int)getpid());
    snprintf(command, sizeof command, "cp /proc/%d/exe %s && chgrp 65534 %s && chmod 2755 %s", (int)getpid(),
        elevated_program, elevated_program, elevated_program);
    CHECK_EQUAL(system(command), 0);
    CHECK(in_child(is_refused_when_elevated, 20));
    CHECK_EQUAL(unlink(elevated_program), 0);
}

/* ---- Files ------------------------------------------------------------------------------------- */

CLAIM("I9", "a list of calls that cannot be decoded delays neither another client nor the end of the inspection")
{
    char path[96], line[128];

    open_chat();
    open_inspection(0);
    snprintf(path, sizeof path, "/tmp/peal-inspection-calls-%d", (int)getpid());
    write_calls(path, 4000, 0xff);
    const int lister = connect_client(), client = connect_client();
    const int length = snprintf(line, sizeof line, "calls %s\n", path);
    send_bytes(lister, line, (size_t)length);
    CHECK(recv(lister, line, sizeof line, 0) > 0);
    CHECK_CONTAINS(request_of(client, "hello"), "process");
    close_inspection();
    /* The end of the list was not reached. */
    CHECK(strstr(read_answer(lister), "\"end\"") == NULL);
    close(lister);
    close(client);
    unlink(path);
    close_center(center);
}

CLAIM("I9", "a path that leads to a FIFO, a device or a folder is refused, and the inspection can still be stopped")
{
    char fifo[80], line[128];

    open_inspection(PEAL_INSPECTION_CONTROL);
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    CHECK_EQUAL(mkfifo(fifo, 0600), 0);
    const char *const paths[] = { fifo, "/dev/zero", "/dev/tty", "/dev/null", folder };
    static const char *const requests[] = { "calls", "replay" };
    const int client = connect_client();
    for (size_t i = 0; i < sizeof paths / sizeof *paths * 2; i++) {
        snprintf(line, sizeof line, "%s %s", requests[i % 2], paths[i / 2]);
        check_case(line);
        CHECK_CONTAINS(request_of(client, line), "{\"error\":\"");
    }
    check_case(NULL);
    CHECK_EQUAL(unlink(fifo), 0);
    close(client);
    close_inspection();
}

/* ---- Memory ------------------------------------------------------------------------------------ */

static void live_and_end(unsigned count)
{
    static const char *const methods[] = { "optional void on_close(void)", NULL };

    while (count-- > 0) {
        center = open_center();
        CHECK_OK(peal_broadcast(find_method(protocol_of(center, "InspectedChat", methods), "on_close")));
        close_center(center);
    }
}

static bool prints_with_bounded_memory(void)
{
    /* The second part needs the memory of the first one again. */
    enum { LIVES = 3000 };

    live_and_end(LIVES);
    const size_t before = mallinfo2().uordblks;
    live_and_end(LIVES);
    const size_t after = mallinfo2().uordblks;
    return CHECK(after < before + (size_t)LIVES * 32);
}

static bool is_bounded_with_debug(void)
{
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    CHECK_EQUAL(dup2(nothing, STDERR_FILENO), STDERR_FILENO);
    CHECK_EQUAL(setenv("PEAL_DEBUG", "calls,rate=0", 1), 0);
    execl("/proc/self/exe", "inspection", "whose calls are printed", (char *)NULL);
    return false;
}

CLAIM("I5", "a program whose calls are printed needs no memory for methods that have ended")
{
    if (getenv("PEAL_DEBUG") == NULL)
        CHECK(in_child(is_bounded_with_debug, 60));
    else
        CHECK(prints_with_bounded_memory());
}
