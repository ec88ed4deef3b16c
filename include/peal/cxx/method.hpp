/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/method.hpp - methods as typed objects, and their broadcasts. Include <peal/peal.hpp> instead.
 *
 *     peal::method<void(std::string_view, int)> on_message = ...;
 *     on_message("lobby", 5);                              every observer, one after the other
 *
 *     peal::method<int(int)> weigh = ...;
 *     int sum = weigh(10);                                 the result of the method's policy
 *     std::optional<int> answer = weigh.ask(10);           none when no observer was called
 *     std::vector<int> all = weigh.collect(10);
 *     int most = weigh.by(PEAL_POLICY_MAX, 10);
 *     double mean = weigh.fold(0.0, [](double &sum, int one) { sum += one; }, 10);
 *     peal::outcome<int> outcome = weigh.send(10);         throws nothing of peal's
 */
#ifndef PEAL_CXX_METHOD_HPP
#define PEAL_CXX_METHOD_HPP

#include "exception.hpp"
#include "signature.hpp"

#include <vector>

namespace peal
{

/* Requirement of a method: required or optional for the observers of its protocol. */
enum class requirement { required, optional };
inline constexpr requirement required = requirement::required;
inline constexpr requirement optional = requirement::optional;

/* The outcome of a broadcast. Since 0.1. */
template <class R> struct outcome {
    peal_status status = PEAL_OK; /* as of peal_send */
    std::string message;          /* of a failure */
    std::size_t calls = 0;        /* observers that were called, or whose call was put on a queue */
    std::size_t thrown = 0;       /* observers that threw; their results were zero */
    std::exception_ptr exception; /* the exception of the first of them */
    R value = R();                /* the result of the policy */

    /* Returns true if the broadcast succeeded, and no observer threw. */
    explicit operator bool() const noexcept { return status >= 0 && thrown == 0; }
};
template <> struct outcome<void> {
    peal_status status = PEAL_OK;
    std::string message;
    std::size_t calls = 0;
    std::size_t thrown = 0;
    std::exception_ptr exception;

    explicit operator bool() const noexcept { return status >= 0 && thrown == 0; }
};

class observation;
class observe_options;

namespace detail
{

/* The words after the prototype in a method's declaration. */
inline bool has_option(const std::string &declaration, const char *option)
{
    const std::size_t length = std::strlen(option);
    for (std::size_t at = declaration.find(", "); at != std::string::npos; at = declaration.find(", ", at + 2))
        if (declaration.compare(at + 2, length, option) == 0)
            return true;
    return false;
}

template <class Ask> std::string text_of(Ask ask)
{
    char few[128];
    std::size_t length = 0;
    few[0] = 0;
    if (ask(few, sizeof few, &length) != PEAL_TRUNCATED)
        return few;
    std::string text(length + 1, '\0');
    (void)ask(&text[0], text.size(), &length);
    text.resize(std::strlen(text.c_str()));
    return text;
}

inline std::string name_of(peal_method method)
{
    return text_of([method](char *buffer, std::size_t capacity, std::size_t *length) {
        return peal_method_name(method, buffer, capacity, length);
    });
}

/* A method in a struct that is being defined. */
struct declared_method {
    requirement is_required;
    const char *name, *options;
    const char *result_text, *parameter_text, *prototype;
    result<void> (*declare_types)(peal_center);
    class method_handle *method;
};

/* The common base of methods of all signatures. */
class method_handle
{
public:
    /* The plain handle; zero before the method was defined or found. */
    peal_method get() const noexcept { return method_; }
    operator peal_method() const noexcept { return method_; }
    /* The protocol it was found in. */
    peal_protocol protocol() const noexcept { return protocol_; }
    /* Returns true if it was defined or found. */
    explicit operator bool() const noexcept { return method_.id != 0; }
    /* Its name, as peal_method_name. */
    std::string name() const { return name_of(method_); }
    /* As peal_method_count_observers; 0 for no method. */
    std::size_t count_observers() const noexcept
    {
        std::size_t count = 0;
        (void)peal_method_count_observers(method_, &count);
        return count;
    }
    /* Its index among the protocol's own methods, from 0, if the protocol was defined from this struct;
     * else -1. */
    int rank() const noexcept { return rank_; }

