// SPDX-License-Identifier: Apache-2.0
//
// Lambdas, functions and objects as observers, and how their registrations end.
#include "cpp.hpp"
#include "latch.h"

#include <array>
#include <memory>
#include <thread>

namespace
{

struct listener : counted {
    const char *name;
    int heard = 0;

    explicit listener(const char *called) : name(called) {}
    void on_message(std::string_view text, int n)
    {
        journal_write("%s:%s%d", name, std::string(text).c_str(), n), heard++;
    }
    int weigh(int factor) const noexcept { return factor * 2; }
};

void plain_function(const char *text, int n) { journal_write("f%s%d", text, n); }

} // namespace

CLAIM("C1", "a lambda observes until its observation's variable ends, and what it captured is destroyed then")
{
    house h;
    {
        const peal::observation a = h.chat.observe(peal::on("on_message", writer("a")));
        const peal::observation b = h.chat.observe(peal::on("on_message", writer("b")));
        CHECK_EQUAL(counted::alive, 2);
        h.chat.on_message("x", 1);
        CHECK_JOURNAL("ax1 bx1");
    }
    CHECK_EQUAL(counted::alive, 0);
    h.chat.on_message("y", 2);
    CHECK_JOURNAL("");
}

CLAIM("C1", "a lambda that only moves, and changes what it captured, observes")
{
    house h;
    const auto o = h.chat.observe(peal::on("on_message", [p = std::make_unique<int>(5), c = counted()](std::string_view,
                                                             int n) mutable { journal_write("%d", *p += n); }));
    h.chat.on_message("", 1);
    h.chat.on_message("", 2);
    CHECK_JOURNAL("6 8");
}

CLAIM("C1", "`release` keeps the observer registered, `reset` and assignment remove it, and a move transfers it")
{
    house h;
    peal::observation a = h.chat.observe(peal::on("on_message", writer("a")));
    peal::observation moved = std::move(a);
    CHECK(!a);
    CHECK(!a.is_active());
    CHECK(moved.is_active());
    moved = h.chat.observe(peal::on("on_message", writer("b")));
    h.chat.on_message("x", 1);
    CHECK_JOURNAL("bx1");
    const peal_observation raw = moved.release();
    CHECK(peal_observation_is_active(raw));
    h.chat.on_message("x", 2);
    CHECK_JOURNAL("bx2");
    CHECK_OK(peal_observation_remove(raw));
    peal::observation c = h.chat.observe(peal::on("on_message", writer("c")));
    c.reset();
    c.reset();
    c.remove();
    h.chat.on_message("x", 3);
    CHECK_JOURNAL("");
    CHECK_EQUAL(counted::alive, 0);
}

CLAIM("C1", "one observer may implement several methods, and their lambdas are destroyed together")
{
    house h;
    const auto o = h.chat.observe(
        peal::on("on_message", writer("a")), peal::on("weigh", [c = counted()](int n) { return n; }));
    CHECK_EQUAL(h.chat.count_observers(), 1);
    CHECK_EQUAL(h.chat.weigh.count_observers(), 1);
    CHECK_EQUAL(peal::method<int(int)>().count_observers(), 0);
    CHECK_EQUAL(counted::alive, 2);
    CHECK_EQUAL(h.chat.weigh(7), 7);
}

CLAIM("C1", "a function, and a lambda with auto parameters named by a typed method, observe")
{
    house h;
    const auto f = h.chat.observe(peal::on("on_message", plain_function));
    const auto g = h.chat.observe(peal::on(h.chat.on_message, [](auto text, auto n) {
        static_assert(std::is_same_v<decltype(text), std::string_view>);
        journal_write("g%d", n);
    }));
    h.chat.on_message("x", 1);
    CHECK_JOURNAL("fx1 g1");
}

