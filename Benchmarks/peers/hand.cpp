// SPDX-License-Identifier: Apache-2.0
//
// hand.cpp - code without a library: a vector of functions and targets, maps with a mutex, a list without a lock.
#include "peers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <semaphore.h>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{

struct entry {
    void (*function)(void *self, void *a, int i);
    int (*query)(void *self, int i);
    void *target;
};

void ping(void *, void *a, int i)
{
    peers_pointer = a;
    peers_int = i;
}
int answer(void *, int i) { return i + 1; }
int decline(void *, int i)
{
    peers_int = i;
    return 0;
}

// ---- Broadcasts -------------------------------------------------------------------------------------------------

// The pointer is volatile, so that the compiler cannot fold the calls.
std::vector<entry> *volatile entries;

template <int (*Query)(void *, int)> void begin(std::size_t observers)
{
    entries = new std::vector<entry>;
    for (std::size_t i = 0; i < observers; i++)
        entries->push_back({ ping, Query, &peers_targets[i] });
}
void end() { delete entries; }

void broadcast(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        for (const entry &one : *entries)
            one.function(one.target, const_cast<std::vector<entry> **>(&entries), static_cast<int>(i));
}

// Folds each result into the accumulated one. `fold` returns false to stop.
template <class Fold> void query(std::size_t turns, Fold fold)
{
    for (std::size_t i = 0; i < turns; i++) {
        int result = 0;
        for (const entry &one : *entries)
            if (!fold(result, one.query(one.target, static_cast<int>(i))))
                break;
        peers_int = result;
    }
}
void last(std::size_t turns)
{
    query(turns, [](int &all, int one) { return all = one, true; });
}
void sum(std::size_t turns)
{
    query(turns, [](int &all, int one) { return all += one, true; });
}
void first_true(std::size_t turns)
{
    query(turns, [](int &all, int one) { return all = one != 0, !all; });
}
void collect(std::size_t turns)
{
    int values[TURNS_UNIT];
    for (std::size_t i = 0; i < turns; i++) {
        int *value = values;
        for (const entry &one : *entries)
            *value++ = one.query(one.target, static_cast<int>(i));
        peers_int = value[-1];
    }
}

struct object {
    void ping(void *a, int i) { ::ping(this, a, i); }
};
std::vector<std::shared_ptr<object>> objects;
std::vector<std::weak_ptr<object>> weak_objects;

void begin_weak(std::size_t observers)
{
    for (std::size_t i = 0; i < observers; i++) {
        objects.push_back(std::make_shared<object>());
        weak_objects.push_back(objects.back());
    }
}
void end_weak()
{
    objects.clear();
    weak_objects.clear();
}
void broadcast_weak(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        for (const auto &weak : weak_objects)
            if (const auto one = weak.lock())
                one->ping(&objects, static_cast<int>(i));
}

// ---- Maps with a mutex --------------------------------------------------------------------------------------------

std::mutex mutex;
std::unordered_map<std::string, std::shared_ptr<object>> services;

void use_service(std::size_t turns)
{
    while (turns-- > 0) {
        {
            const std::lock_guard lock(mutex);
            services.emplace("clock", std::make_shared<object>());
        }
        std::shared_ptr<object> got;
        {
            const std::lock_guard lock(mutex);
            got = services.find("clock")->second;
        }
        peers_pointer = got.get();
        got.reset();
        const std::lock_guard lock(mutex);
        services.erase("clock");
    }
}

void find_method(std::size_t turns)
{
    static const std::unordered_map<std::string, int> names = { { "ping", 1 }, { "last", 2 }, { "sum", 3 } };
    while (turns-- > 0) {
        const std::lock_guard lock(mutex);
        peers_int = names.find("ping")->second;
    }
}

std::string title;

void set_text(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++) {
        const char *const text = i % 2 == 0 ? "the title of one page" : "the title of another";
        const std::lock_guard lock(mutex);
        if (title == text)
            continue;
        title = text;
        for (const entry &one : *entries)
            one.function(one.target, &title, 0);
    }
}

