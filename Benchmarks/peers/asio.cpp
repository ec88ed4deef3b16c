// SPDX-License-Identifier: Apache-2.0
//
// asio.cpp - Asio: timers of a context, calls that are posted to the context, and strands on threads.
#include "peers.h"

#include <asio.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <semaphore.h>
#include <vector>

namespace
{

void ping(void *a, int i)
{
    peers_pointer = a;
    peers_int = i;
}

std::optional<asio::io_context> context;
std::deque<asio::steady_timer> timers;

void wait(asio::steady_timer &timer, std::size_t seconds)
{
    timer.expires_after(std::chrono::seconds(seconds));
    timer.async_wait([](const asio::error_code &) {});
}

void begin(std::size_t others)
{
    context.emplace();
    for (std::size_t i = 0; i <= others; i++) {
        timers.emplace_back(*context);
        if (i > 0)
            wait(timers.back(), 1000 + i * 7919 % 5000);
    }
}
void end()
{
    timers.clear();
    context.reset();
}

// The handlers of cancelled waits must run in the end.
void start_and_stop(std::size_t turns)
{
    while (turns > 0) {
        const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
        for (std::size_t i = 0; i < window; i++) {
            wait(timers.front(), 3600);
            timers.front().cancel();
        }
        context->poll();
        context->restart();
        turns -= window;
    }
}
void restart(std::size_t turns)
{
    while (turns > 0) {
        const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
        for (std::size_t i = 0; i < window; i++)
            wait(timers[1 + i % (timers.size() - 1)], 3600);
        context->poll();
        context->restart();
        turns -= window;
    }
}

void pumped(std::size_t turns)
{
    while (turns > 0) {
        const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
        for (std::size_t i = 0; i < window; i++)
            asio::post(*context, [i] { ping(&context, static_cast<int>(i)); });
        context->poll();
        context->restart();
        turns -= window;
    }
}

// A strand for each observer, on two threads.
std::optional<asio::thread_pool> pool;
std::vector<asio::strand<asio::thread_pool::executor_type>> strands;
std::atomic<std::size_t> delivered{ 0 };
sem_t all_delivered;

void begin_threads(std::size_t observers, std::size_t threads)
{
    sem_init(&all_delivered, 0, 0);
    pool.emplace(threads);
    for (std::size_t i = 0; i < observers; i++)
        strands.emplace_back(pool->get_executor());
}
void begin_serial(std::size_t observers) { begin_threads(observers, 2); }
void begin_one_thread(std::size_t observers) { begin_threads(observers, 1); }
void run_serial(std::size_t turns, bool is_caller)
{
    while (turns > 0) {
        const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
        delivered = 0;
        for (std::size_t i = 0; i < window; i++)
            asio::post(strands[i % strands.size()], [i, window] {
                ping(&strands, static_cast<int>(i));
                if (delivered.fetch_add(1, std::memory_order_relaxed) + 1 == window)
                    sem_post(&all_delivered);
            });
        const double sent = is_caller ? peers_now() : 0;
        while (sem_wait(&all_delivered) != 0) {}
        if (is_caller)
            peers_exclude(peers_now() - sent);
        turns -= window;
    }
}
void serial(std::size_t turns) { run_serial(turns, false); }
void serial_caller(std::size_t turns) { run_serial(turns, true); }
void round_trip(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++) {
        asio::post(strands.front(), [i] {
            ping(&strands, static_cast<int>(i));
            sem_post(&all_delivered);
        });
        while (sem_wait(&all_delivered) != 0) {}
    }
}
void end_serial()
{
    pool->join();
    strands.clear();
    pool.reset();
}

const operation_of_row operations[] = {
    { "timer_alone", 0, begin, start_and_stop, end, nullptr, false },
    { "timer_10000", 10000, begin, start_and_stop, end, nullptr, false },
    { "watchdog_10000", 10000, begin, restart, end, nullptr, false },
    { "pumped_1", 0, begin, pumped, end, nullptr, false },
    { "serial_16", 16, begin_serial, serial, end_serial, nullptr, true },
    { "serial_16_caller", 16, begin_serial, serial_caller, end_serial, nullptr, true },
    { "round_trip", 1, begin_one_thread, round_trip, end_serial, nullptr, true },
    {},
};

} // namespace

const struct peer the_peer = { "Asio", operations };
