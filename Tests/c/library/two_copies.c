/* SPDX-License-Identifier: Apache-2.0
 *
 * Two copies of the library in one process, as when a plugin brings its own: a handle of one is stale in the other. The
 * program is linked to the one, and two_copies_other.c loads the other from a copy of the file.
 */
#include "two_copies.h"

#include "center.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static void ring(void *self, int n) { (void)self, (void)n; }
static void fire(void *target) { (void)target; }

/* Copies the library that this program is linked to. Returns false without one. */
static bool copy_library(const char *path)
{
    const char *const library = getenv("PEAL_TEST_LIBRARY");
    FILE *from = library != NULL ? fopen(library, "rb") : NULL;
    FILE *to = from != NULL ? fopen(path, "wbx") : NULL;
    bool is_copied = from != NULL && to != NULL;
    char bytes[4096];

    for (size_t count = 1; is_copied && count > 0;) {
        count = fread(bytes, 1, sizeof bytes, from);
        is_copied = fwrite(bytes, 1, count, to) == count;
    }
    if (from != NULL)
        fclose(from);
    if (to != NULL)
        is_copied = fclose(to) == 0 && is_copied;
    return is_copied;
}

/* One object of each kind. */
static void make_handles(struct handles *made)
{
    static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };
    static int reference_target;
    struct peal_queue_options queue = PEAL_PUMPED_QUEUE_OPTIONS;
    struct peal_timer_options timer = PEAL_TIMER_OPTIONS(fire, NULL, 1000000000);
    struct peal_tap_options tap = PEAL_TAP_OPTIONS;
    struct bell_protocol bell;
    const int zero = 0;

    made->center = open_center();
    CHECK_OK(bell_define(made->center, &bell));
    made->protocol = bell.protocol;
    made->method = bell.on_ring;
    CHECK_OK(bell_observe(&bell, NULL, &table, NULL, &made->observation));
    CHECK_OK(peal_queue_create(&queue, &made->queue));
    CHECK_OK(peal_timer_create(&timer, &made->timer));
    CHECK_OK(peal_owner_create("plugin", &made->owner));
    CHECK_OK(peal_property_define(made->center, "volume", "int", &zero, NULL, &made->property));
    CHECK_OK(peal_invocation_create(bell.on_ring, &made->invocation));
    CHECK_OK(peal_reference_create(&reference_target, NULL, &made->reference));
    CHECK_OK(peal_tap_create(made->center, &tap, &made->tap));
}

static void end_handles(const struct handles *made)
{
    CHECK_OK(peal_tap_destroy(made->tap));
    CHECK_OK(peal_reference_release(made->reference));
    CHECK_OK(peal_invocation_destroy(made->invocation));
    CHECK_OK(peal_owner_retire(made->owner, 0));
    CHECK_OK(peal_timer_destroy(made->timer));
    CHECK_OK(peal_queue_destroy(made->queue));
    close_center(made->center);
}

CLAIM("O11", "a handle of another copy of the library in the process gives a status, although each copy has its own objects there")
{
    char path[64];
    struct handles here;

    snprintf(path, sizeof path, "/tmp/peal-copy-%ld", (long)getpid());
    REQUIRE(copy_library(path));
    REQUIRE(other_copy_open(path));
    CHECK(unlink(path) == 0);
    make_handles(&here);
    other_copy_check(&here);
    end_handles(&here);
}
