// SPDX-License-Identifier: Apache-2.0
//
// Typed methods: prototypes of C++ types, definitions, broadcasts and their results.
#include "cpp.hpp"

#include <vector>

PEAL_TYPE(point_text, struct point { double x, y; });
PEAL_CXX_TYPE(point, "struct point", point_text);
enum class color : unsigned char { red, green };
PEAL_TYPE(mood_text, enum mood { GLAD, SAD });
PEAL_CXX_TYPE(mood, "enum mood", mood_text);
struct wrong {
    int a;
};
PEAL_CXX_TYPE(wrong, "struct wrong", "struct wrong { int a, b; };");
struct widget;
namespace net
{
struct socket;
}
union either;

#define C_CHAT(METHOD)                                            \
    METHOD(required, void, on_message, (const char *text, int n)) \
    METHOD(optional, int, weigh, (int factor), sum)               \
    METHOD(optional, bool, may_close, (int code), first_true)
PEAL_PROTOCOL(c_chat, "Chat", C_CHAT);

CLAIM("C2", "C++ types have the C prototypes that the header documents")
{
    const struct {
        const char *made, *wanted;
    } cases[] = {
        { peal::signature<void()>::prototype, "void f(void)" },
        { peal::signature<bool(std::string_view, int)>::prototype, "bool f(const char *, int)" },
        { peal::signature<int64_t(uint8_t, int8_t, char, uint16_t, uint32_t, uint64_t)>::prototype,
            "long f(unsigned char, signed char, char, unsigned short, unsigned int, unsigned long)" },
        { peal::signature<double(float, long double, long long)>::prototype,
            "double f(float, long double, long long)" },
        { peal::signature<void(const std::string &, std::string, std::optional<std::string_view>)>::prototype,
            "void f(const char *, const char *, const char *)" },
        { peal::signature<point(const point &, point *, const point *)>::prototype,
            "struct point f(struct point, struct point *, const struct point *)" },
        { peal::signature<color(mood, color)>::prototype, "unsigned char f(enum mood, unsigned char)" },
        { peal::signature<void *(widget *, const net::socket *, either *)>::prototype,
            "void * f(struct widget *, const struct net__socket *, union either *)" },
        { peal::signature<void(void (*)(void *, int), const void *const *)>::prototype,
            "void f(void (*)(void *, int), const void * const *)" },
        { peal::signature<void(peal::token, wchar_t, char16_t)>::prototype,
            "void f(peal_completion, wchar_t, char16_t)" },
    };
    for (const auto &one : cases)
        CHECK_TEXT(one.made, one.wanted);
}

namespace
{
struct all : peal::protocol {
    static constexpr const char *protocol_name = "All";
    peal::method<int64_t(uint8_t, int8_t, char, uint16_t, uint32_t, uint64_t, bool)> a{ peal::optional, "a", "last" };
    peal::method<double(float, long double, long long, short)> b{ peal::optional, "b", "last" };
    peal::method<point(const point &, point *, const point *)> c{ peal::optional, "c", "last" };
    peal::method<color(mood, color)> d{ peal::optional, "d", "last" };
    peal::method<void *(widget *, const net::socket *, either *)> e{ peal::optional, "e", "last" };
    peal::method<void(void (*)(void *, int), const void *const *)> f{ peal::optional, "f" };
    peal::method<void(peal::token, wchar_t, char16_t, char32_t, size_t)> g{ peal::optional, "g" };
};
}

CLAIM("C2", "every prototype that is made of C++ types is one that peal reads")
{
    const peal::center center = peal::center::create();
    const auto defined = peal::try_define<all>(center);
    CHECK_TEXT(defined.message().c_str(), "");
    REQUIRE(static_cast<bool>(defined));
    const auto o = defined->observe(peal::on(defined->a, [](auto... all) { return (int64_t(all) + ...); }),
        peal::on(
            defined->b, [](float x, long double y, long long z, short w) { return double(x + y) + double(z + w); }),
        peal::on(defined->c, [](point p, point *q, const point *r) { return point{ p.x + q->x, r->y }; }),
        peal::on(defined->d, [](mood m, color c) { return m == SAD ? c : color::red; }));
    CHECK_EQUAL(defined->a(1, -2, 3, 4, 5, 6, true), 18);
    CHECK_REAL(defined->b(1, 2, 3, 4), 10);
    point q{ 5, 6 };
    const point sum = defined->c(point{ 1, 2 }, &q, &q);
    CHECK_REAL(sum.x, 6);
    CHECK_REAL(sum.y, 6);
    CHECK(defined->d(SAD, color::green) == color::green);
}

