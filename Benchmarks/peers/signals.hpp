// SPDX-License-Identifier: Apache-2.0
//
// signals.hpp - the rows of a library whose signals are C++ templates. The library's file defines
//     template <class F, class Fold> using signal_of    a signal of the type F whose results a Fold folds, or `dropped`
//     connection                                        the result of connect, with disconnect()
// and includes this file.
#include "peers.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace
{

void ping(void *a, int i)
{
    peers_pointer = a;
    peers_int = i;
}
int answer(int i) { return i + 1; }
bool decline(int i)
{
    peers_int = i;
    return false;
}

// Folds of results, in the form of Boost and libsigc++, which call them with two iterators.
template <class T> struct to_last {
    using result_type = T;
    template <class I> T operator()(I first, I end) const
    {
        T result{};
        for (; first != end; ++first)
            result = *first;
        return result;
    }
};
struct to_sum {
    using result_type = int;
    template <class I> int operator()(I first, I end) const
    {
        int result = 0;
        for (; first != end; ++first)
            result += *first;
        return result;
    }
};
struct to_first_true {
    using result_type = bool;
    template <class I> bool operator()(I first, I end) const
    {
        for (; first != end; ++first)
            if (*first)
                return true;
        return false;
    }
};
struct to_all {
    using result_type = std::vector<int>;
    template <class I> std::vector<int> operator()(I first, I end) const
    {
        std::vector<int> results;
        for (; first != end; ++first)
            results.push_back(*first);
        return results;
    }
};

using plain_signal = signal_of<void(void *, int), dropped>;
std::unique_ptr<plain_signal> plain;
std::vector<connection> connections;

// The functors differ, as targets do.
struct store {
    void *target;
    void operator()(void *a, int i) const { ping(a, i); }
};

void begin(std::size_t observers)
{
    plain = std::make_unique<plain_signal>();
    for (std::size_t i = 0; i < observers; i++)
        connections.push_back(plain->connect(store{ &peers_targets[i] }));
}
void end()
{
    connections.clear();
    plain.reset();
}
void emit(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        (*plain)(&plain, static_cast<int>(i));
}
void connect_and_disconnect(std::size_t turns)
{
    while (turns-- > 0) {
        connection made = plain->connect(store{ &peers_targets[OBSERVERS_MOST] });
        made.disconnect();
    }
}
double connect_many(std::size_t count)
{
    connections.reserve(count);
    return peers_register_many(count, begin, end);
}
void remove_at(unsigned index) { connections[index].disconnect(); }
double disconnect_many(std::size_t count) { return peers_remove_many(count, begin, remove_at, end); }
// The memory includes the connection, which is needed to remove one observer alone.
double memory_of_connection(std::size_t count)
{
    begin(1);
    connections.reserve(count + 1);
    const std::size_t before = peers_memory();
    for (std::size_t i = 1; i <= count; i++)
        connections.push_back(plain->connect(store{ &peers_targets[i] }));
    const double each = static_cast<double>(peers_memory() - before) / static_cast<double>(count);
    end();
    return each;
}

// A signal whose results are folded.
template <class T, class Fold, T (*Function)(int)> struct folded {
    static inline std::unique_ptr<signal_of<T(int), Fold>> signal;
    static void begin(std::size_t observers)
    {
        signal = std::make_unique<signal_of<T(int), Fold>>();
        for (std::size_t i = 0; i < observers; i++)
            signal->connect(Function);
    }
    static void run(std::size_t turns)
    {
        for (std::size_t i = 0; i < turns; i++) {
            const auto result = (*signal)(static_cast<int>(i));
            if constexpr (sizeof result > sizeof(int))
                peers_int = result.back();
            else
                peers_int = result;
        }
    }
    static void end() { signal.reset(); }
};

template <class Folded> operation_of_row folding(const char *row, std::size_t observers)
{
    return { row, observers, Folded::begin, Folded::run, Folded::end, nullptr, false };
}

} // namespace

#define ROWS_OF_SIGNALS                                                                                                \
    { "broadcast_1", 1, begin, emit, end, nullptr, false }, { "broadcast_16", 16, begin, emit, end, nullptr, false },  \
        { "pair_alone", 0, begin, connect_and_disconnect, end, nullptr, false },                                       \
        { "pair_100", 100, begin, connect_and_disconnect, end, nullptr, false },                                       \
        { "pair_10000", 10000, begin, connect_and_disconnect, end, nullptr, false },                                   \
        { "cpp_pair", 0, begin, connect_and_disconnect, end, nullptr, false },                                         \
        { "register_many", OBSERVERS_MOST, nullptr, nullptr, nullptr, connect_many, false },                           \
        { "remove_many", OBSERVERS_MOST, nullptr, nullptr, nullptr, disconnect_many, false },                          \
        { "memory_one", 20000, nullptr, nullptr, nullptr, memory_of_connection, false },                               \
        folding<folded<int, to_last<int>, answer>>("last_1", 1),                                                       \
        folding<folded<int, to_last<int>, answer>>("last_16", 16), folding<folded<int, to_sum, answer>>("sum_16", 16), \
        folding<folded<int, to_sum, answer>>("fold_16", 16),                                                           \
        folding<folded<bool, to_first_true, decline>>("first_true_16", 16),                                            \
        folding<folded<bool, to_first_true, decline>>("any_16", 16),                                                   \
        folding<folded<int, to_all, answer>>("collect_16", 16)
