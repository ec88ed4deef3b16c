/* SPDX-License-Identifier: Apache-2.0
 *
 * Methods with the option `sticky`: a later observer gets the last call.
 */
#include "center.h"
#include "lane.h"

#include <stdio.h>
#include <string.h>

#define WEATHER(METHOD)                                                                               \
    METHOD(optional, void, on_degrees, (int32_t degrees), sticky)                                     \
    METHOD(optional, void, on_wind, (const char *town, double speed), sticky(town))                   \
    METHOD(optional, void, on_rain, (const int16_t *drops __counted_by(count), size_t count), sticky) \
    METHOD(optional, void, on_gust, (void))
PEAL_PROTOCOL(weather, "Weather", WEATHER);

static peal_center center;
static struct weather_protocol weather;

/* The calls of an observer, as text. */
struct journal {
    char text[256];
    int degrees;
    int calls;
};

static void note_degrees(void *self, int32_t degrees)
{
    struct journal *journal = self;
    const size_t length = strlen(journal->text);

    journal->calls++;
    journal->degrees = degrees;
    snprintf(journal->text + length, sizeof journal->text - length, "%d;", degrees);
}

static void note_wind(void *self, const char *town, double speed)
{
    struct journal *journal = self;
    const size_t length = strlen(journal->text);

    snprintf(journal->text + length, sizeof journal->text - length, "%s %g;", town != NULL ? town : "?", speed);
}

static void note_rain(void *self, const int16_t *drops, size_t count)
{
    struct journal *journal = self;
    const size_t length = strlen(journal->text);

    snprintf(journal->text + length, sizeof journal->text - length, "%zu:%d;", count, count > 0 ? drops[count - 1] : 0);
}

static const struct weather noting = { PEAL_TABLE(weather), .on_degrees = note_degrees, .on_wind = note_wind,
    .on_rain = note_rain };

static void begin(void)
{
    center = open_center();
    CHECK_OK(weather_define(center, &weather));
}

static void end(void) { close_center(center); }

static peal_observation observe(struct journal *journal)
{
    peal_observation observation = { 0 };

    CHECK_OK(weather_observe(&weather, journal, &noting, NULL, &observation));
    return observation;
}

/* ---- One thread -------------------------------------------------------------------------------- */

CLAIM("B11", "an observer that is registered later gets the last call once, with a copy of its arguments")
{
    struct journal early = { "", 0, 0 }, late = { "", 0, 0 };
    int16_t drops[] = { 1, 2, 3 };

    begin();
    observe(&early);
    CHECK_OK(peal_broadcast(weather.on_degrees, 20));
    CHECK_OK(peal_broadcast(weather.on_degrees, 21));
    CHECK_OK(peal_broadcast(weather.on_rain, drops, (size_t)3));
    drops[2] = 9;
    CHECK_TEXT(early.text, "20;21;3:3;");
    observe(&late);
    CHECK_TEXT(late.text, "21;3:3;");
    CHECK_TEXT(early.text, "20;21;3:3;");
    CHECK_OK(peal_broadcast(weather.on_degrees, 22));
    CHECK_TEXT(late.text, "21;3:3;22;");
    CHECK_TEXT(early.text, "20;21;3:3;22;");
    end();
}

