#!/bin/sh
# C++ programs with peal.hpp: built by find_package, by pkg-config in three standards, and with peal-dl.h.
. "$(dirname -- "$0")/common.sh"
unset LD_LIBRARY_PATH
sources=$here/cpp_consumer

says() { "$@" >"$work/said" 2>&1 || complain "$* failed"; same_file "$sources/expected.txt" "$work/said"; }

cp -r "$sources" "$work/consumer"
must "$CMAKE" -G "$GENERATOR" -S "$work/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$PEAL_TREE" \
    -DCMAKE_CXX_COMPILER="$CXX"
must "$CMAKE" --build "$work/build"
says "$work/build/program"

PKG_CONFIG_PATH=$PEAL_TREE/$PEAL_LIBDIR/pkgconfig
export PKG_CONFIG_PATH
options=$(pkg-config --cflags --libs peal) || complain "pkg-config does not find peal"
for standard in c++17 c++20 c++23; do
    echo 'int x;' | $CXX -x c++ -std=$standard -fsyntax-only - 2>/dev/null || { echo "$CXX does not know $standard"; continue; }
    # shellcheck disable=SC2086
    must $CXX -std=$standard $strict "$sources/program.cpp" "$sources/elsewhere.cpp" $options \
        -Wl,-rpath,"$PEAL_TREE/$PEAL_LIBDIR" -o "$work/program"
    says "$work/program"
done

# shellcheck disable=SC2086
must $CXX -std=c++17 $strict -DUSE_PEAL_DL -I"$PEAL_TREE/include" "$sources/program.cpp" "$sources/elsewhere.cpp" \
    -ldl -o "$work/loading"
says "$work/loading" "$PEAL_TREE/$PEAL_LIBDIR/libpeal.so.$PEAL_SOVERSION"
exit "$problems"
