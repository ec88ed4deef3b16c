/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/service.hpp - C++ classes as services. Include <peal/peal.hpp> instead.
 *
 *     struct account : peal::protocol {
 *         static constexpr const char *protocol_name = "Account";
 *         peal::method<const char *()> user{ peal::required, "user" };
 *     };
 *     const auto account = peal::define<struct account>(center);
 *
 *     peal::service_of<stored_account>("account")
 *         .create([](peal::creation &) { return std::make_unique<stored_account>("Ann"); })
 *         .provides(account, peal::on<&stored_account::user>(account.user))
 *         .add(center);
 *
 *     peal::use use = peal::use::of(center, account);       created by the first such call
 *     puts(use.call(account.user));
 */
#ifndef PEAL_CXX_SERVICE_HPP
#define PEAL_CXX_SERVICE_HPP

#include "function.hpp"
#include "use.hpp"

namespace peal
{

/* A service of a center. It is a reference: copy it as you like. peal::unique<peal_service> unregisters it
 * with a variable. Since 0.1. */
class service
{
public:
    service() noexcept = default;
    explicit service(peal_service raw) noexcept : raw_(raw) {}

    /* As peal_service_find. */
    static result<service> try_find(peal_center center, const char *name)
    {
        peal_service raw = {};
        const peal_status status = peal_service_find(center, name, &raw);
        return detail::made<service>(status, raw);
    }
    static service find(peal_center center, const char *name) { return try_find(center, name).value(); }

    /* The plain handle. */
    peal_service get() const noexcept { return raw_; }
    operator peal_service() const noexcept { return raw_; }

    /* The instance, created where there is none; without a table. */
    peal::use use() const { return try_use().value(); }
    result<peal::use> try_use() const
    {
        peal_service_use raw = {};
        const peal_status status = peal_service_use_instance(raw_, &raw);
        return peal::use::made(status, raw);
    }
    /* As peal_service_remove_instance: the next use has another instance. */
    result<void> try_remove_instance() const { return result<void>(peal_service_remove_instance(raw_)); }
    /* As peal_service_remove. */
    result<void> try_remove() const { return result<void>(peal_service_remove(raw_)); }

private:
    peal_service raw_ = {};
};

/* A creation that runs, for a service's functions. Since 0.1. */
class creation
{
public:
    explicit creation(peal_creation *raw) noexcept : raw_(raw) {}
    /* The center, for the gets of other services. */
    peal_center center() const noexcept { return raw_->center; }
    /* Sets the sentence of a failure, without exceptions: then return no instance, or false. */
    void fail(int code, const char *message) noexcept
    {
        raw_->code = code;
        std::snprintf(raw_->message, sizeof raw_->message, "%s", message);
    }

private:
    peal_creation *raw_;
};

namespace detail
{

/* The parts of a service in C++; its context. */
template <class T> struct service_box {
    function<std::unique_ptr<T>(creation &)> create;
    function<bool(T &, creation &)> init;
    function<void(T &)> clear_data;

    /* An exception of a creation is its failure: its what() is the service's own sentence. */
    template <class Call> static auto attempt(peal_creation *raw, Call call) noexcept -> decltype(call())
    {
#if PEAL_CXX_EXCEPTIONS
        try {
            return call();
        } catch (...) {
            creation(raw).fail(raw->code, what(std::current_exception()));
            return decltype(call())();
        }
#else
        (void)raw;
        return call();
#endif
    }
#if PEAL_CXX_EXCEPTIONS
    static const char *what(const std::exception_ptr &thrown) noexcept
    {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception &exception) {
            return exception.what();
        } catch (...) {
            return "it threw something that is no std::exception";
        }
    }
#endif
    static void *run_create(peal_creation *raw) noexcept
    {
        auto &box = *static_cast<service_box *>(raw->context);
        creation creating(raw);
        return attempt(raw, [&]() -> void * { return box.create(creating).release(); });
    }
    static bool run_init(void *self, peal_creation *raw) noexcept
    {
        auto &box = *static_cast<service_box *>(raw->context);
        creation creating(raw);
        return attempt(raw, [&]() -> bool { return box.init(*static_cast<T *>(self), creating); });
    }
    static void destroy(void *self) { delete static_cast<T *>(self); }
    static void release(void *context) { delete static_cast<service_box *>(context); }
};

} // namespace detail

