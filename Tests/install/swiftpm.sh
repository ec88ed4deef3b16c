#!/bin/sh
# A package of SwiftPM that depends on peal's sources by path. Its programs are the example hello-swift, and one whose
# protocol is declared by a C header.
#
# It compiles peal without optimization, which is fastest. Its output stays in the build folder, so that the next
# run compiles only what has changed.
. "$(dirname -- "$0")/common.sh"
swift=$(dirname -- "$PEAL_SWIFTC")/swift
[ -x "$swift" ] || skip "there is no swift beside $PEAL_SWIFTC"

# Copies the sources alone, as in a downloaded archive, with their times of modification.
place=$PEAL_BUILD/Tests/install/swiftpm
mkdir -p "$place"
rm -rf "$place/peal" "$place/package"
mkdir "$place/peal"
cp -rp "$here/package" "$place/package"
for part in Package.swift Plugins Sources include; do
    cp -rp "$PEAL_SOURCE/$part" "$place/peal/" || complain "there is no $part"
done
example=$PEAL_SOURCE/examples-c/hello-swift
mkdir -p "$place/package/Sources/program"
cp -p "$example/main.swift" "$place/package/Sources/program/"
mkdir "$place/package/Sources/declarations"
cp -p "$here/declarations/main.swift" "$here/declarations/chat.h" "$place/package/Sources/declarations/"

# SwiftPM does not detect changed headers and new files in a folder. In these cases the build is started from scratch.
(cd "$place/peal" && find . -type f | sort && find . -name '*.h' -exec cksum {} +) >"$work/state"
cmp -s "$work/state" "$place/state" || rm -rf "$place/scratch"
cp "$work/state" "$place/state"

# SwiftPM would use a compiler that is named in the environment, and needs its own.
unset CC CXX
build() {
    "$swift" build --package-path "$place/package" --scratch-path "$place/scratch" --disable-index-store -Xswiftc -gnone "$@"
}
must build --product program
readme_text hello-swift >"$work/expected"
"$place/scratch/debug/program" >"$work/printed" 2>&1 || complain "the program failed"
same_file "$work/expected" "$work/printed"
# The program contains peal, so it needs no libpeal.so.
readelf -d -W "$place/scratch/debug/program" >"$work/dynamic"
grep -q 'NEEDED.*libpeal' "$work/dynamic" && complain "the program needs a libpeal.so"

# The plugin generates the Swift of the header's protocol, again when the header has changed, and a header without Swift
# stops the build with its sentence.
must build --product declarations
"$place/scratch/debug/declarations" >"$work/printed" 2>&1 || complain "the program with generated declarations failed"
same_file "$here/declarations/expected.txt" "$work/printed"
sed -i 's/const char \*room/peal_queue room/' "$place/package/Sources/declarations/chat.h"
build --product declarations >"$work/refused" 2>&1 && complain "a header without Swift is accepted"
has "$work/refused" "chat.h:8: error: method on_message of Chat, parameter 1 'peal_queue room': "
exit "$problems"
