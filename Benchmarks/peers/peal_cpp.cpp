// SPDX-License-Identifier: Apache-2.0
//
// peal_cpp.cpp - peal through peal.hpp: lambdas, and weak targets by std::weak_ptr.
#include "peers.h"

#include <peal/peal.hpp>

#include <memory>
#include <vector>

namespace
{

struct cxx : peal::protocol {
    static constexpr const char *protocol_name = "Cxx";
    peal::method<void(void *, int)> ping{ peal::required, "ping", "borrowed" };
};

struct target {
    void ping(void *a, int i)
    {
        peers_pointer = a;
        peers_int = i;
    }
};

struct field {
    peal::center center = peal::center::create();
    cxx protocol = peal::define<cxx>(center);
    std::vector<std::shared_ptr<target>> targets;
    std::vector<peal::observation> observations;
};
std::unique_ptr<field> used;

void begin(std::size_t observers)
{
    used = std::make_unique<field>();
    for (std::size_t i = 0; i < observers; i++) {
        used->targets.push_back(std::make_shared<target>());
        used->observations.push_back(
            used->protocol.observe(std::weak_ptr<target>(used->targets[i]), peal::on<&target::ping>("ping")));
    }
}

void end() { used.reset(); }

void weak(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        used->protocol.ping(used.get(), static_cast<int>(i));
}

void lambda(std::size_t turns)
{
    target one;
    while (turns-- > 0)
        const peal::observation held = used->protocol.ping.observe([&one](void *a, int i) { one.ping(a, i); });
}

operation_of_row operation(
    const char *row, std::size_t size, void (*begin)(std::size_t), void (*run)(std::size_t), void (*end)())
{
    return { row, size, begin, run, end, nullptr, false };
}

const operation_of_row operations[] = {
    operation("weak_16", 16, begin, weak, end),
    operation("cpp_pair", 0, begin, lambda, end),
    {},
};

} // namespace

const struct peer peal_cpp = { "peal", operations };
