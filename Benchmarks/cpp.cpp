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
// targets. For the sum of the observers' results: `c-sum`, peal_send with observers of C, to which the ratios of the
// next ones refer; `sum`, a peal::method with lambdas; `collect`, all results of the same method in a vector.
#include <peal/peal.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

namespace
{

#define BENCH(METHOD)                    \
    METHOD(optional, void, p_i, (int i)) \
    METHOD(optional, int, weigh, (int i), sum)
PEAL_PROTOCOL(bench, "Bench", BENCH);

struct target {
    long number = 0;
    void store(int i) { *const_cast<volatile long *>(&number) = i; }
    static void store_of(void *self, int i) { static_cast<target *>(self)->store(i); }
    static int weigh_of(void *self, int i)
    {
        static_cast<target *>(self)->store(i);
        return i & 1;
    }
};
const bench table = { PEAL_TABLE(bench), target::store_of, target::weigh_of };

// Observers of one kind, and the method that calls them.
struct field {
    peal::center center = peal::center::create();
    bench_protocol handles = {};
    peal::method<void(int)> method;
    peal::method<int(int)> weigh;
    std::vector<std::shared_ptr<target>> targets;
    std::vector<peal::observation> observations;

    explicit field(std::size_t count)
    {
        peal::result<void>(bench_define(center, &handles)).value();
        method = PEAL_METHOD_OF(bench, handles, p_i);
        weigh = PEAL_METHOD_OF(bench, handles, weigh);
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

// A broadcast by array for its result, as in C.
int sum_of(const field &field, int i)
{
    void *const arguments[] = { &i, nullptr };
    int result = 0;
    peal::result<void>(peal_send(field.handles.weigh, arguments, 1, &result, nullptr)).value();
    return result;
}

void measure(std::size_t count, std::size_t rounds, double sample_ns)
{
    field c(count), lambdas(count), weak(count);
    for (std::size_t i = 0; i < count; i++) {
        peal::result<void>(bench_observe(&c.handles, c.targets[i].get(), &table, nullptr, nullptr)).value();
        target *const t = lambdas.targets[i].get();
        lambdas.observations.push_back(lambdas.method.observe([t](int n) { t->store(n); }));
        lambdas.observations.push_back(lambdas.weigh.observe([t](int n) { return target::weigh_of(t, n); }));
        weak.observations.push_back(peal::protocol(weak.handles.protocol)
                .observe(std::weak_ptr<target>(weak.targets[i]), peal::on<&target::store>("p_i")));
    }
    const char *const names[] = { "c", "method", "lambdas", "weak", "c-sum", "sum", "collect" };
    constexpr int forms = 7, first_result = 4;
    std::vector<double> times[forms], ratios[forms];
    volatile std::size_t result = 0;
    const auto iterations = static_cast<std::size_t>(sample_ns / (6.0 + 3.0 * static_cast<double>(count))) + 1;
    for (std::size_t round = 0; round < rounds; round++) {
        const double taken[] = {
            sample(iterations, [&](int i) { PEAL_BROADCAST(bench, &c.handles, p_i, i); }),
            sample(iterations, [&](int i) { c.method(i); }),
            sample(iterations, [&](int i) { lambdas.method(i); }),
            sample(iterations, [&](int i) { weak.method(i); }),
            sample(iterations, [&](int i) { result = static_cast<std::size_t>(sum_of(c, i)); }),
            sample(iterations, [&](int i) { result = static_cast<std::size_t>(lambdas.weigh(i)); }),
            sample(iterations, [&](int i) { result = lambdas.weigh.collect(i).size(); }),
        };
        for (int form = 0; form < forms; form++) {
            times[form].push_back(taken[form]);
            ratios[form].push_back(taken[form] / taken[form < first_result ? 0 : first_result]);
        }
    }
    for (int form = 0; form < forms; form++)
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
