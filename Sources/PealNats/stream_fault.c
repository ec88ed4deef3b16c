/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may make a stream chooses its subjects, and by `republish` where its messages go: any of the account, whatever else the
 * client may read or publish. So the bridge does not take over what it would not have made.
 */
#include "stream_fault.h"

#include <string.h>

/* The secrets of identities. Whoever replaces one chooses the ids of that exporter's messages. */
static const char *first_fault(const jsStreamConfig *configuration)
{
    if (configuration->MaxMsgsPerSubject != 1 || configuration->Discard != js_DiscardNew
        || !configuration->DiscardNewPerSubject)
        return "it would not keep the first message of each subject (`max_msgs_per_subject` 1, `discard` \"new\" and "
               "`discard_new_per_subject`, which needs nats-server 2.9)";
    return configuration->MaxAge > 0
             ? "it has `max_age`, so another client could replace a secret that the server deletes"
             : NULL;
}

/* The positions of applications. */
static const char *last_fault(const jsStreamConfig *configuration)
{
    if (configuration->Discard == js_DiscardNew)
        return "its `discard` is \"new\", so the server could refuse later positions";
    return configuration->MaxAge > 0
             ? "it has `max_age`, so an application whose position the server deletes would get all calls again"
             : NULL;
}

/* The calls. */
static const char *all_fault(const jsStreamConfig *configuration, size_t longest)
{
    if (configuration->DiscardNewPerSubject)
        return "it has `discard_new_per_subject`, so the server could refuse all later calls of a method";
    return configuration->MaxMsgSize > 0 && (size_t)configuration->MaxMsgSize < longest
             ? "its `max_msg_size` is less than `message_limit` of the bridge and 128 bytes for a header"
             : NULL;
}

static const char *keep_fault(const jsStreamConfig *configuration, const struct stream_settings *settings)
{
    switch (settings->keep) {
    case STREAM_KEEPS_FIRST: return first_fault(configuration);
    case STREAM_KEEPS_LAST: return last_fault(configuration);
    case STREAM_KEEPS_ALL: return all_fault(configuration, settings->longest);
    }
    return NULL;
}

const char *stream_fault(const jsStreamConfig *configuration, const struct stream_settings *settings)
{
    if (configuration == NULL) /* libnats accepts an answer without them. */
        return "the server does not show its settings";
    if (configuration->Mirror != NULL)
        return "it is a `mirror` of another stream";
    if (configuration->SourcesLen > 0)
        return "it has `sources`, which add the messages of other streams";
    if (configuration->SubjectsLen != 1 || strcmp(configuration->Subjects[0], settings->subjects) != 0)
        return "its `subjects` are not exactly these";
    if (configuration->RePublish != NULL)
        return "it has `republish`, which sends its messages to other subjects";
    if (configuration->NoAck)
        return "it has `no_ack`, so the server would confirm no message";
    if (configuration->Retention != js_LimitsPolicy)
        return "its `retention` is not `limits`, so the server would delete messages that an application has not read";
    if (configuration->AllowRollup)
        return "it has `allow_rollup_hdrs`, so a publisher could delete the messages of others";
    if (configuration->Storage != js_FileStorage)
        return "its `storage` is `memory`, so a restart of the server would delete its messages";
    if (configuration->Sealed)
        return "it is `sealed`, so the server stores no more messages";
    return keep_fault(configuration, settings);
}