namespace
{

struct quiet : peal::protocol {
    static constexpr const char *protocol_name = "Quiet";
    peal::method<void(std::string_view, int)> on_message{ peal::optional, "on_message" };
    peal::method<const char *()> name{ peal::optional, "name", "last" };
    peal::method<void()> count{ peal::optional, "count" };
};

struct quiet_house : house {
    struct quiet quiet = peal::define<struct quiet>(center);
};

} // namespace

CLAIM("C1", "lambdas with equal captures are observers of their own, and no duplicates of the object that they capture")
{
    quiet_house h;
    int sum = 0;
    peal_observation own;
    const auto add = [&sum](std::string_view, int n) { sum += n; };
    const auto a = h.quiet.on_message.observe(add);
    const auto b = h.quiet.on_message.observe(add);
    const auto c = h.quiet.on_message.observe(peal::observe_options().with(PEAL_OBSERVE_REPLACE), add);
    const peal_binding list[] = { { "on_message",
        reinterpret_cast<peal_function>(+[](void *self, const char *, int) { ++*static_cast<int *>(self); }),
        nullptr } };
    REQUIRE_OK(peal_observe_bindings(h.quiet, &sum, list, 1, nullptr, &own));
    h.quiet.on_message("x", 10);
    CHECK_EQUAL(sum, 31);
    CHECK_OK(peal_observation_remove(own));
    h.quiet.on_message("x", 10);
    CHECK_EQUAL(sum, 61);
}

CLAIM("C1", "a lambda keeps what it changes, and its captures have one address until it ends")
{
    quiet_house h;
    const auto n = h.quiet.name.observe([text = std::array<char, 4>{ 'p', 'i', 'p', 0 }] { return text.data(); });
    const auto c = h.quiet.count.observe([count = 0]() mutable { journal_write("%d", ++count); });
    h.quiet.count();
    h.quiet.count();
    CHECK_JOURNAL("1 2");
    const char *const first = h.quiet.name();
    const char *const second = h.quiet.name();
    CHECK(first == second);
    CHECK_TEXT(first, "pip");
}

namespace
{
struct bell : peal::protocol {
    static constexpr const char *protocol_name = "Bell";
    peal::method<void(const char *)> on_ring{ peal::optional, "on_ring" };
};
}

CLAIM("C1", "one method is observed through its method object, if the protocol requires no other")
{
    house h;
    const auto bell = peal::define<struct bell>(h.center);
    const auto o = bell.on_ring.observe([](std::string_view s) { journal_write("%s", std::string(s).c_str()); });
    bell.on_ring("ding");
    CHECK_JOURNAL("ding");
}

namespace
{
struct doorbell : peal::protocol {
    static constexpr const char *protocol_name = "Doorbell";
    static constexpr const char *adopts[] = { "Bell", nullptr };
    peal::method<void()> on_press{ peal::optional, "on_press" };
    peal::method<void()> on_release{ peal::optional, "on_release" };
};

struct week : peal::protocol {
    static constexpr const char *protocol_name = "Week";
    peal::method<void()> days[9] = { { peal::optional, "day0" }, { peal::optional, "day1" }, { peal::optional, "day2" },
        { peal::optional, "day3" }, { peal::optional, "day4" }, { peal::optional, "day5" }, { peal::optional, "day6" },
        { peal::optional, "day7" }, { peal::optional, "day8" } };
};

#define HOUR(METHOD)                            \
    METHOD(optional, void, on_hour, (int hour)) \
    METHOD(optional, int, count_strokes, (int hour), sum)
PEAL_PROTOCOL(hour, "Hour", HOUR);
#define CHIME(METHOD)                         \
    METHOD(optional, void, on_chime, (int n)) \
    METHOD(optional, void, on_silence, (int n))
#define CHIME_ADOPTS(ADOPT) ADOPT(hour, "Hour")
PEAL_PROTOCOL_ADOPTING(chime, "Chime", CHIME_ADOPTS, CHIME);
} // namespace

