// SPDX-License-Identifier: Apache-2.0
//
// Services, proxies and closures of C++.
#include "cpp.hpp"

#include <cstdlib>
#include <thread>
#include <vector>

namespace
{

struct account : peal::protocol {
    static constexpr const char *protocol_name = "Account";
    peal::method<const char *()> user{ peal::required, "user", "last" };
    peal::method<int(std::string_view, int)> add{ peal::optional, "add", "last" };
};

struct stored_account : counted {
    std::string name;
    int sum = 0;

    explicit stored_account(const char *called) : name(called) { journal_write("+%s", called); }
    ~stored_account() { journal_write("-%s", name.c_str()); }
    const char *user() const { return name.c_str(); }
    int add(std::string_view what, int n)
    {
        if (n < 0)
            throw std::runtime_error("negative");
        return sum += n + static_cast<int>(what.size());
    }
    void forget() { sum = 0; }
};

struct simple : counted {
    int now(int offset) { return 12 + offset; }
};

#define CLOCK(METHOD) METHOD(required, int, now, (int offset))
PEAL_PROTOCOL(clock_face, "Clock", CLOCK);

struct bank {
    house h;
    struct account account = peal::define<struct account>(h.center);

    peal::service_of<stored_account> describe(const char *name)
    {
        peal::service_of<stored_account> service(name);
        service.create([](peal::creation &) { return std::make_unique<stored_account>("Ann"); });
        return service;
    }
    peal::service_of<stored_account> provider(const char *name)
    {
        auto service = describe(name);
        service.provides(account, peal::on<&stored_account::user>(account.user), peal::on<&stored_account::add>("add"));
        return service;
    }
};

} // namespace

CLAIM("S1", "a class is a service: a lambda creates the instance on first use, and it is destroyed after the last use")
{
    bank b;
    const peal::service service = b.provider("account").add(b.h.center);
    CHECK_JOURNAL("");
    {
        const peal::use use = peal::use::of(b.h.center, b.account);
        CHECK_JOURNAL("+Ann");
        CHECK_TEXT(use.call(b.account.user), "Ann");
        CHECK_EQUAL(use.call(b.account.add, "two", 2), 5);
        const peal::use same = peal::use::of(b.h.center, "account");
        CHECK_EQUAL(same.as<stored_account>().sum, 5);
        CHECK_POINTER(service.use().self(), use.self());
        CHECK_STATUS(service.try_remove_instance().status(), PEAL_NOT_WAITED);
        CHECK_JOURNAL("");
    }
    CHECK_JOURNAL("-Ann");
    const peal::use again = service.use();
    CHECK_JOURNAL("+Ann");
}

CLAIM("S3", "a service provides a protocol of the C list macro by its table")
{
    house h;
    CHECK_OK(clock_face_define(h.center, nullptr));
    const clock_face table = { PEAL_TABLE(clock_face),
        [](void *self, int offset) { return static_cast<simple *>(self)->now(offset); } };
    (void)peal::service_of<simple>("clock").provides("Clock", table).add(h.center);
    const peal::use use = peal::use::of(PEAL_SERVICE(clock_face, h.center));
    CHECK_EQUAL(use.table<clock_face>().now(use.self(), 3), 15);
    const peal::service found = peal::service::find(h.center, "clock");
    CHECK_EQUAL(peal::scope(found).as<simple>().now(1), 13);
}

CLAIM("S5", "a scope of C++ calls the instance, which stays until the scope ends")
{
    bank b;
    const peal::service service = b.provider("account").add(b.h.center);
    {
        const peal::scope scope(service, b.account);
        CHECK_TEXT(scope.call(b.account.user), "Ann");
        CHECK_STATUS(service.try_remove_instance().status(), PEAL_NOT_WAITED);
        CHECK_TEXT(scope.call(b.account.user), "Ann");
        CHECK_JOURNAL("+Ann");
    }
    CHECK_JOURNAL("-Ann");
}

