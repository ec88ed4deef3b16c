#!/bin/sh
# CMake projects that have peal's sources as a part, with programs in C and in Swift. The quick kind of build is enough
# for that.
. "$(dirname -- "$0")/common.sh"
unset LD_LIBRARY_PATH
[ "$GENERATOR" = Ninja ] || skip "peal is built with Ninja"

# configure NAME OPTIONS...
configure() {
    name=$1
    shift
    cp -r "$here/embedder" "$work/$name"
    must "$CMAKE" -G Ninja -S "$work/$name" -B "$work/$name/build" -DCMAKE_BUILD_TYPE=Debug \
        -DPEAL_SOURCE="$PEAL_SOURCE" -DCONSUMER="$consumer" -DCMAKE_Swift_COMPILER="$PEAL_SWIFTC" "$@"
}

# The sources alone, as a download has them.
mkdir "$work/sources"
for part in CMakeLists.txt LICENSE CHANGELOG.md Sources abi cmake include scripts; do
    cp -r "$PEAL_SOURCE/$part" "$work/sources/" || complain "there is no $part"
done

# prints_hello PROGRAM: the output that the README of hello-swift has, the same program in Swift.
prints_hello() {
    readme_text hello-swift >"$work/expected"
    "$1" >"$work/printed" 2>&1 || complain "$1 failed"
    same_file "$work/expected" "$work/printed"
}
hello=$work/hello/main.swift
mkdir "$work/hello"
cp "$PEAL_SOURCE/examples-c/hello-swift/main.swift" "$hello"

must tar -czf "$work/peal.tar.gz" -C "$work" sources
configure fetched -DUSE_FETCH=ON -DPEAL_SOURCE="file://$work/peal.tar.gz"
configure added -DPEAL_SOURCE="$work/sources" -DSWIFT_CONSUMER="$hello"
must "$CMAKE" --build "$work/added/build" --target program swift-program
runs_with "$work/added/build/peal/lib/self-contained/libpeal.so" "$work/added/build/program"
prints_hello "$work/added/build/swift-program"
configure fetched_swift -DUSE_FETCH=ON -DPEAL_SOURCE="$work/sources" -DSWIFT_CONSUMER="$hello"
# All that differs is how the sources came, so that the way to the program is known must do.
must "$CMAKE" --build "$work/fetched_swift/build" --target swift-program -- -n
exit "$problems"