CLAIM("C1", "a function for one method is called for this one alone, wherever the method is in its protocol")
{
    house h;
    (void)peal::define<struct bell>(h.center);
    const auto doorbell = peal::define<struct doorbell>(h.center);
    const auto released = doorbell.on_release.observe([] { journal_write("released"); });
    doorbell.on_press();
    doorbell.on_release();
    const auto found = doorbell.find_method<void(const char *)>("on_ring");
    const auto rung = found.observe([](const char *text) { journal_write("%s", text); });
    found("rung");
    CHECK_JOURNAL("released rung");

    const auto week = peal::define<struct week>(h.center);
    std::vector<peal::observation> observations;
    for (int day = 0; day < 9; day++)
        observations.push_back(week.days[day].observe([day] { journal_write("%d", day); }));
    for (const auto &day : week.days) {
        CHECK_EQUAL(day.count_observers(), 1);
        day();
    }
    CHECK_JOURNAL("0 1 2 3 4 5 6 7 8");

    hour_protocol hours = {};
    chime_protocol chimes = {};
    CHECK_OK(hour_define(h.center, &hours));
    CHECK_OK(chime_define(h.center, &chimes));
    const auto count = PEAL_METHOD_OF(hour, hours, count_strokes);
    const auto silence = PEAL_METHOD_OF(chime, chimes, on_silence);
    const auto counted = count.observe([](int hour) { return hour + 1; });
    const auto silenced = silence.observe([](int n) { journal_write("silence%d", n); });
    CHECK_EQUAL(count(4), 5);
    PEAL_METHOD_OF(hour, hours, on_hour)(1);
    PEAL_METHOD_OF(chime, chimes, on_chime)(2);
    silence(3);
    CHECK_JOURNAL("silence3");
}

CLAIM("C1", "an observer of C++ has the options priority, once, blocked and owner")
{
    house h;
    peal::owner owner = peal::owner::create("plugin");
    const auto late = h.chat.observe(peal::observe_options().priority(-1), peal::on("on_message", writer("late")));
    const auto early = h.chat.observe(
        peal::observe_options().priority(1).once(), peal::on("on_message", writer("early")));
    auto shy = h.chat.observe(peal::observe_options().blocked(), peal::on("on_message", writer("shy")));
    h.chat.observe(peal::observe_options().owned_by(owner), peal::on("on_message", writer("owned"))).release();
    h.chat.on_message("", 1);
    CHECK_JOURNAL("early1 owned1 late1");
    CHECK(!early.is_active());
    shy.unblock();
    CHECK_OK(owner.try_retire().status());
    h.chat.on_message("", 2);
    CHECK_JOURNAL("shy2 late2");
}

CLAIM("C1", "an owner that is retired in its own call is retired again by the end of its variable")
{
    house h;
    peal::owner owner = peal::owner::create("plugin");
    h.chat
        .observe(peal::observe_options().owned_by(owner),
            peal::on("on_message",
                [&owner](std::string_view, int) { CHECK_STATUS(owner.try_retire().status(), PEAL_NOT_WAITED); }))
        .release();
    h.chat.on_message("", 1);
    CHECK(owner.get().id != 0);
    CHECK_OK(owner.try_retire().status());
    CHECK_EQUAL(owner.get().id, 0);
}

CLAIM("C1", "a registration inside an owner's scope belongs to that owner, and is retired with its variable")
{
    house h;
    {
        const peal::owner owner = peal::owner::create("plugin");
        const auto inside = owner.enter();
        h.chat.observe(peal::on("on_message", writer("a"))).release();
    }
    h.chat.on_message("", 1);
    CHECK_JOURNAL("");
}

CLAIM("O9", "an object in a std::weak_ptr is not called once it is dead, and the observer is removed")
{
    house h;
    auto object = std::make_shared<listener>("w");
    const auto o = h.chat.observe(std::weak_ptr<listener>(object), peal::on<&listener::on_message>("on_message"),
        peal::on<&listener::weigh>(h.chat.weigh));
    h.chat.on_message("x", 1);
    CHECK_JOURNAL("w:x1");
    CHECK_EQUAL(h.chat.weigh(4), 8);
    CHECK_EQUAL(object.use_count(), 1);
    object.reset();
    CHECK_EQUAL(counted::alive, 0);
    h.chat.on_message("x", 2);
    CHECK_JOURNAL("");
    CHECK(!o.is_active());
}

