/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/module.hpp - C++ classes as modules. Include <peal/peal.hpp> instead.
 *
 *     const auto life = peal::define<peal::lifecycle>(center);
 *     peal::module_of<network>("network")
 *         .depends_on("storage")
 *         .start<&network::start>()
 *         .stop<&network::stop>()
 *         .observes(life, peal::on<&network::wake>(life.did_become_active))
 *         .add(center).release();
 *     peal_modules_start(center);
 *     life.did_become_active();
 */
#ifndef PEAL_CXX_MODULE_HPP
#define PEAL_CXX_MODULE_HPP

#include "completion.hpp"
#include "table.hpp"

namespace peal
{

template <> struct ending<peal_module> {
    static void end(peal_module module) noexcept { (void)peal_module_remove(module); }
};

/* The events of an application: the protocol that is in every center (module.h). Since 0.1. */
struct lifecycle : protocol {
    static constexpr const char *protocol_name = "PealLifecycle";
    method<void()> will_start{ optional, "will_start" };
    method<void()> did_start{ optional, "did_start" };
    method<void()> will_terminate{ optional, "will_terminate" };
    method<void()> will_resign_active{ optional, "will_resign_active" };
    method<void()> did_become_active{ optional, "did_become_active" };
    method<void()> did_enter_background{ optional, "did_enter_background" };
    method<void()> will_enter_foreground{ optional, "will_enter_foreground" };
    method<void()> memory_warning{ optional, "memory_warning" };
    method<void()> configuration_reloaded{ optional, "configuration_reloaded" };
    method<bool(std::string_view)> open_url{ optional, "open_url", "first_true" };
    method<bool(std::string_view, std::string_view)> continue_activity{ optional, "continue_activity", "first_true" };
    method<void(std::string_view, token)> remote_notification{ optional, "remote_notification" };
};

/* A running start or stop. Since 0.1. */
class module_step
{
public:
    explicit module_step(peal_module_step *raw) noexcept : raw_(raw) {}
    /* The module's center. */
    peal_center center() const noexcept { return raw_->center; }
    /* The step ends later: by the token's complete(), with 0 for success. A token that is dropped fails it. */
    token later() noexcept
    {
        is_deferred_ = true;
        return token(raw_->done);
    }
    /* Sets the sentence of a failure, without exceptions: then return false. */
    void fail(int code, const char *message) noexcept
    {
        raw_->code = code;
        std::snprintf(raw_->message, sizeof raw_->message, "%s", message);
    }
    bool is_deferred() const noexcept { return is_deferred_; }

private:
    peal_module_step *raw_;
    bool is_deferred_ = false;
};

namespace detail
{

/* A step by a member function: f() or f(module_step &), which returns nothing or bool. */
template <class T, auto member> struct module_function {
    static peal_status call(void *self, peal_module_step *raw) noexcept
    {
        module_step step(raw);
#if PEAL_CXX_EXCEPTIONS
        try {
            return run(*static_cast<T *>(self), step);
        } catch (...) {
            step.fail(raw->code, describe(std::current_exception()).c_str());
            return PEAL_ERROR_START;
        }
#else
        return run(*static_cast<T *>(self), step);
#endif
    }

private:
    static peal_status run(T &object, module_step &step)
    {
        if constexpr (std::is_invocable_v<decltype(member), T &, module_step &>)
            return ended([&] { return (object.*member)(step); }, step);
        else
            return ended([&] { return (object.*member)(); }, step);
    }
    template <class Call> static peal_status ended(Call call, const module_step &step)
    {
        if constexpr (std::is_same_v<decltype(call()), bool>) {
            if (!call())
                return PEAL_ERROR_START;
        } else {
            static_assert(std::is_void_v<decltype(call())>, "peal: a step returns nothing or bool");
            call();
        }
        return step.is_deferred() ? PEAL_DEFERRED : PEAL_OK;
    }
};

} // namespace detail

/* Describes a module that is an object of a C++ class, step by step; add() registers it. The object is
 * destroyed when the module has ended. Since 0.1. */
template <class T> class module_of
{
public:
    explicit module_of(std::string name) : module_of(std::move(name), std::make_unique<T>()) {}
    module_of(std::string name, std::unique_ptr<T> object) : name_(std::move(name)), object_(std::move(object)) {}

    /* Member functions `f()` or `f(peal::module_step &)`, which return nothing or bool. False, or an
     * exception, is a step that has failed. */
    template <auto member> module_of &start() { return start_ = detail::module_function<T, member>::call, *this; }
    template <auto member> module_of &stop() { return stop_ = detail::module_function<T, member>::call, *this; }
    /* Member functions for events: of peal::lifecycle, or of a protocol that is forwarded to modules. */
    template <class P, auto... member>
    module_of &observes(const P &protocol, detail::member_binding<member>... bindings)
    {
        return tables_.add(protocol, bindings...), *this;
    }
    /* A dependency: started before this module, and stopped after it. */
    module_of &depends_on(std::string module) { return dependencies_.push_back(std::move(module)), *this; }
    /* Among modules that could start next, the highest is the first. */
    module_of &priority(int32_t priority) { return raw_.priority = priority, *this; }
    /* The time limit of each step, in milliseconds. */
    module_of &timeout(uint32_t milliseconds) { return raw_.timeout = milliseconds, *this; }
    /* The queue of its steps and events. */
    module_of &on(peal_queue queue) { return raw_.queue = queue, *this; }
    /* The owner. */
    module_of &owned_by(peal_owner owner) { return raw_.owner = owner, *this; }

    /* Registers it: a handle that removes the module with its variable. Fails as peal_module_register. */
    unique<peal_module> add(peal_center center) { return try_add(center).value(); }
    result<unique<peal_module>> try_add(peal_center center)
    {
        if (tables_.why().status < 0)
            return tables_.why();
        if (object_ == nullptr)
            return failure{ PEAL_ERROR_STATE, name_ + " has no object, or was added already; describe another module" };
        if (!detail::are_whole(name_, dependencies_))
            return detail::cut_text("the names of a module");
        const std::vector<peal_provision> tables = tables_.provisions();
        const std::vector<const char *> dependencies = detail::ended_list(dependencies_);
        raw_.name = name_.c_str();
        raw_.tables = tables.data();
        raw_.dependencies = dependencies.data();
        raw_.start = start_;
        raw_.stop = stop_;
        raw_.release = [](void *object) { delete static_cast<T *>(object); };
        raw_.context = object_.release(); /* peal releases it, even when this fails */
        peal_module made = {};
        const peal_status status = peal_module_register(center, &raw_, &made);
        return detail::made<unique<peal_module>>(status, made);
    }

private:
    std::string name_;
    std::unique_ptr<T> object_;
    peal_module_description raw_ = PEAL_MODULE_DESCRIPTION(nullptr);
    peal_status (*start_)(void *, peal_module_step *) = nullptr;
    peal_status (*stop_)(void *, peal_module_step *) = nullptr;
    std::vector<std::string> dependencies_;
    detail::table_list<T> tables_;
};

} // namespace peal

#endif
