/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the reusable call plans of libffi 3.7 by the installed libffi, and counts the operations with
 * plans. A program that is linked to it before libffi uses its functions.
 */
#define _GNU_SOURCE
#include "libffi_with_plans.h"

#include <dlfcn.h>
#include <ffi.h>
#include <stdlib.h>

struct ffi_call_plan {
    ffi_cif *interface;
};

struct ffi_call_plan *ffi_call_plan_alloc(ffi_cif *interface);
void ffi_call_plan_invoke(struct ffi_call_plan *plan, void (*function)(void), void *result, void **arguments);

int plans_made;
int plans_invoked;
bool plans_are_refused;

void ffi_call(ffi_cif *interface, void (*function)(void), void *result, void **arguments)
{
    void (*next)(ffi_cif *, void (*)(void), void *, void **);

    *(void **)&next = dlsym(RTLD_NEXT, "ffi_call");
    next(interface, function, result, arguments);
}

struct ffi_call_plan *ffi_call_plan_alloc(ffi_cif *interface)
{
    struct ffi_call_plan *plan = plans_are_refused ? NULL : malloc(sizeof *plan);

    if (plan != NULL) {
        plan->interface = interface;
        plans_made++;
    }
    return plan;
}

void ffi_call_plan_invoke(struct ffi_call_plan *plan, void (*function)(void), void *result, void **arguments)
{
    plans_invoked++;
    ffi_call(plan->interface, function, result, arguments);
}
