/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/invocation.hpp - calls as objects, typed. Include <peal/peal.hpp> instead.
 *
 *     peal::invocation call(chat.weigh, 10);       recorded; no observer was called
 *     call.set_argument<0>(20);
 *     int sum = call.broadcast();                  as often as you like
 *     int one = call.invoke(observation);
 *     call.invoke([](int n) { return n; });
 */
#ifndef PEAL_CXX_INVOCATION_HPP
#define PEAL_CXX_INVOCATION_HPP

#include "observer.hpp"

namespace peal
{

template <class Signature> class invocation;

namespace detail
{

/* The function that an invocation calls, and the exception that it threw. */
template <class F, class Signature> struct invoked_function;
template <class F, class R, class... A> struct invoked_function<F, R(A...)> {
    F &function;
    std::exception_ptr thrown;

    static R call(void *self, c_of<A>... arguments) noexcept
    {
        auto &invoked = *static_cast<invoked_function *>(self);
#if PEAL_CXX_EXCEPTIONS
        try {
            return static_cast<R>(invoked.function(passing_of<A>::from_c(arguments)...));
        } catch (...) {
            invoked.thrown = std::current_exception();
            return R();
        }
#else
        return static_cast<R>(invoked.function(passing_of<A>::from_c(arguments)...));
#endif
    }
};

/* Returns true if a broadcast takes a peal::text for a parameter, whose copy ends with the call. */
template <class A> constexpr bool is_text = std::is_same_v<given_of<A>, text>;

/* The functions of a typed invocation, owned or not. `Self` has its handle, by get(). */
template <class Self, class Signature> class invocation_functions;
template <class Self, class R, class... A> class invocation_functions<Self, R(A...)>
{
    template <std::size_t index> using parameter = std::tuple_element_t<index, std::tuple<A...>>;

public:
    /* An argument. A text in it is *borrowed* from the invocation, until an argument is set or it ends. */
    template <std::size_t index> auto argument() const
    {
        static_assert(index < sizeof...(A), "peal: the method has no such parameter; the first has index 0");
        c_of<parameter<index>> value{};
        result<void>(peal_invocation_get_argument(raw(), index, &value, sizeof value)).value();
        return passing_of<parameter<index>>::from_c(value);
    }
    /* Sets an argument. A text is copied: all arguments are retained before, see retain_arguments(). After a failure
     * the argument is unchanged. */
    template <std::size_t index, class Given> void set_argument(Given &&given) const
    {
        static_assert(index < sizeof...(A), "peal: the method has no such parameter; the first has index 0");
        const given_of<parameter<index>> taken(std::forward<Given>(given));
        if (!are_whole(taken))
            raise(cut_text("an argument of an invocation"));
        const c_of<parameter<index>> value = passing_of<parameter<index>>::to_c(taken);
        /* If they cannot be retained, no argument may point to a text that has ended after this. */
        if constexpr (is_text<parameter<index>>)
            retain_arguments();
        result<void>(peal_invocation_set_argument(raw(), index, &value, sizeof value)).value();
    }
    /* Makes the invocation own the memory that its arguments point to, as peal_invocation_retain_arguments does. */
    void retain_arguments() const { result<void>(peal_invocation_retain_arguments(raw())).value(); }
    bool retains_arguments() const noexcept { return peal_invocation_retains_arguments(raw()); }

    /* Calls every observer, as a broadcast of the method does, and returns the result of its policy.
     * Throws peal::error and peal::observer_error as that does. */
    R broadcast() const
    {
        catching caught;
        check(peal_invocation_broadcast(raw(), nullptr, nullptr, nullptr), caught);
        return kept_result();
    }
    /* The same without exceptions: how it went. */
    outcome<R> send() const
    {
        catching caught;
        outcome<R> done;
        void *value = nullptr;
        if constexpr (!std::is_void_v<R>)
            value = &done.value;
        done.status = peal_invocation_broadcast(raw(), nullptr, value, &done.calls);
        if (done.status < 0)
            done.message = peal_last_message();
        done.thrown = caught.count;
        done.exception = caught.first;
        return done;
    }
    /* Calls one observer, as peal_invocation_invoke. */
    R invoke(peal_observation observation) const
    {
        catching caught;
        check(peal_invocation_invoke(raw(), observation), caught);
        return kept_result();
    }
    /* Calls a callable that takes the method's parameters. Its exceptions reach the caller. */
    template <class F, class = std::enable_if_t<!std::is_convertible_v<F, peal_observation>>> R invoke(F &&f) const
    {
        static_assert(std::is_invocable_r_v<R, F &, decltype(passing_of<A>::from_c(std::declval<c_of<A>>()))...>,
            "peal: this callable does not take the method's parameters, or does not return its result");
        using invoked_type = invoked_function<std::remove_reference_t<F>, R(A...)>;
        invoked_type invoked{ f, nullptr };
        result<void> done(
            peal_invocation_invoke_function(raw(), &invoked, reinterpret_cast<peal_function>(&invoked_type::call)));
        done.value();
#if PEAL_CXX_EXCEPTIONS
        if (invoked.thrown)
            std::rethrow_exception(invoked.thrown);
#endif
        return kept_result();
    }

    /* The result of the last call; zero before the first. */
    template <class Result = R> Result last_result() const
    {
        static_assert(!std::is_void_v<R>, "peal: this method has no result");
        return kept_result();
    }
    /* Sets the result, which a later read returns instead of that of a call. */
    template <class Result = R> void set_result(Result value) const
    {
        static_assert(!std::is_void_v<R>, "peal: this method has no result");
        const R wanted = static_cast<R>(value);
        result<void>(peal_invocation_set_result(raw(), &wanted, sizeof wanted)).value();
    }

    /* Returns another invocation of the same method, which owns its arguments. Fails as peal_invocation_duplicate. */
    invocation<R(A...)> duplicate() const;

private:
    peal_invocation raw() const noexcept { return static_cast<const Self *>(this)->get(); }

    R kept_result() const
    {
        if constexpr (!std::is_void_v<R>) {
            R value = R();
            result<void>(peal_invocation_get_result(raw(), &value, sizeof value)).value();
            return value;
        }
    }
    void check(peal_status status, const catching &caught) const
    {
        if (status < 0)
            raise(failure::last(status));
        if (caught.count != 0)
            throw_caught(caught, { {}, "an invocation" });
    }
};

} // namespace detail

/* A call that is not made yet: a method, its arguments, its result. It ends with its variable, and is moved, not
 * copied: duplicate() makes another. Several threads may use one at once. Since 0.1. */
template <class R, class... A>
class [[nodiscard]] invocation<R(A...)> : public unique<peal_invocation>,
                                          public detail::invocation_functions<invocation<R(A...)>, R(A...)>
{
public:
    /* No invocation: every call of it fails with PEAL_ERROR_HANDLE. */
    invocation() noexcept = default;
    /* Takes a handle over. Nothing checks that it is of a method with this signature. */
    explicit invocation(peal_invocation raw) noexcept : unique(raw) {}

    /* Records a call of a method. Where it has a text all its arguments are retained, since a text that is given
     * may have ended after this; pointers of other methods are *borrowed* until retain_arguments().
     *
     * Fails as peal_invocation_create_with, and with texts as peal_invocation_retain_arguments: PEAL_ERROR_TYPE
     * for a pointer without a rule. */
    template <class... Given>
    explicit invocation(const method<R(A...)> &method, Given &&...given)
        : invocation(try_of(method, std::forward<Given>(given)...).value())
    {
    }
    static result<invocation> try_of(const method<R(A...)> &method, detail::given_of<A>... given)
    {
        if (!detail::are_whole(given...))
            return detail::cut_text(method.name());
        return record(method, detail::passing_of<A>::to_c(given)...);
    }

private:
    template <class... C> static result<invocation> record(peal_method method, C... arguments)
    {
        void *pointers[] = { const_cast<void *>(static_cast<const volatile void *>(&arguments))..., nullptr };
        peal_invocation raw = {};
        peal_status status = peal_invocation_create_with(method, pointers, sizeof...(C), &raw);
        invocation made(raw);
        if constexpr ((detail::is_text<A> || ...)) {
            if (status >= 0)
                status = peal_invocation_retain_arguments(raw);
        }
        if (status < 0)
            return failure::last(status);
        return { std::move(made), status };
    }
};
template <class R, class... A, class... Given> invocation(const method<R(A...)> &, Given &&...) -> invocation<R(A...)>;

template <class Self, class R, class... A>
invocation<R(A...)> detail::invocation_functions<Self, R(A...)>::duplicate() const
{
    peal_invocation made = {};
    const peal_status status = peal_invocation_duplicate(raw(), &made);
    return detail::made<invocation<R(A...)>>(status, made).value();
}

/* An invocation of a known method that other code owns. Since 0.1. */
template <class Signature> class typed_call : public detail::invocation_functions<typed_call<Signature>, Signature>
{
public:
    explicit typed_call(peal_invocation raw) noexcept : raw_(raw) {}
    peal_invocation get() const noexcept { return raw_; }

private:
    peal_invocation raw_;
};

/* An invocation of any method that other code owns, as a forwarding stage receives it (forwarding.hpp). It is a
 * value, *borrowed during the call*; duplicate one to keep it. Since 0.1. */
class any_call
{
public:
    explicit any_call(peal_invocation raw) noexcept : raw_(raw) {}
    peal_invocation get() const noexcept { return raw_; }
    operator peal_invocation() const noexcept { return raw_; }

    /* Its method. */
    peal_method method() const
    {
        peal_method found = {};
        result<void>(peal_invocation_method(raw_, &found)).value();
        return found;
    }
    /* The method's name. */
    std::string name() const { return detail::name_of(method()); }
    /* Returns true if it is a call of that method. */
    bool is(peal_method wanted) const { return method().id == wanted.id; }
    /* With the types of its method. Fails with PEAL_ERROR_CONFLICT where they are others. */
    template <class Signature> typed_call<Signature> as() const
    {
        result<void>(peal_method_check(method(), peal::signature<Signature>::prototype)).value();
        return typed_call<Signature>(raw_);
    }
    /* The same by a method; none where it is a call of another. */
    template <class R, class... A> std::optional<typed_call<R(A...)>> as(const peal::method<R(A...)> &wanted) const
    {
        if (!is(wanted))
            return std::nullopt;
        return typed_call<R(A...)>(raw_);
    }

private:
    peal_invocation raw_;
};

} // namespace peal

#endif
