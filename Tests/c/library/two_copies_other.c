/* SPDX-License-Identifier: Apache-2.0
 *
 * The user of the second copy of the library: see two_copies.c.
 */
#include <peal/peal-dl.h>

#include "check.h"
#include "two_copies.h"

static void fire(void *target) { (void)target; }

bool other_copy_open(const char *path) { return peal_dl_open(path); }

/* An object of each kind, so that the second copy looks at slots that have been used. */
static void make_objects(void)
{
    static const char *const methods[] = { "optional void on_ring(int n)", NULL };
    static int target;
    const struct peal_protocol_description description = { sizeof description, "Bell", NULL, methods, 0 };
    const struct peal_binding binding = { "on_ring", (peal_function)fire, NULL };
    struct peal_queue_options queue_options = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_timer_options timer_options = PEAL_TIMER_OPTIONS(fire, NULL, 1000000000);
    struct peal_tap_options tap_options = PEAL_TAP_OPTIONS;
    const int zero = 0;
    struct handles made;

    CHECK_OK(peal_center_create(&made.center));
    CHECK_OK(peal_protocol_define(made.center, &description, &made.protocol, &made.method, 1));
    CHECK_OK(peal_observe_bindings(made.protocol, NULL, &binding, 1, NULL, &made.observation));
    CHECK_OK(peal_queue_create(&queue_options, &made.queue));
    CHECK_OK(peal_timer_create(&timer_options, &made.timer));
    CHECK_OK(peal_owner_create("plugin", &made.owner));
    CHECK_OK(peal_property_define(made.center, "volume", "int", &zero, NULL, &made.property));
    CHECK_OK(peal_invocation_create(made.method, &made.invocation));
    CHECK_OK(peal_reference_create(&target, NULL, &made.reference));
    CHECK_OK(peal_tap_create(made.center, &tap_options, &made.tap));
}

void other_copy_check(const struct handles *handles)
{
    struct peal_center_info center_info = { .size = sizeof center_info };
    size_t count;
    int value;

    make_objects();
    CHECK_STATUS(peal_center_get_info(handles->center, &center_info), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_protocol_count_observers(handles->protocol, &count), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_method_count_observers(handles->method, &count), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_broadcast_counted(1, handles->method, 1), PEAL_ERROR_HANDLE);
    CHECK(!peal_observation_is_active(handles->observation));
    CHECK_STATUS(peal_observation_remove(handles->observation), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_queue_pause(handles->queue), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_timer_stop(handles->timer), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_owner_enter(handles->owner), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_property_get(handles->property, &value, sizeof value), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_invocation_retain_arguments(handles->invocation), PEAL_ERROR_HANDLE);
    CHECK_EQUAL(peal_reference_count(handles->reference), 0);
    CHECK_STATUS(peal_tap_destroy(handles->tap), PEAL_ERROR_HANDLE);
}
