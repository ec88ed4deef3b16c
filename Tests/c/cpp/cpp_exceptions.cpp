// SPDX-License-Identifier: Apache-2.0
//
// Exceptions of observers: caught at the boundary, and reported.
#include "cpp.hpp"
#include "lane.h"

#include <chrono>
#include <vector>

namespace
{

using namespace std::chrono_literals;

// The exception that a claim throws and expects to receive.
struct boom : std::runtime_error {
    using std::runtime_error::runtime_error;
};

auto thrower(const char *what)
{
    return [what, c = counted()](std::string_view, int) { throw boom(what); };
}

// Observes exceptions that no broadcast of C++ receives.
struct ear {
    peal::exceptions protocol = peal::define<peal::exceptions>(peal_center_default());
    peal::observation heard = protocol.observer_threw.observe([](std::string_view method, std::string_view message) {
        journal_write("%s|%s", std::string(method).c_str(), std::string(message).c_str());
    });
};

#define PLAIN(METHOD) METHOD(required, void, on_plain, (void))
PEAL_PROTOCOL(plain, "Plain", PLAIN);

struct everything : peal::protocol {
    static constexpr const char *protocol_name = "Everything";
    peal::method<int(int)> last{ peal::optional, "last", "last" };
    peal::method<int(int)> sum{ peal::optional, "sum", "sum" };
    peal::method<bool(int)> any{ peal::optional, "any", "any" };
    peal::method<bool(int)> every{ peal::optional, "every", "every" };
    peal::method<int(int)> first_nonzero{ peal::optional, "first_nonzero", "first_nonzero" };
    peal::method<int(int)> max{ peal::optional, "max", "max" };
    peal::method<int(int)> chain{ peal::optional, "chain", "chain" };
    peal::method<int(int)> collect{ peal::optional, "collect", "collect" };
};

} // namespace

CLAIM("C3", "when an observer throws, the others are called, and then the broadcast throws")
{
    house h;
    const auto a = h.chat.observe(peal::on("on_message", thrower("first")));
    const auto b = h.chat.observe(peal::on("on_message", writer("b")));
    const auto c = h.chat.observe(peal::on("on_message", thrower("second")));
    try {
        h.chat.on_message("x", 1);
        CHECK(!"it did not throw");
    } catch (const peal::observer_error &error) {
        CHECK_EQUAL(error.count(), 2);
        CHECK_TEXT(error.what(), "2 observers of Chat.on_message threw: first");
        try {
            error.rethrow_first();
        } catch (const boom &first) {
            CHECK_TEXT(first.what(), "first");
        }
    }
    CHECK_JOURNAL("bx1");
}

CLAIM("C3", "peal::send throws no exception, and reports how many observers threw and the first exception")
{
    house h;
    const auto a = h.chat.observe(peal::on("on_message", thrower("first")));
    const auto b = h.chat.observe(peal::on("on_message", [](std::string_view, int) { throw 5; }));
    const peal::outcome<void> outcome = h.chat.on_message.send("x", 1);
    CHECK_OK(outcome.status);
    CHECK(!outcome);
    CHECK_EQUAL(outcome.calls, 2);
    CHECK_EQUAL(outcome.thrown, 2);
    CHECK_TEXT(peal::detail::describe(outcome.exception).c_str(), "first");
}

