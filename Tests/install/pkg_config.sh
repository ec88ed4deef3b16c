#!/bin/sh
# A C program and a C++ program that use pkg-config, with each of the two libraries.
. "$(dirname -- "$0")/common.sh"
command -v pkg-config >/dev/null || skip "there is no pkg-config"
PKG_CONFIG_PATH=$PEAL_TREE/$PEAL_LIBDIR/pkgconfig
export PKG_CONFIG_PATH
unset LD_LIBRARY_PATH

version=$(sed -n 's/^#define PEAL_VERSION_[A-Z]* //p' "$PEAL_SOURCE/include/peal/version.h" | paste -sd .)
for name in peal peal-swift; do
    [ "$(pkg-config --modversion $name)" = "$version" ] || complain "$name.pc is not of version $version"
done
for language in "$CC -std=c99" "$CXX -std=c++11 -x c++"; do
    # shellcheck disable=SC2046
    build_program "$language" "$work/program" -x none $(pkg-config --cflags --libs peal) -ldl
    runs_with "$PEAL_TREE/$PEAL_LIBDIR/libpeal.so" env "LD_LIBRARY_PATH=$PEAL_TREE/$PEAL_LIBDIR" "$work/program"
    # The dynamic linker does not search this folder, so the program is run with its path.
    # shellcheck disable=SC2046
    build_program "$language" "$work/program" -x none $(pkg-config --cflags --libs peal-swift) -ldl
    runs_with "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libpeal.so" "$work/program"
done
exit "$problems"
