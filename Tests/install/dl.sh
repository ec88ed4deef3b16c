#!/bin/sh
# Programs with peal-dl.h, which do not link peal, and the sentences about libraries that cannot be used.
. "$(dirname -- "$0")/common.sh"
unset LD_LIBRARY_PATH
library=$PEAL_TREE/$PEAL_LIBDIR/libpeal.so.$PEAL_SOVERSION
dl="-DUSE_PEAL_DL -I$PEAL_TREE/include"

# fake OUTPUT VERSION NODE [LACKING]: builds a library with peal's symbols, of which only peal_version works.
fake() {
    {
        echo "unsigned peal_version(void) { return $2; }"
        grep -vx -e peal_version -e "${4:-none}" "$PEAL_SOURCE/abi/peal.symbols" | sed 's/.*/void &(void) {}/'
    } >"$work/fake.c"
    echo "$3 { global: *; };" >"$work/fake.map"
    must "$CC" -w -shared -fPIC "$work/fake.c" -Wl,--version-script="$work/fake.map" -o "$1"
}

# refuses WORDS LIBRARY: complains unless the program exits with 1 and prints one sentence with these words.
refuses() {
    words=$1
    shift
    "$work/program" "$@" >"$work/printed" 2>&1 && complain "program $* succeeded"
    has "$work/printed" "$words"
    [ "$(wc -l <"$work/printed")" = 1 ] || complain "program $* prints more than one sentence"
}

version=$(sed -n 's/^#define PEAL_VERSION_[A-Z]* //p' "$PEAL_SOURCE/include/peal/version.h" | paste -sd .)
number=$(echo "$version" | awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }')
node=PEAL_$PEAL_SOVERSION

for language in "$CC -std=c99" "$CC -std=gnu11" "$CXX -std=c++11 -x c++" "$CXX -std=c++17 -x c++" \
    "${PEAL_CLANG:+$PEAL_CLANG -std=c99 -Wno-unused-command-line-argument}"; do
    [ -n "$language" ] || continue
    # shellcheck disable=SC2086
    build_program "$language" "$work/program" $dl -x none -ldl
    readelf -d "$work/program" | grep -q libpeal && complain "$language: the program links peal"
    runs_with "$library" "$work/program" "$library"
    runs_with "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libpeal.so" "$work/program" "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libpeal.so"
done

refuses 'peal cannot be loaded: .*no-such.so.*: install peal, or give the path of libpeal.so' "$work/no-such.so"
refuses "'libm.so.6' is no library of peal, it has no peal_version" libm.so.6
fake "$work/old.so" 1 "$node"
refuses "old.so is peal 0.0.1, and this program was built for peal $version: it is too old; install peal" "$work/old.so"
fake "$work/lacking.so" "$number" "$node" peal_send
refuses "lacking.so is peal $version, and .* for peal $version: it has no peal_send; install" "$work/lacking.so"
fake "$work/other.so" $((number + 10000)) PEAL_999
refuses "other.so is peal .*, and this program was built for peal $version: it has another interface" "$work/other.so"

# The first library that can be used ends the search.
"$work/program" "$work/lacking.so" "$library" libm.so.6 >"$work/printed" 2>&1 || complain "a second try fails"
has "$work/printed" "it has no peal_send"
has "$work/printed" "^Ann: a typed broadcast"
grep -q "libm.so.6" "$work/printed" && complain "an open library is opened again"

# Without a path the dynamic linker finds the library by its name.
cat >"$work/named.c" <<'END'
#include <peal/peal-dl.h>
int main(void)
{
    if (peal_dl_is_open() || peal_dl_message()[0] != 0)
        return 2;
    if (!peal_dl_open(NULL)) {
        puts(peal_dl_message());
        return 1;
    }
    return peal_dl_is_open() && peal_dl_open("no-such.so") && peal_dl_message()[0] == 0
        && peal_version() == PEAL_VERSION ? 0 : 3;
}
END
# shellcheck disable=SC2086
must "$CC" -std=c99 $strict "-I$PEAL_TREE/include" "$work/named.c" -o "$work/named" -ldl
must env LD_LIBRARY_PATH="$PEAL_TREE/$PEAL_LIBDIR" "$work/named"
# A newer library with the same interface can be used.
mkdir "$work/newer"
fake "$work/newer/libpeal.so.$PEAL_SOVERSION" $((number + 100)) "$node"
LD_LIBRARY_PATH=$work/newer "$work/named"
[ $? = 3 ] || complain "a newer library is refused"

# A plugin opens the library for itself. In one program some files may load the library and others may link it.
cat >"$work/plugin.c" <<'END'
#include <peal/peal-dl.h>
__attribute__((visibility("default"))) int plugin_run(const char *path)
{
    if (peal_dl_is_open())
        return 1;
    return peal_dl_open(path) && peal_version() == PEAL_VERSION ? 0 : 2;
}
END
cat >"$work/host.c" <<'END'
#ifdef LINKED
#include <peal/peal.h>
#else
#include <peal/peal-dl.h>
#endif
int plugin_run(const char *path);
int main(int argc, char **argv)
{
    (void)argc;
#ifndef LINKED
    if (!peal_dl_open(argv[1]))
        return 10;
#endif
    if (peal_version() != PEAL_VERSION)
        return 11;
    return plugin_run(argv[1]);
}
END
built="$CC -std=c99 $strict -I$PEAL_TREE/include -fPIC"
# shellcheck disable=SC2086
must $built -fvisibility=hidden -shared "$work/plugin.c" -o "$work/plugin.so" -ldl
# shellcheck disable=SC2086
must $built "$work/host.c" "$work/plugin.so" -o "$work/host" -rdynamic -ldl
must "$work/host" "$library"
# shellcheck disable=SC2086
must $built -DLINKED "$work/host.c" "$work/plugin.c" "$library" -o "$work/host" -ldl
must env LD_LIBRARY_PATH="$PEAL_TREE/$PEAL_LIBDIR" "$work/host" "$library"

# A call before the library is opened ends the program with a message.
# shellcheck disable=SC3045 # dash and bash have it
( ulimit -c 0; "$work/program" ) >"$work/printed" 2>&1 && complain "a call before peal_dl_open succeeds"
has "$work/printed" "a function of peal was called, but the library is not loaded: call peal_dl_open first"

echo '#include <peal/peal.h>
#include <peal/peal-dl.h>' >"$work/late.c"
"$CC" -I"$PEAL_TREE/include" -fsyntax-only "$work/late.c" 2>"$work/printed" && complain "peal-dl.h may come last"
has "$work/printed" "instead of <peal/peal.h>"
exit "$problems"
