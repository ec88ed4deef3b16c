#!/bin/sh
# CMake projects with find_package: all targets, and the messages about missing components.
. "$(dirname -- "$0")/common.sh"
unset LD_LIBRARY_PATH

# configure TREE OPTIONS...: configures the consumer in a clean copy and a clean build folder.
configure() {
    tree=$1
    shift
    rm -rf "$work/consumer" "$work/build"
    cp -r "$consumer" "$work/consumer"
    "$CMAKE" -G "$GENERATOR" -S "$work/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$tree" "$@" >"$work/configured" 2>&1
}
configured() { configure "$@" || { complain "configuring failed: $*"; cat "$work/configured"; }; }
refused() {
    sentence=$1
    shift
    configure "$@" && complain "configuring succeeded: $*"
    tr -s ' \n' ' ' <"$work/configured" >"$work/sentences"
    has "$work/sentences" "$sentence"
}

configured "$PEAL_TREE" "-DPEAL_WANTED_COMPONENTS=self-contained;swift"
must "$CMAKE" --build "$work/build"
runs_with "$PEAL_TREE/$PEAL_LIBDIR/libpeal.so" "$work/build/with-peal"
runs_with "$PEAL_TREE/$PEAL_LIBDIR/libpeal.so" "$work/build/with-self-contained"
runs_with "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/libpeal.so" "$work/build/with-swift"

refused 'compatible with requested version "99"' "$PEAL_TREE" -DPEAL_WANTED_VERSION=99
refused "component nonsense is not installed; there are self-contained, swift, PealSwift and PealTesting" "$PEAL_TREE" -DPEAL_WANTED_COMPONENTS=nonsense

# Installs each component alone, as the packages do.
for component in peal_development peal_runtime; do
    must "$CMAKE" --install "$PEAL_BUILD" --prefix "$work/c-only" --component "$component"
done
configured "$work/c-only"
must "$CMAKE" --build "$work/build"
runs_with "$work/c-only/$PEAL_LIBDIR/libpeal.so" "$work/build/with-peal"
[ -e "$work/build/with-swift" ] && complain "peal::swift is there without its component"
refused "component swift is not installed" "$work/c-only" -DPEAL_WANTED_COMPONENTS=swift

must "$CMAKE" --install "$PEAL_BUILD" --prefix "$work/headers-only" --component peal_development
refused "libpeal.so" "$work/headers-only"

# The examples of the repository are such projects too.
cp -r "$PEAL_SOURCE/examples-c/hello" "$work/hello"
must "$CMAKE" -G "$GENERATOR" -S "$work/hello" -B "$work/hello/build" -DCMAKE_PREFIX_PATH="$PEAL_TREE"
must "$CMAKE" --build "$work/hello/build"
"$work/hello/build/hello" >"$work/printed"
has "$work/printed" "Ann in lobby: good morning"
exit "$problems"
