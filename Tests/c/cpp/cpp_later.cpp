// SPDX-License-Identifier: Apache-2.0
//
// Later calls: queues, executors, timers, completions, gathering.
#include "cpp.hpp"
#include "lane.h"
#include "latch.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace
{

// An event loop like that of asio: any thread posts work, and one thread runs it.
struct loop {
    std::mutex lock;
    std::deque<peal::queue_run> work;

    void post(peal::queue_run run)
    {
        const std::lock_guard<std::mutex> locked(lock);
        work.push_back(run);
    }
    void run_all()
    {
        for (;;) {
            std::unique_lock<std::mutex> locked(lock);
            if (work.empty())
                return;
            const peal::queue_run run = work.front();
            work.pop_front();
            locked.unlock();
            run();
        }
    }
};

struct push : peal::protocol {
    static constexpr const char *protocol_name = "Push";
    peal::method<void(std::string_view, peal::token)> on_push{ peal::optional, "on_push" };
    peal::method<int(int)> weigh{ peal::optional, "weigh", "sum" };
    peal::method<void(int)> note{ peal::optional, "note" };
};

} // namespace

CLAIM("Q1", "a lambda with a queue is called there, with its own copy of a text")
{
    house h;
    peal::queue queue = peal::queue::pumped();
    const auto o = h.chat.observe(peal::observe_options().on(queue), peal::on("on_message", writer("q")));
    h.chat.on_message(std::string("gone") + " soon", 1);
    CHECK_JOURNAL("");
    CHECK(is_readable(queue.descriptor()));
    CHECK_EQUAL(queue.pump(), 1);
    CHECK_JOURNAL("qgone soon1");
    CHECK_EQUAL(queue.info().delivered, 1);
}

CLAIM("Q1", "a serial queue of C++ calls its observers on another thread, in order, and flush waits for them")
{
    house h;
    const std::thread::id here = std::this_thread::get_id();
    peal::queue queue = peal::queue::serial();
    const auto o = h.chat.observe(
        peal::observe_options().on(queue), peal::on("on_message", [&](std::string_view, int n) {
            CHECK(std::this_thread::get_id() != here);
            CHECK(queue.is_current());
            journal_write("%d", n);
        }));
    for (int i = 1; i <= 3; i++)
        h.chat.on_message("", i);
    queue.flush();
    CHECK_JOURNAL("1 2 3");
    CHECK(!queue.is_current());
}

CLAIM("Q1", "an executor of C++ is a callable that posts work, and lives until its queue has ended")
{
    house h;
    loop l;
    {
        peal::queue queue = peal::queue::executor([&l, c = counted()](peal::queue_run run) { l.post(run); });
        CHECK_EQUAL(counted::alive, 1);
        const auto o = h.chat.observe(peal::observe_options().on(queue), peal::on("on_message", writer("e")));
        h.chat.on_message("", 1);
        h.chat.on_message("", 2);
        CHECK_EQUAL(l.work.size(), 1);
        CHECK_JOURNAL("");
        l.run_all();
        CHECK_JOURNAL("e1 e2");
        h.chat.on_message("", 3);
    }
    CHECK_EQUAL(counted::alive, 0);
    l.run_all();
    CHECK_JOURNAL("");
}

CLAIM("Q5", "when an executor returns false or throws, the calls are rejected and counted")
{
    house h;
    peal::queue no = peal::queue::executor([](peal::queue_run) { return false; });
    peal::queue bad = peal::queue::executor([](peal::queue_run) { throw std::runtime_error("full"); });
    const auto a = h.chat.observe(peal::observe_options().on(no), peal::on("on_message", writer("a")));
    auto outcome = h.chat.on_message.send("", 1);
    CHECK_STATUS(outcome.status, PEAL_REJECTED);
    CHECK_EQUAL(outcome.thrown, 0);
    const auto b = h.chat.observe(peal::observe_options().on(bad), peal::on("on_message", writer("b")));
    outcome = h.chat.on_message.send("", 2);
    CHECK_STATUS(outcome.status, PEAL_REJECTED);
    CHECK_EQUAL(outcome.thrown, 1);
    CHECK_EQUAL(no.info().rejected, 2);
    CHECK_EQUAL(bad.info().rejected, 1);
}

CLAIM("Q5", "a bounded queue of C++ drops or rejects according to its options")
{
    house h;
    peal::queue queue = peal::queue::pumped(peal::queue_options().bounded(1, PEAL_OVERFLOW_DROP_OLDEST));
    const auto o = h.chat.observe(peal::observe_options().on(queue), peal::on("on_message", writer("q")));
    h.chat.on_message("", 1);
    h.chat.on_message("", 2);
    queue.pause();
    CHECK_EQUAL(queue.pump(), 0);
    queue.resume();
    (void)queue.pump();
    CHECK_JOURNAL("q2");
}

