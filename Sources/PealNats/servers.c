/* SPDX-License-Identifier: Apache-2.0 */
#include "servers.h"

#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { SCHEME_SIZE = 3 /* "://" */, GREATEST_PORT = 65535 };

/* ---- Addresses --------------------------------------------------------------------------------- */

static bool is_port(const char *text)
{
    const size_t length = strspn(text, DIGITS);

    return length > 0 && length <= 5 && strcmp(text + length, "") == 0 && strtol(text, NULL, 10) <= GREATEST_PORT;
}

/* A name, an IPv4 address, or an IPv6 address in brackets; and perhaps a port. */
static bool is_host(char *text)
{
    char *end = text + strlen(text);

    if (end > text && end[-1] == '/')
        *--end = '\0';
    const size_t length = *text == '[' ? strspn(text + 1, DIGITS "abcdefABCDEF:.%" LETTERS) + 1
                                       : strspn(text, DIGITS LETTERS "-_.");
    const char *rest = text + length;
    if (*text == '[' && *rest++ != ']')
        return false;
    return rest > text && (*rest == '\0' || (*rest == ':' && is_port(rest + 1)));
}

static peal_status check_address(struct servers *servers, char *address)
{
    const char *scheme_end = strstr(address, "://");
    const bool is_encrypted = scheme_end != NULL && strncasecmp(address, "tls://", strlen("tls://")) == 0;

    if (scheme_end != NULL && !is_encrypted && strncasecmp(address, "nats://", strlen("nats://")) != 0)
        return bridge_fail(PEAL_ERROR_ARGUMENT,
            "server %zu of `url` has another scheme than \"nats://\" and \"tls://\"", servers->count + 1);
    char *host = scheme_end != NULL ? address + (scheme_end - address) + SCHEME_SIZE : address;
    char *at = strrchr(host, '@');
    if (!is_host(at != NULL ? at + 1 : host))
        return bridge_fail(PEAL_ERROR_ARGUMENT,
            "server %zu of `url` is not [nats://|tls://][USER:PASSWORD@]HOST[:PORT]. A user or password with a comma "
            "or a blank needs natsOptions_SetUserInfo in `nats_options`",
            servers->count + 1);
    servers->wants_encryption = servers->wants_encryption || is_encrypted;
    servers->addresses[servers->count++] = address;
    return PEAL_OK;
}

peal_status servers_read(const char *list, struct servers *out_servers)
{
    char *position = NULL;
    peal_status status = PEAL_OK;

    *out_servers = (struct servers){ .text = strdup(list),
        .addresses = calloc(strlen(list) / 2 + 1, sizeof *out_servers->addresses) };
    if (out_servers->text == NULL || out_servers->addresses == NULL)
        status = bridge_fail(PEAL_ERROR_MEMORY, "out of memory");
    for (char *each = status == PEAL_OK ? strtok_r(out_servers->text, ", ", &position) : NULL;
        each != NULL && status == PEAL_OK; each = strtok_r(NULL, ", ", &position))
        status = check_address(out_servers, each);
    if (status == PEAL_OK && out_servers->count == 0)
        status = bridge_fail(PEAL_ERROR_ARGUMENT, "`url` names no server");
    if (status < 0)
        servers_free(out_servers);
    return status;
}

void servers_free(struct servers *servers)
{
    free(servers->text);
    free(servers->addresses);
    *servers = (struct servers){ .text = NULL };
}

/* ---- Sentences --------------------------------------------------------------------------------- */

/* The scheme stays. What is hidden of several words or servers shows as "***@", as it had more than a user. */
void hide_passwords(const char *text, char *out_text, size_t capacity)
{
    const char *at = strrchr(text, '@'), *scheme_end = strstr(text, "://");

    if (at == NULL) {
        snprintf(out_text, capacity, "%s", text);
        return;
    }
    const char *first = scheme_end != NULL && scheme_end < at && (size_t)(scheme_end - text) == strspn(text, LETTERS)
                          ? scheme_end + SCHEME_SIZE
                          : text;
    const size_t hidden = (size_t)(at - first);
    snprintf(
        out_text, capacity, "%.*s%s%s", (int)(first - text), text, strcspn(first, ", ") < hidden ? "***@" : "", at + 1);
}
