// SPDX-License-Identifier: Apache-2.0
//
// sigc.cpp - libsigc++, for one thread.
#include <sigc++/sigc++.h>

namespace
{

struct dropped;
template <class F, class Fold> struct choose;
template <class R, class... A, class Fold> struct choose<R(A...), Fold> {
    using type = typename sigc::signal<R, A...>::template accumulated<Fold>;
};
template <class R, class... A> struct choose<R(A...), dropped> {
    using type = sigc::signal<R, A...>;
};
template <class F, class Fold> using signal_of = typename choose<F, Fold>::type;
using connection = sigc::connection;

} // namespace

#include "signals.hpp"

namespace
{

// Targets that disconnect when they end.
struct trackable : sigc::trackable {
    void ping(void *a, int i) { ::ping(a, i); }
};
std::vector<std::unique_ptr<trackable>> tracked;

void begin_weak(std::size_t observers)
{
    begin(0);
    for (std::size_t i = 0; i < observers; i++) {
        tracked.push_back(std::make_unique<trackable>());
        plain->connect(sigc::mem_fun(*tracked.back(), &trackable::ping));
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

const struct peer the_peer = { "libsigc++*", operations };
