/* SPDX-License-Identifier: Apache-2.0 */
#include "connection.h"

#include "closed.h"
#include "commands.h"
#include "output.h"

#include "../../Sources/PealInspect/folder.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void report_error(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("peal: ", stderr);
    va_start(arguments, format);
    print_to(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int report_lost(const struct connection *connection)
{
    if (connection->is_malformed) {
        report_error(
            "process %ld has sent an answer that is malformed, or a line of more than 16 MiB", connection->pid);
        return EXIT_FAILED;
    }
    report_error("the program %ld has ended, or has closed its inspection", connection->pid);
    return EXIT_LOST;
}

/* Returns true if a signal or a debugger has stopped a process. */
static bool is_stopped(long pid)
{
    char path[64], line[512];
    const char *state = NULL;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    /* The state follows the name, which may have parentheses too. */
    if (fgets(line, sizeof line, file) != NULL)
        state = strrchr(line, ')');
    fclose(file);
    return state != NULL && state[1] == ' ' && (state[2] == 'T' || state[2] == 't');
}

static void report_stopped(struct connection *connection)
{
    if (connection->is_reported_stopped || !is_stopped(connection->pid))
        return;
    connection->is_reported_stopped = true;
    report_error("process %ld is stopped by a signal or a debugger, and answers when it continues", connection->pid);
}

/* ---- Finding programs -------------------------------------------------------------------------- */

/* The folder of the sockets, or NULL if it does not exist or cannot be trusted. */
static const char *sockets(void)
{
    static char path[4096];
    char message[256];

    if (!folder_path(path, sizeof path))
        return NULL;
    if (folder_check(path, false, message, sizeof message))
        return path;
    if (access(path, F_OK) == 0)
        report_error("%s", message);
    return NULL;
}

static int compare(const void *left, const void *right)
{
    const long a = *(const long *)left, b = *(const long *)right;

    return a < b ? -1 : a > b;
}

size_t list_sockets(long **out_pids)
{
    const char *path = sockets();
    DIR *folder = path != NULL ? opendir(path) : NULL;
    long *pids = NULL;
    size_t count = 0;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *end;
        const long pid = strtol(entry->d_name, &end, 10);
        if (pid <= 0 || *end != '\0')
            continue;
        pids = check_memory(realloc(pids, (count + 1) * sizeof *pids));
        pids[count++] = pid;
    }
    if (folder != NULL)
        closedir(folder);
    if (count > 0)
        qsort(pids, count, sizeof *pids, compare);
    *out_pids = pids;
    return count;
}

bool connect_to_pid(struct connection *connection, long pid)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = sockets();

    *connection = (struct connection){ .descriptor = -1, .pid = pid };
    if (path == NULL)
        return false;
    const int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/%ld", path, pid);
    if (length < 0 || (size_t)length >= sizeof address.sun_path)
        return false;
    connection->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0)
        return false;
    /* A socket whose owner accepts nothing must not keep a command that looks for another program. */
    static const struct timeval patience = { 2, 0 }, none = { 0, 0 };
    (void)setsockopt(connection->descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
        (void)setsockopt(connection->descriptor, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
        return true;
    }
    connection->is_busy = errno == EAGAIN;
    /* The socket of a process that could not remove it. */
    if (errno == ECONNREFUSED)
        unlink(address.sun_path);
    close(connection->descriptor);
    connection->descriptor = -1;
    return false;
}

/* Connects to the only program with a name. Returns an exit code. */
static int connect_to_name(struct connection *connection, const char *name)
{
    static const char *const hello[] = { "hello" };
    long *pids, found = 0;
    size_t matches = 0, silent = 0;
    const size_t count = list_sockets(&pids);

    for (size_t i = 0; i < count; i++) {
        struct value *line = NULL;
        if (!connect_to_pid(connection, pids[i])) {
            silent += connection->is_busy;
            continue;
        }
        const int status = send_request(connection, hello, 1) ? read_answer(connection, 2000, &line) : -1;
        silent += status == 0;
        if (status > 0 && strcmp(value_text(line, "program"), name) == 0) {
            found = pids[i];
            matches++;
        }
        value_free(line);
        disconnect(connection);
    }
    free(pids);
    if (matches > 1)
        report_error("%zu programs are named %s; give the number of one, as peal ps lists it", matches, name);
    else if (matches == 0)
        report_error("no program named %s is open for inspection; start it with PEAL_INSPECT=1, or let it call "
                     "peal_inspection_start() if it forks, as a daemon does",
            name);
    if (silent > 0)
        report_error("programs that do not answer, so that their names are not known: %zu", silent);
    if (matches != 1)
        return EXIT_FAILED;
    return connect_to_pid(connection, found) ? EXIT_OK : report_lost(connection);
}

int connect_to(struct connection *connection, const char *program)
{
    char *end;
    const long pid = strtol(program, &end, 10);

    if (end == program || *end != '\0')
        return connect_to_name(connection, program);
    if (connect_to_pid(connection, pid))
        return EXIT_OK;
    if (connection->is_busy)
        report_error(
            "process %ld accepts no connection: it is stopped, or its inspection is in a call that does not return",
            pid);
    else
        report_closed(pid);
    return EXIT_FAILED;
}

