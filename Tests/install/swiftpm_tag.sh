#!/bin/sh
# A package of SwiftPM that requires a version of peal. `from:` finds the tag of a release in a git repository.
. "$(dirname -- "$0")/common.sh"
swift=$(dirname -- "$PEAL_SWIFTC")/swift
[ -x "$swift" ] || skip "there is no swift beside $PEAL_SWIFTC"
command -v git >/dev/null || skip "there is no git"

# Makes a repository with the sources of a release. docs/releasing.md defines the form of the tag.
mkdir "$work/peal" "$work/program" "$work/program/Sources"
for part in Package.swift Plugins Sources include; do
    cp -rp "$PEAL_SOURCE/$part" "$work/peal/" || complain "there is no $part"
done
repository() { git -C "$work/peal" -c user.name=peal -c user.email=peal@example.org -c commit.gpgsign=false "$@"; }
must repository init --quiet
must repository add --all
must repository commit --quiet --message "release: 0.1.0"
must repository tag --annotate v0.1.0 --message "peal 0.1.0"

sed 's|\.package(path: "../peal")|.package(url: "file://'"$work"'/peal", from: "0.1.0")|' "$here/package/Package.swift" \
    >"$work/program/Package.swift"
mkdir "$work/program/Sources/program" "$work/program/Sources/declarations"
cp "$PEAL_SOURCE/examples-c/hello-swift/main.swift" "$work/program/Sources/program/"
cp "$here/declarations/main.swift" "$here/declarations/chat.h" "$work/program/Sources/declarations/"
unset CC CXX
must "$swift" package --package-path "$work/program" --scratch-path "$work/scratch" --cache-path "$work/cache" \
    show-dependencies --format json --output-path "$work/dependencies"
has "$work/dependencies" '"version" *: *"0.1.0"'
# Without the trait Macros no other package is fetched.
grep -q swift-syntax "$work/dependencies" && complain "a package without the trait Macros fetches swift-syntax"
# SwiftPM refuses unsafe flags in a package that is required by its version.
grep -q unsafeFlags "$PEAL_SOURCE/Package.swift" && complain "Package.swift has unsafe flags"
exit "$problems"
