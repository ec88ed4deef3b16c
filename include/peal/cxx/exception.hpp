/* SPDX-License-Identifier: Apache-2.0
 *
 * cxx/exception.hpp - the effect of exceptions that observers throw. Include <peal/peal.hpp> instead.
 *
 * No exception crosses the library. It is caught in the function that peal.hpp made of the lambda. The
 * observer's result is zero then, and the broadcast continues. The exception is reported:
 *   - to the innermost broadcast by peal::method that runs on the thread: once all observers were called it
 *     throws peal::observer_error, or stores it in its peal::outcome;
 *   - without one (the broadcaster is C or Swift, or a queue, a timer or a proxy makes the call): to the
 *     observers of the protocol "PealExceptions" of the default center; without these, on stderr.
 */
#ifndef PEAL_CXX_EXCEPTION_HPP
#define PEAL_CXX_EXCEPTION_HPP

#include "error.hpp"

#include <exception>

namespace peal
{

/* The exceptions of one broadcast. All the other observers were called. Since 0.1. */
class observer_error : public std::runtime_error
{
public:
    observer_error(const std::string &message, std::size_t count, std::exception_ptr first)
        : std::runtime_error(message), count_(count), first_(std::move(first))
    {
    }

    /* The number of observers that threw. */
    std::size_t count() const noexcept { return count_; }
    /* The exception of the first of them. */
    const std::exception_ptr &first() const noexcept { return first_; }
    /* Throws that exception. */
    [[noreturn]] void rethrow_first() const { std::rethrow_exception(first_); }

private:
    std::size_t count_;
    std::exception_ptr first_;
};

namespace detail
{

/* The protocol peal::exceptions, for this header, and for programs in any language. */
#define PEAL_EXCEPTIONS(METHOD) \
    METHOD(optional, void, observer_threw, (const char *method, const char *message), reject)
PEAL_PROTOCOL(exceptions_table, "PealExceptions", PEAL_EXCEPTIONS);

/* Stores exceptions of this thread's observers while a broadcast of C++ runs. */
struct catching {
    catching *outer;
    std::size_t count = 0;
    std::exception_ptr first;

    inline catching() noexcept;
    inline ~catching();
    catching(const catching &) = delete;
    catching &operator=(const catching &) = delete;
};
inline thread_local catching *innermost_catching = nullptr;

catching::catching() noexcept : outer(innermost_catching) { innermost_catching = this; }
catching::~catching() { innermost_catching = outer; }

/* Returns true if observers were notified. */
inline bool report_exception(const char *method, const char *message) noexcept
{
    exceptions_table_protocol handles = {};
    if (exceptions_table_define(peal_center_default(), &handles) < 0)
        return false;
    void *arguments[] = { &method, &message };
    std::size_t calls = 0;
    return peal_send(handles.observer_threw, arguments, 2, nullptr, &calls) >= 0 && calls > 0;
}

/* The function that threw: "Chat.on_message"; or a description, where there is no protocol. */
struct location {
    peal_protocol protocol;
    const char *method; /* nullptr: the observer's function that runs */

    static constexpr location of_call() noexcept { return { {}, nullptr }; }

    std::string title() const
    {
        char name[256] = "";
        if (method == nullptr)
            return title_of_call();
        if (protocol.id == 0 || peal_protocol_name(protocol, name, sizeof name, nullptr) < 0)
            return method;
        return std::string(name) + "." + method;
    }

private:
    static std::string title_of_call()
    {
        peal_call_info call = PEAL_CALL_INFO;
        peal_method_info called = {};
        called.size = sizeof called;
        if (peal_call_get_current(&call) < 0 || peal_method_get_info(call.method, &called) < 0)
            return "an observer";
        return location{ called.protocol, called.name }.title();
    }
};

#if PEAL_CXX_EXCEPTIONS

/* The description of the exception that is handled. */
inline std::string describe(const std::exception_ptr &thrown)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception &exception) {
        return exception.what();
    } catch (...) {
        return "something that is no std::exception";
    }
}

/* Reports an exception. Called while it is handled. */
inline void take_exception(const location &from) noexcept
{
    if (catching *const broadcast = innermost_catching; broadcast != nullptr) {
        if (broadcast->count++ == 0)
            broadcast->first = std::current_exception();
        return;
    }
    try {
        const std::string title = from.title(), message = describe(std::current_exception());
        if (!report_exception(title.c_str(), message.c_str()))
            std::fprintf(stderr, "peal: %s threw an exception: %s\n", title.c_str(), message.c_str());
    } catch (...) {
        std::fprintf(stderr, "peal: %s threw an exception\n", from.method != nullptr ? from.method : "an observer");
    }
}

/* Calls user code from a function that C calls. After an exception the result is zero. */
template <class Call> auto guard(const location &from, Call &&call) noexcept -> decltype(call())
{
    try {
        return call();
    } catch (...) {
        take_exception(from);
        if constexpr (!std::is_void_v<decltype(call())>)
            return decltype(call())();
    }
}

#else

template <class Call> auto guard(const location &, Call &&call) noexcept -> decltype(call()) { return call(); }

#endif

/* Throws the caught exception, if any. */
inline void throw_caught(const catching &caught, const location &of)
{
#if PEAL_CXX_EXCEPTIONS
    if (caught.count != 0)
        throw observer_error(std::to_string(caught.count) + (caught.count == 1 ? " observer of " : " observers of ")
                                 + of.title() + " threw: " + describe(caught.first),
            caught.count, caught.first);
#else
    (void)caught;
    (void)of;
#endif
}

} // namespace detail
} // namespace peal

#endif