CLAIM("B11", "a call without observers is kept, of each kind of broadcast")
{
    struct journal journals[4] = { { "", 0, 0 } };
    int32_t degrees = 3;
    void *arguments[] = { &degrees };
    size_t calls = 7;

    begin();
    CHECK_OK(peal_broadcast(weather.on_degrees, 1));
    observe(&journals[0]);
    CHECK_TEXT(journals[0].text, "1;");
    PEAL_BROADCAST(weather, &weather, on_degrees, 2);
    CHECK_TEXT(journals[0].text, "1;2;");
    observe(&journals[1]);
    CHECK_TEXT(journals[1].text, "2;");
    CHECK_OK(peal_send(weather.on_degrees, arguments, 1, NULL, &calls));
    CHECK_EQUAL(calls, 2);
    observe(&journals[2]);
    CHECK_TEXT(journals[2].text, "3;");
    struct weather_proxy proxy;
    CHECK_OK(weather_proxy_create(&weather, NULL, &proxy));
    proxy.table->on_degrees(proxy.self, 4);
    observe(&journals[3]);
    CHECK_TEXT(journals[3].text, "4;");
    CHECK_TEXT(journals[0].text, "1;2;3;4;");
    CHECK_OK(peal_proxy_destroy(proxy.proxy));
    end();
}

CLAIM("B11", "sticky(name) keeps the last call for each value of the parameter, in the order of the calls")
{
    struct journal late = { "", 0, 0 }, later = { "", 0, 0 };
    const char *const key = "Ulm";

    begin();
    CHECK_OK(peal_broadcast(weather.on_wind, "Bonn", 1.0));
    CHECK_OK(peal_broadcast(weather.on_wind, "Ulm", 2.0));
    CHECK_OK(peal_broadcast(weather.on_wind, NULL, 3.0));
    CHECK_OK(peal_broadcast(weather.on_wind, "Bonn", 4.0));
    observe(&late);
    CHECK_TEXT(late.text, "Ulm 2;? 3;Bonn 4;");
    CHECK_OK(peal_method_clear_last_call(weather.on_wind, &key));
    observe(&later);
    CHECK_TEXT(later.text, "? 3;Bonn 4;");
    end();
}

CLAIM("B11", "a cleared call is not delivered, and the next one is kept again")
{
    struct journal late = { "", 0, 0 }, later = { "", 0, 0 };
    struct peal_method_info info = { .size = sizeof info };
    const int key = 0;

    begin();
    CHECK_OK(peal_method_get_info(weather.on_degrees, &info));
    CHECK(info.is_sticky && info.last_calls == 0);
    CHECK_OK(peal_broadcast(weather.on_degrees, 1));
    CHECK_OK(peal_method_get_info(weather.on_degrees, &info));
    CHECK_EQUAL(info.last_calls, 1);
    CHECK_OK(peal_method_clear_last_call(weather.on_degrees, NULL));
    observe(&late);
    CHECK_TEXT(late.text, "");
    CHECK_OK(peal_broadcast(weather.on_degrees, 2));
    observe(&later);
    CHECK_TEXT(later.text, "2;");
    CHECK_STATUS(peal_method_clear_last_call(weather.on_degrees, &key), PEAL_ERROR_STATE);
    CHECK_STATUS(peal_method_clear_last_call(weather.on_gust, NULL), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "Weather.on_gust keeps no last call");
    CHECK_STATUS(peal_method_clear_last_call((peal_method){ 0 }, NULL), PEAL_ERROR_HANDLE);
    end();
}

static peal_status define_one(const char *text)
{
    const char *const methods[] = { text, NULL };
    peal_protocol protocol;

    return try_protocol(center, "Other", NULL, methods, &protocol);
}

CLAIM("B11", "a method whose calls cannot be kept is refused, and so is another option of a defined one")
{
    begin();
    CHECK_STATUS(define_one("int f(int a), sticky"), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "'f' returns int, not void");
    CHECK_STATUS(define_one("void f(void *a), sticky, borrowed"), PEAL_ERROR_TYPE);
    CHECK_CONTAINS(peal_last_message(), "parameter 1 'a'");
    CHECK_STATUS(define_one("void f(int a, peal_completion done), sticky"), PEAL_ERROR_TYPE);
    CHECK_STATUS(define_one("void f(double a), sticky(a)"), PEAL_ERROR_TYPE);
    CHECK_STATUS(define_one("void f(int a), sticky(b)"), PEAL_ERROR_SYNTAX);
    CHECK_CONTAINS(peal_last_message(), "no parameter is named 'b'");
    CHECK_STATUS(define_one("void f(int a), sticky, sticky"), PEAL_ERROR_SYNTAX);
    CHECK_OK(define_one("void f(int a), sticky"));
    CHECK_OK(define_one("void f(int a), sticky"));
    CHECK(define_one("void f(int a)") < 0);
    CHECK_CONTAINS(peal_last_message(), "it is sticky in the first and not sticky in the second");
    CHECK(define_one("void f(int a), sticky(a)") < 0);
    end();
}