// ---- Queues -------------------------------------------------------------------------------------------------------

// Nodes that many threads push, and one thread takes.
template <class Node> struct pushed_nodes {
    std::atomic<Node *> newest{ nullptr };

    void push(Node *one)
    {
        one->next = newest.load(std::memory_order_relaxed);
        while (!newest.compare_exchange_weak(one->next, one, std::memory_order_release, std::memory_order_relaxed)) {}
    }

    // Returns all nodes, the oldest first.
    Node *take()
    {
        Node *oldest = nullptr;
        for (Node *one = newest.exchange(nullptr, std::memory_order_acquire); one;) {
            Node *const next = one->next;
            one->next = oldest;
            oldest = one;
            one = next;
        }
        return oldest;
    }
};

struct node {
    node *next;
    const entry *to;
    void *a;
    int i;
};

struct list : pushed_nodes<node> {
    void push(const entry *to, void *a, int i)
    {
        const auto made = static_cast<node *>(std::malloc(sizeof(node)));
        must(made != nullptr);
        *made = { nullptr, to, a, i };
        pushed_nodes::push(made);
    }

    void deliver()
    {
        node *oldest = take();
        while (oldest) {
            node *const next = oldest->next;
            oldest->to->function(oldest->to->target, oldest->a, oldest->i);
            std::free(oldest);
            oldest = next;
        }
    }
};

list pumped_list;

void pumped(std::size_t turns)
{
    while (turns > 0) {
        const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
        for (std::size_t i = 0; i < window; i++)
            pumped_list.push(&entries->front(), &pumped_list, static_cast<int>(i));
        pumped_list.deliver();
        turns -= window;
    }
}

// A call for all observers, with a node for each observer's list. The last delivery frees it.
constexpr std::size_t SERIAL_QUEUES = 16;
struct shared_call {
    struct part {
        part *next;
        shared_call *whole;
        const entry *to;
    };
    std::atomic<std::size_t> undelivered{ SERIAL_QUEUES };
    void *a;
    int i;
    part parts[SERIAL_QUEUES];
};

// A list for each observer, and a thread that polls all lists while a sample is measured, and sleeps otherwise.
struct poller {
    struct alignas(128) own_list : pushed_nodes<shared_call::part> {};
    own_list lists[SERIAL_QUEUES];
    std::atomic<std::size_t> delivered{ 0 };
    std::atomic<bool> is_measured{ false };
    std::atomic<bool> is_over{ false };
    sem_t begun;
    std::thread thread;

    poller()
    {
        sem_init(&begun, 0, 0);
        thread = std::thread{ [this] { run(); } };
    }
    ~poller()
    {
        is_over = true;
        sem_post(&begun);
        thread.join();
        sem_destroy(&begun);
    }

    static std::size_t deliver(own_list &list)
    {
        std::size_t count = 0;
        for (shared_call::part *oldest = list.take(); oldest; count++) {
            shared_call *const call = oldest->whole;
            const entry *const to = oldest->to;
            oldest = oldest->next;
            to->function(to->target, call->a, call->i);
            if (call->undelivered.fetch_sub(1, std::memory_order_acq_rel) == 1)
                delete call;
        }
        return count;
    }

    void run()
    {
        while (true) {
            while (sem_wait(&begun) != 0) {}
            if (is_over)
                return;
            while (is_measured.load(std::memory_order_acquire))
                for (own_list &list : lists)
                    if (list.newest.load(std::memory_order_relaxed))
                        delivered.fetch_add(deliver(list), std::memory_order_release);
        }
    }

    void push(int i)
    {
        const auto call = new shared_call;
        call->a = this;
        call->i = i;
        for (std::size_t k = 0; k < SERIAL_QUEUES; k++) {
            call->parts[k] = { nullptr, call, &(*entries)[k] };
            lists[k].push(&call->parts[k]);
        }
    }

