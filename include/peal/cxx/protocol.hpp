/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/protocol.hpp - protocols: found, made of texts, or declared as C++ structs. Include <peal/peal.hpp>
 * instead.
 *
 *     struct chat : peal::protocol {
 *         static constexpr const char *protocol_name = "Chat";
 *         peal::method<void(std::string_view, std::string_view)> on_message{ peal::required, "on_message" };
 *         peal::method<bool(int)> may_close{ peal::optional, "may_close", "first_true" };
 *     };
 *     const chat chat = peal::define<::chat>(center);
 *     chat.on_message("lobby", "good morning");
 *
 * Its methods have the same text as those of a C list, so C and C++ may declare the same protocol: the second
 * one is compared with the first.
 */
#ifndef PEAL_CXX_PROTOCOL_HPP
#define PEAL_CXX_PROTOCOL_HPP

#include "observer.hpp"

namespace peal
{

/* A protocol of a center. It is a value and may be copied freely.
 *
 * Thread rule: any thread. Since 0.1. */
class protocol
{
public:
    /* No protocol: its functions fail with PEAL_ERROR_HANDLE. */
    protocol() noexcept = default;
    /* That of a handle, such as the list macro's `handles.protocol`. */
    explicit protocol(peal_protocol raw) noexcept : raw_(raw) {}

    /* Finds a protocol by name. */
    static protocol find(peal_center center, const char *name) { return try_find(center, name).value(); }
    static result<protocol> try_find(peal_center center, const char *name)
    {
        peal_protocol raw = {};
        const peal_status status = peal_protocol_find(center, name, &raw);
        return detail::made<protocol>(status, raw);
    }

    /* The plain handle. */
    peal_protocol get() const noexcept { return raw_; }
    operator peal_protocol() const noexcept { return raw_; }

    /* Finds a method by name, for broadcasts, and compares its prototype with the signature.
     *
     * Fails as peal_method_find and peal_method_check: PEAL_ERROR_CONFLICT names the first difference. */
    template <class Signature> method<Signature> find_method(const char *name) const
    {
        return try_find_method<Signature>(name).value();
    }
    template <class Signature> result<method<Signature>> try_find_method(const char *name) const
    {
        peal_method raw = {};
        peal_status status = peal_method_find(raw_, name, &raw);
        if (status >= 0)
            status = peal_method_check(raw, signature<Signature>::prototype);
        if (status < 0)
            return failure::last(status);
        method<Signature> found;
        found.become(raw_, raw, -1, 0);
        return found;
    }

    /* Registers an observer: observe([options,] [object,] on(...), on(...)...).
     *
     * object: for member functions: a std::weak_ptr, a weak target: once it is dead the observer is
     *   removed; a std::shared_ptr, which is kept; std::ref(object), *borrowed until* the observation has ended.
     * Captures are destroyed once: when the observer was removed and its last call has returned,
     * even where registering fails.
     * Fails as peal_observe_bindings: PEAL_ERROR_CONFLICT for another signature, PEAL_ERROR_CONFORMANCE for
     * missing methods, PEAL_ERROR_NOT_FOUND for unknown ones; PEAL_ERROR_ARGUMENT for a dead object. */
    template <class... B> observation observe(B... bindings) const
    {
        return try_observe(std::move(bindings)...).value();
    }
    template <class... B> result<observation> try_observe(B... bindings) const
    {
        return observe_by(std::move(bindings)...);
    }

    /* Registers a service, which is created by the first broadcast to it: peal_observe_service. */
    observation observe_service(const char *service, const observe_options &options = observe_options()) const
    {
        return try_observe_service(service, options).value();
    }
    result<observation> try_observe_service(
        const char *service, const observe_options &options = observe_options()) const
    {
        peal_observation raw = {};
        const peal_status status = peal_observe_service(raw_, service, &options.raw(), &raw);
        return detail::made<observation>(status, raw);
    }

    /* Its name, as peal_protocol_name. */
    std::string name() const
    {
        return detail::text_of([this](char *buffer, std::size_t capacity, std::size_t *length) {
            return peal_protocol_name(raw_, buffer, capacity, length);
        });
    }
    /* As peal_protocol_count_observers; 0 for no protocol. */
    std::size_t count_observers() const noexcept
    {
        std::size_t count = 0;
        (void)peal_protocol_count_observers(raw_, &count);
        return count;
    }

private:
    template <class First, class... B> result<observation> observe_by(First first, B... more) const
    {
        if constexpr (std::is_same_v<First, observe_options>)
            return observe_on(first, std::move(more)...);
        else
            return observe_on(observe_options(), std::move(first), std::move(more)...);
    }
    template <class First, class... B>
    result<observation> observe_on(const observe_options &options, First first, B... more) const
    {
        if constexpr (detail::is_target<First>::value)
            return detail::observe_with(raw_, detail::target_of(std::move(first)), options.raw(), std::move(more)...);
        else
            return detail::observe_with(raw_, no_target(), options.raw(), std::move(first), std::move(more)...);
    }

    peal_protocol raw_ = {};
};

} // namespace peal

#endif
