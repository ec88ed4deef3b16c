#!/bin/sh
# headers.sh <include>: all headers together with a list macro must compile without a warning in every standard that
# an installed compiler supports, and each header alone in the oldest and the newest standard. The headers of C++ are
# compiled in C++17 and later, also without exceptions and RTTI. Ends with 77 when there is no compiler.
#
# Each header of C++ alone takes a second or more, so only the first compiler compiles them, unless PEAL_TESTS is nightly. If
# it is day, no header but peal.hpp is compiled alone.
# Claims: C4
include=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Werror -Wundef -Wcast-qual -Wpointer-arith"
compiled=0 problems=0 alone=''

cat >"$work/all.c" <<'END'
#include <peal/peal.h>
#include <peal/peal.h>
PEAL_TYPE(point_text, struct point { double x, y; });
#define BASE(METHOD) METHOD(required, void, on_base, (int n))
PEAL_PROTOCOL(base, "Base", BASE);
#define DERIVED_ADOPTS(ADOPT) ADOPT(base, "Base")
#define DERIVED(METHOD)                                                        \
    METHOD(required, void, on_text, (const char *text, struct point at))       \
    METHOD(optional, bool, wants, (void (*done)(int)), first_true)             \
    METHOD(optional, void, on_end, (void))                                     \
    METHOD(optional, void, on_close, ())
PEAL_PROTOCOL_ADOPTING(derived, "Derived", DERIVED_ADOPTS, DERIVED);
PEAL_PROPERTY(level, "level", int32_t);
PEAL_PROPERTY(corner, "corner", struct point);
PEAL_TEXT_PROPERTY(title, "title");
static void tick(void *self);
static void tick(void *self) { (void)self; }
int use(peal_center center, void *target);
int use(peal_center center, void *target)
{
    struct derived_protocol handles;
    struct peal_observe_options options = PEAL_OBSERVE_OPTIONS;
    struct peal_send_options send = PEAL_SEND_OPTIONS;
    struct derived table = { PEAL_TABLE(derived), 0, 0, 0, 0, 0 };
    struct point at = { 0, 0 };
    int visited = 0;
    struct peal_timer_options timer_options = PEAL_TIMER_OPTIONS(tick, target, PEAL_SECONDS(1));
    struct peal_property_options property_options = PEAL_PROPERTY_OPTIONS;
    struct level_observer level_observer = { PEAL_OBSERVER(level), tick, 0, 0, 0 };
    struct level_property level;
    struct title_property title;
    peal_timer timer PEAL_CLEANUP(peal_timer_cleanup) = { 0 };
    (void)send;
    if (peal_timer_create(&timer_options, &timer) < 0
        || level_define(center, 1, &property_options, &level) < 0
        || level_observe(level, target, &level_observer, PEAL_PROPERTY_INITIAL, &options, 0) < 0
        || level_set(level, level_get(level) + 1) < 0 || title_define(center, "", 0, &title) < 0)
        return 1;
    if (peal_type_declare(center, point_text) < 0 || derived_define(center, &handles) < 0
        || derived_observe(&handles, target, &table, &options, 0) < 0)
        return 1;
    PEAL_BROADCAST(derived, &handles, on_text, "text", at);
    PEAL_BROADCAST(derived, &handles, on_end);
    PEAL_BROADCAST(derived, &handles, on_close);
    PEAL_EACH(derived, &handles, wants, each)
        if (each.table->wants(each.target, 0)) {
            visited++;
            break;
        }
    return peal_broadcast(handles.on_text, "text", &at) < 0 || peal_broadcast(handles.on_end) < 0
        || peal_ask(handles.wants, &visited, 0) < 0;
}
END
cp "$work/all.c" "$work/all.cpp"
for header in "$include"/peal/*.h; do
    name=$(basename "$header" .h)
    echo "#include <peal/$name.h>" >"$work/$name.alone.c"
    # ISO C forbids an empty translation unit, so each one has a declaration.
    echo "extern int peal_test_unit;" >>"$work/$name.alone.c"
    cp "$work/$name.alone.c" "$work/$name.alone.cpp"
done

mkdir "$work/later"
for header in "$include"/peal/peal.hpp "$include"/peal/cxx/*.hpp; do
    name=${header#"$include"/}
    echo "#include <$name>" >"$work/later/$(basename "$header" .hpp).alone.cpp"
done

supports() {
    echo 'int x;' | "$1" -x "$2" -std="$3" -fsyntax-only - 2>/dev/null
}

# compile COMPILER STANDARD UNIT [OPTIONS...]
compile() {
    compiler=$1 standard=$2 unit=$3
    shift 3
    if ! "$compiler" -std="$standard" $warnings "$@" -I"$include" -fsyntax-only "$unit" 2>"$work/said"; then
        echo "$compiler -std=$standard $* $(basename "$unit"):"
        head -n 8 "$work/said"
        problems=1
    fi
    compiled=$((compiled + 1))
}

for pair in gcc:g++ clang:clang++; do
    c=${pair%%:*} cxx=${pair##*:}
    if ! command -v "$c" >/dev/null; then
        echo "skipped: there is no $c"
        continue
    fi
    for standard in c99 gnu99 c11 c17 c2x c23; do
        supports "$c" c "$standard" || { echo "skipped: $c does not support $standard"; continue; }
        compile "$c" "$standard" "$work/all.c"
        case ${PEAL_TESTS:-}-$standard in day-*) continue ;; *-c99 | *-c2x) ;; *) continue ;; esac
        for unit in "$work"/*.alone.c; do compile "$c" "$standard" "$unit"; done
    done
    if ! command -v "$cxx" >/dev/null; then
        echo "skipped: there is no $cxx"
        continue
    fi
    for standard in c++11 c++14 c++17 c++20 c++23; do
        supports "$cxx" c++ "$standard" || { echo "skipped: $cxx does not support $standard"; continue; }
        compile "$cxx" "$standard" "$work/all.cpp"
        case ${PEAL_TESTS:-}-$standard in
        day-*) ;;
        *-c++11 | *-c++23) for unit in "$work"/*.alone.cpp; do compile "$cxx" "$standard" "$unit"; done ;;
        esac
        case $standard in c++11 | c++14) continue ;; esac
        compile "$cxx" "$standard" "$work/later/peal.alone.cpp" -Wshadow -fno-exceptions -fno-rtti
        compile "$cxx" "$standard" "$work/later/peal.alone.cpp" -Wshadow
    done
    [ "${PEAL_TESTS:-}" != day ] || continue
    [ -z "$alone" ] || [ "${PEAL_TESTS:-}" = nightly ] || continue
    alone=$cxx
    for unit in "$work"/later/*.cpp; do
        supports "$cxx" c++ c++17 && compile "$cxx" c++17 "$unit" -Wshadow
    done
done
[ "$compiled" -gt 0 ] || { echo "skipped: there is no compiler"; exit 77; }
[ "$problems" -eq 0 ] && echo "$compiled units compiled without a warning"
exit "$problems"
