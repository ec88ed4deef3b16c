/* Tests the parser in a program without peal. */
#include "dpkg_line.h"

#include <stdio.h>
#include <string.h>

struct received {
    char text[256];
};

static void state(void *context, const char *package, size_t package_length, const char *state, size_t state_length,
    const char *version, size_t version_length)
{
    struct received *received = context;
    snprintf(received->text, sizeof received->text, "%.*s is %.*s, %.*s", (int)package_length, package,
        (int)state_length, state, (int)version_length, version);
}

static void action(void *context, const char *package, size_t package_length, const char *action, size_t action_length,
    const char *version, size_t version_length)
{
    struct received *received = context;
    snprintf(received->text, sizeof received->text, "%.*s %.*s to %.*s", (int)action_length, action,
        (int)package_length, package, (int)version_length, version);
}

static void other(void *context, const char *text, size_t length)
{
    struct received *received = context;
    snprintf(received->text, sizeof received->text, "other: %.*s", (int)length, text);
}

static const struct {
    const char *line, *said; /* NULL: `other` is called */
} expected[] = {
    { "2026-05-09 07:12:44 status installed libc6:amd64 2.36-9", "libc6:amd64 is installed, 2.36-9" },
    { "2026-05-09 07:12:44 status config-files a <none>", "a is config-files, <none>" },
    { "2026-05-09 07:12:44 install a:all <none> 1.0", "install a:all to 1.0" },
    { "2026-05-09 07:12:44 upgrade a:all 0.9 1.0", "upgrade a:all to 1.0" },
    { "2026-05-09 07:12:44 remove a:all 1.0 <none>", "remove a:all to 1.0" },
    { "2026-05-09 07:12:44 purge a <none> <none>", "purge a to <none>" },
    { "2026-05-09 07:12:44 startup archives unpack", NULL },
    { "2026-05-09 07:12:44 conffile /etc/a keep", NULL },
    { "2026-05-09 07:12:44 explode a 1 2", NULL },
    { "2026-05-09 07:12:44 installs a 1 2", NULL },
    { "2026-05-09 07:12:44 status installed a", NULL },
    { "2026-05-09 07:12:44 status installed a 1 2", NULL },
    { "2026-05-09 07:12:44 status  a 1", NULL },
    { "2026-05-09 07:12:44 status installed a ", NULL },
    { "2026-05-09 07:12:44 ", NULL },
    { "2026-05-09 07:12:44", NULL },
    { "2026-05-09T07:12:44 status installed a 1", NULL },
    { "2026-05-09 07:1x:44 status installed a 1", NULL },
    { "status installed a 1", NULL },
    { "", NULL },
};

int main(void)
{
    struct received received;
    const struct dpkg_handlers handlers = { &received, state, action, other };
    int failures = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *line = expected[i].line;
        char said[256], copy[256];
        const size_t length = strlen(line);
        /* The parser must not read the text after the line, which would change the result. */
        snprintf(copy, sizeof copy, "%sx y z 1 2", line);
        snprintf(said, sizeof said, "other: %s", line);
        received.text[0] = '\0';
        dpkg_read_line(&handlers, copy, length);
        const int is_right = strcmp(received.text, expected[i].said != NULL ? expected[i].said : said) == 0;
        printf("%s: \"%s\" says \"%s\"\n", is_right ? "ok" : "NOT OK", line, received.text);
        failures += !is_right;
    }
    return failures > 0;
}
