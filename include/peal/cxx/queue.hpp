/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/queue.hpp - queues. Include <peal/peal.hpp> instead.
 *
 *     peal::queue queue = peal::queue::executor([&](peal::queue_run run) { asio::post(context, run); });
 *     chat.observe(peal::observe_options().on(queue), peal::on(...));
 */
#ifndef PEAL_CXX_QUEUE_HPP
#define PEAL_CXX_QUEUE_HPP

#include "observer.hpp"

namespace peal
{

/* Options of a queue; each function returns the options. Since 0.1. */
class queue_options
{
public:
    /* The maximum number of waiting broadcasts, and the fate of further ones.
     *
     * wait: for PEAL_OVERFLOW_WAIT, in milliseconds. */
    queue_options &bounded(std::size_t capacity, peal_overflow overflow, uint32_t wait = 0)
    {
        raw_.capacity = capacity;
        raw_.overflow = overflow;
        raw_.wait = wait;
        return *this;
    }
    /* To whom it belongs. */
    queue_options &owned_by(peal_owner owner) { return raw_.owner = owner, *this; }
    /* As the C interface has it. */
    const peal_queue_options &raw() const noexcept { return raw_; }

private:
    peal_queue_options raw_ = PEAL_QUEUE_OPTIONS;
};

/* The work of an executor, which must call it once, soon, on any thread: it runs the waiting calls of the queue. A
 * queue that has ended meanwhile is no mistake. */
struct queue_run {
    peal_queue queue;
    void operator()() const noexcept { (void)peal_queue_run(queue); }
};

namespace detail
{

template <class F> struct executor_box {
    F post;

    static bool submit(void *context, peal_queue queue) noexcept
    {
        F &post = static_cast<executor_box *>(context)->post;
        return guard(location{ {}, "the post function of an executor" }, [&]() -> bool {
            if constexpr (std::is_same_v<decltype(post(queue_run{ queue })), bool>)
                return post(queue_run{ queue });
            else
                return post(queue_run{ queue }), true;
        });
    }
    static void destroy(void *context) { delete static_cast<executor_box *>(context); }
};

} // namespace detail

/* Where calls are delivered later. It ends with its variable, and with it its observers: as
 * peal_queue_destroy. The program's main queue is peal_queue_main(). Since 0.1. */
class queue : public unique<peal_queue>
{
public:
    using unique::unique;

    /* Threads of peal's own run it, one call at a time. */
    static queue serial(const queue_options &options = queue_options()) { return try_serial(options).value(); }
    static result<queue> try_serial(const queue_options &options = queue_options()) { return create(options.raw()); }

    /* The program runs it, by pump(). */
    static queue pumped(const queue_options &options = queue_options()) { return try_pumped(options).value(); }
    static result<queue> try_pumped(const queue_options &options = queue_options())
    {
        peal_queue_options raw = options.raw();
        raw.kind = PEAL_QUEUE_PUMPED;
        return create(raw);
    }

    /* The program's own executor runs it.
     *
     * post: takes a peal::queue_run, and arranges that it is called once. It runs on the broadcasting thread;
     *   if it returns false or throws, the calls are rejected. It is destroyed when the queue has ended. */
    template <class F> static queue executor(F post, const queue_options &options = queue_options())
    {
        return try_executor(std::move(post), options).value();
    }
    template <class F> static result<queue> try_executor(F post, const queue_options &options = queue_options())
    {
        using box = detail::executor_box<F>;
        peal_queue_options raw = options.raw();
        raw.kind = PEAL_QUEUE_EXECUTOR;
        raw.submit = box::submit;
        raw.context = new box{ std::move(post) };
        raw.destroy = box::destroy;
        return create(raw);
    }

    /* As peal_queue_pump: how many calls were made. */
    std::size_t pump(std::size_t limit = 0)
    {
        std::size_t calls = 0;
        result<void>(peal_queue_pump(*this, limit, &calls)).value();
        return calls;
    }
    /* As peal_queue_flush. */
    void flush(uint32_t timeout = PEAL_FOREVER) { try_flush(timeout).value(); }
    result<void> try_flush(uint32_t timeout = PEAL_FOREVER) { return result<void>(peal_queue_flush(*this, timeout)); }
    /* As peal_queue_descriptor: for poll and similar functions. */
    int descriptor() const
    {
        int descriptor = -1;
        result<void>(peal_queue_descriptor(*this, &descriptor)).value();
        return descriptor;
    }
    /* As peal_queue_pause and peal_queue_resume. */
    void pause() { result<void>(peal_queue_pause(*this)).value(); }
    void resume() { result<void>(peal_queue_resume(*this)).value(); }
    /* As peal_queue_is_current. */
    bool is_current() const noexcept { return peal_queue_is_current(*this); }
    /* As peal_queue_get_info. */
    peal_queue_info info() const
    {
        peal_queue_info info = {};
        info.size = sizeof info;
        result<void>(peal_queue_get_info(*this, &info)).value();
        return info;
    }

private:
    static result<queue> create(const peal_queue_options &options)
    {
        peal_queue raw = {};
        const peal_status status = peal_queue_create(&options, &raw);
        return detail::made<queue>(status, raw);
    }
};

} // namespace peal

#endif
