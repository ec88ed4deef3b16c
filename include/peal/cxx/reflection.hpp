/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/reflection.hpp - descriptions, fingerprints and lists. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_REFLECTION_HPP
#define PEAL_CXX_REFLECTION_HPP

#include "handle.hpp"
#include "method.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace peal
{

namespace detail
{

struct destroy_type {
    void operator()(const peal_type *type) const noexcept { peal_type_destroy(type); }
};

/* The type of a parameter that converts its argument. */
template <class T> struct only {
    using type = T;
};

} // namespace detail

/* A description that ends with its variable: see reflection.h. Since 0.1. */
using type_description = std::unique_ptr<const peal_type, detail::destroy_type>;

/* As peal_method_describe and peal_type_describe; on failure they throw peal::error. Since 0.1. */
inline type_description describe(peal_method method)
{
    const peal_type *type = nullptr;
    result<void>(peal_method_describe(method, &type)).value();
    return type_description(type);
}
inline type_description describe(peal_center center, const std::string &name)
{
    const peal_type *type = nullptr;
    if (!detail::is_whole(name))
        detail::raise(detail::cut_text("the name of a type"));
    result<void>(peal_type_describe(center, name.c_str(), &type)).value();
    return type_description(type);
}

/* As peal_method_fingerprint and peal_protocol_fingerprint; on failure they throw peal::error. Since 0.1. */
inline std::uint64_t fingerprint(peal_method method)
{
    std::uint64_t value = 0;
    result<void>(peal_method_fingerprint(method, &value)).value();
    return value;
}
inline std::uint64_t fingerprint(peal_protocol protocol)
{
    std::uint64_t value = 0;
    result<void>(peal_protocol_fingerprint(protocol, &value)).value();
    return value;
}

/* As peal_method_canonical_text and peal_protocol_canonical_text; empty for a stale handle. Since 0.1. */
inline std::string canonical_text(peal_method method)
{
    return detail::text_of([method](char *buffer, std::size_t capacity, std::size_t *length) {
        return peal_method_canonical_text(method, buffer, capacity, length);
    });
}
inline std::string canonical_text(peal_protocol protocol)
{
    return detail::text_of([protocol](char *buffer, std::size_t capacity, std::size_t *length) {
        return peal_protocol_canonical_text(protocol, buffer, capacity, length);
    });
}

/* The handles of a list function of the C interface; on failure they throw peal::error.
 *
 *     for (peal_protocol protocol : peal::list(peal_protocol_list, center))
 *
 * Since 0.1. */
template <class Handle> std::vector<Handle> list(peal_status (*function)(Handle *, std::size_t, std::size_t *))
{
    std::vector<Handle> handles(16);
    std::size_t count = 0;
    while (result<void>(function(handles.data(), handles.size(), &count)).value() == PEAL_TRUNCATED)
        handles.resize(count);
    handles.resize(count);
    return handles;
}
template <class Handle, class Object>
std::vector<Handle> list(
    peal_status (*function)(Object, Handle *, std::size_t, std::size_t *), typename detail::only<Object>::type object)
{
    std::vector<Handle> handles(16);
    std::size_t count = 0;
    while (result<void>(function(object, handles.data(), handles.size(), &count)).value() == PEAL_TRUNCATED)
        handles.resize(count);
    handles.resize(count);
    return handles;
}

} // namespace peal

#endif
