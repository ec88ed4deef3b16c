/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/signature.hpp - C prototypes of C++ types, made by the compiler. Include <peal/peal.hpp> instead.
 *
 * The text of `bool(std::string_view, int)` is "bool f(const char *, int)". It is made at compile time, and
 * compared with the protocol when an observer is registered or a method is looked up.
 *
 *     C++                                    the text
 *     bool, char, integers, float, double    their own names; `long` is what int64_t is here
 *     enums                                  the integer below them, or the name of their peal::type
 *     T *, const T *                         "T *", "const T *"
 *     a class behind a pointer               "struct T", or the name of its peal::type
 *     a struct by value                      the name of its peal::type, which must have a declaration
 *     R (*)(A...)                            "R (*)(A...)"
 *     std::string_view, std::string          "const char *"; NULL is an empty text
 *     std::optional<std::string_view>        "const char *"; NULL is no text
 *     peal::token                            "peal_completion" (completion.hpp)
 *     const T &                              as T
 */
#ifndef PEAL_CXX_SIGNATURE_HPP
#define PEAL_CXX_SIGNATURE_HPP

#include "chars.hpp"
#include "error.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace peal {

/* How a struct or an enum is called in C, and declared. Write one with PEAL_CXX_TYPE, or by hand:
 *
 *     template <> struct peal::type<point> {
 *         static constexpr char name[] = "struct point";
 *         static constexpr const char *declaration = "struct point { double x, y; };";
 *     };
 *
 * `declaration` may be nullptr for what goes behind pointers only. Since 0.1. */
template <class T> struct type {};

/* Tells peal how a type is called and declared, at namespace scope:
 *
 *     PEAL_TYPE(point_text, struct point { double x, y; });
 *     PEAL_CXX_TYPE(point, "struct point", point_text);
 *
 * Since 0.1. */
#define PEAL_CXX_TYPE(T, c_name, c_declaration)                              \
    template <> struct peal::type<T> {                                       \
        static constexpr char name[] = c_name;                               \
        static constexpr const char *declaration = c_declaration;            \
    }

template <> struct type<peal_completion> {
    static constexpr char name[] = "peal_completion";
    static constexpr const char *declaration = nullptr; /* peal knows it */
};