CLAIM("C3", "under every policy the result of a throwing observer is zero, and the caller gets the exception")
{
    house h;
    const auto all = peal::define<everything>(h.center);
    const auto good = [](int n) { return n; };
    const auto bad = [](int) -> int { throw boom("b"); };
    const auto bad_bool = [](int) -> bool { throw boom("b"); };
    const auto one = all.observe(peal::on("last", good), peal::on("sum", good),
        peal::on("any", [](int) { return true; }), peal::on("every", [](int) { return true; }), peal::on("max", good),
        peal::on("collect", good), peal::on("chain", good));
    const auto two = all.observe(peal::on("last", bad), peal::on("sum", bad), peal::on("any", bad_bool),
        peal::on("every", bad_bool), peal::on("first_nonzero", bad), peal::on("max", bad), peal::on("collect", bad),
        peal::on("chain", bad));
    const auto three = all.observe(peal::on("first_nonzero", good));
    const struct {
        const peal::method<int(int)> &method;
        int result;
    } cases[] = {
        { all.last, 0 },
        { all.sum, 7 },
        { all.first_nonzero, 7 },
        { all.max, 7 },
        { all.chain, 0 },
    };
    for (const auto &one_case : cases) {
        check_case(one_case.method.name().c_str());
        const peal::outcome<int> outcome = one_case.method.send(7);
        CHECK_EQUAL(outcome.value, one_case.result);
        CHECK_EQUAL(outcome.thrown, 1);
        int caught = 0;
        try {
            (void)one_case.method(7);
        } catch (const peal::observer_error &) {
            caught++;
        }
        try {
            (void)one_case.method.ask(7);
        } catch (const peal::observer_error &) {
            caught++;
        }
        try {
            (void)one_case.method.by(PEAL_POLICY_LAST, 7);
        } catch (const peal::observer_error &) {
            caught++;
        }
        CHECK_EQUAL(caught, 3);
    }
    check_case(nullptr);
    CHECK(all.any.send(1).value);
    CHECK(!all.every.send(1).value);
}

CLAIM("C3", "collect and fold leave out the results of observers that threw, and report this")
{
    house h;
    const auto all = peal::define<everything>(h.center);
    const auto one = all.observe(peal::on("collect", [](int) -> int { throw boom("b"); }));
    const auto two = all.observe(peal::on("collect", [](int n) { return n; }));
    int sum = 0;
    try {
        (void)all.collect.fold(0, [&](int &, int result) { journal_write("%d", result), sum += result; }, 3);
        CHECK(!"it did not throw");
    } catch (const peal::observer_error &error) {
        CHECK_EQUAL(error.count(), 1);
    }
    CHECK_JOURNAL("3");
    CHECK_EQUAL(sum, 3);
}

CLAIM("C3", "a fold that throws stops the broadcast, and its exception reaches the caller")
{
    house h;
    const auto all = peal::define<everything>(h.center);
    const auto one = all.observe(peal::on("collect", [](int n) { return journal_write("1"), n; }));
    const auto two = all.observe(peal::on("collect", [](int n) { return journal_write("2"), n; }));
    try {
        (void)all.collect.fold(0, [](int &, int) { throw boom("mine"); }, 3);
        CHECK(!"it did not throw");
    } catch (const boom &mine) {
        CHECK_TEXT(mine.what(), "mine");
    }
    CHECK_JOURNAL("1");
}

CLAIM("C3", "an exception of an observer is reported to the innermost enclosing broadcast")
{
    house h;
    const auto all = peal::define<everything>(h.center);
    const auto inner = h.chat.observe(peal::on("on_message", thrower("inner")));
    const auto outer = all.observe(peal::on("last", [&](int n) {
        CHECK_EQUAL(h.chat.on_message.send("", n).thrown, 1);
        return n;
    }));
    CHECK_EQUAL(all.last.send(2).thrown, 0);
    const auto passes_on = all.observe(peal::on("last", [&](int n) {
        h.chat.on_message("", n);
        return n;
    }));
    const peal::outcome<int> outcome = all.last.send(2);
    CHECK_EQUAL(outcome.thrown, 1);
    CHECK_TEXT(peal::detail::describe(outcome.exception).c_str(), "1 observer of Chat.on_message threw: inner");
}

CLAIM("C3", "an exception in a broadcast of C inside a broadcast of C++ is reported to the one of C++")
{
    house h;
    const auto thrown = h.chat.observe(peal::on("on_message", thrower("x")));
    const auto all = peal::define<everything>(h.center);
    const auto outer = all.observe(peal::on("last", [&](int n) {
        CHECK_OK(peal_broadcast(h.chat.on_message.get(), "", n));
        return n;
    }));
    CHECK_EQUAL(all.last.send(2).thrown, 1);
}