    /* For peal.hpp itself: the method is that of the handle. place: of its function in a table, in words; 0: its
     * observers are registered by name. */
    void become(peal_protocol protocol, peal_method method, int rank, std::size_t place)
    {
        protocol_ = protocol;
        method_ = method;
        rank_ = rank;
        place_ = place;
        const std::string declaration = text_of([method](char *buffer, std::size_t capacity, std::size_t *length) {
            return peal_method_declaration(method, buffer, capacity, length);
        });
        is_sent_ = has_option(declaration, "defer") || has_option(declaration, "reject");
        is_many_ = has_option(declaration, "collect") || has_option(declaration, "fold");
        const std::string name = name_of(method);
        const std::size_t size = name.size() < sizeof short_name_ ? name.size() : 0;
        std::memcpy(short_name_, name.data(), size);
        short_name_[size] = '\0';
    }
    /* For peal.hpp itself: the name that it had when it was defined or found. */
    std::string first_name() const { return short_name_[0] != '\0' ? std::string(short_name_) : name(); }

protected:
    /* The failure of a broadcast. */
    failure why(peal_status status) const
    {
        if (is_many_ && status == PEAL_ERROR_POLICY)
            return { status, name() + " gives many results, not one; call collect() or fold() of the method" };
        return failure::last(status);
    }

