// SPDX-License-Identifier: Apache-2.0
//
// Modules of C++.
#include "cpp.hpp"

namespace
{

struct storage : counted {
    void start() { journal_write("+storage"); }
    bool stop(peal::module_step &) { return journal_write("-storage"), true; }
};

struct network : counted {
    bool throws_once = false;
    peal::token *kept = nullptr;

    void start(peal::module_step &step)
    {
        if (std::exchange(throws_once, false))
            throw std::runtime_error("no route");
        journal_write("+network");
        if (kept != nullptr)
            *kept = step.later();
    }
    void stop() { journal_write("-network"); }
    void wake() { journal_write("wake"); }
    bool open(std::string_view url) const { return journal_write("open"), url == "x:"; }
    void notified(std::string_view, peal::token done) { done.complete(7); }
};

struct town {
    house h;
    peal::lifecycle life = peal::define<peal::lifecycle>(h.center);

    peal::module_of<network> describe(std::unique_ptr<network> object = std::make_unique<network>())
    {
        peal::module_of<network> module("network", std::move(object));
        module.depends_on("storage").start<&network::start>().stop<&network::stop>();
        module.observes(life, peal::on<&network::wake>(life.did_become_active), peal::on<&network::open>("open_url"),
            peal::on<&network::notified>(life.remote_notification));
        return module;
    }
    peal::unique<peal_module> add_storage()
    {
        return peal::module_of<storage>("storage").start<&storage::start>().stop<&storage::stop>().add(h.center);
    }
};

} // namespace

CLAIM("M2", "objects are modules: started after their dependencies, notified of events, stopped in reverse")
{
    town t;
    const auto network = t.describe().add(t.h.center);
    const auto storage = t.add_storage();
    CHECK_OK(peal_modules_start(t.h.center));
    CHECK_JOURNAL("+storage +network");
    t.life.did_become_active();
    CHECK(t.life.open_url("x:"));
    CHECK_JOURNAL("wake open");
    int64_t answer = 0;
    t.life.remote_notification("", peal::completion::create([&](const peal_completion_info &r) { answer = r.result; }));
    CHECK_EQUAL(answer, 7);
    CHECK_OK(peal_modules_stop(t.h.center, PEAL_FOREVER));
    CHECK_JOURNAL("-network -storage");
}

CLAIM("M2", "a module's start that throws has failed with the exception's text, and may be repeated")
{
    town t;
    auto object = std::make_unique<network>();
    object->throws_once = true;
    const auto network = t.describe(std::move(object)).add(t.h.center);
    const auto storage = t.add_storage();
    CHECK_FAILURE(peal_modules_start(t.h.center), PEAL_ERROR_START);
    CHECK_CONTAINS(peal_last_message(), "no route");
    CHECK_JOURNAL("+storage -storage");
    CHECK_OK(peal_modules_start(t.h.center));
    journal_clear();
}

CLAIM("M5", "a step of C++ that ends later answers by its token")
{
    town t;
    peal::token done;
    auto object = std::make_unique<network>();
    object->kept = &done;
    const auto storage = t.add_storage();
    const auto network = t.describe(std::move(object)).timeout(20).add(t.h.center);
    CHECK_FAILURE(peal_modules_start(t.h.center), PEAL_ERROR_TIMEOUT);
    CHECK(!done.complete(0));
    journal_clear();
}

CLAIM("F1", "a module that does not fit is refused with a sentence, and its object destroyed")
{
    town t;
    {
        peal::module_of<network> wrong("network");
        wrong.observes(t.life, peal::on<&network::wake>("open_url"));
        CHECK_REFUSED(wrong.try_add(t.h.center), PEAL_ERROR_CONFLICT, "open_url");
    }
    CHECK_REFUSED(t.describe(nullptr).try_add(t.h.center), PEAL_ERROR_STATE, "no object");
    CHECK_REFUSED(peal::module_of<network>("").try_add(t.h.center), PEAL_ERROR_ARGUMENT, "");
    const auto first = t.describe().add(t.h.center);
    CHECK_REFUSED(t.describe().try_add(t.h.center), PEAL_ERROR_CONFLICT, "network");
    CHECK_EQUAL(counted::alive, 1);
    CHECK_FAILURE(peal_modules_start(t.h.center), PEAL_ERROR_NOT_FOUND);
}
