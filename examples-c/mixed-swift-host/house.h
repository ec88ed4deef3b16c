/* The interface of the program and its plugin: the protocols, and how a plugin is started. */
#ifndef HOUSE_H
#define HOUSE_H

#include <peal/peal.h>

/* A new target temperature of a room. The program broadcasts it. */
#define HEATING(METHOD) METHOD(required, void, on_target, (const char *room, double celsius))
PEAL_PROTOCOL(heating, "Heating", HEATING);

/* A measured temperature of a room. The plugin broadcasts it. */
#define THERMOMETER(METHOD) METHOD(required, void, on_reading, (const char *room, double celsius))
PEAL_PROTOCOL(thermometer, "Thermometer", THERMOMETER);

/* A service of the plugin. */
#define UNITS(METHOD) METHOD(required, double, fahrenheit, (double celsius))
PEAL_PROTOCOL(units, "Units", UNITS);

/* A service of the program. */
#define JOURNAL(METHOD)                              \
    METHOD(required, void, note, (const char *line)) \
    METHOD(required, size_t, count, (void))
PEAL_PROTOCOL(journal, "Journal", JOURNAL);

/* A plugin exports this function as "house_plugin_start". Its registrations belong to the caller's owner. */
typedef peal_status (*house_plugin_start_function)(peal_center center);

#endif
