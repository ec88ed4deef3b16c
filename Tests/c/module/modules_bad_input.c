/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrong arguments to the functions of modules. Each mistake gives a status and a sentence, and changes nothing.
 */
#include "center.h"
#include "journal.h"

#include <signal.h>
#include <string.h>

#define BELL(METHOD) METHOD(required, void, on_ring, (int n))
PEAL_PROTOCOL(bell, "Bell", BELL);
#define POINTER(METHOD) METHOD(required, void, on_pointer, (void *bare))
PEAL_PROTOCOL(pointer, "Pointer", POINTER);

static const peal_center no_center = { 0 };
static const peal_center made_up = { 0x7777777777777777 };
static peal_center center;

static void release(void *context) { journal_write("~%s", (char *)context); }
static void on_pointer(void *self, void *bare)
{
    (void)self;
    (void)bare;
}

static struct peal_module_description describe(const char *name)
{
    struct peal_module_description description = PEAL_MODULE_DESCRIPTION(name);

    description.context = (char *)"a";
    description.release = release;
    return description;
}

/* Checks that a description is refused with a status and released, and that no module is registered. */
static void refuse(const struct peal_module_description *description, peal_status status, const char *part)
{
    peal_module module = { 1 };
    size_t count = 99;

    journal_clear();
    CHECK_FAILURE(peal_module_register(center, description, &module), status);
    CHECK_CONTAINS(peal_last_message(), part);
    CHECK_EQUAL(module.id, 0);
    CHECK_JOURNAL("~a");
    CHECK_OK(peal_module_list(center, NULL, 0, &count));
    CHECK_EQUAL(count, 0);
}

CLAIM("F1", "a wrong description of a module is refused and released, and has no lasting effect")
{
    static const struct peal_lifecycle events = { PEAL_TABLE(peal_lifecycle), .will_start = NULL };
    static const struct bell empty = { PEAL_TABLE(bell), NULL };
    static const struct pointer bare = { PEAL_TABLE(pointer), on_pointer };
    const size_t wrong = 3;
    const struct peal_provision unknown[] = { { "Nobody", &events }, { NULL, NULL } };
    const struct peal_provision no_table[] = { { "PealLifecycle", NULL }, { NULL, NULL } };
    const struct peal_provision twice[] = { { "PealLifecycle", &events }, { "PealLifecycle", &events },
        { NULL, NULL } };
    const struct peal_provision missing[] = { { "Bell", &empty }, { NULL, NULL } };
    const struct peal_provision pointers[] = { { "Pointer", &bare }, { NULL, NULL } };
    const struct peal_provision odd[] = { { "PealLifecycle", &wrong }, { NULL, NULL } };
    const char *const own[] = { "a", NULL };
    const char *const empty_name[] = { "", NULL };
    const char *const bad_name[] = { "\xff", NULL };
    char longest[257];
    peal_queue queue;
    peal_owner owner;
    struct peal_queue_options serial = PEAL_QUEUE_OPTIONS;
    struct peal_module_description d;

    center = open_center();
    CHECK_OK(bell_define(center, NULL));
    CHECK_OK(pointer_define(center, NULL));
    CHECK_OK(peal_queue_create(&serial, &queue));
    memset(longest, 'x', sizeof longest - 1);
    longest[256] = 0;

    d = describe(NULL), refuse(&d, PEAL_ERROR_ARGUMENT, "NULL");
    d = describe(""), refuse(&d, PEAL_ERROR_ARGUMENT, "0 bytes");
    d = describe(longest), refuse(&d, PEAL_ERROR_ARGUMENT, "256 bytes");
    d = describe("\xff"), refuse(&d, PEAL_ERROR_ARGUMENT, "UTF-8");
    d = describe("a"), d.size++, refuse(&d, PEAL_ERROR_ARGUMENT, "size");
    d = describe("a"), d.class_name = "", refuse(&d, PEAL_ERROR_ARGUMENT, "class");
    d = describe("a"), d.class_name = "\xff", refuse(&d, PEAL_ERROR_ARGUMENT, "class");
    d = describe("a"), d.dependencies = own, refuse(&d, PEAL_ERROR_CYCLE, "itself");
    d = describe("a"), d.dependencies = empty_name, refuse(&d, PEAL_ERROR_ARGUMENT, "dependency");
    d = describe("a"), d.dependencies = bad_name, refuse(&d, PEAL_ERROR_ARGUMENT, "dependency");
    d = describe("a"), d.tables = unknown, refuse(&d, PEAL_ERROR_NOT_FOUND, "Nobody");
    d = describe("a"), d.tables = no_table, refuse(&d, PEAL_ERROR_ARGUMENT, "PealLifecycle");
    d = describe("a"), d.tables = twice, refuse(&d, PEAL_ERROR_ARGUMENT, "two tables");
    d = describe("a"), d.tables = missing, refuse(&d, PEAL_ERROR_CONFORMANCE, "Bell.on_ring");
    d = describe("a"), d.tables = odd, refuse(&d, PEAL_ERROR_CONFORMANCE, "PealLifecycle is 3");
    d = describe("a"), d.tables = pointers, d.queue = queue, refuse(&d, PEAL_ERROR_TYPE, "bare");
    d = describe("a"), d.service = "nobody", refuse(&d, PEAL_ERROR_NOT_FOUND, "nobody");
    d = describe("a"), d.service = "\xff", refuse(&d, PEAL_ERROR_ARGUMENT, "service");
    d = describe("a"), d.queue.id = 1, refuse(&d, PEAL_ERROR_HANDLE, "queue");
    CHECK_OK(peal_owner_create("o", &owner));
    CHECK_OK(peal_owner_retire(owner, 0));
    d = describe("a"), d.owner = owner, refuse(&d, PEAL_ERROR_HANDLE, "owner");
    CHECK_OK(peal_queue_destroy(queue));
    close_center(center);
}

