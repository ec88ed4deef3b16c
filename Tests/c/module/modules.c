/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules: the order in which they start and stop, and their events in between.
 */
#include "center.h"
#include "part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static peal_center center;
static struct peal_lifecycle_protocol life;

static void open_modules(void)
{
    center = open_center();
    CHECK_OK(peal_lifecycle_define(center, &life));
    journal_clear();
}

static void close_modules(void)
{
    close_center(center);
    journal_clear();
}

/* ---- Registering and order --------------------------------------------------------------------- */

CLAIM("M1", "every center has the life-cycle protocol of the header")
{
    peal_protocol found = { 0 };
    struct peal_lifecycle_protocol defined;

    center = open_center();
    CHECK_OK(peal_protocol_find(center, "PealLifecycle", &found));
    CHECK_OK(peal_lifecycle_define(center, &defined));
    CHECK_EQUAL(defined.protocol.id, found.id);
    CHECK_OK(peal_protocol_find(center, "PealModules", &found));
    close_center(center);
}

CLAIM("M1", "another protocol with the name of the life-cycle protocol is refused, also before its first use")
{
    const char *const methods[] = { "void will_start (int n)", NULL };
    peal_protocol made;

    center = open_center();
    CHECK_FAILURE(try_protocol(center, "PealLifecycle", NULL, methods, &made), PEAL_ERROR_CONFLICT);
    CHECK_FAILURE(try_protocol(center, "PealModules", NULL, methods, &made), PEAL_ERROR_CONFLICT);
    close_center(center);
}

CLAIM("M1", "a module receives life-cycle events from the end of its start until the beginning of its stop")
{
    struct part a = { .name = "a" };

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_JOURNAL("+a a.became -a");
    close_modules();
}

CLAIM("M2", "modules start dependencies first, then by priority, then by registration; and stop in reverse")
{
    struct part a = { .name = "a", .needs = { "d" } };
    struct part b = { .name = "b" };
    struct part c = { .name = "c", .priority = 5, .needs = { "b", "d" } };
    struct part d = { .name = "d" };
    struct part e = { .name = "e", .priority = -1 };

    open_modules();
    part_add(center, &a);
    part_add(center, &e);
    part_add(center, &b);
    part_add(center, &c);
    part_add(center, &d);
    CHECK_OK(peal_modules_start(center));
    CHECK_JOURNAL("+b +d +c +a +e");
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_JOURNAL("b.became d.became c.became a.became e.became");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-e -a -c -d -b");
    close_modules();
}

CLAIM("M2", "a missing dependency is named, with a similar name, before any module starts")
{
    struct part a = { .name = "network", .needs = { "storag" } };
    struct part b = { .name = "storage" };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_NOT_FOUND);
    CHECK_CONTAINS(peal_last_message(), "network");
    CHECK_CONTAINS(peal_last_message(), "storag,");
    CHECK_CONTAINS(peal_last_message(), "did you mean storage?");
    CHECK_JOURNAL("");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_IDLE);
    close_modules();
}

CLAIM("M2", "a cycle is reported with its path, before any module starts")
{
    struct part outside = { .name = "outside", .needs = { "a" } };
    struct part a = { .name = "a", .needs = { "b" } };
    struct part b = { .name = "b", .needs = { "c" } };
    struct part c = { .name = "c", .needs = { "a" } };

    open_modules();
    part_add(center, &outside);
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_CYCLE);
    CHECK_CONTAINS(peal_last_message(), "a needs b needs c needs a");
    CHECK_JOURNAL("");
    close_modules();
}

