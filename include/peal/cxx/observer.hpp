/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/observer.hpp - lambdas and objects as observers. Include <peal/peal.hpp> instead.
 *
 *     peal::observation heard = chat.observe(
 *         peal::on("on_message", [&](std::string_view room, std::string_view text) { ... }),
 *         peal::on("on_close", [count = 0]() mutable { ++count; }));
 *
 *     chat.observe(std::weak_ptr<window>(w), peal::on<&window::show>("on_message"));
 *
 * Each signature is compared with the protocol's when the observer is registered, or when its method was defined:
 * PEAL_ERROR_CONFLICT names the first difference. A call costs what it costs in C: peal calls a function that the
 * compiler made for the lambda and its signature, with the lambda's box as `self`.
 */
#ifndef PEAL_CXX_OBSERVER_HPP
#define PEAL_CXX_OBSERVER_HPP

#include "handle.hpp"
#include "method.hpp"
#include "weak.hpp"

#include <tuple>

namespace peal
{

/* A registration. It ends with its variable: then no call of it starts, and calls that run on other threads
 * have been waited for. From inside its own call the end does not wait. The captures of a lambda are destroyed
 * once its last call has returned. `release()` keeps the observer registered. Since 0.1. */
class [[nodiscard]] observation : public unique<peal_observation>
{
public:
    using unique::unique;

