/* A boiler: a plugin in C. */
#include "house.h"

#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED peal_status house_plugin_start(peal_center center);

static peal_center house;
static struct thermometer_protocol measured;

/* ---- An observer of Swift's broadcasts, which uses a service of Swift and broadcasts itself. ---- */

static void heat(void *self, const char *room, double celsius)
{
    (void)self;
    printf("C:     heats the %s to %.1f degrees\n", room, celsius);
    struct journal_use journal = PEAL_SERVICE(journal, house);
    if (journal.self != NULL) {
        journal.table->note(journal.self, room);
        printf("C:     the journal has %zu lines\n", journal.table->count(journal.self));
        peal_use_release(journal.use);
    }
    PEAL_BROADCAST(thermometer, &measured, on_reading, room, celsius - 0.5);
}

static const struct heating boiler = { PEAL_TABLE(heating), .on_target = heat };

/* ---- A service of the plugin. ---- */

static double to_fahrenheit(void *self, double celsius)
{
    (void)self;
    return celsius * 9 / 5 + 32;
}

static const struct units units_table = { PEAL_TABLE(units), .fahrenheit = to_fahrenheit };

peal_status house_plugin_start(peal_center center)
{
    static char instance;
    struct heating_protocol heating;
    struct units_protocol units;
    struct journal_protocol journal;
    struct peal_provision provides[] = { { "Units", &units_table }, { NULL, NULL } };
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("units");
    peal_status status;

    house = center;
    service.provides = provides;
    service.context = &instance;
    if ((status = thermometer_define(center, &measured)) < 0 || (status = heating_define(center, &heating)) < 0
        || (status = units_define(center, &units)) < 0 || (status = journal_define(center, &journal)) < 0
        || (status = peal_service_register(center, &service, NULL)) < 0)
        return status;
    return heating_observe(&heating, &instance, &boiler, NULL, NULL);
}
