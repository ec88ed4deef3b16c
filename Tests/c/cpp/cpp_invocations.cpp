// SPDX-License-Identifier: Apache-2.0
//
// Calls as objects, and proxies that represent an object, in C++.
#include "cpp.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <thread>

namespace
{

struct window : counted {
    int factor = 1;

    void show(std::string_view text, int n) { journal_write("%.*s%d", static_cast<int>(text.size()), text.data(), n); }
    int weigh(int n) { return factor * n; }
    int fail(int) { throw std::runtime_error("broken"); }
    int wrong(double) { return 0; }
};

struct picture : peal::protocol {
    static constexpr const char *protocol_name = "Picture";
    peal::method<int(const void *, int)> draw{ peal::optional, "draw", "last" };
    peal::method<int(std::string_view, const void *)> name{ peal::optional, "name", "last" };
};

} // namespace

// ---- Invocations -------------------------------------------------------------------------------------

CLAIM("B9", "an invocation is broadcast any number of times, and its arguments may be read and changed between")
{
    house h;
    peal::invocation call(h.chat.weigh, 10);
    static_assert(std::is_same_v<decltype(call), peal::invocation<int(int)>>);
    const auto one = h.chat.observe(peal::on("on_message", writer("a")), peal::on("weigh", [](int n) { return n; }));
    const auto two = h.chat.observe(
        peal::on("on_message", writer("b")), peal::on("weigh", [](int n) { return 2 * n; }));
    CHECK_EQUAL(call.last_result(), 0);
    CHECK_EQUAL(call.broadcast(), 30);
    CHECK_EQUAL(call.argument<0>(), 10);
    call.set_argument<0>(1);
    CHECK_EQUAL(call.broadcast(), 3);
    CHECK_EQUAL(call.last_result(), 3);
    call.set_result(7);
    CHECK_EQUAL(call.last_result(), 7);
    const peal::outcome<int> outcome = call.send();
    CHECK(static_cast<bool>(outcome));
    CHECK_EQUAL(outcome.calls, 2);
    CHECK_EQUAL(outcome.value, 3);
}

CLAIM("Q3", "an invocation copies the texts that it is created with and those that are set later")
{
    house h;
    const auto heard = h.chat.observe(peal::on("on_message", writer("t")));
    std::string text = "a text that is too long for the string itself";
    peal::invocation call(h.chat.on_message, text, 1);
    CHECK(call.retains_arguments());
    text.assign(text.size(), '#');
    CHECK(call.argument<0>() == "a text that is too long for the string itself");
    call.set_argument<0>(std::string("an") + "other");
    call.set_argument<1>(2);
    call.broadcast();
    CHECK_JOURNAL("tanother2");
}

CLAIM("Q3", "an invocation's pointer arguments, except texts, stay the caller's until the arguments are retained")
{
    house h;
    const picture picture = peal::define<struct picture>(h.center);
    const int pixel = 5;
    const peal::invocation<int(const void *, int)> call(picture.draw, &pixel, 1);
    CHECK(!call.retains_arguments());
    CHECK(call.argument<0>() == &pixel);
    CHECK_THROWS(call.retain_arguments(), PEAL_ERROR_TYPE, "draw");
    // An invocation with a text captures its arguments. A pointer without a rule cannot be captured.
    CHECK_REFUSED((peal::invocation<int(std::string_view, const void *)>::try_of(picture.name, "x", &pixel)),
        PEAL_ERROR_TYPE, "name");
    peal_invocation raw = {};
    const void *kept = &pixel;
    CHECK_OK(peal_invocation_create(picture.name, &raw));
    const peal::invocation<int(std::string_view, const void *)> empty(raw);
    CHECK_THROWS(empty.set_argument<0>("a text that is gone"), PEAL_ERROR_TYPE, "name");
    CHECK_OK(peal_invocation_get_argument(raw, 0, &kept, sizeof kept));
    CHECK(kept == nullptr);
}

