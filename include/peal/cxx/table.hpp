/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/table.hpp - calls through tables: of services and proxies. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_TABLE_HPP
#define PEAL_CXX_TABLE_HPP

#include "define.hpp"

namespace peal {
namespace detail {

/* A table: its size, and a function for each method of a protocol that adopts none. */
inline constexpr std::size_t table_size_of(std::size_t methods) { return sizeof(std::size_t) * (1 + methods); }
static_assert(sizeof(std::size_t) == sizeof(peal_function), "a table is read word by word");

/* The function at a rank; none where the table is too short. */
inline peal_function function_at(const void *table, int rank) noexcept
{
    std::size_t size = 0;
    peal_function function = nullptr;
    if (table == nullptr || rank < 0)
        return nullptr;
    std::memcpy(&size, table, sizeof size);
    const std::size_t offset = table_size_of(static_cast<std::size_t>(rank));
    if (offset + sizeof function <= size)
        std::memcpy(&function, static_cast<const char *>(table) + offset, sizeof function);
    return function;
}

/* The places of a struct's methods in a table are known where it adopts nothing. */
template <class P> constexpr void must_be_declared()
{
    static_assert(
        std::is_base_of_v<protocol, P> && !std::is_same_v<protocol, P>,
        "peal: give the struct that peal::define made, not a peal::protocol: it knows the places in a table");
    static_assert(
        adopts_of<P>::names == nullptr,
        "peal: tables of protocols that adopt others are those of the C list macro (PEAL_PROTOCOL_ADOPTING)");
}

/* How large a table of a protocol is that adopts none. */
inline std::size_t table_size_of(peal_protocol protocol) noexcept
{
    std::size_t methods = 0;
    (void)peal_protocol_list_methods(protocol, nullptr, 0, &methods);
    return table_size_of(methods);
}

/* A table that can be called: whose it is, and with what. */
struct callable_table {
    peal_protocol protocol = {};
    void *self = nullptr;
    const void *table = nullptr;

    template <class R, class... A, class... C>
    R call(const method<R(A...)> &method, C... arguments) const
    {
        const char *const trouble = method.rank() < 0
            ? ": only methods of a struct that peal::define made know their place in a table"
            : method.protocol().number != protocol.number
            ? ": it is no method of the protocol whose table this is"
            : ": the table has no function for it; it is optional, or of a later version";
        const peal_function function = method.protocol().number == protocol.number
            ? function_at(table, method.rank())
            : nullptr;
        if (function == nullptr)
            raise({ PEAL_ERROR_NOT_FOUND, method.name() + trouble });
        return reinterpret_cast<R (*)(void *, C...)>(function)(self, arguments...);
    }
};

} // namespace detail
} // namespace peal

#endif
