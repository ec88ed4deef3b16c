/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin, built twice under two names, that shares the default center with its twin.
 */
#include <peal/peal.h>

#define NEWS(METHOD) METHOD(required, void, on_news, (const char *from, int n))
PEAL_PROTOCOL(news, "PluginNews", NEWS);

#define EXPORTED __attribute__((visibility("default")))

static struct news_protocol handles;
static peal_observation observation;
static int heard;

static void on_news(void *self, const char *from, int n)
{
    (void)self;
    (void)from;
    heard += n;
}

EXPORTED int plugin_enter(void);
EXPORTED int plugin_say(int n);
EXPORTED int plugin_heard(void);
EXPORTED int plugin_leave(void);

int plugin_enter(void)
{
    static const struct news table = { PEAL_TABLE(news), .on_news = on_news };
    const peal_status status = news_define(peal_center_default(), &handles);

    heard = 0;
    return status < 0 ? status : news_observe(&handles, &heard, &table, NULL, &observation);
}

int plugin_say(int n)
{
    peal_clear_failure();
    PEAL_BROADCAST(news, &handles, on_news, PLUGIN_NAME, n);
    return peal_last_status();
}

int plugin_heard(void) { return heard; }

int plugin_leave(void) { return peal_observation_remove(observation); }
