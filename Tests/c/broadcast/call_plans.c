/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests peal with a libffi that has reusable call plans. The program is linked to a stand-in that counts the plans.
 */
#include "center.h"
#include "libffi_with_plans.h"

PEAL_TYPE(box_text, struct box { long a, b, c; });

#define PLANNED(METHOD)                                             \
    METHOD(optional, struct box, area, (int n, struct box l), last) \
    METHOD(optional, long double, ratio, (int n), last)             \
    METHOD(optional, int, count, (int n), sum)
PEAL_PROTOCOL(planned, "Planned", PLANNED);

static struct box on_area(void *self, int n, struct box l) { return (struct box){ *(long *)self, n, l.c }; }
static long double on_ratio(void *self, int n) { return (long double)*(long *)self / n; }
static int on_count(void *self, int n) { return (int)*(long *)self + n; }
static const struct planned planned_table = { PEAL_TABLE(planned), on_area, on_ratio, on_count };

static long numbers[] = { 10, 20, 30 };
enum { OBSERVERS = sizeof numbers / sizeof *numbers };

static struct planned_protocol protocol_with_observers(peal_center center)
{
    struct planned_protocol planned;

    CHECK_OK(peal_type_declare(center, box_text));
    CHECK_OK(planned_define(center, &planned));
    for (int i = 0; i < OBSERVERS; i++)
        CHECK_OK(planned_observe(&planned, &numbers[i], &planned_table, NULL, NULL));
    return planned;
}

static void check_results(const struct planned_protocol *planned)
{
    int n = 5;
    struct box sent = { 1, 2, 3 }, box = { 0, 0, 0 };
    long double ratio = 0;
    int count = 0;

    CHECK_EQUAL(peal_send(planned->area, (void *[]){ &n, &sent }, 2, &box, NULL), PEAL_OK);
    CHECK(box.a == 30 && box.b == 5 && box.c == 3);
    CHECK_EQUAL(peal_send(planned->ratio, (void *[]){ &n }, 1, &ratio, NULL), PEAL_OK);
    CHECK_REAL((double)ratio, 6);
    CHECK_EQUAL(peal_send(planned->count, (void *[]){ &n }, 1, &count, NULL), PEAL_OK);
    CHECK_EQUAL(count, 75);
}

static peal_call_path path_of(peal_method method)
{
    peal_call_path path;

    CHECK_OK(peal_method_call_path(method, &path));
    return path;
}

CLAIM("B1", "calls that no register frame can carry use a plan of libffi where it has plans, made once for each shape")
{
    const peal_center center = open_center(), other = open_center();
    struct planned_protocol planned = protocol_with_observers(center);
    /* Three shapes. On machines with register frames one of them is called by a frame, without a plan. */
    const int shapes = path_of(planned.count) == PEAL_CALL_PATH_REGISTER_FRAME ? 2 : 3;

    CHECK_EQUAL(path_of(planned.area), PEAL_CALL_PATH_FFI_CALL);
    check_results(&planned);
    CHECK_EQUAL(plans_made, shapes);
    CHECK_EQUAL(plans_invoked, shapes * OBSERVERS);
    planned = protocol_with_observers(other);
    check_results(&planned);
    CHECK_EQUAL(plans_made, shapes);
    CHECK_EQUAL(plans_invoked, 2 * shapes * OBSERVERS);
    close_center(center);
    close_center(other);
}

PEAL_TYPE(wide_text, struct wide { int a[8]; });

static struct wide on_widen(void *self, int n) { return (struct wide){ { n, *(int *)self } }; }

CLAIM("B1", "without memory for a plan of libffi, calls are made by ffi_call")
{
    const peal_center center = open_center();
    int target = 8, n = 7;
    struct wide wide = { { 0 } };

    CHECK_OK(peal_type_declare(center, wide_text));
    plans_made = plans_invoked = 0;
    plans_are_refused = true;
    const peal_protocol protocol = protocol_of(
        center, "Wide", (const char *const[]){ "optional struct wide widen(int n)", NULL });
    observe_with(protocol, &target, "widen", (peal_function)on_widen, NULL);
    CHECK_EQUAL(peal_send(find_method(protocol, "widen"), (void *[]){ &n }, 1, &wide, NULL), PEAL_OK);
    CHECK(wide.a[0] == 7 && wide.a[1] == 8 && wide.a[7] == 0);
    CHECK_EQUAL(plans_made + plans_invoked, 0);
    plans_are_refused = false;
    close_center(center);
}