CLAIM("Q6", "the end of a queue's variable removes its observers, and destroys what they captured")
{
    house h;
    peal::observation o;
    {
        peal::queue queue = peal::queue::pumped();
        o = h.chat.observe(peal::observe_options().on(queue), peal::on("on_message", writer("q")));
        h.chat.on_message("", 1);
        CHECK_EQUAL(counted::alive, 1);
    }
    CHECK_EQUAL(counted::alive, 0);
    CHECK(!o.is_active());
}

CLAIM("Q7", "flushing a queue of C++ from one of its own calls is an error")
{
    house h;
    peal::queue queue = peal::queue::pumped();
    const auto o = h.chat.observe(peal::observe_options().on(queue), peal::on("on_message", [&](std::string_view, int) {
        CHECK_REFUSED(queue.try_flush(), PEAL_ERROR_WOULD_DEADLOCK, "");
    }));
    h.chat.on_message("", 1);
    CHECK_EQUAL(queue.pump(), 1);
}

CLAIM("F1", "creating a queue that cannot be made and using an empty queue handle fail with a sentence")
{
    CHECK_REFUSED(peal::queue::try_pumped(peal::queue_options().bounded(1, static_cast<peal_overflow>(7))),
        PEAL_ERROR_ARGUMENT, "");
    CHECK_REFUSED(peal::queue::try_executor([c = counted()](peal::queue_run) {},
                      peal::queue_options().bounded(1, static_cast<peal_overflow>(7))),
        PEAL_ERROR_ARGUMENT, "");
    CHECK_EQUAL(counted::alive, 0);
    peal::queue none;
    CHECK_REFUSED(none.try_flush(), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.pump(), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.descriptor(), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.pause(), PEAL_ERROR_HANDLE, "");
    peal::queue serial = peal::queue::serial();
    CHECK_THROWS(serial.pump(), PEAL_ERROR_STATE, "");
    CHECK_THROWS(serial.resume(), PEAL_ERROR_STATE, "");
}

CLAIM("X4", "a timer calls its lambda on its queue, and destroys it with its variable")
{
    peal::queue queue = peal::queue::pumped();
    journal_clear();
    {
        auto timer = peal::timer::every(
            1h, [n = 0, c = counted()]() mutable { journal_write("%d", ++n); },
            peal::timer_options().on(queue).tolerance(1ms));
        CHECK(timer.info().is_running);
        timer.fire();
        (void)queue.pump();
        timer.fire();
        (void)queue.pump();
        timer.stop();
        CHECK(!timer.info().is_running);
        timer.restart(2h, 3h);
        CHECK_EQUAL(timer.info().period_ns, PEAL_SECONDS(3 * 3600));
        CHECK_EQUAL(counted::alive, 1);
    }
    (void)queue.pump();
    CHECK_EQUAL(counted::alive, 0);
    CHECK_JOURNAL("1 2");
}

CLAIM("X4", "a timer without a queue fires once, by the clock, on a thread of the library")
{
    latch fired = LATCH_INITIALIZER;
    const auto timer = peal::timer::once(1ms, [&] { latch_open(&fired); });
    latch_wait(&fired);
    CHECK(latch_is_open(&fired));
}

CLAIM("X4", "a timer of a weak object ends by itself once the object is dead")
{
    peal::queue queue = peal::queue::pumped();
    auto object = std::make_shared<counted>();
    journal_clear();
    auto timer = peal::timer::every(
        1h, std::weak_ptr<counted>(object), [](counted &) { journal_write("tick"); }, peal::timer_options().on(queue));
    timer.fire();
    (void)queue.pump();
    CHECK_JOURNAL("tick");
    CHECK_EQUAL(object.use_count(), 1);
    object.reset();
    timer.fire();
    (void)queue.pump();
    CHECK_JOURNAL("");
    CHECK_THROWS(timer.fire(), PEAL_ERROR_HANDLE, "");
    (void)timer.release();
}