CLAIM("F1", "a description of a module that is too small is not read, and its release function is not called")
{
    struct peal_module_description d = describe("a");

    center = open_center();
    journal_clear();
    d.size = sizeof d - 1;
    CHECK_FAILURE(peal_module_register(center, &d, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_module_register(center, NULL, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_JOURNAL("");
    close_center(center);
}

CLAIM("M1", "a description of a module needs a name alone, and the handle to fill may be NULL")
{
    struct peal_module_description d = PEAL_MODULE_DESCRIPTION("plain");
    struct peal_module_info info;
    peal_module found;

    center = open_center();
    CHECK_OK(peal_module_register(center, &d, NULL));
    CHECK_OK(peal_module_find(center, "plain", &found));
    CHECK_OK(peal_modules_start(center));
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    CHECK_OK(peal_module_get_info(found, &info));
    CHECK_EQUAL(info.state, PEAL_MODULE_RUNNING);
    CHECK_OK(peal_modules_stop(center, PEAL_FOREVER));
    CHECK_OK(peal_module_remove(found));
    close_center(center);
}

CLAIM("F1", "each function of modules refuses invalid centers, invalid modules and wrong arguments")
{
    const peal_module none = { 0 };
    const peal_module invented = { 0xc777777777777777 };
    const peal_module of_other_kind = { peal_center_default().id };
    const peal_protocol no_protocol = { 0 };
    struct peal_module_description d = describe("a");
    struct peal_module_info info;
    peal_modules_state state;
    peal_module module;
    size_t count;

    journal_clear();
    CHECK_FAILURE(peal_module_register(no_center, &d, &module), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_register(made_up, &d, &module), PEAL_ERROR_HANDLE);
    CHECK_JOURNAL("~a ~a");
    CHECK_FAILURE(peal_modules_start(no_center), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_modules_start(made_up), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_modules_stop(no_center, 1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_modules_get_state(no_center, &state), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_find(no_center, "a", &module), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_list(no_center, NULL, 0, &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_modules_remove_class(no_center, "a", &count), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_modules_forward(no_protocol), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_remove(none), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_remove(invented), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_remove(of_other_kind), PEAL_ERROR_HANDLE);
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    CHECK_FAILURE(peal_module_get_info(none, &info), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_module_get_info(invented, &info), PEAL_ERROR_HANDLE);

    center = open_center();
    CHECK_OK(peal_module_register(center, &d, &module));
    CHECK_FAILURE(peal_modules_get_state(center, NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_module_find(center, "a", NULL), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_module_find(center, NULL, &module), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_module_find(center, "\xff", &module), PEAL_ERROR_ARGUMENT);
    CHECK_EQUAL(module.id, 0);
    CHECK_FAILURE(peal_module_find(center, "aa", &module), PEAL_ERROR_NOT_FOUND);
    CHECK_OK(peal_module_find(center, "a", &module));
    CHECK_FAILURE(peal_module_get_info(module, NULL), PEAL_ERROR_ARGUMENT);
    info.size = 8;
    CHECK_FAILURE(peal_module_get_info(module, &info), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_module_list(center, NULL, 1, &count), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_module_list(center, &module, (size_t)-1, &count), PEAL_ERROR_ARGUMENT);
    CHECK_OK(peal_module_list(center, &module, 1, NULL));
    CHECK_FAILURE(peal_modules_remove_class(center, NULL, &count), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_modules_remove_class(center, "a", &count), PEAL_ERROR_NOT_FOUND);
    close_center(center);
    info.size = sizeof info;
    CHECK_FAILURE(peal_module_get_info(module, &info), PEAL_ERROR_HANDLE);
}

static void ignore_signal(int number) { (void)number; }

CLAIM("M6", "binding a signal that cannot be bound, is bound already, or has a handler of the program is refused")
{
    const peal_queue nowhere = { 0 };
    const peal_queue stale = { 1 };
    peal_center other;

    center = open_center();
    other = open_center();
    CHECK_FAILURE(peal_signal_bind(no_center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_signal_bind(center, SIGKILL, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(peal_last_message(), "SIGUSR1");
    CHECK_FAILURE(peal_signal_bind(center, -1, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_signal_bind(center, 1000, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_signal_bind(center, SIGSEGV, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_signal_bind(center, SIGUSR1, (peal_signal_action)0, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_signal_bind(center, SIGUSR1, (peal_signal_action)9, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_BACKGROUND, nowhere, 0), PEAL_ERROR_ARGUMENT);
    CHECK_FAILURE(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, stale, 0), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_signal_remove_binding(center, SIGUSR1), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_signal_remove_binding(center, 1000), PEAL_ERROR_NOT_FOUND);
    CHECK_FAILURE(peal_signal_remove_binding(no_center, SIGUSR1), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_signals_bind_usual(no_center, nowhere, 0), PEAL_ERROR_HANDLE);
    CHECK_FAILURE(peal_signals_bind_usual(center, stale, 0), PEAL_ERROR_HANDLE);

    CHECK_OK(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0));
    CHECK_FAILURE(peal_signal_bind(center, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_CONFLICT);
    CHECK_FAILURE(peal_signal_bind(other, SIGUSR1, PEAL_SIGNAL_RELOAD, nowhere, 0), PEAL_ERROR_CONFLICT);
    CHECK_FAILURE(peal_signal_remove_binding(other, SIGUSR1), PEAL_ERROR_NOT_FOUND);
    CHECK_OK(peal_signal_remove_binding(center, SIGUSR1));

    signal(SIGHUP, ignore_signal);
    CHECK_FAILURE(peal_signals_bind_usual(center, nowhere, 0), PEAL_ERROR_CONFLICT);
    CHECK_CONTAINS(peal_last_message(), "SIGHUP");
    /* The refused call has bound no signal. */
    CHECK_OK(peal_signal_bind(other, SIGTERM, PEAL_SIGNAL_RELOAD, nowhere, 0));
    signal(SIGHUP, SIG_DFL);
    close_center(other);
    /* The end of the other center has unbound its signal. */
    CHECK_OK(peal_signals_bind_usual(center, nowhere, 0));
    close_center(center);
    CHECK(signal(SIGTERM, SIG_DFL) == SIG_DFL);
}
