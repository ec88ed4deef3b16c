#!/bin/sh
# The tarball, unpacked anywhere, and the Debian packages: what is in them, and a program with each.
. "$(dirname -- "$0")/common.sh"
command -v pkg-config >/dev/null || skip "there is no pkg-config"
kinds=TGZ
command -v dpkg-deb >/dev/null && kinds="TGZ;DEB"
must "$(dirname -- "$CMAKE")/cpack" --config "$PEAL_BUILD/CPackConfig.cmake" -G "$kinds" -B "$work/packages"
unset LD_LIBRARY_PATH

# serves ROOT: a program finds all that it needs below that folder.
serves() {
    pc=$(find "$1" -name peal.pc)
    libdir=$(dirname "$(dirname "$pc")")
    # shellcheck disable=SC2046
    build_program "$CC -std=c99" "$work/program" $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs peal) -ldl
    runs_with "$libdir/libpeal.so" env LD_LIBRARY_PATH="$libdir" "$work/program"
    find "$1" -path '*/man3/peal_*.3' | grep -q . || [ ! -d "$PEAL_TREE/share/man" ] || complain "$1 has no manual pages"
    find "$1" -path '*swift*' | grep -q . && complain "$1 has what fits one Swift toolchain only"
    readelf -S -W "$libdir/libpeal.so" | grep -q '\.symtab' && complain "the library in $1 is not stripped"
}

mkdir "$work/unpacked"
must tar -xzf "$work"/packages/peal-*.tar.gz -C "$work/unpacked"
[ "$(find "$work/unpacked" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || complain "the tarball has no folder of its own"
must mv "$work"/unpacked/peal-* "$work/elsewhere"
serves "$work/elsewhere"

if [ "$kinds" = TGZ ]; then
    echo "there is no dpkg-deb, so no Debian package was made"
    exit "$problems"
fi
runtime=$(echo "$work"/packages/libpeal"$PEAL_SOVERSION"_*.deb)
development=$(echo "$work"/packages/libpeal-dev_*.deb)
for package in "$runtime" "$development"; do
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
# Packages of two interfaces must not share a file.
grep -v '/$' "$runtime.contents" | grep -v "libpeal\(.so.\)\?$PEAL_SOVERSION" && complain "these would be in the way of another libpeal"
has "$development.fields" "^Depends: libpeal$PEAL_SOVERSION (= "
if command -v dpkg-shlibdeps >/dev/null; then
    has "$runtime.fields" '^Depends:.*libffi'
    has "$runtime.fields" '^Depends:.*libc6 (>= 2.36)'
fi
must dpkg-deb -e "$runtime" "$work/control"
has "$work/control/shlibs" "^libpeal $PEAL_SOVERSION libpeal$PEAL_SOVERSION"
serves "$work/root"
exit "$problems"