CLAIM("B9", "an invocation calls one observer, and any callable")
{
    house h;
    const peal::invocation call(h.chat.weigh, 4);
    const auto one = h.chat.observe(peal::on("on_message", writer("a")), peal::on("weigh", [](int n) { return n; }));
    auto two = h.chat.observe(peal::on("on_message", writer("b")), peal::on("weigh", [](int n) { return 2 * n; }));
    CHECK_EQUAL(call.invoke(two), 8);
    CHECK_EQUAL(call.invoke([c = counted(), seen = 0](int n) mutable { return seen += 3 * n; }), 12);
    CHECK_EQUAL(call.last_result(), 12);
    const peal_observation gone = two.get();
    two.reset();
    CHECK_THROWS(call.invoke(gone), PEAL_ERROR_HANDLE, "");
}

CLAIM("C3", "an exception of an observer that an invocation calls is reported to the broadcast, and an exception of a callable reaches the caller")
{
    house h;
    const peal::invocation call(h.chat.weigh, 4);
    const auto bad = h.chat.observe(
        peal::on("on_message", writer("a")), peal::on("weigh", [](int) -> int { throw std::runtime_error("scales"); }));
    int told = 0;
    try {
        call.broadcast();
    } catch (const peal::observer_error &error) {
        CHECK_CONTAINS(error.what(), "scales");
        told++;
    }
    try {
        call.invoke(bad);
    } catch (const peal::observer_error &error) {
        CHECK_EQUAL(error.count(), 1);
        told++;
    }
    try {
        call.invoke([](int) -> int { throw std::out_of_range("far"); });
    } catch (const std::out_of_range &) {
        told++;
    }
    CHECK_EQUAL(told, 3);
    CHECK_EQUAL(call.send().thrown, 1);
}

CLAIM("C1", "an invocation moves, is duplicated, runs later and elsewhere, and ends once")
{
    house h;
    const auto heard = h.chat.observe(peal::on("on_message", writer("l")));
    std::deque<peal::invocation<void(std::string_view, int)>> later;
    peal_invocation raw = {};
    {
        peal::invocation call(h.chat.on_message, "kept", 1);
        auto other = call.duplicate();
        other.set_argument<1>(2);
        raw = call.get();
        later.push_back(std::move(call));
        later.push_back(std::move(other));
        CHECK(!call);
        CHECK_THROWS(call.broadcast(), PEAL_ERROR_HANDLE, "");
    }
    CHECK_JOURNAL("");
    std::thread([&] {
        for (const auto &call : later)
            call.broadcast();
    }).join();
    CHECK_JOURNAL("lkept1 lkept2");
    later.clear();
    CHECK_FAILURE(peal_invocation_destroy(raw), PEAL_ERROR_HANDLE);
    CHECK_THROWS((peal::invocation<int(int)>(peal::method<int(int)>(), 1)), PEAL_ERROR_HANDLE, "");
}

// ---- Forwarding --------------------------------------------------------------------------------------

CLAIM("X1", "a proxy of an object calls its member functions while the object lives, and returns zero afterwards")
{
    house h;
    auto object = std::make_shared<window>();
    object->factor = 3;
    const peal::proxy weak = peal::forwarding(h.chat, std::weak_ptr<window>(object))
                                 .has(peal::on<&window::show>(h.chat.on_message), peal::on<&window::weigh>("weigh"))
                                 .make();
    weak.call(h.chat.on_message, "x", 1);
    CHECK_JOURNAL("x1");
    CHECK_EQUAL(weak.call(h.chat.weigh, 2), 6);
    CHECK(weak.is_alive());
    // Methods that the object lacks are missing in the proxy too.
    CHECK_THROWS(weak.call(h.chat.may_close, 1), PEAL_ERROR_NOT_FOUND, "may_close");

    auto held = peal::forwarding(h.chat, object).has(peal::on<&window::show>("on_message")).make();
    object.reset();
    CHECK(weak.is_alive());
    held.call(h.chat.on_message, "y", 2);
    CHECK_JOURNAL("y2");
    held.reset();
    CHECK(!weak.is_alive());
    CHECK_EQUAL(counted::alive, 0);
    CHECK_EQUAL(weak.call(h.chat.weigh, 2), 0);
}

