/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/function.hpp - one type for callables of any kind, also those that only move. Include
 * <peal/peal.hpp> instead.
 */
#ifndef PEAL_CXX_FUNCTION_HPP
#define PEAL_CXX_FUNCTION_HPP

#include <memory>
#include <utility>

namespace peal
{
namespace detail
{

/* std::function without copying, for functions that are called rarely. */
template <class Signature> class function;
template <class R, class... A> class function<R(A...)>
{
    struct kept {
        virtual ~kept() = default;
        virtual R call(A... arguments) = 0;
    };
    template <class F> struct kept_as final : kept {
        F callable;
        explicit kept_as(F &&given) : callable(std::move(given)) {}
        R call(A... arguments) override { return static_cast<R>(callable(std::forward<A>(arguments)...)); }
    };
    std::unique_ptr<kept> kept_;

public:
    function() noexcept = default;
    template <class F> static function of(F callable)
    {
        function made;
        made.kept_ = std::make_unique<kept_as<F>>(std::move(callable));
        return made;
    }
    explicit operator bool() const noexcept { return kept_ != nullptr; }
    R operator()(A... arguments) const { return kept_->call(std::forward<A>(arguments)...); }
};

} // namespace detail
} // namespace peal

#endif
