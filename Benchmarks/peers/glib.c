/* SPDX-License-Identifier: Apache-2.0
 *
 * glib.c - GLib: signals of a GObject, notifications of properties, sources of a main context.
 */
#include "peers.h"

#include <glib-object.h>

/* An object with a signal for each row's signature, and with three properties. */
typedef struct {
    GObject parent;
    char *title;
    int width, height;
} Page;
typedef GObjectClass PageClass;
G_DEFINE_TYPE(Page, page, G_TYPE_OBJECT)

enum { PING, LAST, FIRST_TRUE, SUM, SIGNALS };
enum { NO_PROPERTY, TITLE, WIDTH, HEIGHT, PROPERTIES };
static guint signals[SIGNALS];
static GParamSpec *properties[PROPERTIES];

static void page_set(GObject *object, guint which, const GValue *value, GParamSpec *spec)
{
    Page *page = (Page *)object;
    if (which == TITLE) {
        if (g_strcmp0(page->title, g_value_get_string(value)) == 0)
            return;
        g_free(page->title);
        page->title = g_value_dup_string(value);
    } else if (which == WIDTH) {
        page->width = g_value_get_int(value);
    } else {
        page->height = g_value_get_int(value);
    }
    g_object_notify_by_pspec(object, spec);
}

static void page_finalize(GObject *object)
{
    g_free(((Page *)object)->title);
    G_OBJECT_CLASS(page_parent_class)->finalize(object);
}

static gboolean keep_last(GSignalInvocationHint *hint, GValue *all, const GValue *one, gpointer data)
{
    (void)hint;
    (void)data;
    g_value_copy(one, all);
    return TRUE;
}

static gboolean add(GSignalInvocationHint *hint, GValue *all, const GValue *one, gpointer data)
{
    (void)hint;
    (void)data;
    g_value_set_int(all, g_value_get_int(all) + g_value_get_int(one));
    return TRUE;
}

static void page_class_init(PageClass *class)
{
    const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    const GType type = G_TYPE_FROM_CLASS(class);
    class->set_property = page_set;
    class->finalize = page_finalize;
    properties[TITLE] = g_param_spec_string("title", "", "", NULL, flags);
    properties[WIDTH] = g_param_spec_int("width", "", "", 0, G_MAXINT, 0, flags);
    properties[HEIGHT] = g_param_spec_int("height", "", "", 0, G_MAXINT, 0, flags);
    g_object_class_install_properties(class, PROPERTIES, properties);
    signals[PING] = g_signal_new(
        "ping", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_INT);
    signals[LAST] = g_signal_new("last", type, G_SIGNAL_RUN_LAST, 0, keep_last, NULL, NULL, G_TYPE_INT, 1, G_TYPE_INT);
    signals[FIRST_TRUE] = g_signal_new("first-true", type, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled,
        NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_INT);
    signals[SUM] = g_signal_new("sum", type, G_SIGNAL_RUN_LAST, 0, add, NULL, NULL, G_TYPE_INT, 1, G_TYPE_INT);
}

static void page_init(Page *page) { (void)page; }

static void ping(gpointer self, gpointer a, int i, gpointer target)
{
    (void)self;
    (void)target;
    peers_pointer = a;
    peers_int = i;
}
static int answer(gpointer self, int i, gpointer target)
{
    (void)self;
    (void)target;
    return i + 1;
}
static gboolean decline(gpointer self, int i, gpointer target)
{
    (void)self;
    (void)target;
    peers_int = i;
    return FALSE;
}
static void notified(gpointer self, GParamSpec *spec, gpointer target)
{
    (void)spec;
    (void)target;
    peers_pointer = self;
}

static GObject *object;
static gulong handlers[OBSERVERS_MOST];

static void begin(size_t observers)
{
    object = g_object_new(page_get_type(), NULL);
    for (size_t i = 0; i < observers; i++)
        handlers[i] = g_signal_connect(object, "ping", G_CALLBACK(ping), &peers_targets[i]);
}
static void end(void) { g_object_unref(object); }

static void emit(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        g_signal_emit(object, signals[PING], 0, object, (int)i);
}
static void emit_by_name(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        g_signal_emit_by_name(object, "ping", object, (int)i);
}
static void look_up(size_t turns)
{
    while (turns-- > 0)
        peers_int = (int)g_signal_lookup("ping", page_get_type());
}

static void emit_values(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        GValue values[3] = { G_VALUE_INIT, G_VALUE_INIT, G_VALUE_INIT };
        g_value_init(&values[0], page_get_type());
        g_value_set_object(&values[0], object);
        g_value_init(&values[1], G_TYPE_POINTER);
        g_value_set_pointer(&values[1], object);
        g_value_init(&values[2], G_TYPE_INT);
        g_value_set_int(&values[2], (int)i);
        g_signal_emitv(values, signals[PING], 0, NULL);
        g_value_unset(&values[0]);
    }
}

