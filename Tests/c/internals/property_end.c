/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a property's notification is a store without a lock. A change that another thread adds meanwhile must be
 * notified by one of the two threads. Both orders are forced.
 */
#include "check.h"
#include "CPealSupport/fork.h"
#include "latch.h"
#include "CPealSupport/lock.h"
#include "CPealSupport/thread.h"

#include <string.h>

static void before_store(void);
static void after_store(void);

/* The program contains the function that ends a notification, with a call before its store and one after it. */
#define __atomic_store_n(address, value, order) (before_store(), __atomic_store_n(address, value, order), after_store())
#include "CPealSupport/property.h"
#undef __atomic_store_n

enum stop { NOWHERE, BEFORE_STORE, AFTER_STORE };

static __thread enum stop stop;
static struct latch is_stopped, may_go_on;

static void stop_here(void)
{
    stop = NOWHERE;
    latch_open(&is_stopped);
    latch_wait(&may_go_on);
}

static void before_store(void)
{
    if (stop == BEFORE_STORE)
        stop_here();
}

static void after_store(void)
{
    if (stop == AFTER_STORE)
        stop_here();
}

static struct peal_property_element element;
static struct peal_change_node node;
static unsigned notified; /* of the node; only the notifier counts */

/* With the lock held: notifies of all changes, and ends the notification. */
static void drain(void)
{
    while (peal_property_remove_first(&element) != NULL)
        notified++;
    CHECK_EQUAL(peal_property_end_notifying(&element), 0);
    peal_property_unlock(&element);
}

static void *notify(void *where)
{
    struct peal_thread *const own = peal_thread_current();
    CHECK(own != NULL);
    peal_property_lock(&element);
    peal_property_begin_notifying(&element, own);
    peal_property_unlock(&element);
    stop = *(enum stop *)where;
    if (!peal_property_try_end(&element) && peal_property_resume(&element))
        drain();
    return NULL;
}

/* Adds a change. Returns true if this thread has become the notifier, and has notified of it. */
static bool add(void)
{
    struct peal_thread *const own = peal_thread_current();
    CHECK(own != NULL);
    peal_property_lock(&element);
    const bool is_notifier = !peal_property_is_notifying(&element);
    peal_property_append(&element, &node);
    if (!is_notifier) {
        peal_property_unlock(&element);
        return false;
    }
    peal_property_begin_notifying(&element, own);
    drain();
    return true;
}

static void add_while_stopped(enum stop where, bool adder_notifies)
{
    static const struct latch shut = LATCH_INITIALIZER;
    memset(&element, 0, sizeof element);
    memset(&node, 0, sizeof node);
    is_stopped = may_go_on = shut;
    notified = 0;
    const pthread_t thread = thread_start(notify, &where);
    latch_wait(&is_stopped);
    CHECK_EQUAL(add(), adder_notifies);
    latch_open(&may_go_on);
    thread_join(thread);
    CHECK_EQUAL(notified, 1);
    CHECK(element.first == NULL);
    CHECK(!element.is_notifying);
    CHECK_EQUAL(element.lock.word, PEAL_LOCK_FREE);
}

CLAIM("X5", "a change that is added before the store which ends a notification is notified by the same thread")
{
    add_while_stopped(BEFORE_STORE, false);
}

CLAIM("X5", "a change that is added after that store is notified by the thread that adds it")
{
    add_while_stopped(AFTER_STORE, true);
}
