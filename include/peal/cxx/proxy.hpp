/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/proxy.hpp - tables and bare functions that represent others. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_PROXY_HPP
#define PEAL_CXX_PROXY_HPP

#include "table.hpp"

namespace peal
{

/* A table whose every call is a broadcast, or goes to one object (forwarding.hpp): for code that does not use
 * peal. It ends with its variable; a later call returns zero. Since 0.1. */
class [[nodiscard]] proxy : public unique<peal_proxy>
{
public:
    proxy() noexcept = default;

    /* As peal_proxy_create. */
    static proxy of(const protocol &protocol) { return try_of(protocol).value(); }
    static result<proxy> try_of(const protocol &protocol)
    {
        peal_proxy raw = {};
        detail::callable_table call;
        call.protocol = protocol;
        const peal_status status = peal_proxy_create(protocol, nullptr, &raw, &call.self, &call.table);
        if (status < 0)
            return failure::last(status);
        return proxy(raw, call);
    }

    /* As peal_proxy_create_for; peal::forwarding makes the table and the options. `options.destroy` runs also
     * when this fails. */
    static result<proxy> try_for(
        peal_protocol protocol, void *target, const void *table, const peal_proxy_options &options)
    {
        peal_proxy raw = {};
        detail::callable_table call;
        call.protocol = protocol;
        const peal_status status = peal_proxy_create_for(
            protocol, target, table, &options, &raw, &call.self, &call.table);
        if (status < 0)
            return failure::last(status);
        return proxy(raw, call);
    }

    /* Returns true if a call reaches observers or an object, as peal_proxy_is_alive. */
    bool is_alive() const noexcept { return *this && peal_proxy_is_alive(*this); }
    /* For a redirection to this proxy. */
    peal_redirection redirection() const noexcept { return { call_.self, call_.table }; }
    /* The first argument of each function. */
    void *self() const noexcept { return call_.self; }
    /* The table, as the C list macro's struct. Nothing checks that it is that protocol's. */
    template <class Table> const Table &table() const noexcept { return *static_cast<const Table *>(call_.table); }
    /* Calls a method of a protocol that was declared as a C++ struct: as code that has the table would. */
    template <class R, class... A> R call(const method<R(A...)> &method, detail::given_of<A>... arguments) const
    {
        return call_.call(method, arguments...);
    }

private:
    proxy(peal_proxy raw, const detail::callable_table &call) noexcept : unique(raw), call_(call) {}

    detail::callable_table call_;
};

namespace detail
{

template <class F, class Signature> struct closure_box;
template <class F, class R, class... A> struct closure_box<F, R(A...)> {
    F function;

    static R call(void *self, c_of<A>... arguments) noexcept
    {
        return guard(location{ {}, "a closure" }, [&]() -> R {
            return static_cast<R>(static_cast<closure_box *>(self)->function(passing_of<A>::from_c(arguments)...));
        });
    }
    static void destroy(void *self) { delete static_cast<closure_box *>(self); }
};

/* A member function of an object that is kept during each call. */
template <class T, auto member, class Signature> struct weak_closure_box;
template <class T, auto member, class R, class... A> struct weak_closure_box<T, member, R(A...)> {
    T *object;
    std::weak_ptr<T> held;

    static R call(void *self, c_of<A>... arguments) noexcept
    {
        return guard(location{ {}, "a closure" }, [&]() -> R {
            return static_cast<R>(
                (static_cast<weak_closure_box *>(self)->object->*member)(passing_of<A>::from_c(arguments)...));
        });
    }
    static void destroy(void *self) { delete static_cast<weak_closure_box *>(self); }
};

} // namespace detail

/* A bare function of C, without a context: of a lambda that captures, or of a method, whose every call is then
 * a broadcast. It must not be called once the variable has ended.
 *
 *     peal::closure<int(const void *, const void *)> by_column([&](const void *a, const void *b) { ... });
 *     qsort(rows, count, sizeof *rows, by_column.function());
 *
 * Since 0.1. */
template <class Signature> class closure;
template <class R, class... A> class closure<R(A...)> : public unique<peal_proxy>
{
public:
    using function_type = typename signature<R(A...)>::bare_function;

    closure() noexcept = default;
    /* A function that calls a lambda, as peal_closure_create_for. An exception is caught, and the call returns zero.
     *
     * center: declares the types of the signature. */
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, A...>>>
    explicit closure(F f, peal_center center = peal_center_default()) : closure(try_of(std::move(f), center).value())
    {
    }
    /* A function that broadcasts a method, as peal_closure_create. */
    explicit closure(const method<R(A...)> &method) : closure(try_of(method).value()) {}

    template <class F> static result<closure> try_of(F f, peal_center center = peal_center_default())
    {
        return try_with(new detail::closure_box<F, R(A...)>{ std::move(f) }, center, PEAL_PROXY_OPTIONS);
    }
    /* A function that calls a member function: `peal::closure<int(int)>::of<&scales::weigh>(weak)`. The object is kept
     * alive for each call, and calls return zero once it is dead. */
    template <auto member, class T>
    static closure of(std::weak_ptr<T> object, peal_center center = peal_center_default())
    {
        return try_of<member>(std::move(object), center).value();
    }
    template <auto member, class T>
    static result<closure> try_of(std::weak_ptr<T> object, peal_center center = peal_center_default())
    {
        T *const plain = object.lock().get();
        if (plain == nullptr)
            return failure{ PEAL_ERROR_ARGUMENT, "the object of the closure is dead already, or was never there" };
        using box_type = detail::weak_closure_box<T, member, R(A...)>;
        box_type *const box = new box_type{ plain, std::move(object) };
        peal_proxy_options options = PEAL_PROXY_OPTIONS;
        options.weak = &detail::weak_functions<T>::type;
        options.weak_reference = &box->held;
        return try_with(box, center, options);
    }
    static result<closure> try_of(const method<R(A...)> &method)
    {
        peal_proxy raw = {};
        peal_function bare = nullptr;
        const peal_status status = peal_closure_create(method, nullptr, &raw, &bare);
        return made(status, raw, bare);
    }

    /* The function, *borrowed until* this ends. */
    function_type function() const noexcept { return function_; }

private:
    closure(peal_proxy raw, function_type bare) noexcept : unique(raw), function_(bare) {}
    template <class Box> static result<closure> try_with(Box *box, peal_center center, peal_proxy_options options)
    {
        std::unique_ptr<Box> owned(box);
        const result<void> known = detail::declare_types<R(A...)>(center);
        if (!known)
            return failure{ known.status(), known.message() };
        options.destroy = Box::destroy;
        peal_proxy raw = {};
        peal_function bare = nullptr;
        const peal_status status = peal_closure_create_for(center, signature<R(A...)>::prototype, owned.release(),
            reinterpret_cast<peal_function>(&Box::call), &options, &raw, &bare);
        return made(status, raw, bare);
    }
    static result<closure> made(peal_status status, peal_proxy raw, peal_function bare)
    {
        if (status < 0)
            return failure::last(status);
        return closure(raw, reinterpret_cast<function_type>(bare));
    }

    function_type function_ = nullptr;
};

} // namespace peal

#endif