void disconnect(struct connection *connection)
{
    if (connection->descriptor >= 0)
        close(connection->descriptor);
    free(connection->buffer);
    *connection = (struct connection){ .descriptor = -1 };
}

/* ---- Requests ---------------------------------------------------------------------------------- */

/* Writes a word as a request needs it: always in quotes. */
static size_t quote(char *to, const char *word)
{
    char *start = to;

    *to++ = '"';
    for (; *word != '\0'; word++) {
        const unsigned char character = (unsigned char)*word;
        if (character == '"' || character == '\\')
            to += sprintf(to, "\\%c", character);
        else if (character < ' ')
            to += sprintf(to, "\\x%02x", character);
        else
            *to++ = (char)character;
    }
    *to++ = '"';
    return (size_t)(to - start);
}

bool send_request(struct connection *connection, const char *const *words, size_t count)
{
    size_t capacity = 1;

    for (size_t i = 0; i < count; i++)
        capacity += strlen(words[i]) * 4 + 4;
    char *line = malloc(capacity), *to = line;
    if (line == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *to++ = ' ';
        to += quote(to, words[i]);
    }
    *to++ = '\n';
    const char *from = line;
    while (from < to) {
        const ssize_t length = send(connection->descriptor, from, (size_t)(to - from), MSG_NOSIGNAL);
        if (length < 0 && errno != EINTR)
            break;
        from += length > 0 ? length : 0;
    }
    const bool is_sent = from == to;
    free(line);
    return is_sent;
}

static bool receive(struct connection *connection)
{
    enum { CHUNK = 65536 };

    if (connection->capacity - connection->length < CHUNK) {
        const size_t capacity = connection->capacity * 2 + CHUNK;
        char *buffer = realloc(connection->buffer, capacity);
        if (buffer == NULL)
            return false;
        connection->buffer = buffer;
        connection->capacity = capacity;
    }
    const ssize_t length = recv(connection->descriptor, connection->buffer + connection->length, CHUNK - 1, 0);
    if (length <= 0)
        return length < 0 && errno == EINTR;
    connection->length += (size_t)length;
    return true;
}

/* Takes a whole line of the buffer, if there is one. */
static bool take_line(struct connection *connection, char **out_line)
{
    char *from = connection->buffer + connection->consumed;
    const size_t unread = connection->length - connection->consumed;
    char *end = unread > connection->searched ? memchr(from + connection->searched, '\n', unread - connection->searched)
                                              : NULL;

    if (end != NULL) {
        *end = '\0';
        connection->consumed += (size_t)(end - from) + 1;
        connection->searched = 0;
        *out_line = from;
        return true;
    }
    connection->searched = unread;
    if (connection->consumed > 0) {
        memmove(connection->buffer, from, unread);
        connection->length = unread;
        connection->consumed = 0;
    }
    return false;
}

int read_line(struct connection *connection, int timeout, char **out_line)
{
    enum { LONG_WAIT = 500, SLICE = 1000, LINE_LIMIT = 16 << 20 };
    const uint64_t end = timeout > 0 ? now_ns() + (uint64_t)timeout * 1000000 : 0;

    for (;;) {
        if (take_line(connection, out_line))
            return 1;
        if (connection->searched > LINE_LIMIT) {
            connection->is_malformed = true;
            return -1;
        }
        const uint64_t now = timeout > 0 ? now_ns() : 0;
        const int left = timeout < 0 ? SLICE : now < end ? (int)((end - now) / 1000000) : 0;
        const int slice = left < SLICE ? left : SLICE;
        struct pollfd wait = { connection->descriptor, POLLIN, 0 };
        const int ready = poll(&wait, 1, slice);
        if (ready == 0 && slice >= LONG_WAIT)
            report_stopped(connection);
        if (ready == 0 && (timeout < 0 || slice < left))
            continue;
        if (ready == 0 || (ready < 0 && errno == EINTR))
            return 0;
        if (ready < 0 || !receive(connection))
            return -1;
    }
}

int read_answer(struct connection *connection, int timeout, struct value **out_line)
{
    char *line;
    const int status = read_line(connection, timeout, &line);

    if (status <= 0)
        return status;
    *out_line = value_parse(line);
    connection->is_malformed = *out_line == NULL;
    return *out_line != NULL ? 1 : -1;
}

int request(struct connection *connection, const char *const *words, size_t count,
    bool (*line)(void *context, struct value *line), void *context)
{
    struct value *answer;
    int result = EXIT_OK;

    if (!send_request(connection, words, count))
        return report_lost(connection);
    for (;;) {
        const int status = read_answer(connection, -1, &answer);
        if (status < 0)
            return result == EXIT_OK ? report_lost(connection) : result;
        if (status == 0)
            continue;
        const bool is_error = value_get(answer, "error") != NULL, is_end = value_get(answer, "end") != NULL;
        const bool is_second = is_error && result != EXIT_OK;
        if (is_error && !is_second) {
            report_error("%s", value_text(answer, "error"));
            result = EXIT_FAILED;
        }
        const bool goes_on = is_error ? !is_second : is_end || line(context, answer);
        value_free(answer);
        if (is_end)
            return result;
        /* What follows may have no end. */
        if (!goes_on)
            return EXIT_FAILED;
    }
}
