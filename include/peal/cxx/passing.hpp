/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/passing.hpp - how C++ types go through calls of C. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_PASSING_HPP
#define PEAL_CXX_PASSING_HPP

#include "type.hpp"

#include <string_view>

namespace peal
{

/* A text on its way into a call: of a `const char *`, a std::string or a std::string_view. A string_view is
 * copied, because C needs a zero at its end; the others are not. Since 0.1. */
class text
{
public:
    text(const char *characters) noexcept : characters_(characters) {}
    text(const std::string &string) noexcept : characters_(string.c_str()) {}
    text(std::string_view view) : copy_(view), characters_(nullptr) {}
    text(std::nullopt_t) noexcept : characters_(nullptr), is_none_(true) {}

    /* The characters, *borrowed from* this. */
    const char *c_str() const noexcept { return characters_ != nullptr || is_none_ ? characters_ : copy_.c_str(); }

private:
    std::string copy_;
    const char *characters_;
    bool is_none_ = false;
};

/* How a C++ type is passed in a call of C: `c_type` is the type in C, `given` the parameter of a broadcast.
 * Specialise it for a type that has another type in C. Since 0.1. */
template <class T, class = void> struct passing {
    static_assert(std::is_trivially_copyable_v<T>,
        "peal: this type cannot go through a C call; pass a pointer, a plain struct, or write a peal::passing");
    static_assert(!std::is_class_v<T> || detail::has_name<T>,
        "peal: declare the C name and members of this struct: PEAL_CXX_TYPE(T, \"struct T\", text)");
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
    static std::string from_c(const char *value) { return value != nullptr ? std::string(value) : std::string(); }
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

} // namespace peal

#endif