    void call(std::size_t turns, bool is_caller)
    {
        std::size_t sent = delivered;
        is_measured = true;
        sem_post(&begun);
        while (turns > 0) {
            const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
            for (std::size_t i = 0; i < window / SERIAL_QUEUES; i++)
                push(static_cast<int>(i));
            sent += window;
            const double end = is_caller ? peers_now() : 0;
            while (delivered.load(std::memory_order_acquire) != sent) {}
            if (is_caller)
                peers_exclude(peers_now() - end);
            turns -= window;
        }
        is_measured = false;
    }
};

std::unique_ptr<poller> the_poller;

void begin_poller(std::size_t observers)
{
    begin<answer>(observers);
    the_poller = std::make_unique<poller>();
}
void serial(std::size_t turns) { the_poller->call(turns, false); }
void serial_caller(std::size_t turns) { the_poller->call(turns, true); }
void end_poller()
{
    the_poller.reset();
    end();
}

// A thread that takes entries from a list with a lock. The caller waits until its entry is done.
struct worker {
    std::mutex mutex;
    std::condition_variable changed;
    std::condition_variable done;
    std::vector<int> waiting;
    int delivered = 0;
    bool is_over = false;
    std::thread thread{ [this] { run(); } };

    ~worker()
    {
        {
            const std::lock_guard lock(mutex);
            is_over = true;
        }
        changed.notify_one();
        thread.join();
    }

    void run()
    {
        std::vector<int> taken;
        while (true) {
            {
                std::unique_lock lock(mutex);
                delivered += static_cast<int>(taken.size());
                taken.clear();
            }
            done.notify_all();
            {
                std::unique_lock lock(mutex);
                changed.wait(lock, [this] { return is_over || !waiting.empty(); });
                taken.swap(waiting);
            }
            if (taken.empty())
                return;
            for (const int i : taken)
                entries->front().function(entries->front().target, this, i);
        }
    }

    void deliver(int i)
    {
        std::unique_lock lock(mutex);
        const int next = delivered + 1;
        waiting.push_back(i);
        lock.unlock();
        changed.notify_one();
        lock.lock();
        done.wait(lock, [this, next] { return delivered == next; });
    }
};

std::unique_ptr<worker> the_worker;

void begin_worker(std::size_t observers)
{
    begin<answer>(observers);
    the_worker = std::make_unique<worker>();
}
void round_trip(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        the_worker->deliver(static_cast<int>(i));
}
void end_worker()
{
    the_worker.reset();
    end();
}

const operation_of_row operations[] = {
    { "broadcast_1", 1, begin<answer>, broadcast, end, nullptr, false },
    { "broadcast_16", 16, begin<answer>, broadcast, end, nullptr, false },
    { "array_1", 1, begin<answer>, broadcast, end, nullptr, false },
    { "array_16", 16, begin<answer>, broadcast, end, nullptr, false },
    { "last_1", 1, begin<answer>, last, end, nullptr, false },
    { "last_16", 16, begin<answer>, last, end, nullptr, false },
    { "sum_16", 16, begin<answer>, sum, end, nullptr, false },
    { "fold_16", 16, begin<answer>, sum, end, nullptr, false },
    { "first_true_16", 16, begin<decline>, first_true, end, nullptr, false },
    { "any_16", 16, begin<decline>, first_true, end, nullptr, false },
    { "collect_16", 16, begin<answer>, collect, end, nullptr, false },
    { "weak_16", 16, begin_weak, broadcast_weak, end_weak, nullptr, false },
    { "find_method", 0, nullptr, find_method, nullptr, nullptr, false },
    { "service", 0, nullptr, use_service, nullptr, nullptr, false },
    { "property_text", 1, begin<answer>, set_text, end, nullptr, false },
    { "pumped_1", 1, begin<answer>, pumped, end, nullptr, false },
    { "serial_16", SERIAL_QUEUES, begin_poller, serial, end_poller, nullptr, true },
    { "serial_16_caller", SERIAL_QUEUES, begin_poller, serial_caller, end_poller, nullptr, true },
    { "round_trip", 1, begin_worker, round_trip, end_worker, nullptr, true },
    {},
};

} // namespace

const struct peer the_peer = { "by hand", operations };
