/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of all objects of a kind, and their states.
 */
#include "center.h"
#include "latch.h"

#include <pthread.h>
#include <string.h>

#define BELL(METHOD)                               \
    METHOD(required, bool, ring, (int32_t n), any) \
    METHOD(optional, void, mute, (void *p), since(3), defer, borrowed)
PEAL_PROTOCOL(bell, "Bell", BELL);

#define LOUD_ADOPTS(ADOPT) ADOPT(bell, "Bell")
#define LOUD(METHOD) METHOD(optional, void, bang, (void), reject)
PEAL_PROTOCOL_ADOPTING(loud, "Loud", LOUD_ADOPTS, LOUD);

PEAL_PROPERTY(volume, "volume", float);

static bool ring(void *self, int32_t n)
{
    (void)self;
    return n > 0;
}

static const struct bell rings = { PEAL_TABLE(bell), .ring = ring };

static peal_center center;
static struct bell_protocol bell;
static struct loud_protocol loud;
static char ann;

static void open_bell(void)
{
    center = open_center();
    CHECK_OK(bell_define(center, &bell));
    CHECK_OK(loud_define(center, &loud));
}

/* Returns how often a handle is in a list. Every handle consists of one id. */
static size_t times(const void *handles, size_t count, uint64_t id)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += ((const uint64_t *)handles)[i] == id;
    return found;
}

CLAIM("P9", "the centers of the process are listed, until they end")
{
    peal_center listed[64];
    size_t count = 0;

    center = open_center();
    CHECK_OK(peal_center_list(listed, 64, &count));
    CHECK_EQUAL(times(listed, count, center.id), 1);
    CHECK_EQUAL(times(listed, count, peal_center_default().id), 1);
    close_center(center);
    CHECK_OK(peal_center_list(listed, 64, &count));
    CHECK_EQUAL(times(listed, count, center.id), 0);
}