/* Describes a service whose instances are of a C++ class, step by step; add() registers it. Since 0.1. */
template <class T> class service_of
{
public:
    /* Without create() an instance is made by `T()`. */
    explicit service_of(std::string name) : name_(std::move(name)), box_(new detail::service_box<T>()) {}

    /* f(peal::creation &) returns a std::unique_ptr<T>. None, or an exception, is a failure of the creation:
     * PEAL_ERROR_CREATION with its sentence for the caller of the get. */
    template <class F> service_of &create(F f)
    {
        box_->create = detail::function<std::unique_ptr<T>(creation &)>::of(std::move(f));
        return *this;
    }
    /* f(T &, peal::creation &) returns bool; it runs once the instance is in its place. */
    template <class F> service_of &init(F f)
    {
        box_->init = detail::function<bool(T &, creation &)>::of(std::move(f));
        return *this;
    }
    /* `peal::service_of<T>("x").clear_data<&T::clear>()`: clears the data of the session that ends. */
    template <auto member> service_of &clear_data()
    {
        clear_data_ = detail::table_function<T, member, void()>::call;
        return *this;
    }
    /* Created before it, and lives as long. */
    service_of &depends_on(std::string service) { return dependencies_.push_back(std::move(service)), *this; }
    /* Stays when a session ends. */
    service_of &persistent() { return flags_ |= PEAL_SERVICE_PERSISTENT, *this; }
    /* To whom it belongs. */
    service_of &owned_by(peal_owner owner) { return owner_ = owner, *this; }

    /* A protocol of the C list macro, with its table, whose functions get a T * as `self`.
     *
     * table: *borrowed until* add(). */
    template <class Table> service_of &provides(std::string protocol, const Table &table)
    {
        return tables_.add(std::move(protocol), &table), *this;
    }
    /* A protocol that was declared as a C++ struct, with member functions:
     * provides(account, peal::on<&T::user>(account.user), ...). */
    template <class P, auto... member>
    service_of &provides(const P &protocol, detail::member_binding<member>... bindings)
    {
        return tables_.add(protocol, bindings...), *this;
    }

    /* Registers it. Fails as peal_service_register, and as protocol::observe where a function does not fit. */
    service add(peal_center center) { return try_add(center).value(); }
    result<service> try_add(peal_center center)
    {
        if (tables_.why().status < 0)
            return tables_.why();
        using box = detail::service_box<T>;
        if (!box_)
            return failure{ PEAL_ERROR_STATE, name_ + " was added already; describe another service" };
        if constexpr (std::is_default_constructible_v<T>) {
            if (!box_->create)
                create([](creation &) { return std::make_unique<T>(); });
        }
        if (!box_->create)
            return failure{ PEAL_ERROR_ARGUMENT,
                name_ + " needs create(): its class has no constructor without parameters" };
        if (!detail::are_whole(name_, dependencies_))
            return detail::cut_text("the names of a service");
        const std::vector<peal_provision> provisions = tables_.provisions();
        const std::vector<const char *> dependencies = detail::ended_list(dependencies_);
        peal_service_description description = PEAL_SERVICE_DESCRIPTION(name_.c_str());
        description.provides = provisions.data();
        description.dependencies = dependencies.data();
        description.flags = flags_;
        description.create = box::run_create;
        description.init = box_->init ? box::run_init : nullptr;
        description.clear_data = clear_data_;
        description.destroy = box::destroy;
        description.release = box::release;
        description.owner = owner_;
        description.context = box_.release(); /* peal releases it, even when this fails */
        peal_service raw = {};
        const peal_status status = peal_service_register(center, &description, &raw);
        return detail::made<service>(status, raw);
    }

private:
    std::string name_;
    std::unique_ptr<detail::service_box<T>> box_;
    void (*clear_data_)(void *self) = nullptr;
    std::vector<std::string> dependencies_;
    detail::table_list<T> tables_;
    uint32_t flags_ = 0;
    peal_owner owner_ = {};
};

} // namespace peal

#endif