CLAIM("S6", "a creation that throws, or returns nothing, fails with its own sentence, and is tried again")
{
    bank b;
    int attempts = 0;
    auto description = b.describe("account");
    description.create([&](peal::creation &creation) -> std::unique_ptr<stored_account> {
        if (++attempts == 1)
            throw std::runtime_error("the disk is full");
        if (attempts == 2) {
            creation.fail(7, "no user");
            return nullptr;
        }
        return std::make_unique<stored_account>("Ann");
    });
    const peal::service service = description.add(b.h.center);
    CHECK_REFUSED(service.try_use(), PEAL_ERROR_CREATION, "the disk is full");
    CHECK_REFUSED(service.try_use(), PEAL_ERROR_CREATION, "no user");
    CHECK(static_cast<bool>(service.try_use()));
    journal_clear();
}

CLAIM("S2", "init runs after creation, its exception fails the creation, and the instance is destroyed")
{
    bank b;
    bool fails = true;
    auto description = b.describe("account");
    description.init([&](stored_account &account, peal::creation &) {
        if (fails)
            throw std::runtime_error("not now");
        account.sum = 5;
        return true;
    });
    const peal::service service = description.add(b.h.center);
    CHECK_REFUSED(service.try_use(), PEAL_ERROR_CREATION, "not now");
    CHECK_JOURNAL("+Ann -Ann");
    fails = false;
    CHECK_EQUAL(service.use().as<stored_account>().sum, 5);
    journal_clear();
}

CLAIM("S4", "the end of a session clears a persistent service's data, and removes others; dependencies come first")
{
    bank b;
    auto persistent = b.describe("kept");
    const peal::service kept = persistent.persistent().clear_data<&stored_account::forget>().add(b.h.center);
    auto dependent = peal::service_of<simple>("simple");
    const peal::service other = dependent.depends_on("kept").add(b.h.center);
    (void)other.use();
    CHECK_JOURNAL("+Ann");
    kept.use().as<stored_account>().sum = 3;
    size_t removed = 0;
    CHECK_OK(peal_session_end(b.h.center, &removed));
    CHECK_EQUAL(removed, 1);
    CHECK_EQUAL(kept.use().as<stored_account>().sum, 0);
    journal_clear();
}

CLAIM("O13", "a service of C++ observes lazily")
{
    bank b;
    (void)b.provider("account").add(b.h.center);
    const peal::observation lazy = b.account.observe_service("account");
    CHECK_JOURNAL("");
    CHECK_EQUAL(b.account.add("x", 1), 2);
    CHECK_JOURNAL("+Ann");
    CHECK_REFUSED(b.account.try_observe_service("nobody"), PEAL_ERROR_NOT_FOUND, "nobody");
    journal_clear();
}

CLAIM("C3", "a function of a service that throws returns zero, and the exception is reported to the calling broadcast")
{
    bank b;
    (void)b.provider("account").add(b.h.center);
    const peal::observation lazy = b.account.observe_service("account");
    const peal::outcome<int> outcome = b.account.add.send("x", -1);
    CHECK_EQUAL(outcome.value, 0);
    CHECK_EQUAL(outcome.thrown, 1);
}

