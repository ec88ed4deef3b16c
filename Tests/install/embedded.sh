#!/bin/sh
# CMake projects that contain peal's sources, with programs in C and in Swift. They use the kind of build that is
# fastest. The programs are built and run only if PEAL_TESTS is nightly, because the Swift compiler takes a minute of one processor
# for each flavour of the library. Otherwise the parts in C are built, and Ninja must have a rule for each file that the
# programs need.
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

# Copies the sources alone, as in a downloaded archive.
mkdir "$work/sources"
for part in CMakeLists.txt LICENSE CHANGELOG.md Sources abi cmake include scripts; do
    cp -r "$PEAL_SOURCE/$part" "$work/sources/" || complain "there is no $part"
done

# prints_hello PROGRAM: complains unless the program prints the output that the README of hello-swift shows.
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
if [ "${PEAL_TESTS:-}" = nightly ]; then
    must "$CMAKE" --build "$work/added/build" --target program
    runs_with "$work/added/build/peal/lib/self-contained/libpeal.so" "$work/added/build/program"
    must "$CMAKE" --build "$work/added/build" --target swift-program
    prints_hello "$work/added/build/swift-program"
else
    must "$CMAKE" --build "$work/added/build" --target CPealSupport CPealEntry CPealReserve
    must "$CMAKE" --build "$work/added/build" --target program swift-program -- -n
fi
configure fetched_swift -DUSE_FETCH=ON -DPEAL_SOURCE="$work/sources" -DSWIFT_CONSUMER="$hello"
# This project differs only in the origin of the sources. It is not built, and must only have a rule for the program.
must "$CMAKE" --build "$work/fetched_swift/build" --target swift-program -- -n
exit "$problems"
