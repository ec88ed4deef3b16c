/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/signature.hpp - C prototypes of C++ types, made by the compiler. Include <peal/peal.hpp> instead.
 *
 * The text of `bool(std::string_view, int)` is "bool f(const char *, int)". It is made at compile time, and
 * compared with the protocol when an observer is registered or a method is looked up.
 *
 *     C++                                    the text
 *     bool, char, integers, float, double    their own names; `long` is the type of int64_t here
 *     enums                                  the integer below them, or the name of their peal::type
 *     T *, const T *                         "T *", "const T *"
 *     a class that a pointer refers to       "struct T", or the name of its peal::type
 *     a struct by value                      the name of its peal::type, which must have a declaration
 *     R (*)(A...)                            "R (*)(A...)"
 *     std::string_view, std::string          "const char *"; NULL is an empty text
 *     std::optional<std::string_view>        "const char *"; NULL is no text
 *     peal::token                            "peal_completion" (completion.hpp)
 *     const T &                              as T
 */
#ifndef PEAL_CXX_SIGNATURE_HPP
#define PEAL_CXX_SIGNATURE_HPP

#include "passing.hpp"

#include <cstring>

namespace peal
{

namespace detail
{

template <class T> struct checked_parameter {
    static_assert(!std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>>,
        "peal: a parameter cannot be a reference that is written through; take a value or a pointer");
    using passing = peal::passing<bare<T>>;
};
template <class T> using passing_of = typename checked_parameter<T>::passing;
template <class T> using c_of = typename passing_of<T>::c_type;
template <class T> using given_of = typename passing_of<T>::given;

/* Types that a center must know by value before a prototype mentions them. */
struct wanted_type {
    const char *name, *declaration;
    std::size_t size, alignment;
};
template <class T> constexpr wanted_type wanted_of()
{
    if constexpr (has_name<T> && !std::is_void_v<T>) {
        if constexpr (type<T>::declaration != nullptr)
            return { type<T>::name, type<T>::declaration, sizeof(T), alignof(T) };
        else
            return { nullptr, nullptr, 0, 0 };
    } else {
        return { nullptr, nullptr, 0, 0 };
    }
}

} // namespace detail

/* A signature `R(A...)`: its types in C, and its text. Since 0.1. */
template <class Signature> struct signature;

template <class R, class... A> struct signature<R(A...)> {
    static_assert(sizeof...(A) <= PEAL_PARAMETER_LIMIT, "peal: a method has at most 64 parameters");
    static_assert(std::is_void_v<R> || std::is_same_v<R, detail::c_of<R>>,
        "peal: a result must be a type of C: no caller would own the text of a string");
    using type = R(A...);
    using c_result = R;
    /* The observer's function. */
    using function = R (*)(void *, detail::c_of<A>...);
    /* The function without `self`. */
    using bare_function = R (*)(detail::c_of<A>...);

    static constexpr auto result_text = detail::type_text<R>();
    static constexpr auto parameter_text = detail::list_text<detail::c_of<A>...>::text();
    static constexpr auto prototype_text = result_text + detail::chars_of(" f(") + parameter_text
                                         + detail::chars_of(")");
    /* "bool f(const char *, int)" */
    static constexpr const char *prototype = prototype_text.data;

    static constexpr detail::wanted_type wanted[] = { detail::wanted_of<std::remove_cv_t<R>>(),
        detail::wanted_of<detail::c_of<A>>()... };
};

namespace detail
{

template <class R, class... A> struct callable_of {
    using type = R(A...);
};
template <class T> struct member_call {};
#define PEAL_CXX_MEMBER_CALL_(qualifiers)                                                                          \
    template <class C, class R, class... A> struct member_call<R (C::*)(A...) qualifiers> : callable_of<R, A...> { \
        using object = C;                                                                                          \
    };
PEAL_CXX_MEMBER_CALL_()
PEAL_CXX_MEMBER_CALL_(const)
PEAL_CXX_MEMBER_CALL_(noexcept)
PEAL_CXX_MEMBER_CALL_(const noexcept)
PEAL_CXX_MEMBER_CALL_(&)
PEAL_CXX_MEMBER_CALL_(const &)
#undef PEAL_CXX_MEMBER_CALL_

template <class F, class = void> struct callable {
    static_assert(never<F>,
        "peal: the parameters of this callable cannot be seen (auto, or overloads); name the method by a"
        " typed peal::method instead of a text, or write the types");
};
template <class F> struct callable<F, std::void_t<decltype(&F::operator())>> : member_call<decltype(&F::operator())> {};
template <class R, class... A> struct callable<R (*)(A...), void> : callable_of<R, A...> {};
template <class R, class... A> struct callable<R (*)(A...) noexcept, void> : callable_of<R, A...> {};
template <class R, class... A> struct callable<R(A...), void> : callable_of<R, A...> {};

/* The signature of a lambda, a function object or a function. */
template <class F> using signature_of = typename callable<F>::type;

/* Declares a type in a center, and compares the center's layout with the compiler's. */
inline result<void> declare_type(peal_center center, const wanted_type &wanted)
{
    std::size_t size = 0, alignment = 0;
    peal_status status = peal_type_declare(center, wanted.declaration);
    if (status >= 0)
        status = peal_type_layout(center, wanted.name, &size, &alignment);
    if (status < 0)
        return failure::last(status);
    if (size != wanted.size || alignment != wanted.alignment)
        return failure{ PEAL_ERROR_TYPE,
            std::string(wanted.name) + " has " + std::to_string(wanted.size) + " bytes for the compiler and "
                + std::to_string(size) + " by its declaration; make the declaration in peal::type that of the struct" };
    return result<void>();
}

/* Does so with the types of a signature. The variables of one type are in a function of their own: gcc 12 with -O1 and the
 * address sanitizer writes to those of a loop's body after it has marked them as ended. */
template <class Signature> result<void> declare_types(peal_center center)
{
    for (const wanted_type &wanted : signature<Signature>::wanted)
        if (wanted.declaration != nullptr) {
            result<void> declared = declare_type(center, wanted);
            if (!declared)
                return declared;
        }
    return result<void>();
}

} // namespace detail
} // namespace peal

#endif
