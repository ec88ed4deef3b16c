/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/completion.hpp - later answers. Include <peal/peal.hpp> instead.
 *
 *     peal::method<void(std::string_view, peal::token)> on_push = ...;
 *     on_push.observe([](std::string_view payload, peal::token done) { done.complete(1); });
 *     on_push("hello", peal::completion::create([](const peal_completion_info &report) { ... }));
 */
#ifndef PEAL_CXX_COMPLETION_HPP
#define PEAL_CXX_COMPLETION_HPP

#include "observer.hpp"

namespace peal
{

/* One observer's duty to answer. It answers once. A token that ends without an answer is released. As a parameter of
 * a method it is `peal_completion` in C. Since 0.1. */
class token : public unique<peal_completion>
{
public:
    using unique::unique;

    /* Answers. False when it is too late, or the token is empty: this is harmless. */
    bool complete(int64_t result = 0) noexcept { return *this && peal_complete(release(), result) >= 0; }
};

template <> struct passing<token> {
    using c_type = peal_completion;
    using given = peal_completion;
    static peal_completion to_c(peal_completion completion) noexcept { return completion; }
    static token from_c(peal_completion raw) noexcept { return token(raw); }
};

/* Options of a completion. Each function returns the options. Since 0.1. */
class completion_options
{
public:
    /* Where the function runs; else on the thread that answered last. */
    completion_options &on(peal_queue queue) { return raw_.queue = queue, *this; }
    /* LAST, SUM, MIN, MAX, ANY or EVERY; LAST by default. */
    completion_options &policy(peal_policy policy) { return raw_.policy = policy, *this; }
    /* Milliseconds from now. */
    completion_options &timeout(uint32_t milliseconds) { return raw_.timeout = milliseconds, *this; }

    const peal_completion_options &raw() const noexcept { return raw_; }

private:
    peal_completion_options raw_ = PEAL_COMPLETION_OPTIONS;
};

namespace detail
{

/* Lives until its last function has run. */
template <class F> struct done_box {
    F done;

    static void run(void *context, const peal_completion_info *report) noexcept
    {
        const std::unique_ptr<done_box> box(static_cast<done_box *>(context));
        guard(location{ {}, "the function of a completion" }, [&]() -> void { (void)box->done(*report); });
    }
};

template <class R, class Reply, class Done> struct gather_box {
    Reply reply;
    Done done;

    static void take(void *context, peal_observation from, const void *result) noexcept
    {
        Reply &reply = static_cast<gather_box *>(context)->reply;
        guard(location{ {}, "the reply function of a gathering" }, [&]() -> void {
            if constexpr (std::is_void_v<R>) {
                (void)result; /* the call has ended */
                if constexpr (std::is_invocable_v<Reply &, peal_observation>)
                    (void)reply(from);
                else
                    (void)reply();
            } else if constexpr (std::is_invocable_v<Reply &, peal_observation, R>) {
                (void)reply(from, *static_cast<const R *>(result));
            } else {
                (void)reply(*static_cast<const R *>(result));
            }
        });
    }
    static void run(void *context, const peal_completion_info *report) noexcept
    {
        const std::unique_ptr<gather_box> box(static_cast<gather_box *>(context));
        guard(location{ {}, "the function of a gathering" }, [&]() -> void { (void)box->done(*report); });
    }
};

} // namespace detail

/* Calls a function once when all answers have arrived. It is a value, and has ended after that call: pass it to
 * one broadcast, or answer it directly. Since 0.1. */
class completion
{
public:
    completion() noexcept = default;

    /* done: runs once, with the report. Fails as peal_completion_create; then it does not run. */
    template <class F> static completion create(F done, const completion_options &options = completion_options())
    {
        return try_create(std::move(done), options).value();
    }
    template <class F>
    static result<completion> try_create(F done, const completion_options &options = completion_options())
    {
        using box_type = detail::done_box<F>;
        std::unique_ptr<box_type> box(new box_type{ std::move(done) });
        peal_completion_options raw = options.raw();
        raw.done = box_type::run;
        raw.context = box.get();
        completion made;
        const peal_status status = peal_completion_create(&raw, &made.raw_);
        if (status < 0)
            return failure::last(status);
        (void)box.release();
        return made;
    }

    /* Calls all observers of a method, those with queues too.
     *
     * queue: where both functions run. reply: f(result) or f(observation, result); f() or f(observation) for a method
     * without a result. done: as of create().
     * timeout: milliseconds; PEAL_FOREVER. Fails as peal_gather; then neither runs. */
    template <class R, class... A, class Reply, class Done>
    static completion gather(const method<R(A...)> &method, peal_queue queue, uint32_t timeout, Reply reply, Done done,
        detail::given_of<A>... arguments)
    {
        using box_type = detail::gather_box<R, Reply, Done>;
        if (!detail::are_whole(arguments...))
            detail::raise(detail::cut_text(method.name()));
        std::unique_ptr<box_type> box(new box_type{ std::move(reply), std::move(done) });
        peal_gather_options options = PEAL_GATHER_OPTIONS;
        options.queue = queue;
        options.reply = box_type::take;
        options.done = box_type::run;
        options.context = box.get();
        options.timeout = timeout;
        completion made;
        const peal_status status = send(method, options, &made.raw_, detail::passing_of<A>::to_c(arguments)...);
        if (status < 0)
            detail::raise(failure::last(status));
        (void)box.release();
        return made;
    }

    /* The plain handle. */
    peal_completion get() const noexcept { return raw_; }
    operator peal_completion() const noexcept { return raw_; }
    /* Answers one that was passed to no broadcast. */
    bool complete(int64_t result = 0) const noexcept { return peal_complete(raw_, result) >= 0; }
    /* As peal_completion_cancel: the function runs now. */
    bool cancel() const noexcept { return peal_completion_cancel(raw_) >= 0; }

private:
    template <class... C>
    static peal_status send(
        peal_method method, const peal_gather_options &options, peal_completion *out, C... arguments)
    {
        void *pointers[] = { const_cast<void *>(static_cast<const volatile void *>(&arguments))..., nullptr };
        return peal_gather(method, pointers, sizeof...(C), &options, out);
    }

    peal_completion raw_ = {};
};

} // namespace peal

#endif