static void begin_answers(size_t observers)
{
    begin(0);
    for (size_t i = 0; i < observers; i++) {
        g_signal_connect(object, "last", G_CALLBACK(answer), &peers_targets[i]);
        g_signal_connect(object, "sum", G_CALLBACK(answer), &peers_targets[i]);
        g_signal_connect(object, "first-true", G_CALLBACK(decline), &peers_targets[i]);
    }
}
static void query(guint signal, size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        int result;
        g_signal_emit(object, signal, 0, (int)i, &result);
        peers_int = result;
    }
}
static void last(size_t turns) { query(signals[LAST], turns); }
static void first_true(size_t turns) { query(signals[FIRST_TRUE], turns); }
static void sum(size_t turns) { query(signals[SUM], turns); }

/* ---- Registrations ------------------------------------------------------------------------------------------ */

static void connect_and_disconnect(size_t turns)
{
    while (turns-- > 0)
        g_signal_handler_disconnect(
            object, g_signal_connect(object, "ping", G_CALLBACK(ping), &peers_targets[OBSERVERS_MOST]));
}
static double connect_many(size_t count) { return peers_register_many(count, begin, end); }
static void remove_at(unsigned index) { g_signal_handler_disconnect(object, handlers[index]); }
static double disconnect_many(size_t count) { return peers_remove_many(count, begin, remove_at, end); }
static double memory_of_handler(size_t count)
{
    begin(1);
    const size_t before = peers_memory();
    for (size_t i = 1; i <= count; i++)
        g_signal_connect(object, "ping", G_CALLBACK(ping), &peers_targets[i]);
    const double each = (double)(peers_memory() - before) / (double)count;
    end();
    return each;
}

static GObject *weak_targets[TURNS_UNIT];
static void begin_weak(size_t observers)
{
    begin(0);
    for (size_t i = 0; i < observers; i++) {
        weak_targets[i] = g_object_new(G_TYPE_OBJECT, NULL);
        g_signal_connect_object(object, "ping", G_CALLBACK(ping), weak_targets[i], 0);
    }
}
static void end_weak(void)
{
    for (size_t i = 0; i < TURNS_UNIT; i++)
        g_object_unref(weak_targets[i]);
    end();
}

/* ---- Properties --------------------------------------------------------------------------------------------- */

static void begin_properties(size_t observers)
{
    begin(0);
    for (size_t i = 0; i < observers; i++) {
        g_signal_connect(object, "notify::title", G_CALLBACK(notified), &peers_targets[i]);
        g_signal_connect(object, "notify::width", G_CALLBACK(notified), &peers_targets[i]);
        g_signal_connect(object, "notify::height", G_CALLBACK(notified), &peers_targets[i]);
    }
}
static void set_text(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        g_object_set(object, "title", i % 2 == 0 ? "the title of one page" : "the title of another", NULL);
}
static void set_two(size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        g_object_set(object, "width", (int)(i & 0xFFFF), "height", (int)(i & 0xFFFF), NULL);
}

/* ---- Timers and queues -------------------------------------------------------------------------------------- */

static GMainContext *context;
static GSource **others;
static size_t other_count;

static gboolean ignore(gpointer data)
{
    (void)data;
    return G_SOURCE_CONTINUE;
}
static GSource *start(guint milliseconds)
{
    GSource *source = g_timeout_source_new(milliseconds);
    g_source_set_callback(source, ignore, NULL, NULL);
    g_source_attach(source, context);
    return source;
}
static void stop(GSource *source)
{
    g_source_destroy(source);
    g_source_unref(source);
}
static void begin_timers(size_t count)
{
    context = g_main_context_new();
    others = g_new(GSource *, count + 1);
    other_count = count;
    for (size_t i = 0; i < count; i++)
        others[i] = start((guint)(1000000 + i * 7919 % 5000));
}
static void start_and_stop(size_t turns)
{
    while (turns-- > 0)
        stop(start(3600000));
}
static void restart(size_t turns)
{
    const gint64 now = g_get_monotonic_time();
    while (turns-- > 0)
        g_source_set_ready_time(others[turns % other_count], now + 1000000000 + (gint64)(turns & 0xFFF));
}
static void end_timers(void)
{
    for (size_t i = 0; i < other_count; i++)
        stop(others[i]);
    g_free(others);
    g_main_context_unref(context);
}

