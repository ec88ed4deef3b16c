#!/bin/sh
# The tarball, unpacked in any folder, and the Debian packages: their contents, and a program with each. For another
# architecture PEAL_EMULATOR runs the program, PEAL_FFI_FOLDER has its libffi, and PEAL_ARCHITECTURE is Debian's name
# of it.
. "$(dirname -- "$0")/common.sh"
command -v pkg-config >/dev/null || skip "there is no pkg-config"
kinds=TGZ
command -v dpkg-deb >/dev/null && kinds="TGZ;DEB"
must "$(dirname -- "$CMAKE")/cpack" --config "$PEAL_BUILD/CPackConfig.cmake" -G "$kinds" -B "$work/packages"
unset LD_LIBRARY_PATH
: "${PEAL_EMULATOR:=}" "${PEAL_FFI_FOLDER:=}" "${PEAL_ARCHITECTURE:=$(dpkg --print-architecture 2>/dev/null)}"

# serves ROOT: builds and runs a program with the files below that folder.
serves() {
    pc=$(find "$1" -name peal.pc)
    libdir=$(dirname "$(dirname "$pc")")
    # shellcheck disable=SC2046
    build_program "$CC -std=c99" "$work/program" $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs peal) -ldl \
        ${PEAL_FFI_FOLDER:+-Wl,-rpath-link,$PEAL_FFI_FOLDER}
    # shellcheck disable=SC2086
    runs_with "$libdir/libpeal.so" env LD_LIBRARY_PATH="$libdir:$PEAL_FFI_FOLDER" $PEAL_EMULATOR "$work/program"
    find "$1" -path '*/man3/peal_*.3' | grep -q . || [ ! -d "$PEAL_TREE/share/man" ] || complain "$1 has no manual pages"
    readelf -S -W "$libdir/libpeal.so" | grep -q '\.symtab' && complain "the library in $1 is not stripped"
}

# serves_swift ROOT: builds and runs a program in Swift with the same toolchain.
serves_swift() {
    pc=$(find "$1" -name peal-swift.pc)
    [ -n "$pc" ] || { complain "$1 has no peal-swift.pc"; return; }
    # shellcheck disable=SC2046
    must "$PEAL_SWIFTC" -swift-version 6 "$PEAL_SOURCE/examples-c/hello-swift/main.swift" -o "$work/program" \
        $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs peal-swift)
    readme_text hello-swift >"$work/expected"
    "$work/program" >"$work/printed" 2>&1 || complain "the program in Swift failed with what is in $1"
    same_file "$work/expected" "$work/printed"
}
has_no_swift() { find "$1" -path '*swift*' | grep . && complain "$1 has what fits one Swift toolchain only"; }

mkdir "$work/unpacked"
must tar -xzf "$work"/packages/peal-*.tar.gz -C "$work/unpacked"
[ "$(find "$work/unpacked" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || complain "the tarball has no folder of its own"
must mv "$work"/unpacked/peal-* "$work/elsewhere"
serves "$work/elsewhere"
if [ -e "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/Peal.swiftmodule" ]; then serves_swift "$work/elsewhere"; else has_no_swift "$work/elsewhere"; fi

if [ "$kinds" = TGZ ]; then
    echo "there is no dpkg-deb, so no Debian package was made"
    exit "$problems"
fi
runtime=$(echo "$work"/packages/libpeal"$PEAL_SOVERSION"_*.deb)
development=$(echo "$work"/packages/libpeal-dev_*.deb)
symbols=$(echo "$work"/packages/libpeal"$PEAL_SOVERSION"-dbgsym_*.deb)
for package in "$runtime" "$development" "$symbols"; do
    [ -e "$package" ] || { complain "there is no $package"; exit 1; }
    must dpkg-deb -x "$package" "$work/root"
    must dpkg-deb -c "$package"
    cp "$work/said" "$package.contents"
    must dpkg-deb -f "$package"
    cp "$work/said" "$package.fields"
done
has "$runtime.contents" "/libpeal.so.$PEAL_SOVERSION -> "
grep -qE '\.(h|pc|cmake|3)$|libpeal.so -> ' "$runtime.contents" && complain "the runtime has files for development"
grep '^-.*libpeal.so' "$development.contents" && complain "the development package has a library"
has "$runtime.fields" "^Package: libpeal$PEAL_SOVERSION\$"
# Packages with different SOVERSIONs must not have a file in common.
grep -v '/$' "$runtime.contents" | grep -v "libpeal\(.so.\)\?$PEAL_SOVERSION" && complain "these would be in the way of another libpeal"
has "$development.fields" "^Depends: libpeal$PEAL_SOVERSION (= "
if command -v dpkg-shlibdeps >/dev/null; then
    has "$runtime.fields" '^Depends:.*libffi8'
    needed=$(objdump -p "$work/root"/usr/lib*/*/libpeal.so."$PEAL_SOVERSION" "$work/root"/usr/lib*/libpeal.so."$PEAL_SOVERSION" \
        2>/dev/null | sed -n 's/.* GLIBC_\([0-9.]*\)$/\1/p' | sort -V | tail -n 1)
    has "$runtime.fields" "^Depends:.*libc6 (>= $needed)"
fi
has "$runtime.fields" "^Architecture: $PEAL_ARCHITECTURE\$"
must dpkg-deb -e "$runtime" "$work/control"
has "$work/control/shlibs" "^libpeal $PEAL_SOVERSION libpeal$PEAL_SOVERSION"
serves "$work/root"
has_no_swift "$work/root"

# A debugger finds the names of internal functions in the package of debug symbols, by the library's build ID.
has "$symbols.fields" "^Depends: libpeal$PEAL_SOVERSION (= "
[ "$(grep -c '^-' "$symbols.contents")" = 1 ] || complain "there is more than one file of symbols"
names() {
    "$gdb" -batch -iex "set debug-file-directory $1" -ex 'info address run_worker' "$(find "$work/root" -name "libpeal.so.$PEAL_SOVERSION.*")" 2>&1
}
gdb=$(command -v gdb-multiarch || command -v gdb)
if [ -n "$gdb" ]; then
    names "$work/nothing" | grep 'is at 0x' && complain "the library has symbols of its own"
    names "$work/root/usr/lib/debug" | grep -q 'is at 0x' || complain "$gdb finds no symbols: $(names "$work/root/usr/lib/debug")"
fi

# The Swift module has a package of its own, which depends on both others.
module=$(echo "$work"/packages/libpeal-swift-dev_*.deb)
if [ -e "$PEAL_TREE/$PEAL_LIBDIR/peal/swift/Peal.swiftmodule" ]; then
    [ -e "$module" ] || { complain "there is no $module"; exit 1; }
    must dpkg-deb -x "$module" "$work/root"
    must dpkg-deb -f "$module"
    cp "$work/said" "$module.fields"
    has "$module.fields" "^Depends: libpeal-dev (= "
    has "$module.fields" "The Swift module Peal"
    mkdir "$work/module-control"
    must dpkg-deb -e "$module" "$work/module-control"
    [ -e "$work/module-control/shlibs" ] && complain "the library with the Swift runtime passes for the packaged one"
    serves_swift "$work/root"
elif [ -e "$module" ]; then
    complain "$module is made where no Swift module is built"
fi
exit "$problems"