    /* Ends it without waiting for calls that run, as peal_observation_remove. */
    void remove() noexcept
    {
        if (*this)
            (void)peal_observation_remove(release());
    }
    /* As peal_observation_remove_with: drained, waited for, or both. */
    result<void> try_remove(uint32_t flags, uint32_t timeout = PEAL_FOREVER)
    {
        return result<void>(peal_observation_remove_with(release(), flags, timeout));
    }
    /* Returns what peal_observation_is_active returns: false once the registration has ended, for whatever reason. */
    bool is_active() const noexcept { return *this && peal_observation_is_active(*this); }
    /* As peal_observation_block: skipped until it is unblocked as often. */
    void block() { result<void>(peal_observation_block(*this)).value(); }
    void unblock() { result<void>(peal_observation_unblock(*this)).value(); }
};

/* Options of a registration; each function returns the options.
 *
 *     chat.observe(peal::observe_options().priority(5).on(queue).once(), peal::on(...));
 *
 * Since 0.1. */
class observe_options
{
public:
    /* Called earlier than those with a lower one; 0 by default. */
    observe_options &priority(int32_t value) { return raw_.priority = value, *this; }
    /* Calls are delivered on a queue. */
    observe_options &on(peal_queue queue) { return raw_.queue = queue, *this; }
    /* The owner. */
    observe_options &owned_by(peal_owner owner) { return raw_.owner = owner, *this; }
    /* Called once, and removed before. */
    observe_options &once() { return with(PEAL_OBSERVE_ONCE); }
    /* Blocked once from the start. */
    observe_options &blocked() { return with(PEAL_OBSERVE_BLOCKED); }
    /* With a queue: bare pointers among the arguments outlive delivery. */
    observe_options &borrowed() { return with(PEAL_OBSERVE_BORROWED); }
    /* Only watches: its results do not count. */
    observe_options &passive() { return with(PEAL_OBSERVE_PASSIVE); }
    /* A text by which people recognise the observer. It is copied when the observer is registered. */
    observe_options &labelled(const char *text) { return raw_.label = text, *this; }
    /* Other flags of enum peal_observe_flags. */
    observe_options &with(uint32_t flags) { return raw_.flags |= flags, *this; }
    /* As the C interface has it. */
    const peal_observe_options &raw() const noexcept { return raw_; }

private:
    peal_observe_options raw_ = PEAL_OBSERVE_OPTIONS;
};

/* The target of observers and proxies that have no object. */
struct no_target {};

namespace detail
{

/* A function for a method, with the method's name. A name of another type than std::string outlives the registration. */
template <class Function, class Name = std::string> struct binding {
    using signature_type = typename Function::signature_type;
    Name name;
    Function function;
};
inline const char *name_text(const std::string &name) noexcept { return name.c_str(); }
inline const char *name_text(const char *name) noexcept { return name; }

/* A lambda for a method. */
template <class Signature, class F> struct lambda_function {
    using signature_type = Signature;
    F function;

    template <class Target, class... A> decltype(auto) invoke(Target &, A &&...arguments)
    {
        return function(std::forward<A>(arguments)...);
    }
};

/* A member function for a method, on the observer's object. */
template <auto member> struct member_function {
    using call = member_call<decltype(member)>;
    using signature_type = typename call::type;

    template <class Target, class... A> decltype(auto) invoke(Target &target, A &&...arguments)
    {
        return (target.object->*member)(std::forward<A>(arguments)...);
    }
};
template <auto member> using member_binding = binding<member_function<member>>;

/* The target of an observer: an object with its kind of reference. */
template <class T> struct borrowed_target {
    T *object;
};
template <class T> struct shared_target {
    T *object;
    std::shared_ptr<T> held;
};
template <class T> struct weak_target {
    T *object;
    std::weak_ptr<T> held;
};
template <class T> struct call_of_target<weak_target<T>> : call_of_weak_target<T> {
    explicit call_of_target(const weak_target<T> &target) noexcept : call_of_weak_target<T>(target.held) {}
};

/* The `self` of an observer, with the captured values. Freed by the destroy callback. */
template <class Target, class... Functions> struct observer_box {
    Target target;
    std::tuple<Functions...> functions;

    static void destroy(void *self) { delete static_cast<observer_box *>(self); }
};

/* The function of C for the function at an index. */
template <class Box, std::size_t index, class Signature> struct observer_function;
template <class Box, std::size_t index, class R, class... A> struct observer_function<Box, index, R(A...)> {
    static R call(void *self, c_of<A>... arguments) noexcept
    {
        Box &box = *static_cast<Box *>(self);
        auto &function = std::get<index>(box.functions);
        const call_of_target<decltype(box.target)> kept(box.target);
        if (!kept.is_alive()) {
            remove_dead_observer();
            return R();
        }
        return guard(location::of_call(),
            [&]() -> R { return static_cast<R>(function.invoke(box.target, passing_of<A>::from_c(arguments)...)); });
    }
};

template <class T> struct is_target : std::false_type {};
template <class T> struct is_target<std::shared_ptr<T>> : std::true_type {};
template <class T> struct is_target<std::weak_ptr<T>> : std::true_type {};
template <class T> struct is_target<std::reference_wrapper<T>> : std::true_type {};

/* Moves the functions of an observer into a box. */
template <class T> shared_target<T> target_of(std::shared_ptr<T> object)
{
    T *const plain = object.get();
    return { plain, std::move(object) };
}
template <class T> weak_target<T> target_of(std::weak_ptr<T> object)
{
    return { object.lock().get(), std::move(object) };
}
template <class T> borrowed_target<T> target_of(std::reference_wrapper<T> object) { return { &object.get() }; }

template <class T> void set_weak(peal_observe_options &options, weak_target<T> &target)
{
    options.weak = &weak_functions<T>::type;
    options.weak_reference = &target.held;
    options.flags |= PEAL_OBSERVE_RETAINS;
}
template <class Target> void set_weak(peal_observe_options &, Target &) {}

template <class Target> bool is_dead(const Target &) { return false; }
template <class T> bool is_dead(const shared_target<T> &target) { return target.object == nullptr; }
template <class T> bool is_dead(const weak_target<T> &target) { return target.object == nullptr; }

/* Makes the box of an observer, and registers it by `register_box`. The options are changed, and not copied: a processor
 * waits until members of different sizes are stored before it loads them together. */
template <class Target, class Register, class... Functions>
result<observation> observe_box(
    Target target, peal_observe_options &options, const Register &register_box, Functions... functions)
{
    using box_type = observer_box<Target, Functions...>;
    if (is_dead(target))
        return failure{ PEAL_ERROR_ARGUMENT, "the object that is to observe is dead already, or was never there" };
    auto *const box = new box_type{ std::move(target), { std::move(functions)... } };
    options.destroy = box_type::destroy;
    set_weak(options, box->target);
    peal_observation raw = {};
    const peal_status status = register_box(box, &raw);
    return made<observation>(status, raw);
}

template <class... Signatures, class Box, std::size_t... index>
peal_status register_bindings(peal_protocol protocol, Box *box, const char *const *names,
    const peal_observe_options &options, peal_observation *out, std::index_sequence<index...>)
{
    const peal_binding list[] = { peal_binding{ names[index],
        reinterpret_cast<peal_function>(&observer_function<Box, index, Signatures>::call),
        signature<Signatures>::prototype }... };
    return peal_observe_bindings(protocol, box, list, sizeof...(index), &options, out);
}

template <class Target, class... Functions, class... Names>
result<observation> observe_with(
    peal_protocol protocol, Target target, peal_observe_options options, binding<Functions, Names>... bindings)
{
    static_assert(sizeof...(Functions) > 0, "peal: an observer needs a function: give peal::on(...)");
    if (!are_whole(bindings.name...))
        return cut_text("the name of a method");
    const char *const names[] = { name_text(bindings.name)... };
    return observe_box(
        std::move(target), options,
        [&](auto *box, peal_observation *out) {
            return register_bindings<typename Functions::signature_type...>(
                protocol, box, names, options, out, std::index_sequence_for<Functions...>());
        },
        std::move(bindings.function)...);
}

/* The words of a table on the stack. A function after these is registered by the name of its method. */
inline constexpr std::size_t most_table_words = 8;

/* Registers the function of a method whose place in a table is known. Its signature was compared when it was defined.
 * The library compares the tables of protocols that adopt none faster than names. */
template <class Function>
result<observation> observe_in_table(
    peal_protocol protocol, std::size_t place, peal_observe_options &options, Function function)
{
    return observe_box(
        no_target(), options,
        [&](auto *box, peal_observation *out) {
            using box_type = std::remove_pointer_t<decltype(box)>;
            std::size_t table[most_table_words] = { (place + 1) * sizeof(std::size_t) };
            table[place] = reinterpret_cast<std::size_t>(
                &observer_function<box_type, 0, typename Function::signature_type>::call);
            return peal_observe(protocol, box, table, &options, out);
        },
        std::move(function));
}

} // namespace detail

/* A function for a method, by name: a lambda, a function object, a function. Its signature is that of the
 * callable; it may capture anything, also values that can only be moved. It is called by any number of threads at once, if
 * there are as many broadcasts.
 *
 * name: *copied*. Since 0.1. */
template <class F> auto on(std::string name, F function)
{
    return detail::binding<detail::lambda_function<detail::signature_of<F>, F>>{ std::move(name),
        { std::move(function) } };
}

namespace detail
{

template <class R, class... A, class F> lambda_function<R(A...), F> function_for(const method<R(A...)> &, F function)
{
    static_assert(std::is_invocable_r_v<R, F &, decltype(passing_of<A>::from_c(std::declval<c_of<A>>()))...>,
        "peal: this callable does not take the method's parameters, or does not return its result");
    return { std::move(function) };
}

} // namespace detail

/* The same by a typed method: f may have `auto` parameters, and types that convert. */
template <class R, class... A, class F> auto on(const method<R(A...)> &method, F function)
{
    auto made = detail::function_for(method, std::move(function));
    return detail::binding<decltype(made)>{ method.first_name(), std::move(made) };
}

/* A member function for a method: `peal::on<&window::show>("on_message")`. */
template <auto member> auto on(std::string name) { return detail::member_binding<member>{ std::move(name), {} }; }
template <auto member> auto on(const detail::method_handle &method)
{
    return detail::member_binding<member>{ method.first_name(), {} };
}

template <class R, class... A>
template <class F>
result<observation> method<R(A...)>::observe_raw(peal_observe_options &options, F function) const
{
    auto made = detail::function_for(*this, std::move(function));
    if (place_ != 0 && place_ < detail::most_table_words)
        return detail::observe_in_table(protocol_, place_, options, std::move(made));
    const std::string long_name = short_name_[0] != '\0' ? std::string() : name();
    const char *const known = short_name_[0] != '\0' ? short_name_ : long_name.c_str();
    return detail::observe_with(
        protocol_, no_target(), options, detail::binding<decltype(made), const char *>{ known, std::move(made) });
}
template <class R, class... A>
template <class F>
result<observation> method<R(A...)>::try_observe(const observe_options &options, F function) const
{
    peal_observe_options raw = options.raw();
    return observe_raw(raw, std::move(function));
}
template <class R, class... A>
template <class F>
observation method<R(A...)>::observe(const observe_options &options, F function) const
{
    return try_observe(options, std::move(function)).value();
}
template <class R, class... A> template <class F> observation method<R(A...)>::observe(F function) const
{
    peal_observe_options raw = PEAL_OBSERVE_OPTIONS;
    return observe_raw(raw, std::move(function)).value();
}

} // namespace peal

#endif
