/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may make a stream chooses its subjects, and by `republish` where its messages go: any of the account, whatever else the
 * client may read or publish. So the bridge does not take over what it would not have made.
 */
#include "stream_fault.h"

#include <string.h>

static bool keeps_first(const jsStreamConfig *configuration)
{
    return configuration->MaxMsgsPerSubject == 1 && configuration->Discard == js_DiscardNew
        && configuration->DiscardNewPerSubject;
}

const char *stream_fault(const jsStreamConfig *configuration, const struct stream_settings *settings)
{
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
    if (settings->keep == STREAM_KEEPS_FIRST && !keeps_first(configuration))
        return "it would not keep the first message of each subject (`max_msgs_per_subject` 1, `discard` \"new\" and "
               "`discard_new_per_subject`)";
    return NULL;
}