CLAIM("C2", "a protocol of C++ and the same protocol of a C list are one, whichever is defined first")
{
    for (int cpp_first = 0; cpp_first < 2; cpp_first++) {
        const peal::center center = peal::center::create();
        c_chat_protocol handles;
        if (cpp_first == 0)
            CHECK_OK(c_chat_define(center, &handles));
        const auto made = peal::try_define<chat>(center);
        CHECK_TEXT(made.message().c_str(), "");
        REQUIRE(static_cast<bool>(made));
        if (cpp_first == 1)
            CHECK_OK(c_chat_define(center, &handles));
        journal_clear();
        const auto o = made->observe(peal::on("on_message", writer("a")));
        PEAL_BROADCAST(c_chat, &handles, on_message, "c", 1);
        const auto typed = PEAL_METHOD_OF(c_chat, handles, on_message);
        typed("cpp", 2);
        CHECK_JOURNAL("ac1 acpp2");
    }
}

namespace
{
struct other : peal::protocol {
    static constexpr const char *protocol_name = "Chat";
    peal::method<void(std::string_view, long)> on_message{ peal::required, "on_message" };
};
}

CLAIM("C2", "a definition that differs from the first is refused, and names the difference")
{
    house h;
    CHECK_REFUSED(peal::try_define<other>(h.center), PEAL_ERROR_CONFLICT, "parameter 2");
    CHECK_REFUSED(peal::try_define<other>(peal_center{}), PEAL_ERROR_HANDLE, "");
}

namespace
{
struct bad : peal::protocol {
    static constexpr const char *protocol_name = "Bad";
    peal::method<void(wrong)> on_wrong{ peal::optional, "on_wrong" };
};
}

CLAIM("C2", "a struct whose declaration is not the compiler's is refused")
{
    const peal::center center = peal::center::create();
    CHECK_REFUSED(peal::try_define<bad>(center), PEAL_ERROR_TYPE, "struct wrong has 4 bytes for the compiler and 8");
}

namespace
{
struct data : peal::protocol {
    static constexpr const char *protocol_name = "Data";
    peal::method<void(const uint8_t *, size_t)> on_data{ peal::optional,
        "void on_data(const uint8_t *__counted_by(n) bytes, size_t n)", "defer" };
};

struct wrong_data : peal::protocol {
    static constexpr const char *protocol_name = "Wrong";
    peal::method<void(const uint8_t *, int)> on_data{ peal::optional, "void on_data(const uint8_t *bytes, size_t n)" };
};
}

CLAIM("C2", "a prototype that is written out is compared with the signature")
{
    const peal::center center = peal::center::create();
    const auto made = peal::define<data>(center);
    peal_ownership ownership;
    CHECK_OK(peal_method_parameter_ownership(made.on_data, 0, &ownership));
    CHECK_EQUAL(ownership, PEAL_OWNERSHIP_BUFFER);
    CHECK_REFUSED(peal::try_define<wrong_data>(center), PEAL_ERROR_CONFLICT, "parameter 2 'n'");
}

CLAIM("C2", "a method that is found by name has the requested signature, or is refused")
{
    house h;
    const auto found = peal::protocol::find(h.center, "Chat");
    const auto o = h.chat.observe(peal::on("on_message", writer("a")), peal::on("weigh", [](int n) { return n; }));
    CHECK_EQUAL(found.find_method<int(int)>("weigh")(3), 3);
    found.find_method<void(const char *, int)>("on_message")("x", 1);
    CHECK_JOURNAL("ax1");
    CHECK_REFUSED(found.try_find_method<int(double)>("weigh"), PEAL_ERROR_CONFLICT, "parameter 1");
    CHECK_REFUSED(found.try_find_method<void(int)>("weigh"), PEAL_ERROR_CONFLICT, "the result is");
    CHECK_REFUSED(found.try_find_method<int()>("weigh"), PEAL_ERROR_CONFLICT, "no parameters");
    CHECK_REFUSED(found.try_find_method<int(int)>("way"), PEAL_ERROR_NOT_FOUND, "way");
    CHECK_REFUSED(peal::protocol::try_find(h.center, "Cat"), PEAL_ERROR_NOT_FOUND, "Cat");
}