CLAIM("X2", "a proxy with a missing or wrong function, or without an object, is refused")
{
    house h;
    {
        window w;
        auto none = peal::forwarding(h.chat, std::ref(w));
        CHECK_REFUSED(none.try_make(), PEAL_ERROR_CONFORMANCE, "on_message");
        CHECK_REFUSED(none.try_make(), PEAL_ERROR_STATE, "already");
        CHECK_REFUSED(peal::forwarding(h.chat, std::ref(w)).has(peal::on<&window::wrong>("weigh")).try_make(),
            PEAL_ERROR_CONFLICT, "weigh");
        CHECK_REFUSED(peal::forwarding(h.chat, std::ref(w)).has(peal::on<&window::weigh>("weight")).try_make(),
            PEAL_ERROR_NOT_FOUND, "weight");
        CHECK_REFUSED(peal::forwarding(h.chat, std::weak_ptr<window>()).try_make(), PEAL_ERROR_ARGUMENT, "dead");
        CHECK_REFUSED(
            peal::forwarding(h.chat, std::shared_ptr<window>()).try_make(), PEAL_ERROR_ARGUMENT, "never there");
    }
}

CLAIM("X2", "a resolver of C++ supplies a member function once, and is not called for it again")
{
    house h;
    int asked = 0;
    auto object = std::make_shared<window>();
    object->factor = 5;
    peal::proxy proxy = peal::forwarding(h.chat, object)
                            .has(peal::on<&window::show>(h.chat.on_message))
                            .resolve([&, c = counted()](window &, peal::resolving<window> &method) {
                                asked++;
                                journal_write("%s", method.name().c_str());
                                if (method.is(h.chat.weigh))
                                    method.use<&window::weigh>();
                                else
                                    method.use<&window::wrong>(); // other parameters: it throws
                            })
                            .make();
    object.reset();
    CHECK_EQUAL(proxy.call(h.chat.weigh, 2), 10);
    CHECK_EQUAL(proxy.call(h.chat.weigh, 3), 15);
    CHECK_EQUAL(asked, 1);
    const auto told = peal::define<peal::exceptions>(peal_center_default());
    const auto heard = told.observer_threw.observe([](std::string_view where, std::string_view what) {
        CHECK_CONTAINS(std::string(what).c_str(), "the result is bool");
        journal_write("%s", std::string(where).c_str());
    });
    CHECK(!proxy.call(h.chat.may_close, 1));
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    CHECK_JOURNAL("weigh may_close resolve() of a proxy");
}

CLAIM("X2", "a call is redirected to another proxy of the protocol, or to a table of C")
{
    house h;
    const auto hearing = h.chat.observe(
        peal::on("on_message", writer("r")), peal::on("weigh", [](int n) { return 100 * n; }));
    const peal::proxy all = peal::proxy::of(h.chat);
    bool is_open = true;
    const peal::proxy proxy = peal::forwarding(h.chat)
                                  .redirect([&](peal::no_target &, peal_method) { return is_open ? &all : nullptr; })
                                  .make();
    CHECK_EQUAL(proxy.call(h.chat.weigh, 2), 200);
    is_open = false;
    CHECK_EQUAL(proxy.call(h.chat.weigh, 2), 0);
    CHECK_STATUS(peal_last_status(), PEAL_ERROR_NOT_FOUND);
    const peal::proxy plain =
        peal::forwarding(h.chat).redirect([&](peal::no_target &, peal_method) { return all.redirection(); }).make();
    plain.call(h.chat.on_message, "s", 3);
    CHECK_JOURNAL("rs3");
}