CLAIM("M2", "when a module fails to start, the started modules are stopped in reverse, and the start may be repeated")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .needs = { "a" } };
    struct part c = { .name = "c", .needs = { "b" }, .starts = PEAL_ERROR_STATE, .message = "no disk", .code = 7 };
    struct part d = { .name = "d", .needs = { "c" } };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    part_add(center, &c);
    part_add(center, &d);
    CHECK_FAILURE(peal_modules_start(center), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "module c");
    CHECK_CONTAINS(peal_last_message(), "no disk (7)");
    CHECK_JOURNAL("+a +b +c -b -a");
    CHECK_EQUAL(parts_state(center), PEAL_MODULES_IDLE);
    CHECK_EQUAL(part_state(&a), PEAL_MODULE_REGISTERED);
    CHECK_EQUAL(part_state(&c), PEAL_MODULE_FAILED);
    CHECK_CONTAINS(part_info(&c).last_failure, "no disk");
    CHECK_EQUAL(part_info(&a).order, 0);
    c.starts = PEAL_OK;
    CHECK_OK(peal_modules_start(center));
    CHECK_JOURNAL("+a +b +c +d");
    CHECK_EQUAL(part_info(&d).order, 4);
    CHECK_TEXT(part_info(&c).last_failure, "");
    close_modules();
}

CLAIM("M2", "ten thousand modules with random dependencies start after all their dependencies")
{
    enum { MODULES = 10000, NEEDS = 3 };
    const int count = CHECK_ROUNDS(MODULES);
    struct part *parts = calloc((size_t)count, sizeof *parts);
    char (*names)[16] = calloc((size_t)count, sizeof *names);
    peal_module *listed = calloc((size_t)count, sizeof *listed);
    uint64_t *orders = calloc((size_t)count, sizeof *orders);
    size_t found = 0;
    bool is_kept = true;

    srand(11);
    center = open_center();
    check_allow_seconds(120);
    for (int i = 0; i < count; i++)
        snprintf(names[i], sizeof names[i], "module%d", i);
    /* Each module needs some with higher numbers, so most dependencies are registered after their dependents. */
    for (int i = 0; i < count; i++) {
        parts[i].name = names[i];
        for (int need = 0; need < NEEDS && i + 1 < count; need++)
            parts[i].needs[need] = names[i + 1 + rand() % (count - i - 1)];
        part_add(center, &parts[i]);
    }
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_module_list(center, listed, (size_t)count, &found));
    CHECK_EQUAL(found, count);
    for (int i = 0; i < count; i++)
        orders[i] = part_info(&parts[i]).order;
    for (int i = 0; i < count; i++) {
        for (int need = 0; parts[i].needs[need] != NULL; need++)
            is_kept &= orders[atoi(parts[i].needs[need] + 6)] < orders[i];
        is_kept &= listed[orders[i] - 1].id == parts[i].module.id;
    }
    CHECK(is_kept);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    close_modules();
    free(orders);
    free(listed);
    free(names);
    free(parts);
}

/* ---- Events ------------------------------------------------------------------------------------ */

CLAIM("M3", "an event of modules that returns bool is answered in start order and stops at the first true")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .opens = true, .needs = { "a" } };
    struct part c = { .name = "c", .opens = true, .needs = { "b" } };
    bool opened = false;

    open_modules();
    part_add(center, &c);
    part_add(center, &b);
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    journal_clear();
    CHECK_OK(peal_ask(life.open_url, &opened, "x"));
    CHECK(opened);
    CHECK_JOURNAL("a.x b.x");
    close_modules();
}

static int notified_times;
static size_t notified_by;

static void all_notified(void *context, const struct peal_completion_info *report)
{
    (void)context;
    notified_times++;
    notified_by = report->completed;
    CHECK_OK(report->status);
    CHECK_EQUAL(report->result, 2);
}

CLAIM("M3", "an event of modules with a completion completes once, when all modules have answered")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b" };
    struct peal_completion_options options = PEAL_COMPLETION_OPTIONS;
    peal_completion done;

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_OK(peal_modules_start(center));
    journal_clear();
    notified_times = 0;
    options.done = all_notified;
    options.policy = PEAL_POLICY_SUM;
    CHECK_OK(peal_completion_create(&options, &done));
    CHECK_OK(peal_broadcast(life.remote_notification, "hello", done));
    CHECK_EQUAL(notified_times, 1);
    CHECK_EQUAL(notified_by, 2);
    CHECK_JOURNAL("a.hello b.hello");
    close_modules();
}