namespace
{
struct room : peal::protocol {
    static constexpr const char *protocol_name = "Room";
    static constexpr const char *adopts[] = { "Chat", nullptr };
    peal::method<void()> on_empty{ peal::optional, "on_empty" };
};
}

CLAIM("C2", "a protocol that adopts another by its struct has its methods")
{
    house h;
    const auto room = peal::define<struct room>(h.center);
    const auto o = room.observe(
        peal::on("on_message", writer("r")), peal::on("on_empty", [] { journal_write("empty"); }));
    h.chat.on_message("x", 1);
    room.on_empty();
    CHECK_JOURNAL("rx1 empty");
}

namespace
{
struct texts : peal::protocol {
    static constexpr const char *protocol_name = "Texts";
    peal::method<void(std::string_view)> view{ peal::optional, "view" };
    peal::method<void(const std::string &)> string{ peal::optional, "string" };
    peal::method<void(std::optional<std::string_view>)> maybe{ peal::optional, "maybe" };
};
}

CLAIM("B1", "observers receive texts of every kind: a string, a string_view without a final zero, a literal, and none")
{
    const peal::center center = peal::center::create();
    const auto texts = peal::define<struct texts>(center);
    const auto o = texts.observe(
        peal::on(texts.view, [](std::string_view t) { journal_write("v%s", std::string(t).c_str()); }),
        peal::on(texts.string, [](const std::string &t) { journal_write("s%s", t.c_str()); }),
        peal::on(texts.maybe,
            [](std::optional<std::string_view> t) { journal_write("%s", t ? std::string(*t).c_str() : "none"); }));
    journal_clear();
    texts.view(std::string("one"));
    texts.view(std::string_view("twofold", 3));
    texts.view(static_cast<const char *>(nullptr));
    texts.string("four");
    texts.maybe(std::nullopt);
    texts.maybe(static_cast<const char *>(nullptr));
    texts.maybe("six");
    CHECK_JOURNAL("vone vtwo v sfour none none six");
}

namespace
{
struct measured : peal::protocol {
    static constexpr const char *protocol_name = "Measured";
    peal::method<int(std::string_view)> length{ peal::optional, "length", "sum" };
};
}

