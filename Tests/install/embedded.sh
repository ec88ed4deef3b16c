#!/bin/sh
# CMake projects that have peal's sources as a part. The quick kind of build is enough for that.
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

must tar -czf "$work/peal.tar.gz" -C "$work" sources
configure fetched -DUSE_FETCH=ON -DPEAL_SOURCE="file://$work/peal.tar.gz"
configure added -DPEAL_SOURCE="$work/sources"
must "$CMAKE" --build "$work/added/build" --target program
runs_with "$work/added/build/peal/lib/self-contained/libpeal.so" "$work/added/build/program"
exit "$problems"
