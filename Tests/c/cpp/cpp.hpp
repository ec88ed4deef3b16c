// SPDX-License-Identifier: Apache-2.0
//
// Shared by the programs that test peal.hpp: a protocol, counted objects, and checks for failures.
#ifndef PEAL_TEST_CPP_HPP
#define PEAL_TEST_CPP_HPP

#include "center.h"
#include "journal.h"

#include <peal/peal.hpp>

#include <atomic>
#include <string>

struct chat : peal::protocol {
    static constexpr const char *protocol_name = "Chat";
    peal::method<void(std::string_view, int)> on_message{ peal::required, "on_message" };
    peal::method<int(int)> weigh{ peal::optional, "weigh", "sum" };
    peal::method<bool(int)> may_close{ peal::optional, "may_close", "first_true" };
};

// Counts its living objects. A claim must have destroyed all of its own by its end.
struct counted {
    static inline std::atomic<int> alive{ 0 };
    counted() { alive++; }
    counted(const counted &) { alive++; }
    counted(counted &&) noexcept { alive++; }
    counted &operator=(const counted &) = default;
    ~counted() { alive--; }
};

// A center of the claim's own, with the protocol. No counted object may be alive after its end.
struct house {
    peal::center center = peal::center::create();
    struct chat chat = peal::define<struct chat>(center);

    house() { journal_clear(); }
    ~house()
    {
        center.reset();
        CHECK_EQUAL(counted::alive, 0);
    }
};

// A lambda for on_message that writes "NAMEtextN".
inline auto writer(const char *name)
{
    return [name, count = counted()](std::string_view text, int n) {
        journal_write("%s%.*s%d", name, static_cast<int>(text.size()), text.data(), n);
    };
}

// The result is a failure with this status, and a sentence that has the part.
#define CHECK_REFUSED(result, wanted, part)                 \
    do {                                                    \
        const auto &refused_ = (result);                    \
        CHECK(!refused_);                                   \
        CHECK_STATUS(refused_.status(), (wanted));          \
        CHECK_CONTAINS(refused_.message().c_str(), (part)); \
    } while (0)

#if PEAL_CXX_EXCEPTIONS
// The expression throws peal::error with this status, and a sentence that has the part.
#define CHECK_THROWS(expression, wanted, part)        \
    do {                                              \
        try {                                         \
            (void)(expression);                       \
            CHECK(!"it did not throw: " #expression); \
        } catch (const peal::error &error_) {         \
            CHECK_STATUS(error_.status(), (wanted));  \
            CHECK_CONTAINS(error_.what(), (part));    \
        }                                             \
    } while (0)
#endif

#endif
