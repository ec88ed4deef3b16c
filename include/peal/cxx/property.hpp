/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/property.hpp - named values whose observers are notified of changes. Include <peal/peal.hpp> instead.
 *
 *     auto volume = peal::property<float>::define(center, "volume", 0.5f);
 *     peal::observation shown = volume.observe([](float before, float now) { ... });
 *     volume.set(0.7f);
 */
#ifndef PEAL_CXX_PROPERTY_HPP
#define PEAL_CXX_PROPERTY_HPP

#include "observer.hpp"

namespace peal
{
namespace detail
{

/* The parameter type of a property's functions: for a std::string a std::string_view. */
template <class T> using passed_of = std::conditional_t<std::is_same_v<T, std::string>, std::string_view, T>;

template <class T, class F> struct property_box {
    using passed = passed_of<T>;
    using c_type = c_of<passed>;
    F function;

    static void changed(void *self) noexcept
    {
        guard(title(), [&]() -> void { (void)static_cast<property_box *>(self)->function(); });
    }
    static void changed_values(void *self, c_type before, c_type now) noexcept
    {
        F &function = static_cast<property_box *>(self)->function;
        guard(title(), [&]() -> void {
            if constexpr (std::is_invocable_v<F &, passed, passed>)
                (void)function(passing<passed>::from_c(before), passing<passed>::from_c(now));
            else
                (void)function(passing<passed>::from_c(now));
        });
    }
    static void recorded(void *self, const peal_change *change) noexcept
    {
        guard(title(), [&]() -> void { (void)static_cast<property_box *>(self)->function(*change); });
    }
    static void destroy(void *self) { delete static_cast<property_box *>(self); }
    static location title() { return { {}, "an observer of a property" }; }

    /* The function of C that f fits. */
    static peal_property_observer observer()
    {
        peal_property_observer made = { sizeof made, nullptr, nullptr, nullptr, nullptr };
        if constexpr (std::is_invocable_v<F &, const peal_change &>)
            made.recorded = recorded;
        else if constexpr (std::is_invocable_v<F &, passed, passed> || std::is_invocable_v<F &, passed>)
            made.changed_values = reinterpret_cast<peal_function>(changed_values);
        else if constexpr (std::is_invocable_v<F &>)
            made.changed = changed;
        else
            static_assert(never<F>, "peal: f must take (), (now), (before, now) or (const peal_change &)");
        return made;
    }
};

} // namespace detail

/* A property: a name in a center, and a value of one type. It is a reference and may be copied freely. remove()
 * ends the property for all. peal::unique<peal_property> ends it with a variable.
 *
 * T: a type of C, or std::string for a text.
 * Thread rule: any thread; it may wait. Since 0.1. */
template <class T> class property
{
    using c_type = detail::c_of<T>;
    using passed = detail::passed_of<T>;
    using given = detail::given_of<T>;
    static constexpr bool is_text = std::is_same_v<c_type, const char *>;
    static constexpr auto type_text = detail::type_text<c_type>();

public:
    /* No property: its functions fail with PEAL_ERROR_HANDLE. */
    property() noexcept = default;

    /* Defines a property, or finds the one of that name and type, which keeps its value.
     *
     * flags: enum peal_property_flags. owner: the owner that defines it.
     * Fails as peal_property_define. */
    static property define(peal_center center, const char *name, given initial = initial_value(), uint32_t flags = 0,
        peal_owner owner = {})
    {
        return try_define(center, name, std::move(initial), flags, owner).value();
    }
    static result<property> try_define(peal_center center, const char *name, given initial = initial_value(),
        uint32_t flags = 0, peal_owner owner = {})
    {
        result<void> known = detail::declare_types<void(T)>(center);
        if (!known)
            return failure{ known.status(), known.message() };
        if (!detail::are_whole(initial))
            return cut_text();
        const peal_property_options options = { sizeof options, flags, owner };
        const c_type value = detail::passing_of<T>::to_c(initial);
        property made;
        const peal_status status = peal_property_define(center, name, type_text.data, &value, &options, &made.raw_);
        return made.checked(status);
    }

    /* Finds a property by name. Fails as peal_property_find: PEAL_ERROR_TYPE when it has another type. */
    static property find(peal_center center, const char *name) { return try_find(center, name).value(); }
    static result<property> try_find(peal_center center, const char *name)
    {
        property found;
        const peal_status status = peal_property_find(center, name, type_text.data, &found.raw_);
        return found.checked(status);
    }

    /* The plain handle. */
    peal_property get_handle() const noexcept { return raw_; }
    operator peal_property() const noexcept { return raw_; }

    /* The value, as peal_property_get or peal_property_get_text. */
    T get() const { return try_get().value(); }
    result<T> try_get() const
    {
        if constexpr (is_text) {
            static_assert(std::is_same_v<T, std::string>, "peal: a text is a peal::property<std::string>");
            return try_get_text();
        } else {
            T value = T();
            const peal_status status = peal_property_get(raw_, &value, sizeof value);
            if (status < 0)
                return failure::last(status);
            return value;
        }
    }

    /* Sets the value, and notifies the observers. Their exceptions are caught: peal::observer_error, once all
     * were notified. PEAL_DEFERRED and PEAL_REJECTED are no failures; they are returned. */
    peal_status set(given value) const
    {
        must_be_whole(value);
        detail::catching caught;
        const c_type plain = detail::passing_of<T>::to_c(value);
        const peal_status status = result<void>(peal_property_set(raw_, &plain, sizeof plain)).value();
        detail::throw_caught(caught, { {}, "a property" });
        return status;
    }
    result<void> try_set(given value) const
    {
        if (!detail::are_whole(value))
            return cut_text();
        const c_type plain = detail::passing_of<T>::to_c(value);
        return result<void>(peal_property_set(raw_, &plain, sizeof plain));
    }

    /* Sets the value if it is still the expected one; returns true if it was set. */
    bool compare_and_set(given expected, given value) const
    {
        must_be_whole(expected, value);
        detail::catching caught;
        const c_type before = detail::passing_of<T>::to_c(expected);
        const c_type now = detail::passing_of<T>::to_c(value);
        bool is_set = false;
        result<void>(peal_property_compare_and_set(raw_, &before, &now, sizeof now, &is_set)).value();
        detail::throw_caught(caught, { {}, "a property" });
        return is_set;
    }

    /* Observes: f(), f(now), f(before, now) or f(const peal_change &). For a text f gets std::string_view.
     *
     * flags: enum peal_property_observe_flags. Fails as peal_property_observe. */
    template <class F> observation observe(F f, uint32_t flags = 0) const
    {
        return try_observe(observe_options(), std::move(f), flags).value();
    }
    template <class F> observation observe(const observe_options &options, F f, uint32_t flags = 0) const
    {
        return try_observe(options, std::move(f), flags).value();
    }
    template <class F> result<observation> try_observe(const observe_options &options, F f, uint32_t flags = 0) const
    {
        using box = detail::property_box<T, F>;
        const peal_property_observer observer = box::observer();
        peal_observe_options raw = options.raw();
        raw.destroy = box::destroy;
        peal_observation made = {};
        const peal_status status = peal_property_observe(raw_, new box{ std::move(f) }, &observer, flags, &raw, &made);
        return detail::made<observation>(status, made);
    }

    /* Ends the property, also one that another owner defined. */
    void remove() const { result<void>(peal_property_remove(raw_)).value(); }

private:
    static given initial_value()
    {
        if constexpr (is_text)
            return "";
        else
            return given();
    }
    static failure cut_text() { return detail::cut_text("a property"); }
    template <class... Given> static void must_be_whole(const Given &...given)
    {
        if (!detail::are_whole(given...))
            detail::raise(cut_text());
    }
    result<property> checked(peal_status status) const
    {
        if (status < 0)
            return failure::last(status);
        return *this;
    }
    result<T> try_get_text() const
    {
        std::size_t length = 0;
        std::string text;
        for (;;) {
            text.resize(length + 1);
            const peal_status status = peal_property_get_text(raw_, text.data(), text.size(), &length);
            if (status < 0)
                return failure::last(status);
            if (status == PEAL_OK)
                return text.resize(length), text;
        }
    }

    peal_property raw_ = {};
};

/* Delays the notifications of this thread's sets until the variable's scope ends: peal_batch_begin.
 * Since 0.1. */
class batch
{
public:
    batch() { result<void>(peal_batch_begin()).value(); }
    ~batch() { (void)peal_batch_end(); }
    batch(const batch &) = delete;
    batch &operator=(const batch &) = delete;
};

} // namespace peal

#endif