CLAIM("X2", "a call that no other stage has handled is forwarded as an object, with its arguments and its result")
{
    house h;
    const auto told = peal::define<peal::exceptions>(peal_center_default());
    const auto refusal = told.observer_threw.observe([](std::string_view, std::string_view what) {
        CHECK_CONTAINS(std::string(what).c_str(), "Chat.may_close");
        journal_write("refused");
    });
    std::vector<peal::invocation<void(std::string_view, int)>> kept;
    const peal::proxy proxy = peal::forwarding(h.chat)
                                  .invoke([&](peal::no_target &, peal::any_call call) {
                                      journal_write("%s", call.name().c_str());
                                      if (const auto weigh = call.as(h.chat.weigh)) {
                                          weigh->set_argument<0>(weigh->argument<0>() + 1);
                                          weigh->invoke([](int n) { return 2 * n; });
                                      } else if (const auto message = call.as(h.chat.on_message)) {
                                          kept.push_back(message->duplicate());
                                      } else {
                                          call.as<bool(int)>().set_result(true);
                                          call.as<int(int)>(); // other types: it throws, and the result stays
                                      }
                                  })
                                  .make();
    CHECK_EQUAL(proxy.call(h.chat.weigh, 2), 6);
    CHECK(proxy.call(h.chat.may_close, 1));
    proxy.call(h.chat.on_message, std::string("later"), 4);
    const auto heard = h.chat.observe(peal::on("on_message", writer("k")));
    for (const auto &call : kept)
        call.broadcast();
    CHECK_JOURNAL("weigh may_close refused on_message klater4");
}

CLAIM("C3", "an exception of a function that a proxy calls is caught there, and the call returns zero")
{
    house h;
    const auto told = peal::define<peal::exceptions>(peal_center_default());
    const auto heard = told.observer_threw.observe(
        [](std::string_view, std::string_view what) { journal_write("%s", std::string(what).c_str()); });
    const peal::proxy proxy = peal::forwarding(h.chat, std::make_shared<window>())
                                  .has(peal::on<&window::show>("on_message"), peal::on<&window::fail>("weigh"))
                                  .make();
    CHECK_EQUAL(proxy.call(h.chat.weigh, 2), 0);
    CHECK_JOURNAL("broken");
}

CLAIM("X1", "a proxy's functions, stages and object are gone when its variable has ended, or its owner")
{
    house h;
    {
        const peal::proxy proxy = peal::forwarding(h.chat, std::make_shared<window>())
                                      .has(peal::on<&window::show>("on_message"))
                                      .invoke([c = counted()](window &, peal::any_call) {})
                                      .make();
        CHECK(counted::alive > 0);
    }
    CHECK_EQUAL(counted::alive, 0);
    peal::owner owner = peal::owner::create("plugin");
    peal::proxy owned = peal::forwarding(h.chat, std::make_shared<window>())
                            .has(peal::on<&window::show>("on_message"))
                            .owned_by(owner)
                            .make();
    owner.reset();
    CHECK_EQUAL(counted::alive, 0);
    CHECK(!owned.is_alive());
}

CLAIM("X1", "a bare function of an object's member function returns zero once the object is dead")
{
    house h;
    auto object = std::make_shared<window>();
    object->factor = 4;
    using closure = peal::closure<int(int)>;
    const closure weigh = closure::of<&window::weigh>(std::weak_ptr<window>(object), h.center);
    CHECK_EQUAL(weigh.function()(2), 8);
    object.reset();
    CHECK_EQUAL(counted::alive, 0);
    CHECK_EQUAL(weigh.function()(2), 0);
    CHECK_REFUSED(closure::try_of<&window::weigh>(std::weak_ptr<window>()), PEAL_ERROR_ARGUMENT, "dead");
}