static gboolean deliver(gpointer data)
{
    ping(NULL, data, 1, NULL);
    return G_SOURCE_REMOVE;
}
/* g_main_context_invoke would call the function at once on the iterating thread. */
static void pumped(size_t turns)
{
    while (turns > 0) {
        const size_t window = turns < IN_FLIGHT ? turns : IN_FLIGHT;
        for (size_t i = 0; i < window; i++) {
            GSource *source = g_idle_source_new();
            g_source_set_callback(source, deliver, &context, NULL);
            g_source_attach(source, context);
            g_source_unref(source);
        }
        while (g_main_context_iteration(context, FALSE)) {}
        turns -= window;
    }
}

/* A thread that iterates a context of its own. The caller waits until its source was dispatched. */
static GMainLoop *loop;
static GThread *loop_thread;
static GMutex lock;
static GCond dispatched;
static size_t dispatches;

static gpointer run_loop(gpointer data)
{
    g_main_loop_run(data);
    return NULL;
}
static void begin_loop(size_t size)
{
    (void)size;
    context = g_main_context_new();
    loop = g_main_loop_new(context, FALSE);
    loop_thread = g_thread_new("loop", run_loop, loop);
    dispatches = 0;
}
static gboolean deliver_and_tell(gpointer data)
{
    ping(NULL, data, 1, NULL);
    g_mutex_lock(&lock);
    dispatches++;
    g_cond_signal(&dispatched);
    g_mutex_unlock(&lock);
    return G_SOURCE_REMOVE;
}
static void round_trip(size_t turns)
{
    while (turns-- > 0) {
        g_mutex_lock(&lock);
        const size_t next = dispatches + 1;
        g_mutex_unlock(&lock);
        g_main_context_invoke(context, deliver_and_tell, &context);
        g_mutex_lock(&lock);
        while (dispatches < next)
            g_cond_wait(&dispatched, &lock);
        g_mutex_unlock(&lock);
    }
}
static gboolean quit(gpointer data)
{
    g_main_loop_quit(data);
    return G_SOURCE_REMOVE;
}
static void end_loop(void)
{
    g_main_context_invoke(context, quit, loop);
    g_thread_join(loop_thread);
    g_main_loop_unref(loop);
    g_main_context_unref(context);
}

static const struct operation_of_row operations[] = {
    { .row = "broadcast_1", .size = 1, .begin = begin, .run = emit, .end = end },
    { .row = "broadcast_16", .size = 16, .begin = begin, .run = emit, .end = end },
    { .row = "last_1", .size = 1, .begin = begin_answers, .run = last, .end = end },
    { .row = "last_16", .size = 16, .begin = begin_answers, .run = last, .end = end },
    { .row = "first_true_16", .size = 16, .begin = begin_answers, .run = first_true, .end = end },
    { .row = "sum_16", .size = 16, .begin = begin_answers, .run = sum, .end = end },
    { .row = "fold_16", .size = 16, .begin = begin_answers, .run = sum, .end = end },
    { .row = "weak_16", .size = TURNS_UNIT, .begin = begin_weak, .run = emit, .end = end_weak },
    { .row = "find_method", .begin = begin, .run = look_up, .end = end },
    { .row = "by_names", .size = 1, .begin = begin, .run = emit_by_name, .end = end },
    { .row = "invocation", .size = 1, .begin = begin, .run = emit_values, .end = end },
    { .row = "pair_alone", .size = 0, .begin = begin, .run = connect_and_disconnect, .end = end },
    { .row = "pair_100", .size = 100, .begin = begin, .run = connect_and_disconnect, .end = end },
    { .row = "pair_10000", .size = 10000, .begin = begin, .run = connect_and_disconnect, .end = end },
    { .row = "register_many", .size = OBSERVERS_MOST, .figure = connect_many },
    { .row = "remove_many", .size = OBSERVERS_MOST, .figure = disconnect_many },
    { .row = "memory_one", .size = 20000, .figure = memory_of_handler },
    { .row = "property_text", .size = 1, .begin = begin_properties, .run = set_text, .end = end },
    { .row = "batch_two", .size = 1, .begin = begin_properties, .run = set_two, .end = end },
    { .row = "timer_alone", .size = 0, .begin = begin_timers, .run = start_and_stop, .end = end_timers },
    { .row = "timer_10000", .size = 10000, .begin = begin_timers, .run = start_and_stop, .end = end_timers },
    { .row = "watchdog_10000", .size = 10000, .begin = begin_timers, .run = restart, .end = end_timers },
    { .row = "pumped_1", .size = 0, .begin = begin_timers, .run = pumped, .end = end_timers },
    { .row = "round_trip", .size = 1, .begin = begin_loop, .run = round_trip, .end = end_loop, .has_threads = true },
    { .row = NULL },
};
const struct peer the_peer = { "GLib", operations };
