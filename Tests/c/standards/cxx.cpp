// SPDX-License-Identifier: Apache-2.0
//
// The headers and the list macro from C++.
#include "center.h"
#include "journal.h"

#include <stdexcept>
#include <string>

PEAL_TYPE(point_text, struct point { double x, y; });

#define SINK(METHOD)                                              \
    METHOD(required, void, on_line, (const char *line, int n))    \
    METHOD(optional, bool, wants, (const char *line), first_true) \
    METHOD(optional, void, on_point, (struct point p))            \
    METHOD(optional, void, on_end, ())                            \
    METHOD(optional, void, on_reset, (void))
PEAL_PROTOCOL(sink, "Sink", SINK);

#define LOUD_ADOPTS(ADOPT) ADOPT(sink, "Sink")
#define LOUD(METHOD) METHOD(optional, void, on_shout, (const char *line))
PEAL_PROTOCOL_ADOPTING(loud, "Loud", LOUD_ADOPTS, LOUD);

namespace
{

struct Listener {
    std::string name;
    peal_observation observation;
    int destroyed;

    explicit Listener(const char *called) : name(called), observation(), destroyed(0) {}

    static void onLine(void *self, const char *line, int n)
    {
        journal_write("%s:%s%d", static_cast<Listener *>(self)->name.c_str(), line, n);
    }
    static bool wants(void *self, const char *line) { return static_cast<Listener *>(self)->name == line; }
    static void onPoint(void *self, struct point p)
    {
        journal_write("%s(%g,%g)", static_cast<Listener *>(self)->name.c_str(), p.x, p.y);
    }
    static void onEnd(void *self) { journal_write("%s.end", static_cast<Listener *>(self)->name.c_str()); }
    static void destroy(void *self) { static_cast<Listener *>(self)->destroyed++; }
};

const struct sink table = { PEAL_TABLE(sink), Listener::onLine, Listener::wants, Listener::onPoint, Listener::onEnd,
    nullptr };

struct Fixture {
    peal_center center;
    sink_protocol handles;
    Listener a, b, c;

    Fixture() : center(open_center()), handles(), a("A"), b("B"), c("C")
    {
        CHECK_OK(peal_type_declare(center, point_text));
        CHECK_OK(sink_define(center, &handles));
        enter(a);
        enter(b);
        enter(c);
        journal_clear();
    }
    ~Fixture()
    {
        close_center(center);
        CHECK_EQUAL(a.destroyed + b.destroyed + c.destroyed, 3);
    }
    Fixture(const Fixture &) = delete;
    Fixture &operator=(const Fixture &) = delete;

    void enter(Listener &listener)
    {
        peal_observe_options options = PEAL_OBSERVE_OPTIONS;
        options.destroy = Listener::destroy;
        CHECK_OK(sink_observe(&handles, &listener, &table, &options, &listener.observation));
    }
};

} // namespace

namespace
{

int counted(int *count)
{
    if (++*count == 3)
        throw std::runtime_error("an argument");
    return *count;
}

} // namespace

CLAIM("B1", "in C++ PEAL_BROADCAST evaluates its arguments exactly once; an argument that throws "
            "leaves no list protected")
{
    Fixture f;
    int n = 0, thrown = 0;

    PEAL_BROADCAST(sink, &f.handles, on_line, nullptr == f.a.name.c_str() ? 0 : "x", counted(&n));
    CHECK_JOURNAL("A:x1 B:x1 C:x1");
    if (n == 1)
        PEAL_BROADCAST(sink, &f.handles, on_line, std::string("y").c_str(), counted(&n));
    CHECK_JOURNAL("A:y2 B:y2 C:y2");
    try {
        PEAL_BROADCAST(sink, &f.handles, on_line, "z", counted(&n));
    } catch (const std::runtime_error &) {
        thrown++;
    }
    CHECK_EQUAL(thrown, 1);
    CHECK_JOURNAL("");
    CHECK_OK(peal_observation_remove(f.b.observation));
    CHECK_EQUAL(f.b.destroyed, 1);
}

CLAIM("B1", "the list macro and PEAL_BROADCAST compile and work in C++")
{
    Fixture f;

    PEAL_BROADCAST(sink, &f.handles, on_line, "x", 1);
    CHECK_JOURNAL("A:x1 B:x1 C:x1");
    PEAL_BROADCAST(sink, &f.handles, on_end);
    CHECK_JOURNAL("A.end B.end C.end");
    PEAL_BROADCAST(sink, &f.handles, on_point, (point{ 1, 2 }));
    CHECK_JOURNAL("A(1,2) B(1,2) C(1,2)");
    PEAL_BROADCAST(sink, &f.handles, on_point, point{ 1, 2 });
    CHECK_JOURNAL("A(1,2) B(1,2) C(1,2)");
    PEAL_BROADCAST(sink, &f.handles, on_reset);
    CHECK_JOURNAL("");
}

