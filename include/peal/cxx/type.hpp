/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/type.hpp - the C names of C++ types. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_TYPE_HPP
#define PEAL_CXX_TYPE_HPP

#include "chars.hpp"
#include "error.hpp"

#include <cstdint>
#include <type_traits>

namespace peal
{

/* How a struct or an enum is called in C, and declared. Write one with PEAL_CXX_TYPE, or by hand:
 *
 *     template <> struct peal::type<point> {
 *         static constexpr char name[] = "struct point";
 *         static constexpr const char *declaration = "struct point { double x, y; };";
 *     };
 *
 * `declaration` may be nullptr for types that are only pointed to. Since 0.1. */
template <class T> struct type {};

/* Defines the name and declaration of a type for peal, at namespace scope:
 *
 *     PEAL_TYPE(point_text, struct point { double x, y; });
 *     PEAL_CXX_TYPE(point, "struct point", point_text);
 *
 * Since 0.1. */
#define PEAL_CXX_TYPE(T, c_name, c_declaration)                   \
    template <> struct peal::type<T> {                            \
        static constexpr char name[] = c_name;                    \
        static constexpr const char *declaration = c_declaration; \
    }

template <> struct type<peal_completion> {
    static constexpr char name[] = "peal_completion";
    static constexpr const char *declaration = nullptr; /* built in */
};

namespace detail
{

template <class T> using bare = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T> constexpr bool never = false;

template <class T, class = void> constexpr bool has_name = false;
template <class T> constexpr bool has_name<T, std::void_t<decltype(type<T>::name)>> = true;

template <class T> struct scalar {};
#define PEAL_CXX_SCALAR_(T)                                   \
    template <> struct scalar<T> {                            \
        static constexpr auto text() { return chars_of(#T); } \
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
    static constexpr auto text() { return type_text<A>() + chars_of(", ") + list_text<B, More...>::text(); }
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

} // namespace peal

#endif
