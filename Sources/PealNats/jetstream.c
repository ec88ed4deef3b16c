/* SPDX-License-Identifier: Apache-2.0 */
#include "jetstream.h"

#include "failure.h"
#include "nats_options.h"

#include <stdio.h>
#include <stdlib.h>

static natsStatus set_options(natsOptions *options, void *context)
{
    natsStatus status = natsOptions_SetAllowReconnect(options, false);

    (void)context;
    if (status == NATS_OK)
        status = natsOptions_SetNoEcho(options, false);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectedCB(options, NULL, NULL);
    if (status == NATS_OK)
        status = natsOptions_SetDisconnectedCB(options, NULL, NULL);
    if (status == NATS_OK)
        status = natsOptions_SetClosedCB(options, NULL, NULL);
    if (status == NATS_OK)
        status = natsOptions_SetErrorHandler(options, NULL, NULL);
    return status;
}

peal_status jetstream_open(struct peal_bridge *bridge, struct jetstream *out_jetstream)
{
    struct jetstream made = { NULL, NULL };
    const peal_status status = nats_connect(&bridge->options, set_options, NULL, &made.connection);

    if (status < 0)
        return status;
    const natsStatus made_context = natsConnection_JetStream(&made.context, made.connection, NULL);
    if (made_context != NATS_OK) {
        jetstream_close(&made);
        return fail_as_nats(PEAL_ERROR_CREATION, "JetStream", made_context);
    }
    *out_jetstream = made;
    return PEAL_OK;
}

void jetstream_close(struct jetstream *jetstream)
{
    jsCtx_Destroy(jetstream->context);
    natsConnection_Destroy(jetstream->connection);
    jetstream->context = NULL;
    jetstream->connection = NULL;
}

char *jetstream_stream_name(const struct peal_bridge *bridge, const char *protocol)
{
    char *token = subject_token(protocol);
    char *name = NULL;

    if (token == NULL || asprintf(&name, "peal-%s-%s", bridge->realm, token) < 0)
        name = NULL;
    free(token);
    return name;
}

char *jetstream_positions_name(const struct peal_bridge *bridge)
{
    char *name = NULL;

    return asprintf(&name, "peal_%s_positions", bridge->realm) < 0 ? NULL : name;
}

peal_status jetstream_make_stream(struct jetstream *jetstream, jsStreamConfig *configuration)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = (jsErrCode)0; /* NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none */
    natsStatus status = js_AddStream(&info, jetstream->context, configuration, NULL, &code);

    /* The stream of an operator may have other limits. */
    if (status != NATS_OK && code == JSStreamNameExistErr)
        status = js_GetStreamInfo(&info, jetstream->context, configuration->Name, NULL, &code);
    jsStreamInfo_Destroy(info);
    return status == NATS_OK ? PEAL_OK : fail_as_nats(PEAL_ERROR_CREATION, configuration->Name, status);
}
