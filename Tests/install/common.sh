# Shared by the tests of this folder. Sourced, not run. POSIX sh.
#
# CMakeLists.txt sets the environment: PEAL_SOURCE, PEAL_BUILD, PEAL_TREE (the installed files, which have been
# moved), PEAL_LIBDIR, PEAL_SOVERSION, PEAL_CLANG, PEAL_SWIFTC, CMAKE, GENERATOR.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
consumer=$here/consumer
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
problems=0
: "${CC:=cc}" "${CXX:=c++}"
strict="-Wall -Wextra -Wpedantic -Werror -Wshadow -O2"

# shellcheck disable=SC2034 # `problems` is read by the scripts that source this one.
complain() { printf '%s\n' "$*"; problems=1; }
skip() { printf 'skipped: %s\n' "$*"; exit 77; }
# must COMMAND...: ends the test if the command fails.
must() {
    "$@" >"$work/said" 2>&1 && return
    printf 'failed: %s\n' "$*"
    cat "$work/said"
    exit 1
}
# has FILE PATTERN: complains unless a line of the file matches.
has() { grep -q -- "$2" "$1" || { complain "$1 has no line like '$2':"; cat "$1"; }; }
# same_file A B
same_file() { diff -u "$1" "$2" >"$work/difference" || { complain "$1 and $2 differ:"; cat "$work/difference"; }; }

# build_program COMPILER OUTPUT OPTIONS...: compiles the consumer in a folder of its own.
build_program() {
    compiler=$1 output=$2
    shift 2
    # shellcheck disable=SC2086
    must $compiler $strict "$consumer/program.c" "$consumer/elsewhere.c" -o "$output" "$@"
}

# runs_with LIBRARY COMMAND...: complains unless the program prints the expected text and uses that library.
runs_with() {
    library=$(readlink -f "$1")
    shift
    if ! "$@" >"$work/printed" 2>&1; then
        complain "$* failed:"
        cat "$work/printed"
        return
    fi
    answered=$(sed -n 's/^by //p' "$work/printed")
    [ "$(readlink -f "$answered")" = "$library" ] || complain "$* was served by $answered, not by $library"
    grep -v '^by ' "$work/printed" >"$work/said"
    same_file "$consumer/expected.txt" "$work/said"
}

# readme_text EXAMPLE: prints the output that the example's README shows.
readme_text() { sed -n '/^```text$/,/^```$/p' "$PEAL_SOURCE/examples-c/$1/README.md" | sed '1d;$d'; }