static void heard_will_start(void *self) { journal_write("%s.will", ((struct part *)self)->name); }
static void heard_did_start(void *self) { journal_write("%s.did", ((struct part *)self)->name); }
static void heard_will_end(void *self) { journal_write("%s.end", ((struct part *)self)->name); }
static const struct peal_lifecycle around = {
    PEAL_TABLE(peal_lifecycle),
    .will_start = heard_will_start,
    .did_start = heard_did_start,
    .will_terminate = heard_will_end,
};

CLAIM("M1", "all modules receive will_start before the first start, did_start after the last, "
            "will_terminate before the first stop")
{
    struct part a = { .name = "a", .table = &around };
    struct part b = { .name = "b", .table = &around, .priority = 1 };
    struct part host = { .name = "host" };

    open_modules();
    part_add(center, &a);
    part_add(center, &b);
    CHECK_OK(peal_lifecycle_observe(&life, &host, &around, NULL, NULL));
    CHECK_OK(peal_modules_start(center));
    CHECK_JOURNAL("host.will b.will a.will +b +a host.did b.did a.did");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("host.end b.end a.end -a -b");
    close_modules();
}

CLAIM("M1", "a module that is registered late receives will_start and did_start around its own start")
{
    struct part a = { .name = "a" };
    struct part late = { .name = "late", .table = &around, .needs = { "a" } };

    open_modules();
    part_add(center, &a);
    CHECK_OK(peal_modules_start(center));
    part_add(center, &late);
    CHECK_JOURNAL("+a late.will +late late.did");
    CHECK_EQUAL(part_info(&late).order, 2);
    close_modules();
}

/* ---- Protocols of the application -------------------------------------------------------------- */

#define SHOP(METHOD) METHOD(optional, void, on_sale, (int percent))
#define SHOP_ADOPTS(ADOPT) ADOPT(peal_lifecycle, "PealLifecycle")
PEAL_PROTOCOL_ADOPTING(shop, "Shop", SHOP_ADOPTS, SHOP);
#define BELL(METHOD) METHOD(optional, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);

static void on_sale(void *self, int percent) { journal_write("%s.sale%d", ((struct part *)self)->name, percent); }
static void on_ring(void *self, int n) { journal_write("%s.ring%d", ((struct part *)self)->name, n); }
static void woke(void *self) { journal_write("%s.woke", ((struct part *)self)->name); }
static const struct peal_lifecycle waking = { PEAL_TABLE(peal_lifecycle), .did_become_active = woke };
static const struct shop shop_table = { PEAL_TABLE(shop), &waking, on_sale };
static const struct bell bell_table = { PEAL_TABLE(bell), on_ring };

static peal_module add_with(struct part *part, const struct peal_provision *tables)
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION(part->name);
    peal_module module = { 0 };

    description.tables = tables;
    description.context = part;
    CHECK_OK(peal_module_register(center, &description, &module));
    return module;
}

CLAIM("M1", "a protocol that adopts the life cycle adds events of the application's own")
{
    const struct peal_provision tables[] = { { "Shop", &shop_table }, { NULL, NULL } };
    struct part a = { .name = "a" };
    struct shop_protocol shop;

    open_modules();
    CHECK_OK(shop_define(center, &shop));
    (void)add_with(&a, tables);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(life.did_become_active));
    CHECK_OK(peal_broadcast(shop.on_sale, 20));
    CHECK_JOURNAL("a.woke a.sale20");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_OK(peal_broadcast(shop.on_sale, 20));
    CHECK_JOURNAL("");
    close_modules();
}

