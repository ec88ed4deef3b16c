/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/define.hpp - making protocols of C++ structs. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_DEFINE_HPP
#define PEAL_CXX_DEFINE_HPP

#include "protocol.hpp"

namespace peal
{
namespace detail
{

/* The methods of the struct that is being made on this thread, in order. */
struct declarations {
    declarations *outer;
    std::vector<declared_method> methods;

    inline declarations() noexcept;
    inline ~declarations();
    declarations(const declarations &) = delete;
    declarations &operator=(const declarations &) = delete;
};
inline thread_local declarations *current_declarations = nullptr;

declarations::declarations() noexcept : outer(current_declarations) { current_declarations = this; }
declarations::~declarations() { current_declarations = outer; }

/* The text of a method for peal. */
inline std::string text_of_method(const declared_method &method)
{
    std::string text = method.is_required == requirement::required ? "required " : "optional ";
    if (std::strchr(method.name, '(') != nullptr)
        text += method.name;
    else
        text.append(method.result_text)
            .append(" ")
            .append(method.name)
            .append("(")
            .append(method.parameter_text)
            .append(")");
    if (method.options[0] != '\0')
        text.append(", ").append(method.options);
    return text;
}

template <class P, class = void> struct adopts_of {
    static constexpr const char *const *names = nullptr;
};
template <class P> struct adopts_of<P, std::void_t<decltype(P::adopts)>> {
    static constexpr const char *const *names = P::adopts;
};

/* Defines the declared methods, and stores the handle of each. */
inline result<peal_protocol> define_declared(
    peal_center center, const char *name, const char *const *adopts, const declarations &declared)
{
    std::vector<std::string> texts;
    std::vector<const char *> list;
    for (const declared_method &method : declared.methods) {
        result<void> known = method.declare_types(center);
        if (!known)
            return failure{ known.status(), known.message() };
        texts.push_back(text_of_method(method));
    }
    for (const std::string &text : texts)
        list.push_back(text.c_str());
    list.push_back(nullptr);
    const peal_protocol_description description = { sizeof description, name, adopts, list.data(), 0 };
    peal_protocol protocol = {};
    std::vector<peal_method> handles(texts.size() + 1);
    peal_status status = peal_protocol_define(center, &description, &protocol, handles.data(), texts.size());
    for (std::size_t i = 0; i < texts.size() && status >= 0; i++)
        status = peal_method_check(handles[i], declared.methods[i].prototype);
    if (status < 0)
        return failure::last(status);
    for (std::size_t i = 0; i < texts.size(); i++)
        declared.methods[i].method->become(protocol, handles[i], static_cast<int>(i), adopts == nullptr ? i + 1 : 0);
    return protocol;
}

} // namespace detail

/* Defines a protocol that is declared as a C++ struct, or finds it where it is defined with the same methods,
 * in whatever language. Its structs by value are declared too.
 *
 * P: a struct with the base peal::protocol, a `static constexpr const char *protocol_name`, and its methods as
 *   members, in order. Where it adopts protocols, their names are in
 *   `static constexpr const char *adopts[] = { "Chat", nullptr };`.
 * Fails as peal_protocol_define and peal_type_declare; PEAL_ERROR_TYPE too where the compiler and peal see a
 * struct with another size; PEAL_ERROR_CONFLICT where a prototype that was written as a text is not the
 * signature's.
 * Thread rule: any thread. Since 0.1. */
template <class P> result<P> try_define(peal_center center)
{
    static_assert(std::is_base_of_v<protocol, P>, "peal: let the struct have the base peal::protocol");
    detail::declarations declared;
    P made{}; /* its methods are noted down */
    const result<peal_protocol> defined = detail::define_declared(
        center, P::protocol_name, detail::adopts_of<P>::names, declared);
    if (!defined)
        return failure{ defined.status(), defined.message() };
    static_cast<protocol &>(made) = protocol(*defined);
    return made;
}
template <class P> P define(peal_center center) { return try_define<P>(center).value(); }

/* A method of the C list macro as a typed object: its signature is taken from the table's member, which the
 * same list made.
 *
 *     auto on_message = PEAL_METHOD_OF(chat, handles, on_message);
 *
 * tag: of the list macro. handles: its `struct chat_protocol`, defined. Since 0.1. */
#define PEAL_METHOD_OF(tag, handles, method_name) \
    peal::detail::method_of_member(&tag::method_name, (handles).protocol, (handles).method_name)

namespace detail
{

template <class T, class R, class... A>
method<R(A...)> method_of_member(R (*T::*)(void *, A...), peal_protocol protocol, peal_method raw)
{
    method<R(A...)> typed;
    typed.become(protocol, raw, -1, 0);
    return typed;
}

} // namespace detail

template <class R, class... A>
method<R(A...)>::method(peal::requirement is_required, const char *name, const char *options)
{
    if (detail::current_declarations != nullptr)
        detail::current_declarations->methods.push_back({ is_required, name, options, signature::result_text.data,
            signature::parameter_text.data, signature::prototype, detail::declare_types<R(A...)>, this });
}

/* The protocol of the default center that reports exceptions which no broadcast of C++ receives
 * (exception.hpp):
 *
 *     const auto exceptions = peal::define<peal::exceptions>(peal_center_default());
 *     auto heard = exceptions.observer_threw.observe([](std::string_view method, std::string_view message) { ... });
 *
 * method: "Chat.on_message". message: what() of the exception. In an observer without a queue
 * std::current_exception() is the exception itself. Since 0.1. */
struct exceptions : protocol {
    static constexpr const char *protocol_name = "PealExceptions";
    method<void(std::string_view, std::string_view)> observer_threw{ optional, "observer_threw", "reject" };
};

} // namespace peal

#endif