CLAIM("P9", "the protocols of a center are listed with what they adopt, without those of properties")
{
    peal_protocol listed[8];
    size_t count = 0;
    struct volume_property volume;

    open_bell();
    CHECK_OK(volume_define(center, 0.5f, NULL, &volume));
    CHECK_OK(peal_protocol_list(center, listed, 8, &count));
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(times(listed, count, bell.protocol.id), 1);
    CHECK_EQUAL(times(listed, count, loud.protocol.id), 1);
    CHECK_OK(peal_protocol_list_adopted(loud.protocol, listed, 8, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(listed[0].id, bell.protocol.id);
    CHECK_OK(peal_protocol_list_adopted(bell.protocol, listed, 8, &count));
    CHECK_EQUAL(count, 0);
    close_center(center);
}

CLAIM("P9", "the properties of a center are listed, until they end")
{
    peal_property listed[4];
    size_t count = 9;
    struct volume_property volume;
    struct peal_property_info info = { .size = sizeof info };

    center = open_center();
    CHECK_OK(peal_property_list(center, listed, 4, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(volume_define(center, 0.5f, NULL, &volume));
    CHECK_OK(peal_property_list(center, listed, 4, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(listed[0].id, volume.property.id);
    CHECK_OK(peal_property_get_info(listed[0], &info));
    CHECK_EQUAL(info.center.id, center.id);
    CHECK_TEXT(info.name, "volume");
    CHECK_TEXT(info.type, "float");
    CHECK_EQUAL(info.value_size, sizeof(float));
    CHECK_EQUAL(info.observers, 0);
    CHECK_OK(peal_property_remove(volume.property));
    CHECK_OK(peal_property_list(center, listed, 4, &count));
    CHECK_EQUAL(count, 0);
    CHECK_STATUS(peal_property_get_info(volume.property, &info), PEAL_ERROR_HANDLE);
    close_center(center);
}

static void fire(void *target) { (void)target; }

CLAIM("P9", "queues, timers, owners and proxies of the process are listed, until they end")
{
    struct peal_queue_options queue_options = PEAL_QUEUE_OPTIONS;
    struct peal_timer_options timer_options = PEAL_TIMER_OPTIONS(fire, NULL, PEAL_SECONDS(1));
    peal_queue queue, queues[64];
    peal_timer timer, timers[64];
    peal_owner owner, owners[64];
    peal_proxy proxy, proxies[64];
    struct peal_queue_info queue_info = { .size = sizeof queue_info };
    struct peal_timer_info timer_info = { .size = sizeof timer_info };
    void *self;
    const void *table;
    size_t count = 0;

    open_bell();
    CHECK_OK(peal_owner_create("guest", &owner));
    queue_options.kind = PEAL_QUEUE_PUMPED;
    queue_options.capacity = 7;
    queue_options.owner = owner;
    CHECK_OK(peal_queue_create(&queue_options, &queue));
    timer_options.queue = queue;
    CHECK_OK(peal_timer_create(&timer_options, &timer));
    CHECK_OK(peal_proxy_create(bell.protocol, NULL, &proxy, &self, &table));
    CHECK_OK(peal_queue_list(queues, 64, &count));
    CHECK_EQUAL(times(queues, count, queue.id), 1);
    CHECK_OK(peal_queue_get_info(queue, &queue_info));
    CHECK_EQUAL(queue_info.kind, PEAL_QUEUE_PUMPED);
    CHECK_EQUAL(queue_info.overflow, PEAL_OVERFLOW_REJECT);
    CHECK_EQUAL(queue_info.capacity, 7);
    CHECK_EQUAL(queue_info.owner.id, owner.id);
    CHECK_OK(peal_timer_get_info(timer, &timer_info));
    CHECK_EQUAL(timer_info.queue.id, queue.id);
    CHECK_EQUAL(timer_info.owner.id, 0);
    queue_info.size--;
    CHECK_STATUS(peal_queue_get_info(queue, &queue_info), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_timer_list(timers, 64, &count));
    CHECK_EQUAL(times(timers, count, timer.id), 1);
    CHECK_OK(peal_owner_list(owners, 64, &count));
    CHECK_EQUAL(times(owners, count, owner.id), 1);
    CHECK_OK(peal_proxy_list(proxies, 64, &count));
    CHECK_EQUAL(times(proxies, count, proxy.id), 1);

    CHECK_OK(peal_timer_destroy(timer));
    CHECK_OK(peal_queue_destroy(queue));
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_OK(peal_proxy_destroy(proxy));
    CHECK_OK(peal_queue_list(queues, 64, &count));
    CHECK_EQUAL(times(queues, count, queue.id), 0);
    CHECK_OK(peal_timer_list(timers, 64, &count));
    CHECK_EQUAL(times(timers, count, timer.id), 0);
    CHECK_OK(peal_owner_list(owners, 64, &count));
    CHECK_EQUAL(times(owners, count, owner.id), 0);
    CHECK_OK(peal_proxy_list(proxies, 64, &count));
    CHECK_EQUAL(times(proxies, count, proxy.id), 0);
    close_center(center);
}

CLAIM("P9", "the states of a center, a protocol and a method can be read")
{
    struct peal_center_info center_info = { .size = sizeof center_info };
    struct peal_protocol_info info = { .size = sizeof info };
    struct peal_method_info method = { .size = sizeof method };
    size_t count = 0;

    open_bell();
    CHECK_OK(peal_type_declare(center, "struct point { int x; };"));
    CHECK_OK(bell_observe(&bell, &ann, &rings, NULL, NULL));
    CHECK_OK(peal_center_get_info(center, &center_info));
    CHECK_EQUAL(center_info.protocols, 2);
    CHECK_EQUAL(center_info.properties, 0);
    CHECK_EQUAL(center_info.types, 1);
    CHECK_EQUAL(center_info.modules, 0);
    CHECK(!center_info.is_default);
    CHECK_OK(peal_center_get_info(peal_center_default(), &center_info));
    CHECK(center_info.is_default);

    CHECK_OK(peal_protocol_get_info(loud.protocol, &info));
    CHECK_TEXT(info.name, "Loud");
    CHECK_EQUAL(info.center.id, center.id);
    CHECK_EQUAL(info.methods, 3);
    CHECK_EQUAL(info.adopted, 1);
    CHECK_EQUAL(count_observers(loud.protocol), 0);
    CHECK(!info.is_built_in);
    CHECK_OK(peal_protocol_get_info(bell.protocol, &info));
    CHECK_EQUAL(info.version, 3);
    CHECK_EQUAL(count_observers(bell.protocol), 1);

    CHECK_OK(peal_method_get_info(bell.mute, &method));
    CHECK_TEXT(method.name, "mute");
    CHECK_EQUAL(method.protocol.id, bell.protocol.id);
    CHECK_EQUAL(method.origin.id, bell.protocol.id);
    CHECK_EQUAL(method.center.id, center.id);
    CHECK_EQUAL(method.policy, PEAL_POLICY_ALL);
    CHECK_EQUAL(method.recursion, PEAL_RECURSION_DEFER);
    CHECK_EQUAL(method.since, 3);
    CHECK(method.is_optional && method.is_borrowed && method.is_oneway);
    CHECK_EQUAL(method.parameters, 1);
    CHECK_EQUAL(method.chained_parameter, 0);
    CHECK_OK(peal_method_count_observers(bell.mute, &count));
    CHECK_EQUAL(count, 0);
    CHECK_OK(peal_method_get_info(bell.ring, &method));
    CHECK_EQUAL(method.policy, PEAL_POLICY_ANY);
    CHECK_EQUAL(method.recursion, PEAL_RECURSION_RECURSIVE);
    CHECK(!method.is_optional && !method.is_borrowed && !method.is_oneway);
    CHECK_OK(peal_method_count_observers(bell.ring, &count));
    CHECK_EQUAL(count, 1);
    CHECK_OK(peal_method_get_info(find_method(loud.protocol, "ring"), &method));
    CHECK_EQUAL(method.protocol.id, loud.protocol.id);
    CHECK_EQUAL(method.origin.id, bell.protocol.id);
    CHECK_OK(peal_method_get_info(loud.bang, &method));
    CHECK_EQUAL(method.recursion, PEAL_RECURSION_REJECT);
    close_center(center);
}

CLAIM("P9", "the state of a method names the parameter that a result becomes in a chain")
{
    const struct {
        const char *text;
        peal_policy policy;
        size_t chained;
    } methods[] = {
        { "required int add(const char *name, int a, int b), chain(b)", PEAL_POLICY_CHAIN, 3 },
        { "required int first(const char *name, int a, int b), chain", PEAL_POLICY_CHAIN, 2 },
        { "required int sum(int a), sum", PEAL_POLICY_SUM, 1 },
        { "required int count(const char *name)", PEAL_POLICY_LAST, 0 },
        { "required void end(int a)", PEAL_POLICY_ALL, 0 },
    };
    const char *texts[sizeof methods / sizeof *methods + 1] = { NULL };
    struct peal_protocol_description description = { .size = sizeof description, .name = "Sums", .methods = texts };
    struct peal_method_info info = { .size = sizeof info };
    peal_method found[sizeof methods / sizeof *methods];
    peal_protocol protocol;

    center = open_center();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        texts[i] = methods[i].text;
    }
    CHECK_OK(peal_protocol_define(center, &description, &protocol, found, sizeof methods / sizeof *methods));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        CHECK_OK(peal_method_get_info(found[i], &info));
        CHECK_EQUAL(info.policy, methods[i].policy);
        CHECK_EQUAL(info.chained_parameter, methods[i].chained);
    }
    close_center(center);
}

CLAIM("P9", "the states of an owner and of a proxy can be read")
{
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_owner_info owner_info = { .size = sizeof owner_info };
    struct peal_proxy_info info = { .size = sizeof info };
    peal_owner owner;
    peal_proxy proxy;
    void *self;
    const void *table;

    open_bell();
    CHECK_OK(peal_owner_create("guest", &owner));
    options.owner = owner;
    CHECK_OK(bell_observe(&bell, &ann, &rings, &options, NULL));
    CHECK_OK(peal_owner_get_info(owner, &owner_info));
    CHECK_TEXT(owner_info.name, "guest");
    CHECK_EQUAL(owner_info.observations, 1);
    CHECK_EQUAL(owner_info.others, 0);
    CHECK_OK(peal_proxy_create(bell.protocol, NULL, &proxy, &self, &table));
    CHECK_OK(peal_proxy_get_info(proxy, &info));
    CHECK_EQUAL(info.protocol.id, bell.protocol.id);
    CHECK_EQUAL(info.method.id, 0);
    CHECK_EQUAL(info.owner.id, 0);
    CHECK(info.is_alive);
    CHECK_OK(peal_proxy_destroy(proxy));
    CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
    CHECK_STATUS(peal_owner_get_info(owner, &owner_info), PEAL_ERROR_HANDLE);
    close_center(center);
}

CLAIM("P9", "a list that does not fit is cut, and its whole length reported")
{
    peal_protocol listed[2] = { { 0 }, { 77 } };
    size_t count = 0;

    open_bell();
    CHECK_STATUS(peal_protocol_list(center, listed, 1, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 2);
    CHECK(listed[0].id == bell.protocol.id || listed[0].id == loud.protocol.id);
    CHECK_EQUAL(listed[1].id, 77);
    CHECK_STATUS(peal_protocol_list(center, NULL, 0, &count), PEAL_TRUNCATED);
    CHECK_STATUS(peal_center_list(NULL, 0, NULL), PEAL_TRUNCATED);
    close_center(center);
}

CLAIM("F1", "lists and states of invalid handles, and NULL for what is to be filled, give a status")
{
    static const peal_center no_center;
    static const peal_protocol no_protocol;
    static const peal_method no_method;
    static const peal_property no_property;
    static const peal_owner no_owner;
    static const peal_proxy no_proxy;
    struct peal_center_info center_info = { .size = sizeof center_info - 1 };
    struct peal_protocol_info protocol_info = { .size = 0 };
    struct peal_method_info method_info = { .size = sizeof method_info + 8 };
    struct peal_property_info property_info = { .size = sizeof property_info };
    struct peal_owner_info owner_info = { .size = sizeof owner_info };
    struct peal_proxy_info proxy_info = { .size = sizeof proxy_info };
    peal_protocol listed[1];

    open_bell();
    CHECK_STATUS(peal_protocol_list(no_center, listed, 1, NULL), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_property_list(no_center, NULL, 0, NULL), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_protocol_list_adopted(no_protocol, listed, 1, NULL), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_protocol_list(center, NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_protocol_list(center, listed, SIZE_MAX, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_center_list(NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_queue_list(NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_timer_list(NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_owner_list(NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_proxy_list(NULL, 1, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_center_get_info(center, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_center_get_info(center, &center_info), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_protocol_get_info(bell.protocol, &protocol_info), PEAL_ERROR_ARGUMENT);
    CHECK_STATUS(peal_method_get_info(bell.ring, &method_info), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(method_info.parameters, 0);
    method_info.size = sizeof method_info;
    CHECK_STATUS(peal_method_get_info(no_method, &method_info), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_property_get_info(no_property, &property_info), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_owner_get_info(no_owner, &owner_info), PEAL_ERROR_HANDLE);
    CHECK_STATUS(peal_proxy_get_info(no_proxy, &proxy_info), PEAL_ERROR_HANDLE);
    close_center(center);
}

/* ---- Threads ------------------------------------------------------------------------------------ */

static struct latch begun, ended;

/* Creates and ends objects of each kind until the other thread has listed often enough. */
static void *churn(void *nothing)
{
    latch_open(&begun);
    while (!latch_is_open(&ended)) {
        struct peal_queue_options options = PEAL_QUEUE_OPTIONS;
        struct bell_protocol protocol;
        struct volume_property volume;
        peal_center made;
        peal_queue queue;
        peal_owner owner;

        options.kind = PEAL_QUEUE_PUMPED;
        CHECK_OK(peal_center_create(&made));
        CHECK_OK(bell_define(made, &protocol));
        CHECK_OK(volume_define(made, 1, NULL, &volume));
        CHECK_OK(peal_queue_create(&options, &queue));
        CHECK_OK(peal_owner_create("churn", &owner));
        CHECK_OK(peal_owner_retire(owner, PEAL_FOREVER));
        CHECK_OK(peal_queue_destroy(queue));
        CHECK_OK(peal_center_destroy(made));
    }
    return nothing;
}

CLAIM("P9", "objects are listed and read beside a thread that creates and ends them")
{
    peal_center centers[64];
    peal_protocol protocols[4];
    peal_property properties[4];
    peal_queue queues[64];
    peal_owner owners[64];
    pthread_t thread;
    size_t count = 0, found = 0;

    latch_shut(&begun);
    latch_shut(&ended);
    CHECK_EQUAL(pthread_create(&thread, NULL, churn, NULL), 0);
    latch_wait(&begun);
    for (int round = 0; round < CHECK_ROUNDS(5000) || found == 0; round++) {
        CHECK_OK(peal_center_list(centers, 64, &count));
        for (size_t i = 0; i < count; i++) {
            struct peal_center_info info = { .size = sizeof info };
            size_t protocol_count = 0;
            if (peal_protocol_list(centers[i], protocols, 4, &protocol_count) == PEAL_OK && protocol_count == 1) {
                struct peal_protocol_info protocol = { .size = sizeof protocol };
                const peal_status status = peal_protocol_get_info(protocols[0], &protocol);
                CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
                found += status == PEAL_OK;
            }
            (void)peal_property_list(centers[i], properties, 4, NULL);
            (void)peal_center_get_info(centers[i], &info);
        }
        CHECK_OK(peal_queue_list(queues, 64, NULL));
        CHECK_OK(peal_owner_list(owners, 64, &count));
        for (size_t i = 0; i < count; i++) {
            struct peal_owner_info info = { .size = sizeof info };
            const peal_status status = peal_owner_get_info(owners[i], &info);
            CHECK(status == PEAL_OK || status == PEAL_ERROR_HANDLE);
        }
    }
    latch_open(&ended);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK(found > 0);
}