CLAIM("F1", "a timer with a wrong time is refused, and its lambda destroyed")
{
    CHECK_REFUSED(peal::timer::try_every(0ns, [c = counted()] {}), PEAL_ERROR_ARGUMENT, "period");
    CHECK_REFUSED(
        peal::timer::try_once(1s, [c = counted()] {}, peal::timer_options().delay(-1s)), PEAL_ERROR_ARGUMENT, "delay");
    CHECK_THROWS(peal::timer::every(1s, std::weak_ptr<int>(), [](int &) {}), PEAL_ERROR_ARGUMENT, "dead");
    CHECK_EQUAL(counted::alive, 0);
    peal::timer none;
    CHECK_THROWS(none.start(), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(none.info(), PEAL_ERROR_HANDLE, "");
}

CLAIM("B4", "observers answer by tokens, now or later, and the function of the completion runs once")
{
    house h;
    const auto push = peal::define<struct push>(h.center);
    peal::token kept;
    const auto now = push.on_push.observe([](std::string_view, peal::token t) { CHECK(t.complete(1)); });
    const auto later = push.on_push.observe([&](std::string_view, peal::token t) { kept = std::move(t); });
    const auto never = push.on_push.observe([](std::string_view, peal::token) {});
    const auto report = [c = counted()](const peal_completion_info &r) {
        journal_write("sum%d of %zu, %zu+%zu", static_cast<int>(r.result), r.observers, r.completed, r.dropped);
    };
    push.on_push("x", peal::completion::create(report, peal::completion_options().policy(PEAL_POLICY_SUM)));
    CHECK_JOURNAL("");
    CHECK(kept.complete(5));
    CHECK_JOURNAL("sum6 of 3, 2+1");
    CHECK(!kept.complete(5));
}

CLAIM("B4", "a completion is cancelled, answered directly, or refused; its function is destroyed each time")
{
    peal::queue queue = peal::queue::pumped();
    const auto report = [c = counted()](
                            const peal_completion_info &r) { journal_write("%s", peal_status_name(r.status)); };
    journal_clear();
    {
        const auto mine = report;
        const auto cancelled = peal::completion::create(mine);
        CHECK(cancelled.cancel());
        CHECK(!cancelled.cancel());
        const auto answered = peal::completion::create(mine, peal::completion_options().on(queue));
        CHECK(answered.complete(1));
        (void)queue.pump();
        CHECK_JOURNAL("PEAL_ERROR_STATE PEAL_OK");
        CHECK_REFUSED(peal::completion::try_create(mine, peal::completion_options().policy(PEAL_POLICY_COLLECT)),
            PEAL_ERROR_POLICY, "");
        CHECK_EQUAL(counted::alive, 2);
    }
    CHECK_EQUAL(counted::alive, 1);
}

CLAIM("Q8", "gathering calls a function for each result and one last function on a queue")
{
    house h;
    const auto push = peal::define<struct push>(h.center);
    peal::queue there = peal::queue::pumped(), here = peal::queue::pumped();
    const auto a = push.observe(peal::on("weigh", [](int n) { return n; }));
    const auto b = push.observe(peal::observe_options().on(there), peal::on("weigh", [](int n) { return 2 * n; }));
    int sum = 0;
    const auto reply = [&sum, c = counted()](peal_observation, int result) { sum += result; };
    (void)peal::completion::gather(
        push.weigh, here, PEAL_FOREVER, reply,
        [c = counted()](const peal_completion_info &r) { journal_write("done%zu", r.completed); }, 10);
    (void)there.pump();
    (void)here.pump();
    CHECK_EQUAL(sum, 30);
    CHECK_JOURNAL("done2");
    CHECK_THROWS(peal::completion::gather(
                     push.weigh, {}, 1, reply, [c = counted()](const peal_completion_info &) {}, 10),
        PEAL_ERROR_ARGUMENT, "queue");
    CHECK_EQUAL(counted::alive, 1);
}

CLAIM("Q8", "gathering a method without a result calls a function for each call that has ended, with its observation or without")
{
    house h;
    const auto push = peal::define<struct push>(h.center);
    peal::queue here = peal::queue::pumped();
    const auto a = push.observe(peal::on("note", [](int) {}));
    const auto b = push.observe(peal::on("note", [](int) {}));
    const auto done = [](const peal_completion_info &r) { journal_write("done%zu", r.completed); };
    (void)peal::completion::gather(push.note, here, PEAL_FOREVER, [] { journal_write("ended"); }, done, 10);
    (void)here.pump();
    CHECK_JOURNAL("ended ended done2");
    peal_observation first = {};
    (void)peal::completion::gather(
        push.note, here, PEAL_FOREVER, [&](peal_observation from) { first = first.id == 0 ? from : first; }, done, 10);
    (void)here.pump();
    CHECK_EQUAL(first.id, peal_observation(a).id);
    CHECK_JOURNAL("done2");
}

CLAIM("O7", "the waiting end of an observation and of a timer waits for a running call, also when that call has ended the registration")
{
    peal_center const center = open_center();
    const push methods = peal::define<push>(center);
    struct latch entered = LATCH_INITIALIZER, may_return = LATCH_INITIALIZER;
    std::atomic<bool> has_returned{ false };
    const auto stand = [&] {
        latch_open(&entered);
        latch_wait(&may_return);
        has_returned = true;
    };
    std::thread opener;
    const auto open_soon = [&] {
        // The delay gives an end that does not wait the time to return too early.
        opener = std::thread([&] {
            std::this_thread::sleep_for(30ms);
            latch_open(&may_return);
        });
    };

    {
        peal::observation once = methods.weigh.observe(peal::observe_options().once(), [&](int n) {
            stand();
            return n;
        });
        std::thread broadcaster([&] { (void)methods.weigh(1); });
        latch_wait(&entered);
        open_soon();
        peal_clear_failure();
        once.reset();
        CHECK(has_returned);
        CHECK_OK(peal_last_status());
        broadcaster.join();
        opener.join();
    }
    latch_shut(&entered);
    latch_shut(&may_return);
    has_returned = false;
    {
        peal::queue queue = peal::queue::serial();
        peal::timer timer = peal::timer::every(1h, stand, peal::timer_options().on(queue));
        CHECK_OK(peal_timer_fire(timer));
        latch_wait(&entered);
        queue.reset();
        open_soon();
        timer.reset();
        CHECK(has_returned);
        opener.join();
    }
    close_center(center);
}