CLAIM("F1", "a text with a zero before its end is refused with a sentence by every call, and no observer sees its beginning")
{
    const peal::center center = peal::center::create();
    const auto measured = peal::define<struct measured>(center);
    const peal::queue queue = peal::queue::pumped();
    int calls = 0;
    const auto o = measured.observe(peal::on(measured.length, [&](std::string_view t) {
        calls++;
        return static_cast<int>(t.size());
    }));
    const std::string cut("ab\0cd", 5);
    const std::string_view view(cut);
    const auto add = [](int &sum, int one) { sum += one; };
    const char *const part = "zero before its end";

    CHECK_EQUAL(measured.length(std::string("ab")), 2);
    calls = 0;
    CHECK_THROWS(measured.length(cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(measured.length(view), PEAL_ERROR_ARGUMENT, "length");
    CHECK_STATUS(measured.length.send(cut).status, PEAL_ERROR_ARGUMENT);
    CHECK_CONTAINS(measured.length.send(view).message.c_str(), part);
    CHECK_THROWS(measured.length.ask(cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(measured.length.by(PEAL_POLICY_MAX, cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(measured.length.collect(cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(measured.length.fold(0, add, cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(peal::completion::gather(
                     measured.length, queue, 1, [](int) {}, [](const peal_completion_info &) {}, cut),
        PEAL_ERROR_ARGUMENT, part);
    using recording = peal::invocation<int(std::string_view)>;
    CHECK_REFUSED(recording::try_of(measured.length, cut), PEAL_ERROR_ARGUMENT, part);
    const recording recorded(measured.length, "ab");
    CHECK_THROWS(recorded.set_argument<0>(view), PEAL_ERROR_ARGUMENT, part);
    CHECK_TEXT(std::string(recorded.argument<0>()).c_str(), "ab");
    auto proxy = peal::proxy::of(measured);
    CHECK_THROWS(proxy.call(measured.length, cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_EQUAL(calls, 0);

    using text = peal::property<std::string>;
    CHECK_REFUSED(text::try_define(center, "title", cut), PEAL_ERROR_ARGUMENT, part);
    const auto title = text::define(center, "title", "old");
    CHECK_THROWS(title.set(cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_REFUSED(title.try_set(view), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(title.compare_and_set("old", cut), PEAL_ERROR_ARGUMENT, part);
    CHECK_TEXT(title.get().c_str(), "old");
}

CLAIM("F1", "a name with a zero before its end is refused with a sentence, and is not taken for its beginning")
{
    const peal::center center = peal::center::create();
    const auto measured = peal::define<struct measured>(center);
    const std::string cut("length\0x", 8);
    const char *const part = "zero before its end";
    struct plain {};

    CHECK_REFUSED(measured.try_observe(peal::observe_options(), peal::on(cut, [](std::string_view) { return 1; })),
        PEAL_ERROR_ARGUMENT, part);
    CHECK_REFUSED(peal::service_of<plain>(cut).try_add(center), PEAL_ERROR_ARGUMENT, part);
    CHECK_REFUSED(peal::service_of<plain>("a").depends_on(cut).try_add(center), PEAL_ERROR_ARGUMENT, part);
    CHECK_REFUSED(peal::module_of<plain>(cut).try_add(center), PEAL_ERROR_ARGUMENT, part);
    CHECK_REFUSED(peal::module_of<plain>("a").depends_on(cut).try_add(center), PEAL_ERROR_ARGUMENT, part);
    CHECK_THROWS(peal::describe(center, cut), PEAL_ERROR_ARGUMENT, part);
}

CLAIM("B2", "results follow the method's policy or the one of the call, as a value, an optional, a vector and a fold")
{
    house h;
    std::vector<peal::observation> all;
    CHECK_EQUAL(h.chat.weigh(1), 0);
    CHECK(!h.chat.weigh.ask(1).has_value());
    CHECK(h.chat.weigh.collect(1).empty());
    CHECK_EQUAL(h.chat.weigh.fold(7, [](int &, int) {}, 1), 7);
    for (int i = 1; i <= 3; i++)
        all.push_back(
            h.chat.observe(peal::on("on_message", writer("")), peal::on("weigh", [i](int n) { return i * n; }),
                peal::on("may_close", [i](int n) { return journal_write("%d", i), n == i; })));
    CHECK_EQUAL(h.chat.weigh(10), 60);
    CHECK_EQUAL(h.chat.weigh.ask(10).value(), 60);
    CHECK_EQUAL(h.chat.weigh.by(PEAL_POLICY_MAX, 10), 30);
    CHECK_EQUAL(h.chat.weigh.by(PEAL_POLICY_LAST, 1), 3);
    const std::vector<int> each = h.chat.weigh.collect(10);
    CHECK(each == (std::vector<int>{ 10, 20, 30 }));
    CHECK_EQUAL(h.chat.weigh.fold(1, [](int &product, int one) { product *= one; }, 2), 2 * 4 * 6);
    CHECK_EQUAL(h.chat.weigh.fold(0, [](int &count, int) { return ++count < 2; }, 2), 2);
    const peal::outcome<int> outcome = h.chat.weigh.send(1);
    CHECK(static_cast<bool>(outcome));
    CHECK_EQUAL(outcome.calls, 3);
    CHECK_EQUAL(outcome.value, 6);
    CHECK(h.chat.may_close(2));
    CHECK_JOURNAL("1 2");
    CHECK_EQUAL(h.chat.on_message.send("x", 1).calls, 3);
}

namespace
{
struct many : peal::protocol {
    static constexpr const char *protocol_name = "Many";
    peal::method<int()> all{ peal::optional, "all", "collect" };
    peal::method<int()> some{ peal::optional, "some", "fold, since(2)" };
};
}

CLAIM("B2", "the error of a method whose policy is collect or fold names the function for many results")
{
    const peal::center center = peal::center::create();
    const auto many = peal::define<struct many>(center);
    const auto o = many.observe(peal::on("all", [] { return 1; }), peal::on("some", [] { return 2; }));
    const peal::outcome<int> refused = many.all.send();
    CHECK_STATUS(refused.status, PEAL_ERROR_POLICY);
    CHECK_CONTAINS(refused.message.c_str(), "collect()");
    CHECK_EQUAL(many.all.collect().size(), 1);
    CHECK_EQUAL(many.some.fold(0, [](int &sum, int one) { sum += one; }), 2);
    CHECK_EQUAL(many.all.by(PEAL_POLICY_SUM), 1);
    CHECK_THROWS(many.some(), PEAL_ERROR_POLICY, "fold()");
    CHECK_THROWS(many.some.by(PEAL_POLICY_COLLECT), PEAL_ERROR_POLICY, "collect()");
    CHECK_THROWS(many.some.by(PEAL_POLICY_CHAIN), PEAL_ERROR_POLICY, "");
}

namespace
{
struct deep : peal::protocol {
    static constexpr const char *protocol_name = "Deep";
    peal::method<void(int)> later{ peal::optional, "later", "defer" };
    peal::method<void(int)> never{ peal::optional, "never", "reject" };
};
}

CLAIM("B5", "a method defers or rejects recursion also when C++ broadcasts it")
{
    const peal::center center = peal::center::create();
    const auto deep = peal::define<struct deep>(center);
    const auto o = deep.observe(peal::on(deep.later,
                                    [&](int n) {
                                        journal_write("+%d", n);
                                        if (n < 3) {
                                            deep.later(n + 1);
                                            CHECK_STATUS(deep.later.send(9).status, PEAL_DEFERRED);
                                        }
                                        journal_write("-%d", n);
                                    }),
        peal::on(deep.never, [&](int n) { CHECK_THROWS(deep.never(n + 1), PEAL_ERROR_RECURSION, "never"); }));
    journal_clear();
    peal_clear_failure();
    deep.later(2);
    CHECK_JOURNAL("+2 -2 +3 -3 +9 -9");
    CHECK_OK(peal_last_status());
    deep.never(1);
}

CLAIM("F1", "broadcasting a method that was neither defined nor found, or has ended, fails with a sentence")
{
    const chat nothing;
    CHECK_STATUS(nothing.weigh.send(1).status, PEAL_ERROR_HANDLE);
    CHECK(!nothing.weigh.send(1).message.empty());
    CHECK_THROWS(nothing.on_message("", 1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(nothing.weigh(1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(nothing.weigh.collect(1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(nothing.weigh.ask(1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(nothing.weigh.observe([](int n) { return n; }), PEAL_ERROR_HANDLE, "");
    chat stale;
    {
        house h;
        stale = h.chat;
    }
    CHECK_THROWS(stale.on_message("", 1), PEAL_ERROR_HANDLE, "");
    CHECK_THROWS(stale.may_close(1), PEAL_ERROR_HANDLE, "");
    CHECK_TEXT(stale.weigh.name().c_str(), "");
}

CLAIM("B8", "an error has the status as a std::error_code, and a result its value or its error")
{
    house h;
    const auto refused = peal::protocol::try_find(h.center, "Nobody");
    CHECK(refused.code() == PEAL_ERROR_NOT_FOUND);
    CHECK_TEXT(refused.code().category().name(), "peal");
    CHECK_TEXT(refused.code().message().c_str(), peal_status_text(PEAL_ERROR_NOT_FOUND));
    CHECK(!peal::protocol::try_find(h.center, "Chat").code());
    try {
        (void)refused.value();
        CHECK(!"value() of a failure throws");
    } catch (const std::runtime_error &error) {
        CHECK_TEXT(error.what(), refused.message().c_str());
        CHECK(static_cast<const peal::error &>(error).code() == PEAL_ERROR_NOT_FOUND);
    }
}
