// SPDX-License-Identifier: Apache-2.0
//
// cpp.cpp - nanoseconds of a broadcast through peal.hpp, compared with the same broadcast in C.
//
//     bench-cpp [--rounds N] [--sample-us N]
//
// A line is
//     cpp OBSERVERS FORM NS_PER_BROADCAST RATIO_TO_C
// with the medians over the rounds. Each round measures all forms: `c`, PEAL_BROADCAST with observers of C;
// `method`, a peal::method with the same observers; `lambdas`, a peal::method with lambdas; `weak`, with weak
// targets.
#include <peal/peal.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

namespace
{

#define BENCH(METHOD) METHOD(required, void, p_i, (int i))
PEAL_PROTOCOL(bench, "Bench", BENCH);

struct target {
    long number = 0;
    void store(int i) { *const_cast<volatile long *>(&number) = i; }
    static void store_of(void *self, int i) { static_cast<target *>(self)->store(i); }
};
const bench table = { PEAL_TABLE(bench), target::store_of };

// Observers of one kind, and the method that calls them.
struct field {
    peal::center center = peal::center::create();
    bench_protocol handles = {};
    peal::method<void(int)> method;
    std::vector<std::shared_ptr<target>> targets;
    std::vector<peal::observation> observations;

    explicit field(std::size_t count)
    {
        peal::result<void>(bench_define(center, &handles)).value();
        method = PEAL_METHOD_OF(bench, handles, p_i);
        for (std::size_t i = 0; i < count; i++)
            targets.push_back(std::make_shared<target>());
    }
};

double now_ns()
{
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Broadcast> double sample(std::size_t iterations, Broadcast broadcast)
{
    const double begin = now_ns();
    for (std::size_t i = 0; i < iterations; i++)
        broadcast(static_cast<int>(i));
    return (now_ns() - begin) / static_cast<double>(iterations);
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(std::size_t count, std::size_t rounds, double sample_ns)
{
    field c(count), lambdas(count), weak(count);
    for (std::size_t i = 0; i < count; i++) {
        peal::result<void>(bench_observe(&c.handles, c.targets[i].get(), &table, nullptr, nullptr)).value();
        lambdas.observations.push_back(lambdas.method.observe([t = lambdas.targets[i].get()](int n) { t->store(n); }));
        weak.observations.push_back(peal::protocol(weak.handles.protocol)
                .observe(std::weak_ptr<target>(weak.targets[i]), peal::on<&target::store>("p_i")));
    }
    const char *const names[] = { "c", "method", "lambdas", "weak" };
    std::vector<double> times[4], ratios[4];
    const auto iterations = static_cast<std::size_t>(sample_ns / (6.0 + 3.0 * static_cast<double>(count))) + 1;
    for (std::size_t round = 0; round < rounds; round++) {
        const double taken[] = {
            sample(iterations, [&](int i) { PEAL_BROADCAST(bench, &c.handles, p_i, i); }),
            sample(iterations, [&](int i) { c.method(i); }),
            sample(iterations, [&](int i) { lambdas.method(i); }),
            sample(iterations, [&](int i) { weak.method(i); }),
        };
        for (int form = 0; form < 4; form++) {
            times[form].push_back(taken[form]);
            ratios[form].push_back(taken[form] / taken[0]);
        }
    }
    for (int form = 0; form < 4; form++)
        std::printf("cpp %zu %s %.2f %.2f\n", count, names[form], median(times[form]), median(ratios[form]));
}

} // namespace

int main(int argc, char **argv)
{
    std::size_t rounds = 32;
    double sample_ns = 1e6;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--rounds"))
            rounds = std::strtoul(argv[i + 1], nullptr, 10);
        else if (!std::strcmp(argv[i], "--sample-us"))
            sample_ns = std::strtod(argv[i + 1], nullptr) * 1e3;
    }
    if (rounds < 1 || sample_ns <= 0) {
        std::fprintf(stderr, "usage: bench-cpp [--rounds N] [--sample-us N]\n");
        return 2;
    }
    for (const std::size_t count : { 0, 1, 4, 16, 64, 1024 })
        measure(count, rounds, sample_ns);
    return 0;
}
