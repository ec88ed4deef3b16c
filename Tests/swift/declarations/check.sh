#!/bin/sh
# check.sh PART PROGRAM COMPILER OPTIONS...: writes the declarations of headers, and compares the outcome with the
# expected one.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
part=$1
program=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"

# refuses EXPECTED ARGUMENTS...: fails unless the program prints these sentences and writes nothing.
refuses() {
    expected=$1
    shift
    if "$program" "$@" "$work/output.swift" 2>"$work/printed"; then
        echo "accepted: $*"
        exit 1
    fi
    [ ! -e "$work/output.swift" ] || { echo "output is written for: $*"; exit 1; }
    diff -u "$expected" "$work/printed"
}

case $part in
headers)
    # The protocols of these headers have Swift, and it compiles.
    root=$here/../../..
    for header in "$root"/include/peal/module.h "$root"/include/peal/builtin.h "$root"/apps/logcast/log_*.h \
        "$root"/examples-c/*/*.h "$root"/Benchmarks/bench.h; do
        grep -q '^PEAL_PROTOCOL(' "$header" || continue
        "$program" "$header" "$work/output.swift"
        "$@" "$work/output.swift"
    done
    # Types of a module that the file imports, and protocols of several headers.
    mkdir "$work/Shapes"
    echo 'struct shape { double sides[4]; }; enum hue { RED, GREEN };' >"$work/Shapes/shapes.h"
    echo 'module Shapes { header "shapes.h" }' >"$work/Shapes/module.modulemap"
    cat >"$work/canvas.h" <<'END'
#define CANVAS(METHOD) METHOD(required, struct shape, draw, (enum hue hue, struct shape shape), last)
PEAL_PROTOCOL(canvas, "Canvas", CANVAS);
END
    cat >"$work/values.swift" <<'END'
public import Peal
public import Shapes
extension shape: @retroactive PealStruct {
    public static let structure = Structure<shape>("struct shape { double sides[4]; };")
}
extension hue: @retroactive PealEnum {
    public static var cType: CType { CType("enum hue") }
    public static var unknown: hue { RED }
}
END
    "$program" --import Shapes "$work/canvas.h" kinds.h "$work/output.swift"
    grep -q '^public import Shapes$' "$work/output.swift"
    "$program" --import Shapes "$work/canvas.h" "$work/output.swift"
    "$@" -I "$work/Shapes" "$work/values.swift" "$work/output.swift"
    # CRLF, comments within a list, and declarations in one line.
    # shellcheck disable=SC1003 # The line ends with a backslash.
    printf '%s\r\n' '/* "PEAL_PROTOCOL(a' '#define CHAT(METHOD) */' '#define CHAT(METHOD) \' \
        '    METHOD(required, void, on_text, /* the " text */ (const char *text)) // and' \
        'extern "C" { PEAL_PROTOCOL(chat, "Chat", CHAT); }' >"$work/chat.h"
    "$program" "$work/chat.h" "$work/output.swift"
    "$@" "$work/output.swift"
    ;;
refused)
    refuses refused.expected refused.txt
    echo "bridging.h:1: error: this header has no PEAL_PROTOCOL(tag, \"Name\", LIST)" >"$work/expected"
    refuses "$work/expected" bridging.h
    echo "peal-declarations: error: cannot read absent.h" >"$work/expected"
    refuses "$work/expected" absent.h
    echo "peal-declarations: error: usage: peal-declarations [--import MODULE]... HEADER... OUTPUT" >"$work/expected"
    refuses "$work/expected"
    # A header that ends anywhere is refused or accepted, and no such end stops the program by a trap.
    size=$(wc -c <refused.txt)
    while [ "$size" -gt 0 ]; do
        head -c "$size" refused.txt >"$work/cut.h"
        "$program" "$work/cut.h" "$work/cut.swift" 2>"$work/printed" || [ $? = 1 ] || { cat "$work/printed"; exit 1; }
        size=$((size - 37))
    done
    ;;
esac
