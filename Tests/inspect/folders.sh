#!/bin/sh
# Claims: I12
#
# folders.sh MOVED LIBPEAL LIBPEAL-INSPECT CC: a program whose current folder belongs to somebody else loads nothing from it.
set -u
moved=$1 libpeal=$2 inspect=$3 cc=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
XDG_RUNTIME_DIR=$work PEAL_INSPECT=1
export XDG_RUNTIME_DIR PEAL_INSPECT
failures=0
unset LD_LIBRARY_PATH

# claim SENTENCE COMMAND...
claim() {
    sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        failures=$((failures + 1))
        echo "NOT OK: $sentence"
        sed 's/^/    | /' "$work/out"
    fi
}
has() { grep -q -- "$1" "$work/out"; }
hasnt() { ! has "$1"; }

mkdir "$work/trap" "$work/alone" "$work/both"
cat >"$work/trap.c" <<'END'
#include <unistd.h>
__attribute__((constructor)) static void begin(void) { (void)!write(1, "TRAPPED\n", 8); }
END
"$cc" -shared -fPIC -o "$work/trap/libpeal-inspect.so.0" "$work/trap.c" || exit 1
cp "$libpeal" "$work/alone/libpeal.so.0"
cp "$libpeal" "$work/both/libpeal.so.0"
cp "$inspect" "$work/both/libpeal-inspect.so.0"

cd "$work/alone" || exit 1
"$moved" ./libpeal.so.0 "$work/trap" >"$work/out" 2>&1
claim "a libpeal that was found by a relative path loads nothing from a later current folder" hasnt TRAPPED
claim "and reports that libpeal-inspect is missing" has 'have no effect: libpeal-inspect'
cd "$work/both" || exit 1
"$moved" ./libpeal.so.0 "$work/trap" >"$work/out" 2>&1
claim "it loads the library in its own folder" has "loaded $work/both/libpeal-inspect.so.0"
cd "$work/trap" || exit 1
for path in : . "$work/alone:"; do
    LD_LIBRARY_PATH=$path "$moved" "$work/alone/libpeal.so.0" "$work/trap" >"$work/out" 2>&1
    claim "LD_LIBRARY_PATH=$path does not make the current folder one of libraries" hasnt TRAPPED
    claim "and this is reported" has 'relative ones'
done
LD_LIBRARY_PATH=.:$work/both "$moved" "$work/alone/libpeal.so.0" "$work/trap" >"$work/out" 2>&1
claim "folders with absolute paths are searched" has "loaded $work/both/libpeal-inspect.so.0"
claim "and relative ones before them are not" hasnt TRAPPED
LD_LIBRARY_PATH=$work/both "$moved" "$work/alone/libpeal.so.0" "$work/trap" >"$work/out" 2>&1
claim "the loader's own search is used without relative folders" has "loaded $work/both/libpeal-inspect.so.0"

[ "$failures" = 0 ] || echo "$failures claims failed"
exit $((failures > 0))
