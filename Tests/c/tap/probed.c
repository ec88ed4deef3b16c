/* SPDX-License-Identifier: Apache-2.0
 *
 * A program for a tracer: three broadcasts, each to one observer here and to one on a queue. See taps_probes.sh.
 */
#include <peal/peal.h>

#include <stdio.h>

#define NEWS(METHOD) METHOD(optional, void, on_news, (int n))
PEAL_PROTOCOL(news, "News", NEWS);

static int called;
static void on_news(void *self, int n)
{
    (void)self;
    called += n;
}

int main(void)
{
    static const struct news table = { PEAL_TABLE(news), .on_news = on_news };
    static char here[] = "here", there[] = "there";
    const struct peal_queue_options pumped = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct news_protocol news;

    if (news_define(peal_center_default(), &news) < 0 || peal_queue_create(&pumped, &options.queue) < 0
        || news_observe(&news, here, &table, NULL, NULL) < 0 || news_observe(&news, there, &table, &options, NULL) < 0)
        return 1;
    for (int i = 0; i < 3; i++)
        PEAL_BROADCAST(news, &news, on_news, 1);
    peal_queue_pump(options.queue, 0, NULL);
    printf("%d calls\n", called);
    return called != 6;
}
