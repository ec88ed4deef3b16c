# Shared by the scripts of this folder: paths, and the installation of packages and tools.
# Sourced, not run. POSIX sh.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck disable=SC2034 # for the scripts that source this one
jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Installs the Debian packages of commands and headers that are missing.
need_packages() {
    missing=''
    command -v cmake >/dev/null 2>&1 || missing="$missing cmake"
    command -v ninja >/dev/null 2>&1 || missing="$missing ninja-build"
    command -v pkg-config >/dev/null 2>&1 || missing="$missing pkg-config"
    command -v c++ >/dev/null 2>&1 || missing="$missing g++"
    [ -n "$(find /usr/include /usr/local/include -name ffi.h 2>/dev/null | head -n 1)" ] || missing="$missing libffi-dev"
    [ -e /usr/include/cbor.h ] || missing="$missing libcbor-dev"
    # The page of `peal serve`.
    [ -e /usr/include/microhttpd.h ] || missing="$missing libmicrohttpd-dev"
    [ -e /usr/include/nats/nats.h ] || missing="$missing libnats-dev"
    command -v nats-server >/dev/null 2>&1 || [ -x /usr/sbin/nats-server ] || missing="$missing nats-server"
    # The pictures of `peal graph --svg`.
    command -v dot >/dev/null 2>&1 || missing="$missing graphviz"
    # Probes for tracers.
    [ -n "$(find /usr/include -name sdt.h -path '*/sys/*' 2>/dev/null | head -n 1)" ] || missing="$missing systemtap-sdt-dev"
    [ -e /usr/include/sqlite3.h ] || missing="$missing libsqlite3-dev"
    # The event loops of tests and examples.
    [ -e /usr/include/glib-2.0/glib.h ] || missing="$missing libglib2.0-dev"
    [ -e /usr/include/uv.h ] || missing="$missing libuv1-dev"
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    command -v apt-get >/dev/null 2>&1 ||
        die "missing:$missing (Debian's names). Install them with this system's package manager."
    as_root=''
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            die "missing:$missing. Run as root: apt-get install$missing"
        as_root=sudo
    fi
    say "installing$missing"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
}

# Adds the Swift toolchain to the PATH: swiftc, and its clang for sanitized builds.
need_swift() {
    for place in "${SWIFT_HOME:+$SWIFT_HOME/usr/bin}" /opt/swift/usr/bin /usr/local/swift/usr/bin "$HOME/.local/share/swiftly/bin"; do
        command -v swiftc >/dev/null 2>&1 && break
        [ -n "$place" ] && [ -x "$place/swiftc" ] && PATH="$place:$PATH"
    done
    command -v swiftc >/dev/null 2>&1 ||
        die "no Swift toolchain found. Install Swift 6.3 or later from https://www.swift.org/install and put swiftc on the PATH, or set SWIFT_HOME to where it is unpacked."
    swiftc --version 2>/dev/null | grep -qE 'Swift version (6\.([3-9]|[1-9][0-9])|[7-9]|[1-9][0-9])' ||
        die "peal needs Swift 6.3 or later; found: $(swiftc --version 2>/dev/null | head -n 1)"
    # The folder of the actual toolchain, whose clang has the runtimes of Swift's sanitizers.
    toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
    PATH="$toolchain:$PATH"
    # Modules of C headers are cached in the build folder: a cache of the user has modules that other builds made, which
    # may hide what a fresh machine finds.
    export PATH XDG_CACHE_HOME="$root/build/cache"
}

# configure_and_build PRESET [cmake options]...
configure_and_build() {
    preset=$1
    shift
    cmake --preset "$preset" "$@" >"$root/build/$preset.configure.log" 2>&1 ||
        { cat "$root/build/$preset.configure.log"; die "configuring the preset $preset failed"; }
    cmake --build --preset "$preset" >"$root/build/$preset.build.log" 2>&1 ||
        { tail -n 60 "$root/build/$preset.build.log"; die "building the preset $preset failed"; }
}

# Prints the sources with one of the extensions in a list `a|b`, each on a line, without built files.
sources() {
    find Package.swift Plugins Sources include Tests Benchmarks examples-c apps -type f | grep -E "\.($1)$" | sort
}

# house_tool NAME CHECK: prints the path of a tool of scripts/house-requirements.txt, in exactly that version. If it is
# missing, the tools are installed into build/house-tools. If CHECK is yes, the script is SKIPPED instead.
house_tool() {
    wanted=$(sed -nE "s/^$1(-py)?==([0-9]+\.[0-9]+).*/\2/p" "$root/scripts/house-requirements.txt")
    for place in "$(command -v "$1" || true)" "$root/build/house-tools/bin/$1"; do
        if [ -x "$place" ] && "$place" --version 2>&1 | grep -qE "version:? $wanted\."; then
            echo "$place"
            return
        fi
    done
    if [ "$2" = yes ]; then
        echo "SKIPPED: no $1 $wanted; scripts/$(basename -- "$0") installs it" >&2
        return 77
    fi
    python3 -m venv "$root/build/house-tools" >&2 || return
    "$root/build/house-tools/bin/pip" install --quiet -r "$root/scripts/house-requirements.txt" >&2 || return
    echo "$root/build/house-tools/bin/$1"
}
