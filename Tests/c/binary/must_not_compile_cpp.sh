#!/bin/sh
# must_not_compile_cpp.sh <include>: the compiler must refuse mistakes in C++. For mistakes other than wrong types it
# must print a sentence of peal.hpp. Ends with 77 when there is no compiler.
# Claims: C2
. "$(dirname -- "$0")/must_not_compile.common.sh"

cat >"$work/prelude.hpp" <<'END'
#include <peal/peal.hpp>
struct unknown { int a; };
struct counted { std::string text; };
struct window { void show(std::string_view, int) {} int size() { return 0; } };
struct chat : peal::protocol {
    static constexpr const char *protocol_name = "Chat";
    peal::method<void(std::string_view, int)> on_message{ peal::required, "on_message" };
    peal::method<int(int)> weigh{ peal::optional, "weigh", "sum" };
};
struct room : peal::protocol {
    static constexpr const char *protocol_name = "Room";
    static constexpr const char *adopts[] = { "Chat", nullptr };
    peal::method<void()> on_empty{ peal::optional, "on_empty" };
};
void use(chat &chat, room &room, peal_center center, window &w);
END
flags="-std=c++17 -Wall -Wextra -Werror -I$include"

# prepare <compiler>: precompiles the headers once for all lines.
prepare() {
    # shellcheck disable=SC2086
    "$1" $flags -x c++-header "$work/prelude.hpp" -o "$work/prelude.hpp.$2" || { echo "$1 refuses the headers"; exit 1; }
    prelude="$3"
}

# compile <compiler> <line>: compiles the line in a function, after the definition of a protocol.
compile() {
    cat >"$work/unit.cpp" <<END
void use(chat &chat, room &room, peal_center center, window &w)
{
    (void)chat, (void)room, (void)center, (void)w;
    $2
}
END
    # shellcheck disable=SC2086
    "$1" $flags $prelude -fsyntax-only "$work/unit.cpp" 2>"$work/said"
}

for compiler in g++ clang++; do
    is_there "$compiler" || continue
    case $compiler in
        clang++) prepare "$compiler" pch "-include-pch $work/prelude.hpp.pch" ;;
        *) prepare "$compiler" gch "-include $work/prelude.hpp" ;;
    esac
    fits "$compiler" 'chat.on_message("room", 5); (void)chat.weigh(1);'
    fits "$compiler" '(void)chat.observe(peal::on("on_message", [](std::string_view, int) {}));'
    fits "$compiler" '(void)chat.observe(std::ref(w), peal::on<&window::show>(chat.on_message));'
    refused "$compiler" 'chat.on_message("room");'
    refused "$compiler" 'chat.on_message(5, "room");'
    refused "$compiler" 'chat.on_message(w, 5);'
    refused "$compiler" '(void)chat.on_message.ask("room", 5);' 'has no result'
    refused "$compiler" '(void)chat.observe();' 'needs a function\|no matching\|too few\|void value'
    refused "$compiler" '(void)chat.observe(peal::on("on_message", [](auto, auto) {}));' 'cannot be seen'
    refused "$compiler" '(void)chat.observe(peal::on(chat.weigh, [](std::string_view) { return 1; }));' 'does not take the method'
    refused "$compiler" '(void)chat.observe(peal::on(chat.weigh, [](int) { return "text"; }));' 'does not take the method'
    refused "$compiler" '(void)chat.observe(peal::on("weigh", [](int &) { return 1; }));' 'cannot be a reference'
    refused "$compiler" '(void)chat.observe(peal::on("weigh", [](unknown) { return 1; }));' 'PEAL_CXX_TYPE'
    refused "$compiler" '(void)chat.observe(peal::on("weigh", [](counted) { return 1; }));' 'cannot go through a C call'
    refused "$compiler" '(void)chat.observe(peal::on("weigh", [](int) { return std::string(); }));' 'a result must be a type of C'
    refused "$compiler" '(void)peal::define<window>(center);' 'base peal::protocol'
    refused "$compiler" 'peal::observation a; peal::observation b = a;'
    refused "$compiler" 'peal_queue q = peal::queue::serial(); (void)q;'
    refused "$compiler" 'peal::queue::serial().try_flush();'
    refused "$compiler" '(void)peal::use::of(center, room);' 'adopt others'
    refused "$compiler" '(void)peal::use::of(center, peal::protocol());' 'peal::define made'
    refused "$compiler" '(void)peal::property<int>().observe([](unknown, unknown, unknown) {});' 'f must take'
    refused "$compiler" '(void)peal_observation_remove(chat.on_message);'
    fits "$compiler" 'peal::invocation call(chat.on_message, "a", 1); call.set_argument<1>(2); call.broadcast();'
    fits "$compiler" '(void)peal::forwarding(chat, std::ref(w)).has(peal::on<&window::show>(chat.on_message)).make();'
    refused "$compiler" 'peal::invocation call(chat.on_message, "a"); (void)call;'
    refused "$compiler" 'peal::invocation call(chat.weigh, 1); (void)call.argument<1>();' 'no such parameter'
    refused "$compiler" 'peal::invocation call(chat.weigh, 1); (void)call.invoke([](std::string_view) { return 1; });' 'does not take the method'
    refused "$compiler" 'peal::invocation call(chat.on_message, "a", 1); (void)call.last_result();' 'has no result'
    refused "$compiler" 'peal::invocation a(chat.weigh, 1); peal::invocation<int(int)> b = a;'
    refused "$compiler" '(void)peal::forwarding(room).make();' 'adopt others'
done
finish