CLAIM("O9", "a weak object that loses its last owner inside its own call lives until the call has returned")
{
    house h;
    auto object = std::make_shared<listener>("w");
    struct dropper : listener {
        std::shared_ptr<dropper> *owner = nullptr;
        using listener::listener;
        void on_message(std::string_view, int n)
        {
            owner->reset();
            CHECK_EQUAL(counted::alive, 1);
            journal_write("alive%d", n + heard);
        }
    };
    object.reset();
    auto self = std::make_shared<dropper>("d");
    self->owner = &self;
    const auto o = h.chat.observe(std::weak_ptr<dropper>(self), peal::on<&dropper::on_message>("on_message"));
    h.chat.on_message("", 1);
    CHECK_JOURNAL("alive1");
    CHECK_EQUAL(counted::alive, 0);
}

namespace
{

// Broadcasts within its own call, so that calls of weak objects nest.
struct nesting : counted {
    house *h;
    int deepest;
    nesting(house *in, int depth) : h(in), deepest(depth) {}
    void on_message(std::string_view, int n)
    {
        if (n < deepest)
            h->chat.on_message("", n + 1);
    }
};

} // namespace

CLAIM("O9", "weak objects are kept in calls that nest to the limit, and released after them")
{
    house h;
    auto object = std::make_shared<nesting>(&h, PEAL_DEPTH_LIMIT);
    const auto o = h.chat.observe(std::weak_ptr<nesting>(object), peal::on<&nesting::on_message>("on_message"));
    h.chat.on_message("", 1);
    CHECK_EQUAL(object.use_count(), 1);
    h.chat.on_message("", PEAL_DEPTH_LIMIT);
    CHECK_EQUAL(object.use_count(), 1);
}

namespace
{

// Broadcasts without a result within its own call with a result, and loses its last owner there.
struct asking : counted {
    house *h;
    std::shared_ptr<asking> *owner;
    asking(house *in, std::shared_ptr<asking> *by) : h(in), owner(by) {}
    int weigh(int n)
    {
        h->chat.on_message("", n);
        CHECK_EQUAL(counted::alive, 1);
        return n;
    }
    void on_message(std::string_view, int n)
    {
        owner->reset();
        CHECK_EQUAL(counted::alive, 1);
        journal_write("heard%d", n);
    }
};

} // namespace

CLAIM("O9", "a weak object that loses its last owner in a nested call without a result lives until the outer call has returned")
{
    house h;
    std::shared_ptr<asking> object;
    object = std::make_shared<asking>(&h, &object);
    const auto o = h.chat.observe(std::weak_ptr<asking>(object), peal::on<&asking::on_message>("on_message"),
        peal::on<&asking::weigh>(h.chat.weigh));
    CHECK_EQUAL(h.chat.weigh(4), 4);
    CHECK_JOURNAL("heard4");
    CHECK_EQUAL(counted::alive, 0);
    CHECK_EQUAL(h.chat.weigh(4), 0);
    CHECK(!o.is_active());
}

CLAIM("O9", "a dead object in a std::weak_ptr leaves the status of the thread's last failure as it was")
{
    house h;
    auto object = std::make_shared<listener>("w");
    const auto o = h.chat.observe(std::weak_ptr<listener>(object), peal::on<&listener::on_message>("on_message"));
    object.reset();
    peal_clear_failure();
    h.chat.on_message("x", 1);
    CHECK_EQUAL(peal_last_status(), PEAL_OK);
    CHECK(!o.is_active());
}

