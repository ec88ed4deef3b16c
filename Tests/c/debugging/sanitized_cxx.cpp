// SPDX-License-Identifier: Apache-2.0
//
// A program that sanitized_cxx.sh compiles with the address and undefined-behaviour sanitizers: the templates of peal.hpp.
#include <peal/peal.hpp>

#include <cstdio>

namespace
{

PEAL_TYPE(point_text, struct point { double x, y; });

} // namespace
PEAL_CXX_TYPE(point, "struct point", point_text);

namespace
{

struct bell : peal::protocol {
    static constexpr const char *protocol_name = "Bell";
    peal::method<int(int, std::string_view)> ring{ peal::optional, "ring", "sum" };
    peal::method<void(point)> move{ peal::optional, "move" };
};

bool use_methods(const bell &methods)
{
    double seen = 0;
    const auto o = methods.observe(
        peal::on(methods.ring, [](int n, std::string_view text) { return n + static_cast<int>(text.size()); }),
        peal::on(methods.move, [&seen](point p) { seen = p.x + p.y; }));
    methods.move(point{ 1, 2 });
    const auto all = methods.ring.collect(1, "ab");
    return methods.ring(1, std::string("abc")) == 4 && all.size() == 1 && all[0] == 3 && seen == 3
        && methods.ring.fold(10, [](int &sum, int one) { sum += one; }, 1, "") == 11;
}

bool use_later_calls(const bell &methods)
{
    peal::queue queue = peal::queue::pumped();
    std::size_t completed = 0;
    const auto o = methods.ring.observe(peal::observe_options().on(queue), [](int n, std::string_view) { return n; });
    (void)peal::completion::gather(
        methods.ring, queue, PEAL_FOREVER, [](int) {},
        [&completed](const peal_completion_info &report) { completed = report.completed; }, 1, "x");
    while (queue.pump() > 0) {}
    return completed == 1;
}

bool use_values(peal_center center)
{
    const auto title = peal::property<std::string>::define(center, "title", "old");
    std::string seen;
    const auto o = title.observe([&seen](std::string_view now) { seen = now; });
    title.set("new");
    return seen == "new" && title.get() == "new";
}

} // namespace

int main()
{
    const peal::center center = peal::center::create();
    const bell methods = peal::define<bell>(center);
    const bool is_right = use_methods(methods) && use_later_calls(methods) && use_values(center);
    std::puts(is_right ? "ok" : "wrong");
    return is_right ? 0 : 1;
}
