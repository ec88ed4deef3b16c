/* SPDX-License-Identifier: Apache-2.0 */
#include "spares.h"

#include "center.h"

#include <stdio.h>

enum { PROTOCOLS = 8, METHODS = 8 };

static void ignore(void *self) { (void)self; }

/* Each protocol needs a list of one observer for each method. */
static void take_lists(peal_center center, unsigned number)
{
    static const char *const methods[METHODS + 1] = { "optional void a(void)", "optional void b(void)",
        "optional void c(void)", "optional void d(void)", "optional void e(void)", "optional void f(void)",
        "optional void g(void)", "optional void h(void)", NULL };
    static const struct peal_binding bindings[METHODS] = { { "a", (peal_function)ignore, NULL },
        { "b", (peal_function)ignore, NULL }, { "c", (peal_function)ignore, NULL },
        { "d", (peal_function)ignore, NULL }, { "e", (peal_function)ignore, NULL },
        { "f", (peal_function)ignore, NULL }, { "g", (peal_function)ignore, NULL },
        { "h", (peal_function)ignore, NULL } };
    char name[32];
    peal_protocol protocol;

    (void)snprintf(name, sizeof name, "Spare%u", number);
    protocol = protocol_of(center, name, methods);
    check_must(peal_observe_bindings(protocol, NULL, bindings, METHODS, NULL, NULL), name);
}

void spares_use_up(void)
{
    static peal_center center;
    static unsigned protocols;

    if (center.id == 0)
        center = open_center();
    for (int i = 0; i < PROTOCOLS; i++)
        take_lists(center, protocols++);
}