CLAIM("F1", "a function that does not fit a service is refused with a sentence, and has no lasting effect")
{
    bank b;
    CHECK_REFUSED(peal::use::try_of(b.h.center, "account"), PEAL_ERROR_NOT_FOUND, "account");
    CHECK_REFUSED(peal::use::try_of(b.h.center, b.account), PEAL_ERROR_NOT_FOUND, "Account");
    CHECK_REFUSED(peal::service::try_find(b.h.center, "account"), PEAL_ERROR_NOT_FOUND, "account");
    {
        auto wrong = b.describe("account");
        wrong.provides(b.account, peal::on<&stored_account::add>("user"));
        CHECK_REFUSED(wrong.try_add(b.h.center), PEAL_ERROR_CONFLICT, "Account.user");
    }
    {
        auto lacking = b.describe("account");
        lacking.provides(b.account, peal::on<&stored_account::add>("add"));
        CHECK_REFUSED(lacking.try_add(b.h.center), PEAL_ERROR_CONFORMANCE, "user");
        CHECK_REFUSED(lacking.try_add(b.h.center), PEAL_ERROR_STATE, "added already");
    }
    {
        peal::service_of<stored_account> bare("account");
        CHECK_REFUSED(bare.try_add(b.h.center), PEAL_ERROR_ARGUMENT, "create()");
    }
    auto description = b.describe("account");
    const peal::service service =
        description.provides(b.account, peal::on<&stored_account::user>("user")).add(b.h.center);
    {
        peal::use use = peal::use::of(b.h.center, b.account);
        CHECK_THROWS(use.call(b.account.add, "", 1), PEAL_ERROR_NOT_FOUND, "add");
        CHECK_THROWS(use.call(b.h.chat.weigh, 1), PEAL_ERROR_NOT_FOUND, "weigh");
        CHECK_THROWS(peal::use::of(b.h.center, "account").call(b.account.user), PEAL_ERROR_NOT_FOUND, "user");
        const auto found = peal::protocol::find(b.h.center, "Account").find_method<const char *()>("user");
        CHECK_THROWS(use.call(found), PEAL_ERROR_NOT_FOUND, "peal::define");
        use.reset();
        CHECK(use.self() == nullptr);
        CHECK_THROWS(use.call(b.account.user), PEAL_ERROR_STATE, "ended");
    }
    CHECK_OK(service.try_remove().status());
    CHECK_REFUSED(service.try_use(), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(peal::scope(service), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(peal::use::of(PEAL_SERVICE(clock_face, b.h.center)), PEAL_ERROR_NOT_FOUND, "Clock");
    CHECK_EQUAL(counted::alive, 0);
    journal_clear();
}

CLAIM("X1", "a proxy's table broadcasts, typed, until its variable ends")
{
    house h;
    std::vector<peal::observation> all;
    for (int i = 1; i <= 2; i++)
        all.push_back(
            h.chat.observe(peal::on("on_message", writer("p")), peal::on("weigh", [i](int n) { return i * n; })));
    peal::proxy proxy = peal::proxy::of(h.chat);
    CHECK_EQUAL(proxy.call(h.chat.weigh, 10), 30);
    proxy.call(h.chat.on_message, "x", 1);
    CHECK_JOURNAL("px1 px1");
    proxy.reset();
    CHECK_EQUAL(proxy.call(h.chat.weigh, 10), 0);
    CHECK_REFUSED(peal::proxy::try_of(peal::protocol()), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(peal::proxy().call(h.chat.weigh, 1), PEAL_ERROR_NOT_FOUND, "");
}

CLAIM("X1", "a closure of C++ is a bare function that calls a capturing lambda, or broadcasts a method")
{
    house h;
    std::vector<int> numbers = { 3, 1, 2 };
    int calls = 0;
    {
        const peal::closure<int(const void *, const void *)> descending(
            [&calls, c = counted()](const void *left, const void *right) {
                calls++;
                return *static_cast<const int *>(right) - *static_cast<const int *>(left);
            });
        std::qsort(numbers.data(), numbers.size(), sizeof(int), descending.function());
    }
    CHECK(numbers == (std::vector<int>{ 3, 2, 1 }));
    CHECK(calls > 0);
    CHECK_EQUAL(counted::alive, 0);
    const auto o = h.chat.observe(peal::on("on_message", writer("c")), peal::on("weigh", [](int n) { return n + 1; }));
    const peal::closure<int(int)> weigh(h.chat.weigh);
    CHECK_EQUAL(weigh.function()(1), 2);
    CHECK_REFUSED(peal::closure<int(int)>::try_of(peal::method<int(int)>()), PEAL_ERROR_HANDLE, "");
    CHECK_REFUSED(
        peal::closure<int(int)>::try_of([c = counted()](int n) { return n; }, peal_center{}), PEAL_ERROR_HANDLE, "");
}

CLAIM("C1", "handles of C++ convert to those of C, and may adopt handles of C")
{
    house h;
    peal_invocation raw = {};
    CHECK_OK(peal_invocation_create(h.chat.weigh, &raw));
    const peal::unique<peal_invocation> call(raw);
    CHECK_OK(peal_invocation_broadcast(call, nullptr, nullptr, nullptr));
    const peal::unique<peal_completion> none;
    CHECK(!none);
    peal::center center = peal::center::create();
    center = std::move(h.center);
    CHECK_EQUAL(h.chat.count_observers(), 0);
    CHECK_TEXT(h.chat.name().c_str(), "Chat");
}
