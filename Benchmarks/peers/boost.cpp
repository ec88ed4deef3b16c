// SPDX-License-Identifier: Apache-2.0
//
// boost.cpp - Boost.Signals2, which any thread may use.
#include <boost/signals2.hpp>

#include <memory>
#include <type_traits>
#include <vector>

namespace
{

struct dropped;
template <class F, class Fold> struct choose {
    using type = boost::signals2::signal<F, Fold>;
};
template <class F> struct choose<F, dropped> {
    using type = boost::signals2::signal<F>;
};
template <class F, class Fold> using signal_of = typename choose<F, Fold>::type;
using connection = boost::signals2::connection;

} // namespace

#include "signals.hpp"

namespace
{

std::vector<std::shared_ptr<int>> tracked;

void begin_weak(std::size_t observers)
{
    begin(0);
    for (std::size_t i = 0; i < observers; i++) {
        tracked.push_back(std::make_shared<int>(0));
        plain->connect(plain_signal::slot_type(store{ tracked.back().get() }).track_foreign(tracked.back()));
    }
}
void end_weak()
{
    tracked.clear();
    end();
}

const operation_of_row operations[] = {
    ROWS_OF_SIGNALS,
    { "weak_16", 16, begin_weak, emit, end_weak, nullptr, false },
    {},
};

} // namespace

const struct peer the_peer = { "Boost", operations };
