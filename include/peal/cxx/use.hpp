/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/use.hpp - uses of services' instances. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_USE_HPP
#define PEAL_CXX_USE_HPP

#include "table.hpp"

namespace peal
{

/* A use of a service's instance, which is kept alive until this ends. Since 0.1. */
class [[nodiscard]] use : public unique<peal_use>
{
public:
    use() noexcept = default;

    /* As peal_service_get: by the service's name; without a table. */
    static use of(peal_center center, const char *name) { return try_of(center, name).value(); }
    static result<use> try_of(peal_center center, const char *name)
    {
        peal_service_use raw = {};
        const peal_status status = peal_service_get(center, name, &raw);
        return made(status, raw);
    }

    /* As peal_service_get_provider: by a protocol that was declared as a C++ struct, with its table. */
    template <class P, class = std::enable_if_t<std::is_base_of_v<protocol, P>>>
    static use of(peal_center center, const P &protocol)
    {
        return try_of(center, protocol).value();
    }
    template <class P, class = std::enable_if_t<std::is_base_of_v<protocol, P>>>
    static result<use> try_of(peal_center center, const P &protocol)
    {
        detail::must_be_declared<P>();
        peal_service_use raw = {};
        const peal_status status = peal_service_get_provider(
            center, P::protocol_name, detail::table_size_of(protocol.get()), &raw);
        return made(status, raw, protocol);
    }

    /* Takes ownership of a use from PEAL_SERVICE: use::of(PEAL_SERVICE(clock, center)). */
    template <class TypedUse> static use of(const TypedUse &typed)
    {
        if (typed.self == nullptr)
            detail::raise(failure::last(peal_last_status()));
        return use({ typed.self, typed.table, typed.use }, {});
    }

    /* The instance; NULL once the use has ended. */
    void *self() const noexcept { return *this ? call_.self : nullptr; }
    /* The instance of a service whose class is given by the caller; it is not checked. */
    template <class T> T &as() const noexcept { return *static_cast<T *>(self()); }
    /* The table, as the C list macro's struct: `use.table<clock>().now(use.self(), 3)`. Nothing checks that it
     * is that protocol's. */
    template <class Table> const Table &table() const noexcept { return *static_cast<const Table *>(call_.table); }
    /* Calls a method of the protocol that the use was requested by. PEAL_ERROR_NOT_FOUND for a method of another protocol. */
    template <class R, class... A> R call(const method<R(A...)> &method, detail::given_of<A>... arguments) const
    {
        if (!*this)
            detail::raise({ PEAL_ERROR_STATE, method.name() + ": the use has ended; get the service again" });
        return call_.call(method, arguments...);
    }

private:
    friend class service;
    use(const peal_service_use &raw, peal_protocol protocol) noexcept
        : unique(raw.use), call_{ protocol, raw.self, raw.table }
    {
    }
    static result<use> made(peal_status status, const peal_service_use &raw, peal_protocol protocol = {})
    {
        if (status < 0)
            return failure::last(status);
        return use(raw, protocol);
    }

    detail::callable_table call_;
};

/* An instance that is valid until the end of the block, on this thread. Cheaper than a use. Since 0.1. */
class scope
{
public:
    /* As peal_scope_begin; without a table, or with that of a protocol that was declared as a C++ struct. */
    explicit scope(peal_service service) { begin(service, {}, 0); }
    template <class P> scope(peal_service service, const P &protocol)
    {
        detail::must_be_declared<P>();
        begin(service, protocol, detail::table_size_of(protocol.get()));
    }
    ~scope()
    {
        if (raw_.self != nullptr)
            (void)peal_scope_end(&raw_);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    /* As those of peal::use. */
    void *self() const noexcept { return raw_.self; }
    template <class T> T &as() const noexcept { return *static_cast<T *>(raw_.self); }
    template <class R, class... A> R call(const method<R(A...)> &method, detail::given_of<A>... arguments) const
    {
        const detail::callable_table callable{ protocol_, raw_.self, raw_.table };
        return callable.call(method, arguments...);
    }

private:
    void begin(peal_service service, peal_protocol protocol, std::size_t size)
    {
        protocol_ = protocol;
        result<void>(peal_scope_begin(service, protocol, size, &raw_)).value();
    }

    peal_protocol protocol_ = {};
    peal_scope raw_ = {};
};

} // namespace peal

#endif
