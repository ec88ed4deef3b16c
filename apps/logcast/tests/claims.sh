# Shared by the test scripts: a folder of their own, and claims that are printed with their outcome.
#
#     . claims.sh; claim "what holds" COMMAND...
#
# Sets: work (a folder, removed at the end). `run` fills out, err and code.
set -u
LC_ALL=C
export LC_ALL
tests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

claim() {
    said=$1
    shift
    if "$@"; then
        echo "ok: $said"
    else
        failures=$((failures + 1))
        echo "NOT OK: $said"
        echo "    $*"
        [ ! -f "$work/out" ] || sed 's/^/    out| /' "$work/out"
        [ ! -f "$work/err" ] || sed 's/^/    err| /' "$work/err"
    fi
}

finish() {
    [ "$failures" -eq 0 ] && echo "all claims hold"
    exit "$((failures > 0))"
}

# run COMMAND...: stores the command's output and exit code.
run() {
    out=$work/out
    err=$work/err
    "$@" >"$out" 2>"$err"
    # shellcheck disable=SC2034 # for the scripts that source this one
    code=$?
}

generate() { # COUNT: prints the path of a generated log, whose name is its count of lines
    [ -f "$work/generated-$1" ] || awk -v count="$1" -f "$tests/generate.awk" >"$work/generated-$1"
    echo "$work/generated-$1"
}

has() { # FILE TEXT: a line contains the text
    grep -qF -- "$2" "$1"
}

is_empty() {
    [ ! -s "$1" ]
}

same() { # EXPECTED ACTUAL
    [ "$1" = "$2" ] || { echo "    expected: $1"; echo "    actual:   $2"; return 1; }
}
