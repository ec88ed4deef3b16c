#!/bin/sh
# exports.sh <library> <abi/peal.symbols> <include>: the library's exported symbols, the list and the functions that the
# headers declare must be the same.
library=$1 symbols=$2 include=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
problems=0

# The version node is listed as an absolute symbol of its own name.
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
grep -v '^ *$' "$symbols" | sort >"$work/listed"
# Comments are removed first, because they may contain names of functions.
cat "$include"/peal/*.h | sed -e 's@/\*[^*]*\*/@@g' | tr '\n' ' ' | sed -e 's@/\*@\n&@g; s@\*/@&\n@g' \
    | grep -v '^/\*' | tr '\n' ' ' | grep -o 'PEAL_API [^;]*;' \
    | sed -E 's/^[^(]*[ *]([a-z_0-9]+)\(.*/\1/' | grep '^peal_' | sort -u >"$work/declared"

compare() {
    if ! diff "$work/$1" "$work/$2" >"$work/difference"; then
        echo "$1 (<) and $2 (>) differ:"
        grep '^[<>]' "$work/difference"
        problems=1
    fi
}

[ -s "$work/declared" ] || { echo "no declaration was found in $include"; problems=1; }
compare exported listed
compare declared listed
if [ "$(sort -u "$symbols" | wc -l)" -ne "$(wc -l <"$symbols")" ]; then
    echo "a symbol is listed twice"
    problems=1
fi
[ "$problems" -eq 0 ] && echo "$(wc -l <"$work/listed") symbols, each declared, listed and exported"
exit "$problems"
