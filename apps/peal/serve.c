/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "http.h"

#include "../../Sources/PealText/text.h"
#include "serve_page.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum {
    PERIOD_LIMIT = 64 << 20, /* bytes of one period */
    TREE_LIMIT = 256 << 20,
    TREE_SECONDS = 5 /* until the program has sent its whole tree */
};

/* The page and the data that it requests. */
struct page {
    struct connection top; /* the stream */
    struct text period;    /* lines of the current period, with commas between them */
    struct text latest;    /* lines of the last period that is over */
};

/* ---- Answers ----------------------------------------------------------------------------------- */

static struct http_answer answer_sentence(unsigned status, const char *sentence)
{
    return (struct http_answer){ status, "text/plain", (char *)sentence, strlen(sentence), false };
}

static struct http_answer answer_list(const struct text *lines)
{
    struct text body = { 0 };

    text_add(&body, "[%s]", lines->length > 0 ? lines->bytes : "");
    if (lines->is_refused || body.is_refused) {
        text_free(&body);
        return answer_sentence(503, "out of memory");
    }
    return (struct http_answer){ 200, "application/json", body.bytes, body.length, true };
}

/* Adds all lines of an answer. Returns false if it is not whole in time, or is too long. */
static bool read_lines(struct connection *connection, struct text *lines)
{
    const uint64_t end = now_ns() + (uint64_t)TREE_SECONDS * 1000000000;
    char *line = NULL;

    while (now_ns() < end && lines->length < TREE_LIMIT && read_line(connection, 2000, &line) > 0) {
        if (strcmp(line, "{\"end\":true}") == 0)
            return true;
        text_add(lines, "%s%s", lines->length > 0 ? "," : "", line);
    }
    return false;
}

static struct http_answer answer_tree(long pid)
{
    static const char *const tree[] = { "tree" };
    struct connection connection;
    struct text lines = { 0 };

    if (!connect_to_pid(&connection, pid))
        return answer_sentence(502, "the program has ended");
    const bool is_whole = send_request(&connection, tree, 1) && read_lines(&connection, &lines);
    const struct http_answer answer = is_whole
                                        ? answer_list(&lines)
                                        : answer_sentence(504, "the program has not sent its whole tree in time");
    text_free(&lines);
    disconnect(&connection);
    return answer;
}

static struct http_answer answer(void *context, const char *path)
{
    const struct page *page = context;

    if (*path == '\0')
        return (struct http_answer){ 200, "text/html", (char *)serve_page, sizeof serve_page - 1, false };
    if (strcmp(path, "top") == 0)
        return answer_list(&page->latest);
    if (strcmp(path, "tree") == 0)
        return answer_tree(page->top.pid);
    return answer_sentence(404, "there is no such page");
}

/* ---- The stream -------------------------------------------------------------------------------- */

/* Returns false when the program has ended. */
static bool read_top(struct page *page)
{
    char *line;
    int status;

    while ((status = read_line(&page->top, 0, &line)) > 0) {
        if (strncmp(line, "{\"kind\":\"period\"", 16) == 0)
            text_free(&page->period);
        if (page->period.length > PERIOD_LIMIT) {
            page->top.is_malformed = true;
            return false;
        }
        text_add(&page->period, "%s%s", page->period.length > 0 ? "," : "", line);
        if (strncmp(line, "{\"kind\":\"period_end\"", 20) == 0) {
            text_free(&page->latest);
            page->latest = page->period;
            page->period = (struct text){ 0 };
        }
    }
    return status == 0;
}

static int serve(struct page *page, struct http_server *server)
{
    static const char *const top[] = { "top" };

    if (!send_request(&page->top, top, 1))
        return report_lost(&page->top);
    printf("%s\n", http_address(server));
    fflush(stdout);
    catch_interrupts();
    while (!is_interrupted) {
        struct pollfd waits[2] = { { http_descriptor(server), POLLIN, 0 }, { page->top.descriptor, POLLIN, 0 } };
        if (poll(waits, 2, http_timeout(server)) < 0)
            continue;
        if (waits[1].revents != 0 && !read_top(page))
            return report_lost(&page->top);
        http_run(server);
    }
    return EXIT_OK;
}

int command_serve(int count, char **arguments)
{
    struct page page = { 0 };
    const char *port = take_value(&count, arguments, "--port");
    char *end = NULL;

    if (!check_arguments("serve", &count, arguments, 1, 1))
        return EXIT_USAGE;
    const unsigned long number = port != NULL ? strtoul(port, &end, 10) : 0;
    if (port != NULL && (end == port || *end != '\0' || number > 65535)) {
        report_error("--port needs a number up to 65535");
        return EXIT_USAGE;
    }
    int result = connect_to(&page.top, arguments[0]);
    if (result != EXIT_OK)
        return result;
    struct http_server *server = http_start((unsigned)number, answer, &page);
    result = server != NULL ? serve(&page, server) : EXIT_FAILED;
    http_stop(server);
    text_free(&page.period);
    text_free(&page.latest);
    disconnect(&page.top);
    return result;
}
