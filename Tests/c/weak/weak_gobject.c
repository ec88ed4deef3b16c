/* SPDX-License-Identifier: Apache-2.0
 *
 * A GObject as a weak target, by a GWeakRef, as a binding for GLib would do it.
 */
#include "center.h"
#include "lane.h"
#include "latch.h"

#include <glib-object.h>

#define BELL(METHOD) METHOD(required, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static bool retain(void *reference) { return g_weak_ref_get(reference) != NULL; }
static void release(void *reference, void *target)
{
    (void)reference;
    g_object_unref(target);
}
static const struct peal_weak_type weak_object = { retain, release };

static peal_center center;
static struct bell_protocol bell;
static struct lane lane;
static GWeakRef weak;
static int calls;
static int finalized;
static int destroyed;
static GObject *let_go; /* released in the call */

static void ring(void *self, int n)
{
    (void)n;
    CHECK(G_IS_OBJECT(self));
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (let_go != NULL) {
        g_object_unref(g_steal_pointer(&let_go));
        CHECK_EQUAL(finalized, 0);
    }
    CHECK(G_IS_OBJECT(self));
}

static void note_finalized(gpointer data, GObject *where_it_was)
{
    (void)data, (void)where_it_was;
    __atomic_fetch_add(&finalized, 1, __ATOMIC_RELAXED);
}

static void clear_weak(void *target)
{
    (void)target;
    g_weak_ref_clear(&weak);
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
}

static const struct bell table = { PEAL_TABLE(bell), .on_ring = ring };
static const peal_queue nowhere = { 0 };

static GObject *open_bell(peal_queue queue, peal_observation *out_observation)
{
    struct peal_observe_options options = options_on(queue, clear_weak);
    GObject *const object = g_object_new(G_TYPE_OBJECT, NULL);

    center = open_center();
    calls = finalized = destroyed = 0;
    g_weak_ref_init(&weak, object);
    g_object_weak_ref(object, note_finalized, NULL);
    options.weak = &weak_object;
    options.weak_reference = &weak;
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(bell_observe(&bell, object, &table, &options, out_observation));
    return object;
}

CLAIM("O9", "a weak GObject target is called while it is alive, and its observer is removed after its end")
{
    peal_observation observation;
    GObject *const object = open_bell(nowhere, &observation);

    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    PEAL_BROADCAST(bell, &bell, on_ring, 2);
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(object->ref_count, 1);
    g_object_unref(object);
    CHECK_EQUAL(finalized, 1);
    CHECK_OK(peal_broadcast(bell.on_ring, 3));
    PEAL_BROADCAST(bell, &bell, on_ring, 4);
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(destroyed, 1);
    CHECK(!peal_observation_is_active(observation));
    close_center(center);
}

CLAIM("O9", "a GObject target that is released in its own call is finalized after the call")
{
    let_go = open_bell(nowhere, NULL);
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_EQUAL(calls, 1);
    CHECK_EQUAL(finalized, 1);
    close_center(center);
    CHECK_EQUAL(destroyed, 1);
}

CLAIM("O9", "queued calls to a GObject that is finalized meanwhile are dropped")
{
    EVERY_KIND(lane)
    {
        GObject *const object = open_bell(lane.queue, NULL);

        CHECK_OK(peal_queue_pause(lane.queue));
        CHECK_OK(peal_broadcast(bell.on_ring, 1));
        CHECK_OK(peal_broadcast(bell.on_ring, 2));
        g_object_unref(object);
        CHECK_EQUAL(finalized, 1);
        CHECK_OK(peal_queue_resume(lane.queue));
        lane_settle(&lane);
        CHECK_EQUAL(calls, 0);
        CHECK_EQUAL(destroyed, 1);
        CHECK_COUNTS(lane.queue, 0, 0, 2, 0);
        close_center(center);
    }
}

static pthread_barrier_t start;

static void *ring_at_start(void *context)
{
    (void)context;
    pthread_barrier_wait(&start);
    for (int i = 0; i < 4; i++)
        CHECK_OK(peal_broadcast(bell.on_ring, i));
    return NULL;
}

CLAIM("F3", "a GObject target that is released while threads broadcast is finalized once, and not called afterwards")
{
    pthread_t threads[2];

    pthread_barrier_init(&start, NULL, 3);
    for (int round = 0; round < CHECK_ROUNDS(300); round++) {
        GObject *const object = open_bell(nowhere, NULL);

        for (int i = 0; i < 2; i++)
            threads[i] = thread_start(ring_at_start, NULL);
        pthread_barrier_wait(&start);
        g_object_unref(object);
        for (int i = 0; i < 2; i++)
            thread_join(threads[i]);
        CHECK_EQUAL(finalized, 1);
        close_center(center);
        CHECK_EQUAL(destroyed, 1);
    }
    pthread_barrier_destroy(&start);
}
