/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/chars.hpp - texts that the compiler puts together. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_CHARS_HPP
#define PEAL_CXX_CHARS_HPP

#include <cstddef>

namespace peal
{
namespace detail
{

/* A text of a length that the compiler computes, ended by a zero. */
template <std::size_t length> struct chars {
    char data[length + 1] = {};
};

template <std::size_t size> constexpr chars<size - 1> chars_of(const char (&literal)[size])
{
    chars<size - 1> text;
    for (std::size_t i = 0; i + 1 < size; i++)
        text.data[i] = literal[i];
    return text;
}

template <std::size_t left, std::size_t right>
constexpr chars<left + right> operator+(const chars<left> &first, const chars<right> &second)
{
    chars<left + right> text;
    for (std::size_t i = 0; i < left; i++)
        text.data[i] = first.data[i];
    for (std::size_t i = 0; i < right; i++)
        text.data[left + i] = second.data[i];
    return text;
}

/* The compiler's own spelling of a type is in the name of this function, after "T = ". */
template <class T> constexpr const char *spelling_of() { return __PRETTY_FUNCTION__; }

struct span_of_spelling {
    const char *begin;
    std::size_t length;
};

template <class T> constexpr span_of_spelling find_spelling()
{
    const char *text = spelling_of<T>();
    while (!(text[0] == 'T' && text[1] == ' ' && text[2] == '=' && text[3] == ' '))
        text++;
    text += 4;
    std::size_t end = 0, length = 0;
    for (; text[end] != '\0'; end++)
        if (text[end] == ']')
            length = end;
    return { text, length };
}

constexpr bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name of a class as C may write it: `net::socket` is `net__socket`. */
template <class T> constexpr auto name_of_class()
{
    constexpr span_of_spelling spelling = find_spelling<T>();
    chars<spelling.length> name;
    for (std::size_t i = 0; i < spelling.length; i++)
        name.data[i] = is_of_name(spelling.begin[i]) ? spelling.begin[i] : '_';
    return name;
}

} // namespace detail
} // namespace peal

#endif
