/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/passing.hpp - how C++ types go through calls of C. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_PASSING_HPP
#define PEAL_CXX_PASSING_HPP

#include "type.hpp"

#include <string_view>
#include <vector>

namespace peal
{
namespace detail
{

/* Returns true if C sees all of a text: no zero is before its end. */
inline bool is_whole(std::string_view characters) noexcept { return characters.find('\0') == std::string_view::npos; }

} // namespace detail

/* A text on its way into a call: of a `const char *`, a std::string or a std::string_view. A string_view is
 * copied, because C needs a zero at its end; the others are not. A text with a zero before its end cannot be passed to C,
 * which would see its beginning alone: a call with one fails with PEAL_ERROR_ARGUMENT. Since 0.1. */
class text
{
public:
    text(const char *characters) noexcept : characters_(characters), is_none_(characters == nullptr) {}
    text(const std::string &string) noexcept : characters_(string.c_str()), is_whole_(detail::is_whole(string)) {}
    text(std::string_view view) : copy_(view), characters_(nullptr), is_whole_(detail::is_whole(view)) {}
    text(std::nullopt_t) noexcept : characters_(nullptr), is_none_(true) {}

    /* The characters, *borrowed from* this. NULL and std::nullopt are an empty text. */
    const char *c_str() const noexcept { return characters_ != nullptr ? characters_ : copy_.c_str(); }
    /* The characters, *borrowed from* this, or NULL for NULL and std::nullopt. */
    const char *c_str_or_null() const noexcept { return is_none_ ? nullptr : c_str(); }
    /* Returns true if no zero is before the end, so that C sees the whole text. */
    bool is_whole() const noexcept { return is_whole_; }

private:
    std::string copy_;
    const char *characters_;
    bool is_none_ = false;
    bool is_whole_ = true;
};

namespace detail
{

/* Values that are no texts are whole. */
template <class T> constexpr bool is_whole_value(const T &) noexcept { return true; }
inline bool is_whole_value(const text &given) noexcept { return given.is_whole(); }
inline bool is_whole_value(const std::string &name) noexcept { return is_whole(name); }
inline bool is_whole_value(const std::vector<std::string> &names) noexcept
{
    for (const std::string &name : names)
        if (!is_whole(name))
            return false;
    return true;
}

/* Returns true if C sees all of these texts. */
template <class... T> constexpr bool are_whole(const T &...given) noexcept { return (is_whole_value(given) && ...); }

/* The failure of a call with a text that is not whole. `what` is what takes the text. */
inline failure cut_text(const std::string &what)
{
    return { PEAL_ERROR_ARGUMENT,
        what
            + ": a text has a zero before its end, where it would end in C; remove the zero, or pass the bytes with"
              " their length" };
}

} // namespace detail

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
    static const char *to_c(const text &value) noexcept { return value.c_str_or_null(); }
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
