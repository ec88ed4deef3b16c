#!/bin/sh
# Projects in Swift that use an installed peal: the examples, which use CMake, and a program that uses swiftc alone.
. "$(dirname -- "$0")/common.sh"
unset LD_LIBRARY_PATH
[ "$GENERATOR" = Ninja ] || skip "CMake builds Swift with Ninja"

# build NAME TREE: builds an example in a clean copy.
build() {
    cp -r "$PEAL_SOURCE/examples-c/$1" "$work/$1"
    must "$CMAKE" -G Ninja -S "$work/$1" -B "$work/$1/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$2" \
        -DCMAKE_Swift_COMPILER="$PEAL_SWIFTC"
    must "$CMAKE" --build "$work/$1/build"
}
# prints NAME COMMAND...: complains unless the command prints the output that the example's README shows.
prints() {
    readme_text "$1" >"$work/expected"
    shift
    "$@" >"$work/printed" 2>&1 || complain "$* failed"
    same_file "$work/expected" "$work/printed"
}

build hello-swift "$PEAL_TREE"
prints hello-swift "$work/hello-swift/build/hello-swift"
build mixed-swift-host "$PEAL_TREE"
prints mixed-swift-host "$work/mixed-swift-host/build/mixed-swift-host" "$work/mixed-swift-host/build/plugin.so"

# The Swift of a C header's protocol is generated, and again when the header has changed.
cp -r "$here/declarations" "$work/declarations"
must "$CMAKE" -G Ninja -S "$work/declarations" -B "$work/declarations/build" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_PREFIX_PATH="$PEAL_TREE" -DCMAKE_Swift_COMPILER="$PEAL_SWIFTC"
must "$CMAKE" --build "$work/declarations/build"
"$work/declarations/build/declarations" >"$work/printed" 2>&1 || complain "the program with generated declarations failed"
same_file "$here/declarations/expected.txt" "$work/printed"
sed -i 's/const char \*room/peal_queue room/' "$work/declarations/chat.h"
"$CMAKE" --build "$work/declarations/build" >"$work/refused" 2>&1 && complain "a header without Swift is accepted"
has "$work/refused" "chat.h:8: error: method on_message of Chat, parameter 1 'peal_queue room': "

# A test program that uses the installed PealTesting. The toolchain may lack swift-testing.
if [ -e "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libPealTesting.a" ]; then
    cp -r "$here/testing" "$work/testing"
    cp "$PEAL_SOURCE/examples-c/testing-swift/GreeterTests.swift" "$work/testing/"
    must "$CMAKE" -G Ninja -S "$work/testing" -B "$work/testing/build" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_PREFIX_PATH="$PEAL_TREE" -DCMAKE_Swift_COMPILER="$PEAL_SWIFTC"
    must "$CMAKE" --build "$work/testing/build"
    "$work/testing/build/greeter-tests" >"$work/printed" 2>&1 || complain "the tests with PealTesting failed"
    has "$work/printed" "Test run with 2 tests in 1 suite passed"
    LD_TRACE_LOADED_OBJECTS=1 "$work/testing/build/greeter-tests" >"$work/loaded"
    has "$work/loaded" "/peal/swift/libpeal.so"
fi

# swiftc alone, with the flags of pkg-config, in a folder without other files.
if command -v pkg-config >/dev/null; then
    mkdir "$work/alone"
    cp "$PEAL_SOURCE/examples-c/hello-swift/main.swift" "$work/alone/"
    libs=$(PKG_CONFIG_PATH=$PEAL_TREE/$PEAL_LIBDIR/pkgconfig pkg-config --cflags --libs peal-swift)
    # shellcheck disable=SC2086
    must env -C "$work/alone" "$PEAL_SWIFTC" -swift-version 6 main.swift -o program $libs
    prints hello-swift "$work/alone/program"
    LD_TRACE_LOADED_OBJECTS=1 "$work/alone/program" >"$work/loaded"
    has "$work/loaded" "/peal/swift/libpeal.so"
fi

# The macros are installed too, if they were built.
if [ -n "${libs:-}" ] && [ -e "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libPealMacros.so" ]; then
    cp "$PEAL_SOURCE/Tests/swift/macros/program.swift" "$PEAL_SOURCE/Tests/PealTests/Latch.swift" "$work/alone/"
    # shellcheck disable=SC2086
    must env -C "$work/alone" "$PEAL_SWIFTC" -swift-version 6 -parse-as-library program.swift Latch.swift -o macros $libs \
        -load-plugin-library "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libPealMacros.so"
    must "$work/alone/macros"
fi

# The module must not contain paths of the build.
for file in Peal.swiftmodule Peal.swiftdoc PealTesting.swiftmodule PealTesting.swiftdoc; do
    [ -e "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/$file" ] || continue
    grep -aqE "$PEAL_BUILD|$PEAL_SOURCE" "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/$file" && complain "$file names folders of the build"
done

# Without the component CMake prints a message.
for component in peal_development peal_runtime; do
    must "$CMAKE" --install "$PEAL_BUILD" --prefix "$work/c-only" --component "$component"
done
find "$work/c-only" -name '*.modulemap' | grep . && complain "a module map is installed for who has no Swift"
"$CMAKE" -G Ninja -S "$work/hello-swift" -B "$work/without" -DCMAKE_PREFIX_PATH="$work/c-only" \
    -DCMAKE_Swift_COMPILER="$PEAL_SWIFTC" >"$work/configured" 2>&1 && complain "configuring succeeded without the module"
tr -s ' \n' ' ' <"$work/configured" >"$work/sentences"
has "$work/sentences" "component PealSwift is not installed"
exit "$problems"
