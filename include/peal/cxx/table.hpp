/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/table.hpp - tables: calls through those of services and proxies, and making them. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_TABLE_HPP
#define PEAL_CXX_TABLE_HPP

#include "define.hpp"

namespace peal
{
namespace detail
{

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
    static_assert(std::is_base_of_v<protocol, P> && !std::is_same_v<protocol, P>,
        "peal: give the struct that peal::define made, not a peal::protocol: it has the positions in a table");
    static_assert(adopts_of<P>::names == nullptr,
        "peal: tables of protocols that adopt others are those of the C list macro (PEAL_PROTOCOL_ADOPTING)");
}

/* How large a table of a protocol is that adopts none. */
inline std::size_t table_size_of(peal_protocol protocol) noexcept
{
    std::size_t methods = 0;
    (void)peal_protocol_list_methods(protocol, nullptr, 0, &methods);
    return table_size_of(methods);
}

/* The words of a table in which a protocol has no function yet. */
inline std::vector<std::size_t> empty_table(peal_protocol protocol)
{
    std::vector<std::size_t> words(table_size_of(protocol) / sizeof(std::size_t));
    words[0] = words.size() * sizeof(std::size_t);
    return words;
}

/* Puts a function where the protocol has its method, once its prototype is compared. */
inline result<void> place_in_table(peal_protocol protocol, std::vector<std::size_t> &words, const std::string &name,
    const char *prototype, peal_function function)
{
    if (!is_whole(name))
        return cut_text("the name of a method");
    peal_method wanted = {};
    std::vector<peal_method> methods(words.size() - 1);
    peal_status status = peal_method_find(protocol, name.c_str(), &wanted);
    if (status >= 0)
        status = peal_method_check(wanted, prototype);
    if (status >= 0)
        status = peal_protocol_list_methods(protocol, methods.data(), methods.size(), nullptr);
    if (status < 0)
        return failure::last(status);
    for (std::size_t i = 0; i < methods.size(); i++)
        if (methods[i].id == wanted.id)
            words[1 + i] = reinterpret_cast<std::size_t>(function);
    return result<void>();
}

/* A table that can be called, its protocol, and the `self` of the calls. */
struct callable_table {
    peal_protocol protocol = {};
    void *self = nullptr;
    const void *table = nullptr;

    template <class R, class... A> R call(const method<R(A...)> &method, const given_of<A> &...given) const
    {
        if (!are_whole(given...))
            raise(cut_text(method.name()));
        return call_c(method, passing_of<A>::to_c(given)...);
    }

private:
    template <class R, class... A, class... C> R call_c(const method<R(A...)> &method, C... arguments) const
    {
        const char *const trouble = method.rank() < 0
                                      ? ": only methods of a struct that peal::define made have a position in a table"
                                  : method.protocol().id != protocol.id
                                      ? ": it is no method of the protocol whose table this is"
                                      : ": the table has no function for it; it is optional, or of a later version";
        const peal_function function = method.protocol().id == protocol.id ? function_at(table, method.rank())
                                                                           : nullptr;
        if (function == nullptr)
            raise({ PEAL_ERROR_NOT_FOUND, method.name() + trouble });
        return reinterpret_cast<R (*)(void *, C...)>(function)(self, arguments...);
    }
};

/* A member function in a table, whose `self` is the object. */
template <class T, auto member, class Signature> struct table_function;
template <class T, auto member, class R, class... A> struct table_function<T, member, R(A...)> {
    static R call(void *self, c_of<A>... arguments) noexcept
    {
        return guard(location{ {}, "a function of a service or module" }, [&]() -> R {
            return static_cast<R>((static_cast<T *>(self)->*member)(passing_of<A>::from_c(arguments)...));
        });
    }
};

/* The tables of a service or module whose `self` is a T. A table's mistake is reported later. */
template <class T> class table_list
{
public:
    /* A table of C, *borrowed*. */
    void add(std::string protocol, const void *table)
    {
        if (!is_whole(protocol))
            why_ = cut_text("the name of a protocol");
        tables_.push_back({ std::move(protocol), {}, table });
    }
    /* Member functions for a protocol that was declared as a C++ struct. */
    template <class P, auto... member> void add(const P &protocol, const member_binding<member> &...bindings)
    {
        must_be_declared<P>();
        made_table table{ P::protocol_name, empty_table(protocol.get()), nullptr };
        (place_function<member>(protocol, table, bindings.name), ...);
        tables_.push_back(std::move(table));
    }

    /* PEAL_OK, or the failure. */
    const failure &why() const noexcept { return why_; }
    /* As C wants them; *borrowed* from this. */
    std::vector<peal_provision> provisions() const
    {
        std::vector<peal_provision> list;
        for (const made_table &table : tables_)
            list.push_back({ table.protocol.c_str(), table.borrowed != nullptr ? table.borrowed : table.words.data() });
        list.push_back({ nullptr, nullptr });
        return list;
    }

private:
    struct made_table {
        std::string protocol;
        std::vector<std::size_t> words;
        const void *borrowed;
    };

    template <auto member> void place_function(peal_protocol protocol, made_table &table, const std::string &name)
    {
        using signature_type = typename member_binding<member>::signature_type;
        const result<void> done = place_in_table(protocol, table.words, name, signature<signature_type>::prototype,
            reinterpret_cast<peal_function>(&table_function<T, member, signature_type>::call));
        if (!done)
            why_ = { done.status(), done.message() };
    }

    std::vector<made_table> tables_;
    failure why_ = { PEAL_OK, {} };
};

/* Names as C wants them, ended by NULL; *borrowed* from the list. */
inline std::vector<const char *> ended_list(const std::vector<std::string> &names)
{
    std::vector<const char *> list;
    for (const std::string &name : names)
        list.push_back(name.c_str());
    list.push_back(nullptr);
    return list;
}

} // namespace detail
} // namespace peal

#endif
