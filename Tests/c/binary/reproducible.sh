#!/bin/sh
# reproducible.sh <library> <swiftc>: a second build in another folder must have the same bytes.
library=$1 compiler=$2
root=$(cd "$(dirname -- "$0")/../../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/elsewhere" && cd "$root" || exit 1
cp -r CMakeLists.txt CHANGELOG.md LICENSE Sources abi cmake include scripts "$work/elsewhere" || exit 1
cmake -S "$work/elsewhere" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_Swift_COMPILER=$compiler" \
    -DPEAL_BUILD_TESTS=OFF -DPEAL_BUILD_EXAMPLES=OFF -DPEAL_BUILD_BENCHMARKS=OFF -DPEAL_BUILD_SWIFT_API=OFF \
    -DPEAL_INSTALL=OFF >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target peal-self-contained >>"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
cmp "$library" "$work"/build/lib/self-contained/libpeal.so.*.*.*
