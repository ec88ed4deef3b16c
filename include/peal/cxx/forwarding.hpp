/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/forwarding.hpp - proxies that represent an object. Include <peal/peal.hpp> instead.
 *
 *     peal::proxy stand_in = peal::forwarding(chat, std::weak_ptr<window>(w))
 *         .has(peal::on<&window::show>(chat.on_message))
 *         .make();
 *
 * Three stages may supply the functions that the object lacks, at the time of the call: resolve() finds a member
 * function permanently, redirect() names another table, invoke() receives the call as an object.
 */
#ifndef PEAL_CXX_FORWARDING_HPP
#define PEAL_CXX_FORWARDING_HPP

#include "function.hpp"
#include "invocation.hpp"
#include "proxy.hpp"

namespace peal
{

template <class T> class resolving;

namespace detail
{

/* The `self` of a forwarding proxy: the object, its kind of reference, and the stages. `object` is read while peal
 * keeps the object alive. */
template <class T> struct forward_box {
    T *object = nullptr;
    std::shared_ptr<T> held;
    std::weak_ptr<T> weak;
    bool is_weak = false;
    no_target none;
    function<void(T &, resolving<T> &)> resolve;
    function<peal_redirection(T &, peal_method)> redirect;
    function<void(T &, any_call)> invoke;

    static forward_box &of(void *self) noexcept { return *static_cast<forward_box *>(self); }
    static void destroy(void *self) { delete static_cast<forward_box *>(self); }

    static peal_function run_resolve(void *self, peal_method method) noexcept;
    static bool run_redirect(void *self, peal_method method, peal_redirection *out) noexcept
    {
        forward_box &box = of(self);
        *out = guard(location{ {}, "redirect() of a proxy" },
            [&]() -> peal_redirection { return box.redirect(*box.object, method); });
        return out->table != nullptr;
    }
    static void run_invoke(void *self, peal_invocation invocation) noexcept
    {
        forward_box &box = of(self);
        guard(location{ {}, "invoke() of a proxy" }, [&]() -> void { box.invoke(*box.object, any_call(invocation)); });
    }
};

/* A member function in the table of a forwarding proxy. */
template <class T, auto member, class Signature> struct forward_function;
template <class T, auto member, class R, class... A> struct forward_function<T, member, R(A...)> {
    static R call(void *self, c_of<A>... arguments) noexcept
    {
        return guard(location{ {}, "a function of a proxy" }, [&]() -> R {
            return static_cast<R>((forward_box<T>::of(self).object->*member)(passing_of<A>::from_c(arguments)...));
        });
    }
};

/* The result of redirect(), in the form of the C interface. */
inline peal_redirection redirection_of(const peal_redirection &given) noexcept { return given; }
inline peal_redirection redirection_of(const proxy *given) noexcept
{
    return given != nullptr ? given->redirection() : peal_redirection{ nullptr, nullptr };
}

} // namespace detail

/* A method that is looked for, in the first stage. Since 0.1. */
template <class T> class resolving
{
public:
    explicit resolving(peal_method method) noexcept : method_(method) {}

    /* The method that was called. */
    peal_method method() const noexcept { return method_; }
    /* Its name. */
    std::string name() const { return detail::name_of(method_); }
    /* Returns true if it is that method. */
    bool is(peal_method wanted) const noexcept { return method_.id == wanted.id; }
    /* Uses this function from now on: `if (r.is(chat.weigh)) r.use<&window::weigh>();`
     * Fails with PEAL_ERROR_CONFLICT when its parameters differ; then the next stage is called. */
    template <auto member> void use()
    {
        using signature_type = typename detail::member_call<decltype(member)>::type;
        result<void>(peal_method_check(method_, signature<signature_type>::prototype)).value();
        function_ = reinterpret_cast<peal_function>(&detail::forward_function<T, member, signature_type>::call);
    }
    /* For peal.hpp itself. */
    peal_function function() const noexcept { return function_; }

private:
    peal_method method_;
    peal_function function_ = nullptr;
};

template <class T> peal_function detail::forward_box<T>::run_resolve(void *self, peal_method method) noexcept
{
    forward_box &box = of(self);
    resolving<T> asked(method);
    guard(location{ {}, "resolve() of a proxy" }, [&]() -> void { box.resolve(*box.object, asked); });
    return asked.function();
}

/* Describes a proxy that represents an object, step by step; make() makes it. Its calls go to the object's member
 * functions, as for peal_proxy_create_for. An exception is caught, and the call returns zero. It is reported like
 * an observer's. Since 0.1. */
template <class P, class T = no_target> class forwarding
{
    using box = detail::forward_box<T>;

public:
    /* protocol: made by peal::define; it adopts no other.
     * object: a std::weak_ptr: kept alive for each call, and calls return zero once it is dead; a std::shared_ptr,
     *   kept until the proxy has ended; std::ref(object), *borrowed until* then. None: all is forwarded. */
    explicit forwarding(const P &protocol) : forwarding(protocol, new box())
    {
        if constexpr (std::is_same_v<T, no_target>)
            box_->object = &box_->none;
    }
    forwarding(const P &protocol, std::weak_ptr<T> object) : forwarding(protocol, new box())
    {
        box_->object = object.lock().get();
        box_->weak = std::move(object);
        box_->is_weak = true;
    }
    forwarding(const P &protocol, std::shared_ptr<T> object) : forwarding(protocol, new box())
    {
        box_->object = object.get();
        box_->held = std::move(object);
    }
    forwarding(const P &protocol, std::reference_wrapper<T> object) : forwarding(protocol, new box())
    {
        box_->object = &object.get();
    }

    /* Functions that the object has: has(peal::on<&window::show>(chat.on_message), ...). */
    template <auto... member> forwarding &has(detail::member_binding<member>... bindings)
    {
        (place_function<member>(bindings.name), ...);
        return *this;
    }
    /* Stage 1: f(T &, peal::resolving<T> &) may find a member function, permanently. Without an object the first
     * parameter is a `peal::no_target`. */
    template <class F> forwarding &resolve(F f)
    {
        return box_->resolve = detail::function<void(T &, resolving<T> &)>::of(std::move(f)), *this;
    }
    /* Stage 2: f(T &, peal_method) names another target for this call: a `const peal::proxy *` of the same protocol, or
     * a peal_redirection. NULL, or one without a table, names none. */
    template <class F> forwarding &redirect(F f)
    {
        return box_->redirect = detail::function<peal_redirection(T &, peal_method)>::of(
                   [f = std::move(f)](
                       T &object, peal_method method) mutable { return detail::redirection_of(f(object, method)); }),
               *this;
    }
    /* Stage 3: f(T &, peal::any_call) gets the call, and sets its result or makes it elsewhere. */
    template <class F> forwarding &invoke(F f)
    {
        return box_->invoke = detail::function<void(T &, any_call)>::of(std::move(f)), *this;
    }
    /* To whom it belongs. */
    forwarding &owned_by(peal_owner owner) { return owner_ = owner, *this; }

    /* Makes it. Fails as peal_proxy_create_for: PEAL_ERROR_CONFORMANCE where required methods are missing and no
     * stage is given; as protocol::observe where a function does not fit, or the object is dead. */
    proxy make() { return try_make().value(); }
    result<proxy> try_make()
    {
        if (why_.status < 0)
            return why_;
        if (!box_)
            return failure{ PEAL_ERROR_STATE, "this description has made its proxy already; describe another" };
        if (box_->object == nullptr)
            return failure{ PEAL_ERROR_ARGUMENT, "the object of the proxy is dead already, or was never there" };
        peal_proxy_options options = PEAL_PROXY_OPTIONS;
        options.owner = owner_;
        options.destroy = box::destroy;
        if (box_->is_weak) {
            options.weak = &detail::weak_functions<T>::type;
            options.weak_reference = &box_->weak;
        }
        options.resolve = box_->resolve ? box::run_resolve : nullptr;
        options.redirect = box_->redirect ? box::run_redirect : nullptr;
        options.invoke = box_->invoke ? box::run_invoke : nullptr;
        return proxy::try_for(protocol_, box_.release(), words_.data(), options);
    }

private:
    forwarding(const P &protocol, box *made) : protocol_(protocol), box_(made), words_(detail::empty_table(protocol))
    {
        detail::must_be_declared<P>();
    }
    template <auto member> void place_function(const std::string &name)
    {
        using signature_type = typename detail::member_binding<member>::signature_type;
        const result<void> done = detail::place_in_table(protocol_, words_, name, signature<signature_type>::prototype,
            reinterpret_cast<peal_function>(&detail::forward_function<T, member, signature_type>::call));
        if (!done)
            why_ = { done.status(), done.message() };
    }

    peal_protocol protocol_;
    std::unique_ptr<box> box_;
    std::vector<std::size_t> words_;
    peal_owner owner_ = {};
    failure why_ = { PEAL_OK, {} };
};
template <class P> forwarding(const P &) -> forwarding<P, no_target>;
template <class P, class T> forwarding(const P &, std::weak_ptr<T>) -> forwarding<P, T>;
template <class P, class T> forwarding(const P &, std::shared_ptr<T>) -> forwarding<P, T>;
template <class P, class T> forwarding(const P &, std::reference_wrapper<T>) -> forwarding<P, T>;

} // namespace peal

#endif
