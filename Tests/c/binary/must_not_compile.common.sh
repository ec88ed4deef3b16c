# For scripts with lines that a compiler must refuse. $1 is the include folder. The script defines `compile COMPILER
# LINE`, and ends with `finish`, which exits with 77 when there was no compiler.
# shellcheck disable=SC2034 # for the scripts that source this one
include=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
problems=0 compiled=0

# is_there COMPILER
is_there() {
    command -v "$1" >/dev/null || { echo "skipped: there is no $1"; return 1; }
}

# fits COMPILER LINE
fits() {
    compile "$1" "$2" || { echo "$1 refuses what fits: $2"; head -n 5 "$work/said"; problems=1; }
    compiled=$((compiled + 1))
}

# refused COMPILER LINE [WORDS]: the compiler must refuse the line, with these words if they are given.
refused() {
    if compile "$1" "$2"; then
        echo "$1 takes what does not fit: $2"
        problems=1
    elif ! grep -q -- "${3:-error}" "$work/said"; then
        echo "$1 refuses without the words '$3': $2"
        grep error "$work/said" | head -n 3
        problems=1
    fi
}

finish() {
    [ "$compiled" -gt 0 ] || { echo "skipped: there is no compiler"; exit 77; }
    exit "$problems"
}