CLAIM("B1", "the variadic forms work in C++")
{
    Fixture f;
    bool wanted = false;
    point p = { 3, 4 };

    CHECK_OK(peal_broadcast(f.handles.on_line, "y", 2));
    CHECK_JOURNAL("A:y2 B:y2 C:y2");
    CHECK_OK(peal_broadcast(f.handles.on_point, &p));
    CHECK_JOURNAL("A(3,4) B(3,4) C(3,4)");
    CHECK_OK(peal_broadcast(f.handles.on_end));
    CHECK_JOURNAL("A.end B.end C.end");
    CHECK_OK(peal_ask(f.handles.wants, &wanted, "B"));
    CHECK(wanted);
}

CLAIM("B1", "a lambda is an observer's function")
{
    Fixture f;
    sink lambdas = { PEAL_TABLE(sink), [](void *, const char *line, int) { journal_write("%s", line); }, nullptr,
        nullptr, nullptr, nullptr };
    int target = 0;

    CHECK_OK(sink_observe(&f.handles, &target, &lambdas, nullptr, nullptr));
    PEAL_BROADCAST(sink, &f.handles, on_line, "z", 3);
    CHECK_JOURNAL("A:z3 B:z3 C:z3 z");
}

CLAIM("B1", "in C++, break and continue in the body of a loop do as in any loop")
{
    Fixture f;
    int visited = 0;

    PEAL_EACH(sink, &f.handles, wants, each) {
        visited++;
        if (!each.table->wants(each.target, "B"))
            continue;
        break;
    }
    CHECK_EQUAL(visited, 2);
}

static Listener *find(const sink_protocol &handles, const char *name)
{
    PEAL_EACH(sink, &handles, wants, each) {
        if (each.table->wants(each.target, name))
            return static_cast<Listener *>(each.target);
    }
    return nullptr;
}

CLAIM("B1", "in C++, return in the body of a loop leaves it and releases the list")
{
    Fixture f;

    CHECK_POINTER(find(f.handles, "C"), &f.c);
    CHECK_POINTER(find(f.handles, "nobody"), nullptr);
}

static void throw_at_second(const sink_protocol &handles)
{
    int visited = 0;

    PEAL_EACH(sink, &handles, on_line, each) {
        each.table->on_line(each.target, "t", visited);
        if (++visited == 2)
            throw std::runtime_error("the caller's own");
    }
}

CLAIM("B1", "in C++, an exception of the body of a loop leaves it, and the list is released")
{
    Fixture f;
    int caught = 0;

    /* More often than broadcasts may nest. */
    for (int i = 0; i < 3 * PEAL_DEPTH_LIMIT; i++) {
        try {
            throw_at_second(f.handles);
        } catch (const std::runtime_error &) {
            caught++;
        }
        CHECK_JOURNAL("A:t0 B:t1");
    }
    CHECK_EQUAL(caught, 3 * PEAL_DEPTH_LIMIT);
    CHECK_OK(peal_broadcast(f.handles.on_line, "x", 1));
    CHECK_JOURNAL("A:x1 B:x1 C:x1");
    CHECK_OK(peal_observation_remove(f.a.observation));
    CHECK_EQUAL(f.a.destroyed, 1);
}

CLAIM("O8", "an observer that the body of a loop removes before it throws is destroyed when the loop has been left")
{
    Fixture f;

    try {
        PEAL_EACH(sink, &f.handles, on_line, each) {
            CHECK_OK(peal_observation_remove(f.a.observation));
            CHECK_EQUAL(f.a.destroyed, 0);
            throw 5;
        }
    } catch (int) {
        CHECK_EQUAL(f.a.destroyed, 1);
    }
}

CLAIM("P4", "adoption by list works in C++")
{
    Fixture f;
    loud_protocol loud_handles;
    const struct loud loud_table = { PEAL_TABLE(loud), &table, nullptr };
    Listener d("D");

    CHECK_OK(loud_define(f.center, &loud_handles));
    CHECK_OK(loud_observe(&loud_handles, &d, &loud_table, nullptr, nullptr));
    PEAL_BROADCAST(sink, &f.handles, on_end);
    CHECK_JOURNAL("A.end B.end C.end D.end");
    PEAL_BROADCAST(loud, &loud_handles, on_shout, "x");
    CHECK_JOURNAL("");
}