    peal_method method_ = {};
    peal_protocol protocol_ = {};
    int rank_ = -1;
    std::size_t place_ = 0;
    char short_name_[32] = ""; /* empty if the name is longer; a registration need not fetch it */
    bool is_sent_ = false; /* recursion is restricted: only peal_send can broadcast it */
    bool is_many_ = false; /* its own policy is COLLECT or FOLD */
};

} // namespace detail

template <class Signature> class method;

/* A method of a protocol, with its C++ signature. It is a value and may be copied freely.
 *
 * Thread rule: any thread; it may wait. Since 0.1. */
template <class R, class... A> class method<R(A...)> : public detail::method_handle
{
public:
    using signature = peal::signature<R(A...)>;

    /* No method: broadcasts fail with PEAL_ERROR_HANDLE. */
    method() noexcept = default;

    /* A method of a protocol that is declared as a C++ struct (protocol.hpp).
     *
     * name: *borrowed permanently*: the method's name; or, where parameters need names, the whole prototype:
     *   "void on_data(const uint8_t *__counted_by(n) bytes, size_t n)".
     * options: *borrowed permanently*: those of protocol.h, separated by commas: "first_true, since(2)". */
    inline method(peal::requirement is_required, const char *name, const char *options = "");

    /* Calls every observer. For a method with a result it returns the result of the policy.
     *
     * Throws peal::error when it fails, and peal::observer_error when observers threw. A remark (PEAL_DEFERRED,
     * PEAL_REJECTED) is success, which only `send` reports. Under PEAL_POLICY_COLLECT and FOLD there is no
     * single result: PEAL_ERROR_POLICY. */
    R operator()(detail::given_of<A>... arguments) const
    {
        must_be_whole(arguments...);
        detail::catching caught;
        if constexpr (std::is_void_v<R>) {
            check(call_each(detail::passing_of<A>::to_c(arguments)...), caught);
        } else {
            R value = R();
            check(ask_for(nullptr, &value, nullptr, detail::passing_of<A>::to_c(arguments)...), caught);
            return value;
        }
    }

    /* The same without exceptions: returns the outcome. */
    outcome<R> send(detail::given_of<A>... arguments) const
    {
        detail::catching caught;
        outcome<R> done;
        void *value = nullptr;
        if constexpr (!std::is_void_v<R>)
            value = &done.value;
        if (!detail::are_whole(arguments...)) {
            failure cut = detail::cut_text(name());
            done.status = cut.status;
            done.message = std::move(cut.message);
            return done;
        }
        done.status = ask_for(nullptr, value, &done.calls, detail::passing_of<A>::to_c(arguments)...);
        if (done.status < 0)
            done.message = why(done.status).message;
        done.thrown = caught.count;
        done.exception = caught.first;
        return done;
    }

    /* The result, or none when no observer was called. */
    template <class Result = R> std::optional<Result> ask(detail::given_of<A>... arguments) const
    {
        static_assert(!std::is_void_v<R>, "peal: this method has no result");
        must_be_whole(arguments...);
        detail::catching caught;
        std::optional<Result> value = Result();
        std::size_t calls = 0;
        check(ask_for(nullptr, &*value, &calls, detail::passing_of<A>::to_c(arguments)...), caught);
        if (calls == 0)
            value.reset();
        return value;
    }

    /* The result by another policy than the method's. COLLECT and FOLD have functions of their own. */
    template <class Result = R> Result by(peal_policy policy, detail::given_of<A>... arguments) const
    {
        static_assert(!std::is_void_v<R>, "peal: this method has no result");
        if (policy == PEAL_POLICY_COLLECT || policy == PEAL_POLICY_FOLD)
            detail::raise({ PEAL_ERROR_POLICY, name() + ": by() gives one result; call collect() or fold() for many" });
        must_be_whole(arguments...);
        detail::catching caught;
        peal_send_options options = PEAL_SEND_OPTIONS;
        options.policy = policy;
        Result value = Result();
        check(ask_for(&options, &value, nullptr, detail::passing_of<A>::to_c(arguments)...), caught);
        return value;
    }

    /* All results, in the order of the calls. Observers that threw have none. */
    template <class Result = R> std::vector<Result> collect(detail::given_of<A>... arguments) const
    {
        const auto add = [](std::vector<Result> &all, const Result &one) {
            if (all.capacity() == 0)
                all.reserve(16); /* most methods have fewer observers, so this is the only allocation */
            all.push_back(one);
        };
        return fold(std::vector<Result>(), add, std::move(arguments)...);
    }

    /* Folds the results: f(accumulator, result) for each, in the order of the calls. An f that returns
     * bool stops the broadcast by false; one that throws stops it too, and the exception is passed on. */
    template <class T, class F> T fold(T accumulator, F &&f, detail::given_of<A>... arguments) const
    {
        static_assert(!std::is_void_v<R>, "peal: this method has no result");
        must_be_whole(arguments...);
        folding<T, std::remove_reference_t<F>> state{ accumulator, f };
        peal_send_options options = PEAL_SEND_OPTIONS;
        options.policy = PEAL_POLICY_FOLD;
        options.fold = &state.take;
        options.fold_context = &state;
        const peal_status status = ask_for(&options, &accumulator, nullptr, detail::passing_of<A>::to_c(arguments)...);
#if PEAL_CXX_EXCEPTIONS
        if (state.thrown)
            std::rethrow_exception(state.thrown);
#endif
        check(status, state.caught);
        return accumulator;
    }

    /* Observes this method alone: f takes its parameters and returns its result. Parameters of f may be
     * `auto`. The rest is as for protocol::observe. */
    template <class F> observation observe(F f) const;
    template <class F> observation observe(const observe_options &options, F f) const;
    template <class F> result<observation> try_observe(const observe_options &options, F f) const;

private:
    template <class F> result<observation> observe_raw(peal_observe_options &options, F f) const;

    void check(peal_status status, const detail::catching &caught) const
    {
        if (status < 0)
            detail::raise(why(status));
        if (caught.count != 0)
            detail::throw_caught(caught, { protocol_, name().c_str() });
    }

    template <class... Given> void must_be_whole(const Given &...given) const
    {
        if (!detail::are_whole(given...))
            detail::raise(detail::cut_text(name()));
    }

    template <class C> static void *address(C &value) noexcept
    {
        return const_cast<void *>(static_cast<const volatile void *>(&value));
    }

    /* By array: any policy, any recursion. */
    template <class... C>
    peal_status ask_for(
        const peal_send_options *options, void *out_result, std::size_t *out_calls, C... arguments) const
    {
        if (is_many_ && (options == nullptr || options->policy == PEAL_POLICY_METHOD))
            return PEAL_ERROR_POLICY;
        void *pointers[] = { address(arguments)..., nullptr };
        if (options == nullptr)
            return peal_send(method_, pointers, sizeof...(C), out_result, out_calls);
        return peal_send_with(method_, pointers, sizeof...(C), options, out_result, out_calls);
    }

    /* As PEAL_BROADCAST does. */
    template <class... C> peal_status call_each(C... arguments) const
    {
        if (is_sent_)
            return ask_for(nullptr, nullptr, nullptr, arguments...);
        const peal_entries entries = peal_entries_begin_all(method_);
        if (entries.hazard == nullptr) {
            /* No observer, a failure, or an earlier failure of the thread: peal_send returns the right status. */
            if (peal_last_status() == PEAL_OK)
                return PEAL_OK;
            return ask_for(nullptr, nullptr, nullptr, arguments...);
        }
        peal_call_each_<C...>(entries, arguments...);
        return PEAL_OK;
    }

    template <class T, class F> struct folding {
        T &accumulator;
        F &f;
        detail::catching caught;
        std::size_t seen = 0; /* of the exceptions that were caught */
        std::exception_ptr thrown;

        folding(T &into, F &by) : accumulator(into), f(by) {}

        static bool take(void *context, void *, const void *value) noexcept
        {
            folding &self = *static_cast<folding *>(context);
            if (self.caught.count != self.seen) {
                self.seen = self.caught.count;
                return true;
            }
#if PEAL_CXX_EXCEPTIONS
            try {
                return self.add(*static_cast<const R *>(value));
            } catch (...) {
                self.thrown = std::current_exception();
                return false;
            }
#else
            return self.add(*static_cast<const R *>(value));
#endif
        }
        bool add(const R &value)
        {
            if constexpr (std::is_same_v<decltype(f(accumulator, value)), bool>)
                return f(accumulator, value);
            else
                return f(accumulator, value), true;
        }
    };
};

} // namespace peal

#endif
