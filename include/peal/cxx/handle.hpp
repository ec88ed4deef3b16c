/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/handle.hpp - handles that end themselves. Include <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_HANDLE_HPP
#define PEAL_CXX_HANDLE_HPP

#include "error.hpp"

namespace peal
{

/* How a handle of the C interface is ended: a static function `end`. */
template <class Raw> struct ending;

template <> struct ending<peal_center> {
    static void end(peal_center center) noexcept { (void)peal_center_destroy(center); }
};
/* Waits for the observer's calls on other threads, so that a lambda's references may end next. It waits even
 * where the registration has already ended, for example by its ONCE call. */
template <> struct ending<peal_observation> {
    static void end(peal_observation observation) noexcept
    {
        const bool was_fine = peal_last_status() == PEAL_OK;
        if (peal_observation_remove_with(observation, PEAL_REMOVE_WAIT, PEAL_FOREVER) == PEAL_ERROR_HANDLE && was_fine)
            peal_clear_failure();
    }
};
template <> struct ending<peal_queue> {
    static void end(peal_queue queue) noexcept { (void)peal_queue_destroy(queue); }
};
/* Waits for the timer's call on another thread. */
template <> struct ending<peal_timer> {
    static void end(peal_timer timer) noexcept { peal_timer_cleanup(&timer); }
};
/* Waits for the target's calls on other threads. */
template <> struct ending<peal_proxy> {
    static void end(peal_proxy proxy) noexcept { (void)peal_proxy_destroy_and_wait(proxy, PEAL_FOREVER); }
};
template <> struct ending<peal_invocation> {
    static void end(peal_invocation invocation) noexcept { (void)peal_invocation_destroy(invocation); }
};
template <> struct ending<peal_use> {
    static void end(peal_use use) noexcept { (void)peal_use_release(use); }
};
template <> struct ending<peal_service> {
    static void end(peal_service service) noexcept { (void)peal_service_remove(service); }
};
template <> struct ending<peal_tap> {
    static void end(peal_tap tap) noexcept { peal_tap_cleanup(&tap); }
};
template <> struct ending<peal_property> {
    static void end(peal_property property) noexcept { (void)peal_property_remove(property); }
};
/* Waits for the owner's code that runs. */
template <> struct ending<peal_owner> {
    static void end(peal_owner owner) noexcept { (void)peal_owner_retire(owner, PEAL_FOREVER); }
};
/* Drops an answer that was not given. */
template <> struct ending<peal_completion> {
    static void end(peal_completion token) noexcept { (void)peal_completion_release(token); }
};

/* A handle that ends when its variable does. It moves and does not copy. It converts to the plain
 * handle for functions of the C interface.
 *
 * `ending<Raw>` defines the end; a handle whose object has already ended does nothing. Since 0.1. */
template <class Raw> class unique
{
public:
    unique() noexcept = default;
    /* Takes ownership of a handle. */
    explicit unique(Raw raw) noexcept : raw_(raw) {}
    unique(unique &&other) noexcept : raw_(other.release()) {}
    unique &operator=(unique &&other) noexcept
    {
        if (this != &other) {
            reset();
            raw_ = other.release();
        }
        return *this;
    }
    unique(const unique &) = delete;
    unique &operator=(const unique &) = delete;
    ~unique() { reset(); }

    /* The plain handle, *borrowed until* this one ends; zero when there is none. */
    Raw get() const & noexcept { return raw_; }
    operator Raw() const & noexcept { return raw_; }
    Raw get() const && = delete;
    operator Raw() const && = delete;
    /* Returns true if there is a handle. */
    explicit operator bool() const noexcept { return raw_.id != 0; }
    /* Releases the handle without ending it: the caller must end it. */
    Raw release() noexcept { return std::exchange(raw_, Raw()); }
    /* Ends it now. */
    void reset() noexcept
    {
        if (raw_.id != 0)
            ending<Raw>::end(release());
    }

private:
    Raw raw_ = Raw();
};

namespace detail
{

/* The result of the C interface, or its failure. */
template <class Handle, class Raw> result<Handle> made(peal_status status, Raw raw)
{
    if (status < 0)
        return failure::last(status);
    return { Handle(raw), status };
}

} // namespace detail

/* An isolated namespace of protocols and observers. The functions below take a `peal_center`: pass one of these,
 * or peal_center_default(). Since 0.1. */
class center : public unique<peal_center>
{
public:
    using unique::unique;

    /* As peal_center_create. */
    static center create() { return try_create().value(); }
    static result<center> try_create()
    {
        peal_center raw = {};
        const peal_status status = peal_center_create(&raw);
        return detail::made<center>(status, raw);
    }
};

/* A set of registrations that end together, those of a plugin for example. It is retired with its variable.
 * Since 0.1. */
class owner : public unique<peal_owner>
{
public:
    using unique::unique;

    /* As peal_owner_create. */
    static owner create(const char *name) { return try_create(name).value(); }
    static result<owner> try_create(const char *name)
    {
        peal_owner raw = {};
        const peal_status status = peal_owner_create(name, &raw);
        return detail::made<owner>(status, raw);
    }

    /* As peal_owner_retire: PEAL_OK when no code of the owner can be called any more. After PEAL_NOT_WAITED it
     * may be called again; else the end of the variable waits. */
    result<void> try_retire(uint32_t timeout = PEAL_FOREVER)
    {
        const peal_status status = peal_owner_retire(get(), timeout);
        if (status != PEAL_NOT_WAITED)
            (void)release();
        return result<void>(status);
    }

    /* Registrations of the thread belong to the owner until the end of this variable's scope. */
    class entered
    {
    public:
        explicit entered(peal_owner owner) : is_entered_(peal_owner_enter(owner) >= 0)
        {
            if (!is_entered_)
                detail::raise(failure::last(peal_last_status()));
        }
        ~entered()
        {
            if (is_entered_)
                (void)peal_owner_leave();
        }
        entered(const entered &) = delete;
        entered &operator=(const entered &) = delete;

    private:
        bool is_entered_;
    };
    /* As peal_owner_enter, with the leave at the end of the variable's scope. */
    [[nodiscard]] entered enter() const & { return entered(*this); }
};

} // namespace peal

#endif
