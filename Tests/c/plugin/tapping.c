/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin with the function of a tap.
 */
#include <peal/peal.h>

#define EXPORT __attribute__((visibility("default")))

static unsigned records;

static void see(void *context, const struct peal_tap_record *record, void *const *arguments, const void *result)
{
    (void)context;
    (void)record;
    (void)arguments;
    (void)result;
    __atomic_fetch_add(&records, 1, __ATOMIC_RELAXED);
}

static void destroyed(void *context) { *(bool *)context = true; }

EXPORT peal_status tapping_open(peal_center center, bool *out_destroyed, peal_tap *out_tap);
peal_status tapping_open(peal_center center, bool *out_destroyed, peal_tap *out_tap)
{
    struct peal_tap_options options = PEAL_TAP_OPTIONS;

    options.function = see;
    options.context = out_destroyed;
    options.destroy = destroyed;
    return peal_tap_create(center, &options, out_tap);
}

EXPORT unsigned tapping_count(void);
unsigned tapping_count(void) { return __atomic_load_n(&records, __ATOMIC_RELAXED); }
