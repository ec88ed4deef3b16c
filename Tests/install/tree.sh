#!/bin/sh
# Installs peal and moves the installed files. None of them may depend on the first folder.
. "$(dirname -- "$0")/common.sh"
rm -rf "$PEAL_TREE" "$PEAL_TREE.first"
must "$CMAKE" --install "$PEAL_BUILD" --prefix "$PEAL_TREE.first"
must mv "$PEAL_TREE.first" "$PEAL_TREE"

for header in "$PEAL_SOURCE"/include/peal/*.h "$PEAL_SOURCE"/include/peal/*.hpp "$PEAL_SOURCE"/include/peal/cxx/*.hpp; do
    cmp -s "$header" "$PEAL_TREE/include/${header#"$PEAL_SOURCE"/include/}" || complain "$header is not installed"
done
for file in "$PEAL_LIBDIR/libpeal.so" "$PEAL_LIBDIR/libpeal.so.$PEAL_SOVERSION" "$PEAL_LIBDIR/pkgconfig/peal.pc" \
    "$PEAL_LIBDIR/pkgconfig/peal-swift.pc" "$PEAL_LIBDIR/cmake/peal/peal-config.cmake" \
    "$PEAL_LIBDIR/peal/swift/libpeal.so.$PEAL_SOVERSION" "share/doc/libpeal$PEAL_SOVERSION/LICENSE"; do
    [ -e "$PEAL_TREE/$file" ] || complain "$file is not installed"
done
for flavour in . peal/swift; do
    library=$PEAL_TREE/$PEAL_LIBDIR/$flavour/libpeal.so
    kind=shared
    [ "$flavour" = . ] && kind=self-contained
    "$PEAL_SOURCE/Tests/c/binary/linkage.sh" "$library" $kind "$PEAL_SWIFT_RUNTIME_DIR" || problems=1
    readelf -S -W "$library" | grep -q ' \.symtab ' && complain "$library has the names of its inner functions"
done
# shellcheck disable=SC2046 # No name has a space.
"$PEAL_SOURCE/Tests/c/binary/search_paths.sh" $(find "$PEAL_TREE" -type f \( -name '*.so.*' -o -path '*/bin/*' \)) ||
    problems=1
if grep -rlIE "$PEAL_BUILD|$PEAL_SOURCE|$PEAL_TREE" "$PEAL_TREE"; then
    complain "these name folders of the machine that built them"
fi
exit "$problems"
