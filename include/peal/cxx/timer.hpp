/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/timer.hpp - timers. Include <peal/peal.hpp> instead.
 *
 *     peal::timer saving = peal::timer::every(30s, [&] { document.save(); });
 *     peal::timer limit = peal::timer::once(500ms, [&] { cancel(); }, peal::timer_options().on(queue));
 */
#ifndef PEAL_CXX_TIMER_HPP
#define PEAL_CXX_TIMER_HPP

#include "observer.hpp"

#include <chrono>

namespace peal
{

/* Options of a timer; each function returns the options. Since 0.1. */
class timer_options
{
public:
    /* From the start to the first firing; else one period. */
    timer_options &delay(std::chrono::nanoseconds time) { return raw_.delay_ns = time.count(), *this; }
    /* How much later a firing may be. */
    timer_options &tolerance(std::chrono::nanoseconds time) { return raw_.tolerance_ns = time.count(), *this; }
    /* The queue of its firings. Without one: a serial queue of its own. */
    timer_options &on(peal_queue queue) { return raw_.queue = queue, *this; }
    /* To whom it belongs. */
    timer_options &owned_by(peal_owner owner) { return raw_.owner = owner, *this; }
    /* It stands until start() is called. */
    timer_options &standing() { return is_standing_ = true, *this; }

    const peal_timer_options &raw() const noexcept { return raw_; }
    bool is_standing() const noexcept { return is_standing_; }

private:
    peal_timer_options raw_ = PEAL_TIMER_OPTIONS(nullptr, nullptr, 0);
    bool is_standing_ = false;
};

namespace detail
{

/* The function of a timer: f(), or f(object) of a weak target. */
template <class Target, class F> struct timer_box {
    Target target;
    F function;

    static void fire(void *self) noexcept
    {
        timer_box &box = *static_cast<timer_box *>(self);
        guard(location{ {}, "the function of a timer" }, [&]() -> void {
            if constexpr (std::is_same_v<Target, no_target>)
                (void)box.function();
            else
                (void)box.function(*box.target.object);
        });
    }
    static void destroy(void *self) { delete static_cast<timer_box *>(self); }
};

template <class T> void set_weak(peal_timer_options &options, weak_target<T> &target)
{
    options.weak = &weak_functions<T>::type;
    options.weak_reference = &target.held;
}
template <class Target> void set_weak(peal_timer_options &, Target &) {}

} // namespace detail

/* A timer that runs. It ends with its variable, which waits for a call on another thread. Since 0.1. */
class [[nodiscard]] timer : public unique<peal_timer>
{
public:
    using unique::unique;

    /* Calls f periodically, and begins now, unless the options include standing().
     *
     * Fails as peal_timer_create: PEAL_ERROR_ARGUMENT for a period of zero or below. */
    template <class F>
    static timer every(std::chrono::nanoseconds period, F f, const timer_options &options = timer_options())
    {
        return try_every(period, std::move(f), options).value();
    }
    template <class F>
    static result<timer> try_every(std::chrono::nanoseconds period, F f, const timer_options &options = timer_options())
    {
        return create(period, 0, no_target(), std::move(f), options);
    }

    /* The same for an object: f(object), while it is alive. Once it is dead, the timer ends. */
    template <class T, class F>
    static timer every(
        std::chrono::nanoseconds period, std::weak_ptr<T> object, F f, const timer_options &options = timer_options())
    {
        detail::weak_target<T> target = detail::target_of(std::move(object));
        if (target.object == nullptr)
            detail::raise({ PEAL_ERROR_ARGUMENT, "the object of the timer is dead already, or was never there" });
        return create(period, 0, std::move(target), std::move(f), options).value();
    }

    /* Calls f once after each start: now, and whenever start() is called again. */
    template <class F>
    static timer once(std::chrono::nanoseconds delay, F f, const timer_options &options = timer_options())
    {
        return try_once(delay, std::move(f), options).value();
    }
    template <class F>
    static result<timer> try_once(std::chrono::nanoseconds delay, F f, const timer_options &options = timer_options())
    {
        return create(delay, PEAL_TIMER_ONCE, no_target(), std::move(f), options);
    }

    /* As peal_timer_start: begins again from now. */
    void start() { result<void>(peal_timer_start(*this)).value(); }
    /* As peal_timer_restart. */
    void restart(std::chrono::nanoseconds delay, std::chrono::nanoseconds period)
    {
        result<void>(peal_timer_restart(*this, delay.count(), period.count())).value();
    }
    /* As peal_timer_stop. */
    void stop() { result<void>(peal_timer_stop(*this)).value(); }
    /* As peal_timer_fire: puts one firing on the queue now. */
    void fire() { result<void>(peal_timer_fire(*this)).value(); }
    /* As peal_timer_get_info. */
    peal_timer_info info() const
    {
        peal_timer_info info = {};
        info.size = sizeof info;
        result<void>(peal_timer_get_info(*this, &info)).value();
        return info;
    }

private:
    template <class Target, class F>
    static result<timer> create(
        std::chrono::nanoseconds period, uint32_t flags, Target target, F f, const timer_options &options)
    {
        using box_type = detail::timer_box<Target, F>;
        auto *const box = new box_type{ std::move(target), std::move(f) };
        peal_timer_options raw = options.raw();
        raw.flags = flags;
        raw.period_ns = period.count();
        raw.fire = box_type::fire;
        raw.target = box;
        raw.destroy = box_type::destroy;
        detail::set_weak(raw, box->target);
        peal_timer made = {};
        const peal_status status = peal_timer_create(&raw, &made);
        result<timer> timer = detail::made<peal::timer>(status, made);
        if (timer && !options.is_standing()) {
            const peal_status started = peal_timer_start(made);
            if (started < 0)
                return failure::last(started);
        }
        return timer;
    }
};

} // namespace peal

#endif
