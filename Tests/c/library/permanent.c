/* SPDX-License-Identifier: Apache-2.0
 *
 * permanent.c - a program that uses the default center and ends nothing, as most programs do. memcheck.sh runs it:
 * pointers lead to all memory of the library, without marks in their upper bits.
 */
#include "center.h"

struct unknown;

#define REMOTE(METHOD)                                                                                          \
    METHOD(required, void, on_text, (const char *room, const char *text))                                       \
    METHOD(optional, bool, may_enter, (const char *who), every)                                                 \
    METHOD(optional, void, on_bytes, (const uint8_t *bytes __counted_by(count), size_t count))                  \
    METHOD(optional, void, on_memory, (const void *memory __sized_by(16)))                                      \
    METHOD(optional, void, on_call, (int (*function)(const char *text, double *numbers), void **out), borrowed) \
    METHOD(optional, void, on_point, (struct point point, const struct shape *shape), borrowed)                 \
    METHOD(optional, void, on_unknown, (struct unknown * unknown, enum color color), borrowed)
PEAL_TYPE(types, enum color { RED, GREEN }; struct point { int x, y; };
          union number { double real; struct point point; };
          struct shape { const char *name; struct point corners[4]; union number size; enum color color; });
PEAL_PROTOCOL(remote, "Remote", REMOTE);

static void ignore_text(void *self, const char *room, const char *text)
{
    (void)self;
    (void)room;
    (void)text;
}
static const struct remote table = { PEAL_TABLE(remote), .on_text = ignore_text };

static void *make(struct peal_creation *creation) { return creation->context; }

static void define_adopting(peal_center center)
{
    static const char *const adopts[] = { "Remote", NULL };
    static const char *const methods[] = { "int poll(void), sum", "void on_close(void)", NULL };
    peal_protocol made;

    CHECK_OK(try_protocol(center, "Adopting", adopts, methods, &made));
}

CLAIM("F14", "memcheck reports no lost memory of a program that ends nothing in the default center")
{
    static char targets[2];
    const peal_center center = peal_center_default();
    struct peal_service_description service = PEAL_SERVICE_DESCRIPTION("player");
    const struct peal_module_description module = PEAL_MODULE_DESCRIPTION("sound");
    struct remote_protocol remote;
    peal_property property;
    const int zero = 0;

    CHECK_OK(peal_type_declare(center, types));
    CHECK_OK(remote_define(center, &remote));
    define_adopting(center);
    for (size_t i = 0; i < CHECK_COUNT_OF(targets); i++)
        CHECK_OK(remote_observe(&remote, &targets[i], &table, NULL, NULL));
    PEAL_BROADCAST(remote, &remote, on_text, "lobby", "good morning");
    CHECK_OK(peal_property_define(center, "level", "int", &zero, NULL, &property));
    service.create = make;
    service.context = targets;
    CHECK_OK(peal_service_register(center, &service, NULL));
    CHECK_OK(peal_module_register(center, &module, NULL));
}