CLAIM("B11", "a loop of the caller, which has no arguments, is refused")
{
    begin();
    const struct peal_entries entries = peal_entries_begin(weather.on_degrees);
    CHECK(entries.next == NULL);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_STATE);
    CHECK_CONTAINS(peal_last_message(), "Weather.on_degrees is sticky");
    end();
}

CLAIM("B11", "the last call counts as the call of a ONCE observer, and does not reach a blocked one")
{
    struct journal once = { "", 0, 0 }, blocked = { "", 0, 0 };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;

    begin();
    CHECK_OK(peal_broadcast(weather.on_degrees, 1));
    options.flags = PEAL_OBSERVE_ONCE;
    CHECK_OK(weather_observe(&weather, &once, &noting, &options, NULL));
    options.flags = PEAL_OBSERVE_BLOCKED;
    CHECK_OK(weather_observe(&weather, &blocked, &noting, &options, NULL));
    CHECK_OK(peal_broadcast(weather.on_degrees, 2));
    CHECK_TEXT(once.text, "1;");
    CHECK_TEXT(blocked.text, "");
    end();
}

/* Broadcasts inside the delivery of the last call. */
static void broadcast_again(void *self, int32_t degrees)
{
    note_degrees(self, degrees);
    if (degrees < 3)
        CHECK_OK(peal_broadcast(weather.on_degrees, degrees + 1));
}

/* Registers the target of `self` inside a broadcast. */
static struct journal inner;
static void register_inner(void *self, int32_t degrees)
{
    (void)self;
    if (degrees == 7)
        observe(&inner);
}

CLAIM("B11", "a call that the delivery itself broadcasts follows the delivered one")
{
    static const struct weather again = { PEAL_TABLE(weather), .on_degrees = broadcast_again };
    struct journal journal = { "", 0, 0 };

    begin();
    CHECK_OK(peal_broadcast(weather.on_degrees, 1));
    CHECK_OK(weather_observe(&weather, &journal, &again, NULL, NULL));
    CHECK_TEXT(journal.text, "1;2;3;");
    end();
}

CLAIM("B11", "an observer that is registered inside a broadcast gets the call of that broadcast once")
{
    static const struct weather registering = { PEAL_TABLE(weather), .on_degrees = register_inner };

    begin();
    memset(&inner, 0, sizeof inner);
    CHECK_OK(weather_observe(&weather, NULL, &registering, NULL, NULL));
    CHECK_OK(peal_broadcast(weather.on_degrees, 6));
    CHECK_OK(peal_broadcast(weather.on_degrees, 7));
    CHECK_TEXT(inner.text, "7;");
    end();
}

CLAIM("B11, Q4", "an observer with a queue gets the last call on it, before later calls")
{
    struct journal journal = { "", 0, 0 };
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct lane lane;

    begin();
    lane_open(&lane, PEAL_QUEUE_PUMPED);
    options.queue = lane.queue;
    CHECK_OK(peal_broadcast(weather.on_degrees, 1));
    CHECK_OK(weather_observe(&weather, &journal, &noting, &options, NULL));
    CHECK_OK(peal_broadcast(weather.on_degrees, 2));
    CHECK_TEXT(journal.text, "");
    lane_settle(&lane);
    CHECK_TEXT(journal.text, "1;2;");
    lane_close(&lane);
    end();
}