CLAIM("M1", "a forwarded protocol reaches the modules that have a table for it, now or later, in start order")
{
    const struct peal_provision tables[] = { { "Bell", &bell_table }, { NULL, NULL } };
    struct part a = { .name = "a" };
    struct part b = { .name = "b" };
    struct part late = { .name = "late" };
    struct bell_protocol bell;
    peal_module module;

    open_modules();
    CHECK_OK(bell_define(center, &bell));
    (void)add_with(&a, tables);
    module = add_with(&b, tables);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_broadcast(bell.on_ring, 1));
    CHECK_JOURNAL("");
    CHECK_OK(peal_modules_forward(bell.protocol));
    CHECK_OK(peal_modules_forward(bell.protocol));
    (void)add_with(&late, tables);
    CHECK_OK(peal_broadcast(bell.on_ring, 2));
    CHECK_JOURNAL("a.ring2 b.ring2 late.ring2");
    CHECK_OK(peal_module_remove(module));
    CHECK_OK(peal_broadcast(bell.on_ring, 3));
    CHECK_JOURNAL("a.ring3 late.ring3");
    close_modules();
}

/* ---- Notifications about modules --------------------------------------------------------------- */

static void module_started(void *self, const char *name, uint64_t nanoseconds)
{
    (void)self;
    (void)nanoseconds;
    journal_write("started(%s)", name);
}
static void module_stopped(void *self, const char *name, uint64_t nanoseconds)
{
    (void)self;
    (void)nanoseconds;
    journal_write("stopped(%s)", name);
}
static void module_failed(void *self, const char *name, const char *step, const char *message)
{
    (void)self;
    journal_write("failed(%s,%s)", name, step);
    CHECK_CONTAINS(message, name);
}
static const struct peal_module_events told = {
    PEAL_TABLE(peal_module_events),
    .module_started = module_started,
    .module_stopped = module_stopped,
    .module_failed = module_failed,
};

CLAIM("M5", "observers are notified of each module's start, stop and failure, and a failing stop delays no other")
{
    struct part a = { .name = "a" };
    struct part b = { .name = "b", .stops = PEAL_ERROR_STATE, .needs = { "a" } };
    struct peal_module_events_protocol events;

    open_modules();
    CHECK_OK(peal_module_events_define(center, &events));
    CHECK_OK(peal_module_events_observe(&events, NULL, &told, NULL, NULL));
    part_add(center, &a);
    part_add(center, &b);
    CHECK_OK(peal_modules_start(center));
    CHECK_JOURNAL("+a started(a) +b started(b)");
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_JOURNAL("-b failed(b,stop) -a stopped(a)");
    CHECK_EQUAL(part_state(&b), PEAL_MODULE_STOPPED);
    CHECK_CONTAINS(part_info(&b).last_failure, "PEAL_ERROR_STATE");
    close_modules();
}

CLAIM("M5", "the state of a module can be read, and the modules are listed in start order")
{
    struct part a = { .name = "a", .class_name = "base", .priority = 3 };
    struct part b = { .name = "b", .needs = { "a", "c" } };
    struct part c = { .name = "c" };
    struct peal_module_info info;
    peal_module listed[4];
    size_t count = 0;

    open_modules();
    part_add(center, &b);
    part_add(center, &a);
    part_add(center, &c);
    CHECK_STATUS(peal_module_list(center, listed, 2, &count), PEAL_TRUNCATED);
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(listed[0].id, b.module.id);
    info = part_info(&b);
    CHECK_TEXT(info.name, "b");
    CHECK_TEXT(info.class_name, "");
    CHECK_TEXT(info.dependencies, "a, c");
    CHECK_EQUAL(info.state, PEAL_MODULE_REGISTERED);
    CHECK_EQUAL(info.started_at, 0);
    CHECK_OK(peal_modules_start(center));
    CHECK_OK(peal_module_list(center, listed, 4, &count));
    CHECK_EQUAL(listed[0].id, a.module.id);
    CHECK_EQUAL(listed[1].id, c.module.id);
    CHECK_EQUAL(listed[2].id, b.module.id);
    info = part_info(&a);
    CHECK_TEXT(info.class_name, "base");
    CHECK_EQUAL(info.priority, 3);
    CHECK_EQUAL(info.order, 1);
    CHECK(info.started_at != 0);
    CHECK(!info.is_overdue);
    CHECK_EQUAL(info.state, PEAL_MODULE_RUNNING);
    close_modules();
}
