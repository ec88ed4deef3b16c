/* The tables of all handles of the process, constant except for their slots: their use initialises nothing. */
#include "CPealSupport/invocation.h"
#include "CPealSupport/property.h"
#include "CPealSupport/proxy.h"
#include "CPealSupport/reference.h"
#include "CPealSupport/service.h"
#include "CPealSupport/snapshot.h"

#define SLOTS .slot_size = sizeof(struct peal_slot)

/* The end of an object takes slots of these tables. So their first slots need no memory, and more may be in the
 * reserve. */
enum { CENTERS, COMPLETIONS, MODULE_STEPS, DETACHED_WORK, NEEDED_TABLES };
static struct peal_slot first_slots[NEEDED_TABLES][1 << PEAL_SLOT_FIRST_BITS];
#define NEEDED_SLOTS(table) SLOTS, .chunks = { (char *)first_slots[table] }, .is_needed = true

struct peal_slots peal_slot_tables[PEAL_SLOTS_KINDS] = {
    [PEAL_SLOTS_CENTERS] = { NEEDED_SLOTS(CENTERS), .tag = 1, .limit = 1 << 20 },
    [PEAL_SLOTS_PROTOCOLS] = { SLOTS, .tag = 2, .limit = 1 << 24 },
    [PEAL_SLOTS_METHODS] = { SLOTS, .tag = 3, .limit = PEAL_DIRECTORY_ELEMENTS, .directory = &peal_method_directory },
    [PEAL_SLOTS_OBSERVATIONS] = { .slot_size = sizeof(struct peal_observer_slot),
        .tag = 4,
        .limit = 1 << 28,
        .spares = PEAL_SPARES_OBSERVATIONS },
    /* These slots are never freed: see invocation.h. */
    [PEAL_SLOTS_INVOCATIONS] = { SLOTS, .tag = PEAL_INVOCATION_TAG, .limit = 1 << 28 },
    [PEAL_SLOTS_QUEUES] = { SLOTS, .tag = 6, .limit = 1 << 20 },
    [PEAL_SLOTS_REFERENCES] = { .slot_size = sizeof(struct peal_counted), .tag = 7, .limit = 1 << 28 },
    [PEAL_SLOTS_OWNERS] = { SLOTS, .tag = 8, .limit = 1 << 20 },
    [PEAL_SLOTS_COMPLETIONS] = { NEEDED_SLOTS(COMPLETIONS), .tag = 9, .limit = 1 << 28 },
    [PEAL_SLOTS_SERVICES] = { SLOTS, .tag = 10, .limit = PEAL_SERVICE_ELEMENTS, .directory = &peal_service_directory,
        .spares = PEAL_SPARES_SERVICES },
    [PEAL_SLOTS_INSTANCES] = { SLOTS, .tag = 11, .limit = PEAL_SERVICE_ELEMENTS, .directory = &peal_instance_directory,
        .spares = PEAL_SPARES_INSTANCES },
    [PEAL_SLOTS_MODULES] = { SLOTS, .tag = 12, .limit = 1 << 24 },
    [PEAL_SLOTS_PROXIES] = { SLOTS, .tag = 13, .limit = PEAL_PROXY_ELEMENTS, .directory = &peal_proxy_directory },
    [PEAL_SLOTS_TIMERS] = { SLOTS, .tag = 14, .limit = 1 << 28 },
    [PEAL_SLOTS_PROPERTIES] = { SLOTS, .tag = 15, .limit = PEAL_PROPERTY_ELEMENTS,
        .directory = &peal_property_directory },
    /* Used by the engine alone: timers, queues and completions pass these ids back to it, so the tag has no
     * meaning. */
    [PEAL_SLOTS_MODULE_STEPS] = { NEEDED_SLOTS(MODULE_STEPS), .tag = 0, .limit = 1 << 24 },
    [PEAL_SLOTS_DETACHED_WORK] = { NEEDED_SLOTS(DETACHED_WORK), .tag = 0, .limit = 1 << 20 },
};