CLAIM("C1", "an object in a std::shared_ptr is kept by the registration, one in a std::ref is not")
{
    house h;
    auto object = std::make_shared<listener>("s");
    listener other("r");
    auto o = h.chat.observe(object, peal::on<&listener::on_message>("on_message"));
    const auto r = h.chat.observe(std::ref(other), peal::on<&listener::on_message>("on_message"));
    object.reset();
    h.chat.on_message("x", 1);
    CHECK_JOURNAL("s:x1 r:x1");
    o.reset();
    CHECK_EQUAL(counted::alive, 1);
}

CLAIM("O7", "the end of an observation waits for a call on another thread")
{
    house h;
    latch entered = LATCH_INITIALIZER, leave = LATCH_INITIALIZER;
    std::atomic<bool> is_over{ false };
    peal::observation o = h.chat.observe(peal::on("on_message", [&](std::string_view, int) {
        latch_open(&entered);
        latch_wait(&leave);
        is_over = true;
    }));
    std::thread broadcaster([&] { h.chat.on_message("", 1); });
    latch_wait(&entered);
    std::thread ender([&] {
        while (o.is_active()) // the call may return once the removal has begun
            std::this_thread::yield();
        latch_open(&leave);
    });
    const peal_observation raw = o.get();
    CHECK(peal_observation_is_active(raw));
    {
        // Removes the observer on this thread. `ender` reads a copy of the handle.
        peal::observation ending(raw);
    }
    CHECK(is_over.load());
    ender.join();
    broadcaster.join();
    (void)o.release();
}

CLAIM("O7", "an observation may end inside its own call")
{
    house h;
    peal::observation o;
    o = h.chat.observe(peal::on("on_message", [&o, c = counted()](std::string_view, int n) {
        o.reset();
        journal_write("%d%d", n, static_cast<int>(counted::alive));
    }));
    h.chat.on_message("", 1);
    h.chat.on_message("", 2);
    CHECK_JOURNAL("11");
    CHECK_EQUAL(counted::alive, 0);
}

CLAIM("O8", "the captures of a refused observer are destroyed before the refusal returns")
{
    house h;
    CHECK_REFUSED(h.chat.try_observe(peal::on("on_message", [c = counted()](int) {})), PEAL_ERROR_CONFLICT,
        "parameter 1 is const char * in the first and int in the second");
    CHECK_EQUAL(counted::alive, 0);
    CHECK_REFUSED(h.chat.try_observe(peal::on("weigh", [c = counted()](int n) { return n; })), PEAL_ERROR_CONFORMANCE,
        "on_message");
    CHECK_REFUSED(h.chat.try_observe(peal::on("on_mesage", [c = counted()](std::string_view, int) {})),
        PEAL_ERROR_NOT_FOUND, "on_mesage");
    CHECK_REFUSED(h.chat.try_observe(peal::on("on_message", writer("a")), peal::on("on_message", writer("b"))),
        PEAL_ERROR_CONFLICT, "bound twice");
    CHECK_REFUSED(peal::protocol().try_observe(peal::on("on_message", writer("a"))), PEAL_ERROR_HANDLE, "protocol");
    CHECK_REFUSED(h.chat.try_observe(std::weak_ptr<listener>(), peal::on<&listener::on_message>("on_message")),
        PEAL_ERROR_ARGUMENT, "dead");
    CHECK_REFUSED(h.chat.try_observe(std::shared_ptr<listener>(), peal::on<&listener::on_message>("on_message")),
        PEAL_ERROR_ARGUMENT, "dead");
    CHECK_REFUSED(h.chat.try_observe(peal::observe_options().with(PEAL_OBSERVE_REPLACE | PEAL_OBSERVE_ALLOW_DUPLICATE),
                      peal::on("on_message", writer("a"))),
        PEAL_ERROR_ARGUMENT, "");
    CHECK_EQUAL(counted::alive, 0);
    CHECK_EQUAL(h.chat.count_observers(), 0);
}

CLAIM("O8", "the end of a center destroys what its observers captured")
{
    house h;
    peal::observation o = h.chat.observe(peal::on("on_message", writer("a")));
    h.center.reset();
    CHECK_EQUAL(counted::alive, 0);
    CHECK(!o.is_active());
}
