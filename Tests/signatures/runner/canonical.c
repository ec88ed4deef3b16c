/* SPDX-License-Identifier: Apache-2.0 */
#include "canonical.h"

#include "expect.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 64 };

static char *canonical_text(peal_protocol protocol)
{
    size_t length = 0;
    (void)peal_protocol_canonical_text(protocol, NULL, 0, &length);
    char *text = malloc(length + 1);
    if (text && peal_protocol_canonical_text(protocol, text, length + 1, NULL) == PEAL_OK)
        return text;
    fail_alone("a protocol has no canonical text: %s", peal_last_message());
    free(text);
    return NULL;
}

/* Divides a text into the declarations of types and the lines of the methods. */
static void divide(char *text, char *types, const char **methods)
{
    size_t count = 0;
    *types = '\0';
    strtok(text, "\n");
    for (char *line = strtok(NULL, "\n"); line && count < LINES_MOST - 1; line = strtok(NULL, "\n")) {
        if (strncmp(line, "required ", 9) == 0 || strncmp(line, "optional ", 9) == 0)
            methods[count++] = line;
        else
            strcat(types, line);
    }
    methods[count] = NULL;
}

static void compare(peal_protocol protocol, const char *name, const char *text, uint64_t fingerprint)
{
    uint64_t other = 0;
    char *again = canonical_text(protocol);
    if (again && strcmp(text, again) != 0)
        fail_alone("%s is canonically\n%s     and read again\n%s", name, text, again);
    if (peal_protocol_fingerprint(protocol, &other) != PEAL_OK || other != fingerprint)
        fail_alone("%s, read again, has another fingerprint", name);
    free(again);
}

void check_canonical(peal_protocol protocol, const char *name)
{
    const char *methods[LINES_MOST];
    const struct peal_protocol_description description = { sizeof description, name, NULL, methods, 0 };
    uint64_t fingerprint = 0;
    peal_center center;
    peal_protocol second;
    char *text = canonical_text(protocol);
    char *parts = text ? strdup(text) : NULL;
    char *types = text ? malloc(strlen(text) + 1) : NULL;

    if (parts && types && peal_protocol_fingerprint(protocol, &fingerprint) == PEAL_OK
        && peal_center_create(&center) == PEAL_OK) {
        divide(parts, types, methods);
        if (*types && peal_type_declare(center, types) != PEAL_OK)
            fail_alone("canonical types of %s: %s\n%s", name, peal_last_message(), text);
        else if (peal_protocol_define(center, &description, &second, NULL, 0) != PEAL_OK)
            fail_alone("canonical methods of %s: %s\n%s", name, peal_last_message(), text);
        else
            compare(second, name, text, fingerprint);
        (void)peal_center_destroy(center);
    }
    free(types);
    free(parts);
    free(text);
}