namespace detail {

template <class T> using bare = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T> constexpr bool never = false;

template <class T, class = void> constexpr bool has_name = false;
template <class T> constexpr bool has_name<T, std::void_t<decltype(type<T>::name)>> = true;

template <class T> struct scalar {};
#define PEAL_CXX_SCALAR_(T)                                        \
    template <> struct scalar<T> {                                 \
        static constexpr auto text() { return chars_of(#T); }      \
    };
PEAL_CXX_SCALAR_(void)
PEAL_CXX_SCALAR_(bool)
PEAL_CXX_SCALAR_(char)
PEAL_CXX_SCALAR_(signed char)
PEAL_CXX_SCALAR_(unsigned char)
PEAL_CXX_SCALAR_(short)
PEAL_CXX_SCALAR_(unsigned short)
PEAL_CXX_SCALAR_(int)
PEAL_CXX_SCALAR_(unsigned int)
PEAL_CXX_SCALAR_(long)
PEAL_CXX_SCALAR_(unsigned long)
PEAL_CXX_SCALAR_(long long)
PEAL_CXX_SCALAR_(unsigned long long)
PEAL_CXX_SCALAR_(float)
PEAL_CXX_SCALAR_(double)
PEAL_CXX_SCALAR_(long double)
PEAL_CXX_SCALAR_(wchar_t)
PEAL_CXX_SCALAR_(char16_t)
PEAL_CXX_SCALAR_(char32_t)
#undef PEAL_CXX_SCALAR_

template <class T, class = void> constexpr bool is_scalar = false;
template <class T> constexpr bool is_scalar<T, std::void_t<decltype(scalar<T>::text())>> = true;

template <class T> constexpr auto type_text();

template <class... A> struct list_text {
    static constexpr auto text() { return chars_of("void"); }
};
template <class A> struct list_text<A> {
    static constexpr auto text() { return type_text<A>(); }
};
template <class A, class B, class... More> struct list_text<A, B, More...> {
    static constexpr auto text()
    {
        return type_text<A>() + chars_of(", ") + list_text<B, More...>::text();
    }
};

template <class T> struct pointer_text {
    static constexpr auto text() { return type_text<T>() + chars_of(" *"); }
};
template <class R, class... A> struct pointer_text<R(A...)> {
    static constexpr auto text()
    {
        return type_text<R>() + chars_of(" (*)(") + list_text<A...>::text() + chars_of(")");
    }
};
template <class R, class... A> struct pointer_text<R(A...) noexcept> : pointer_text<R(A...)> {};

/* The text of a type without qualifiers at its top. */
template <class T> constexpr auto plain_text()
{
    if constexpr (has_name<T>) {
        return chars_of(type<T>::name);
    } else if constexpr (is_scalar<T>) {
        return scalar<T>::text();
    } else if constexpr (std::is_pointer_v<T>) {
        return pointer_text<std::remove_pointer_t<T>>::text();
    } else if constexpr (std::is_enum_v<T>) {
        return scalar<std::underlying_type_t<T>>::text();
    } else if constexpr (std::is_union_v<T>) {
        return chars_of("union ") + name_of_class<T>();
    } else if constexpr (std::is_class_v<T>) {
        return chars_of("struct ") + name_of_class<T>();
    } else {
        static_assert(never<T>, "peal: C has no type for this; see peal/cxx/signature.hpp for what it has");
    }
}

template <class T> constexpr auto type_text()
{
    if constexpr (std::is_pointer_v<T> && std::is_const_v<T>)
        return plain_text<std::remove_cv_t<T>>() + chars_of(" const");
    else if constexpr (std::is_pointer_v<T>)
        return plain_text<std::remove_cv_t<T>>();
    else if constexpr (std::is_const_v<T>)
        return chars_of("const ") + plain_text<std::remove_cv_t<T>>();
    else
        return plain_text<std::remove_cv_t<T>>();
}

} // namespace detail

/* A text on its way into a call: of a `const char *`, a std::string or a std::string_view. A string_view is
 * copied, since C wants a zero behind it; the others are not. Since 0.1. */
class text {
public:
    text(const char *characters) noexcept : characters_(characters) {}
    text(const std::string &string) noexcept : characters_(string.c_str()) {}
    text(std::string_view view) : copy_(view), characters_(nullptr) {}
    text(std::nullopt_t) noexcept : characters_(nullptr), is_none_(true) {}

    /* The characters, *borrowed from* this. */
    const char *c_str() const noexcept
    {
        return characters_ != nullptr || is_none_ ? characters_ : copy_.c_str();
    }

private:
    std::string copy_;
    const char *characters_;
    bool is_none_ = false;
};

/* How a C++ type goes through a call of C: `c_type` is what C sees, `given` what a broadcast takes. Write one
 * for a type of your own that C knows as another. Since 0.1. */
template <class T, class = void> struct passing {
    static_assert(
        std::is_trivially_copyable_v<T>,
        "peal: this type cannot go through a C call; pass a pointer, a plain struct, or write a peal::passing");
    static_assert(
        !std::is_class_v<T> || detail::has_name<T>,
        "peal: tell peal the C name and declaration of this struct: PEAL_CXX_TYPE(T, \"struct T\", text)");
    using c_type = T;
    using given = T;
    static constexpr T to_c(T value) noexcept { return value; }
    static constexpr T from_c(T value) noexcept { return value; }
};

template <> struct passing<std::string_view> {
    using c_type = const char *;
    using given = text;
    static const char *to_c(const text &value) noexcept { return value.c_str(); }
    static std::string_view from_c(const char *value) noexcept
    {
        return value != nullptr ? std::string_view(value) : std::string_view();
    }
};

template <> struct passing<std::string> {
    using c_type = const char *;
    using given = text;
    static const char *to_c(const text &value) noexcept { return value.c_str(); }
    static std::string from_c(const char *value)
    {
        return value != nullptr ? std::string(value) : std::string();
    }
};

template <> struct passing<std::optional<std::string_view>> {
    using c_type = const char *;
    using given = text;
    static const char *to_c(const text &value) noexcept { return value.c_str(); }
    static std::optional<std::string_view> from_c(const char *value) noexcept
    {
        if (value == nullptr)
            return std::nullopt;
        return std::string_view(value);
    }
};

template <> struct passing<void> {
    using c_type = void;
    using given = void;
};

namespace detail {

template <class T> struct checked_parameter {
    static_assert(
        !std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>>,
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

/* A signature `R(A...)`: what C makes of it, and its text. Since 0.1. */
template <class Signature> struct signature;

template <class R, class... A> struct signature<R(A...)> {
    static_assert(sizeof...(A) <= PEAL_PARAMETER_LIMIT, "peal: a method has at most 64 parameters");
    static_assert(
        std::is_void_v<R> || std::is_same_v<R, detail::c_of<R>>,
        "peal: a result must be a type of C: nobody would own the text of a string");
    using type = R(A...);
    using c_result = R;
    /* The observer's function. */
    using function = R (*)(void *, detail::c_of<A>...);
    /* The function without `self`. */
    using bare_function = R (*)(detail::c_of<A>...);

    static constexpr auto result_text = detail::type_text<R>();
    static constexpr auto parameter_text = detail::list_text<detail::c_of<A>...>::text();
    static constexpr auto prototype_text =
        result_text + detail::chars_of(" f(") + parameter_text + detail::chars_of(")");
    /* "bool f(const char *, int)" */
    static constexpr const char *prototype = prototype_text.data;

    static constexpr detail::wanted_type wanted[] = {
        detail::wanted_of<std::remove_cv_t<R>>(), detail::wanted_of<detail::c_of<A>>()...
    };
};

namespace detail {

template <class R, class... A> struct callable_of {
    using type = R(A...);
};
template <class T> struct member_call {};
#define PEAL_CXX_MEMBER_CALL_(qualifiers)                                                         \
    template <class C, class R, class... A> struct member_call<R (C::*)(A...) qualifiers>         \
        : callable_of<R, A...> {                                                                  \
        using object = C;                                                                         \
    };
PEAL_CXX_MEMBER_CALL_()
PEAL_CXX_MEMBER_CALL_(const)
PEAL_CXX_MEMBER_CALL_(noexcept)
PEAL_CXX_MEMBER_CALL_(const noexcept)
PEAL_CXX_MEMBER_CALL_(&)
PEAL_CXX_MEMBER_CALL_(const &)
#undef PEAL_CXX_MEMBER_CALL_

template <class F, class = void> struct callable {
    static_assert(
        never<F>,
        "peal: the parameters of this callable cannot be seen (auto, or overloads); name the method by a"
        " typed peal::method instead of a text, or write the types");
};
template <class F> struct callable<F, std::void_t<decltype(&F::operator())>>
    : member_call<decltype(&F::operator())> {};
template <class R, class... A> struct callable<R (*)(A...), void> : callable_of<R, A...> {};
template <class R, class... A> struct callable<R (*)(A...) noexcept, void> : callable_of<R, A...> {};
template <class R, class... A> struct callable<R(A...), void> : callable_of<R, A...> {};

/* The signature of a lambda, a function object or a function. */
template <class F> using signature_of = typename callable<F>::type;

/* Makes the types of a signature known to a center, and compares what it computes with the compiler. */
template <class Signature> result<void> know_types(peal_center center)
{
    for (const wanted_type &wanted : signature<Signature>::wanted) {
        if (wanted.declaration == nullptr)
            continue;
        std::size_t size = 0, alignment = 0;
        peal_status status = peal_type_declare(center, wanted.declaration);
        if (status >= 0)
            status = peal_type_layout(center, wanted.name, &size, &alignment);
        if (status < 0)
            return failure::last(status);
        if (size != wanted.size || alignment != wanted.alignment)
            return failure{ PEAL_ERROR_TYPE,
                std::string(wanted.name) + " has " + std::to_string(wanted.size)
                    + " bytes for the compiler and " + std::to_string(size)
                    + " by its declaration; make the declaration in peal::type that of the struct" };
    }
    return result<void>();
}

} // namespace detail
} // namespace peal

#endif
