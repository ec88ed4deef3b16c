/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/error.hpp - failures in C++: a result, an exception, an error_code. Include <peal/peal.hpp> instead.
 *
 * A function that can fail has two forms. `f(...)` throws peal::error. `try_f(...)` returns a peal::result and
 * throws no exception of peal. Without exceptions (-fno-exceptions) `f` prints the sentence and aborts, so such
 * programs use `try_f`.
 */
#ifndef PEAL_CXX_ERROR_HPP
#define PEAL_CXX_ERROR_HPP

#ifndef PEAL_DL /* peal-dl.h has included it, with its functions as pointers */
#include "../peal.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

/* 1 where the program is compiled with exceptions. */
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define PEAL_CXX_EXCEPTIONS 1
#else
#define PEAL_CXX_EXCEPTIONS 0
#endif

namespace peal
{

namespace detail
{

class status_category final : public std::error_category
{
public:
    const char *name() const noexcept override { return "peal"; }
    std::string message(int status) const override { return peal_status_text(static_cast<peal_status>(status)); }
};

} // namespace detail

/* The category of peal's statuses: its messages are those of peal_status_text.
 *
 * Thread rule: any thread. Since 0.1. */
inline const std::error_category &category() noexcept
{
    static const detail::status_category instance;
    return instance;
}

/* A failure: a negative status, and the sentence about its cause. */
struct failure {
    peal_status status;
    std::string message;

    /* The failure of the calling thread's last call of the C interface. `status` is its return value. */
    static failure last(peal_status status) { return { status, peal_last_message() }; }
};

/* The exception of a function that has failed: the sentence (what), and the status.
 *
 * (An exception that an observer threw is another: see observer_error.) Since 0.1. */
class error : public std::runtime_error
{
public:
    explicit error(const failure &why) : std::runtime_error(why.message), status_(why.status) {}

    /* The negative status. */
    peal_status status() const noexcept { return status_; }
    /* The same as a std::error_code. */
    std::error_code code() const noexcept { return { static_cast<int>(status_), category() }; }

private:
    peal_status status_;
};

namespace detail
{

/* Throws; without exceptions it prints the failure, and ends the program. */
[[noreturn]] inline void raise(const failure &why)
{
#if PEAL_CXX_EXCEPTIONS
    throw error(why);
#else
    std::fprintf(stderr, "peal: %s (%s)\n", why.message.c_str(), peal_status_name(why.status));
    std::abort();
#endif
}

} // namespace detail

/* A value, or a failure. A positive status (PEAL_DEFERRED for example) is success with a remark.
 *
 *     peal::result<peal::queue> queue = peal::queue::try_serial();
 *     if (!queue)
 *         std::fprintf(stderr, "%s\n", queue.message().c_str());
 *
 * Since 0.1. */
template <class T> class [[nodiscard]] result
{
public:
    result(T value, peal_status remark = PEAL_OK) : value_(std::move(value)), status_(remark) {}
    result(failure why) : status_(why.status), message_(std::move(why.message)) {}

    /* Returns true if there is a value. */
    explicit operator bool() const noexcept { return value_.has_value(); }
    /* PEAL_OK, a remark, or the status of the failure. */
    peal_status status() const noexcept { return status_; }
    /* The sentence of a failure; else empty. */
    const std::string &message() const noexcept { return message_; }
    /* The status as a std::error_code; it is no error where there is a value. */
    std::error_code code() const noexcept { return { value_ ? 0 : static_cast<int>(status_), category() }; }

    /* The value. Without one these throw peal::error. */
    T &value() & { return check(), *value_; }
    const T &value() const & { return check(), *value_; }
    T &&value() && { return check(), std::move(*value_); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }

private:
    void check() const
    {
        if (!value_)
            detail::raise({ status_, message_ });
    }

    std::optional<T> value_;
    peal_status status_;
    std::string message_;
};

/* Success, or a failure. Since 0.1. */
template <> class [[nodiscard]] result<void>
{
public:
    /* The result of a status that a function of the C interface has just returned on this thread. */
    explicit result(peal_status status = PEAL_OK) : status_(status)
    {
        if (status < 0)
            message_ = peal_last_message();
    }
    result(failure why) : status_(why.status), message_(std::move(why.message)) {}

    /* Returns true on success. */
    explicit operator bool() const noexcept { return status_ >= 0; }
    /* PEAL_OK, a remark, or the status of the failure. */
    peal_status status() const noexcept { return status_; }
    /* The sentence of a failure; else empty. */
    const std::string &message() const noexcept { return message_; }
    /* The status as a std::error_code; it is no error on success. */
    std::error_code code() const noexcept { return { status_ < 0 ? static_cast<int>(status_) : 0, category() }; }
    /* Throws peal::error on failure; returns the status. */
    peal_status value() const
    {
        if (status_ < 0)
            detail::raise({ status_, message_ });
        return status_;
    }

private:
    peal_status status_;
    std::string message_;
};

} // namespace peal

/* So that `code == PEAL_ERROR_TIMEOUT` compares a std::error_code with a status. */
template <> struct std::is_error_code_enum<peal_status> : std::true_type {};
inline std::error_code make_error_code(peal_status status) noexcept
{
    return { static_cast<int>(status), peal::category() };
}

#endif