CLAIM("C3", "an exception in a broadcast of C is reported to observers of PealExceptions, and the broadcast continues")
{
    house h;
    const ear e;
    const auto a = h.chat.observe(peal::on("on_message", thrower("lost")));
    const auto b = h.chat.observe(peal::on("on_message", writer("b")));
    journal_clear();
    CHECK_OK(peal_broadcast(h.chat.on_message.get(), "x", 1));
    CHECK_JOURNAL("Chat.on_message|lost bx1");
}

CLAIM("C3", "an exception of an observer of PealExceptions ends with a line on stderr")
{
    house h;
    ear e;
    const auto bad = e.protocol.observe(
        peal::on("observer_threw", [](std::string_view, std::string_view) { throw boom("again"); }));
    const auto a = h.chat.observe(peal::on("on_message", thrower("lost")));
    journal_clear();
    CHECK_OK(peal_broadcast(h.chat.on_message.get(), "x", 1));
    CHECK_JOURNAL("Chat.on_message|lost");
}

CLAIM("C3", "exceptions of observers on queues of every kind are reported to PealExceptions, and later calls are made")
{
    house h;
    const ear e;
    static struct lane lane;

    EVERY_KIND(lane)
    {
        const auto a = h.chat.observe(
            peal::observe_options().on(lane.queue), peal::on("on_message", thrower("queued")));
        const auto b = h.chat.observe(peal::observe_options().on(lane.queue), peal::on("on_message", writer("b")));
        journal_clear();
        h.chat.on_message("x", 1);
        h.chat.on_message("x", 2);
        lane_settle(&lane);
        CHECK_JOURNAL("Chat.on_message|queued bx1 Chat.on_message|queued bx2");
    }
}

CLAIM("C3", "exceptions of a timer, of an observer of a property and of a closure are reported to PealExceptions")
{
    house h;
    const ear e;
    peal::queue queue = peal::queue::pumped();
    const auto timer = peal::timer::every(1h, [] { throw boom("t"); }, peal::timer_options().on(queue).standing());
    journal_clear();
    auto running = peal::timer::every(1h, [] { throw boom("t"); }, peal::timer_options().on(queue));
    running.fire();
    (void)queue.pump();
    CHECK_JOURNAL("the function of a timer|t");

    const auto level = peal::property<int>::define(h.center, "level", 1);
    const auto o = level.observe([](int) { throw boom("p"); });
    try {
        level.set(2);
        CHECK(!"it did not throw");
    } catch (const peal::observer_error &error) {
        CHECK_CONTAINS(error.what(), "p");
    }
    CHECK_OK(level.try_set(3).status());
    CHECK_JOURNAL("an observer of a property|p");

    const peal::closure<int(int)> closure([](int) -> int { throw boom("c"); });
    CHECK_EQUAL(closure.function()(1), 0);
    CHECK_JOURNAL("a closure|c");
}

CLAIM("C3", "a foreign observer that throws through the typed loop leaves no list protected")
{
    house h;
    plain_protocol handles;
    const plain table = { PEAL_TABLE(plain), [](void *) { throw boom("foreign"); } };
    CHECK_OK(plain_define(h.center, &handles));
    CHECK_OK(plain_observe(&handles, nullptr, &table, nullptr, nullptr));
    const auto on_plain = PEAL_METHOD_OF(plain, handles, on_plain);
    for (int i = 0; i < 3 * PEAL_DEPTH_LIMIT; i++) {
        try {
            on_plain();
        } catch (const boom &) {
        }
    }
    CHECK_OK(peal_protocol_remove_observations(handles.protocol, nullptr));
    CHECK_OK(on_plain.send().status);
}
