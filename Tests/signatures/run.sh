#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates random signatures, compiles them, and broadcasts each of them along every path.
# Claims: B1, B2, F1, O14, P2, P3, P8, X1
#
#   run.sh --generator PROGRAM --include DIR --library FILE... [--cc COMPILER]... [--output DIR]
#          [--seed N] [--count N] [--only INDEX] [--flags FLAGS] [--emulator COMMAND] [--self-check] [--prove] [--keep]
#          [--one]
#
# --library    given more than once, the program runs with each of them
# --cc         given more than once, the compilers compile the sources in turn; cc by default
# --seed       repeats a run; the time by default
# --only       one signature of a run, for use with a debugger
# --flags      for compiling and linking, such as -fsanitize=address
# --emulator   runs the compiled program, when the compiler is for another architecture
# --self-check calls the observers directly, without a library
# --prove      makes one expectation wrong, in each of several ways, and fails unless this is found
# --keep       keeps the sources and the program in the output directory
# --one        uses one processor, not two, for a run beside other tests
set -u
cd_source=$(dirname "$0")
source=$(cd "$cd_source" && pwd) || exit 2
generator= include= libraries= compilers= output= seed= count=2000 only= flags= emulator= mode=check keep= workers=2

usage() {
    sed -n '3,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    --self-check) mode=self-check; shift; continue ;;
    --prove) mode=prove; shift; continue ;;
    --keep) keep=yes; shift; continue ;;
    --one) workers=1; shift; continue ;;
    esac
    [ $# -ge 2 ] || usage
    case $1 in
    --generator) generator=$2 ;;
    --include) include=$2 ;;
    --library) libraries="$libraries $2" ;;
    --cc) [ -n "$2" ] && compilers="$compilers $2" ;;
    --output) output=$2 ;;
    --seed) seed=$2 ;;
    --count) count=$2 ;;
    --only) only=$2 ;;
    --flags) flags=$2 ;;
    --emulator) emulator=$2 ;;
    *) usage ;;
    esac
    shift 2
done
[ -n "$generator" ] && [ -n "$include" ] || usage
[ -n "$libraries" ] || [ "$mode" = self-check ] || usage
[ -n "$compilers" ] || compilers=cc
[ -n "$seed" ] || seed=$(date +%s)
made=
if [ -z "$output" ]; then
    output=$(mktemp -d) || exit 2
    made=$output
fi
mkdir -p "$output" || exit 2
rm -f "$output"/chunk_*.[co] "$output"/types_*.h "$output"/chunks.[co] "$output"/printed_*.c
rm -f "$output"/failed "$output"/signatures "$output"/runner_*.o

again="--seed $seed --count $count"
echo "signatures: seed $seed, $count signatures; to repeat: run.sh ... $again"
# The generator frees no memory before it exits, so leaks are not reported.
ASAN_OPTIONS=detect_leaks=0 "$generator" --output "$output" --seed "$seed" --count "$count" ${only:+--only "$only"} \
    >"$output/sources" || exit 1

# Each of one or two shells compiles its share of the sources. The compilers take turns.
compile() {
    worker=$1 number=0
    for name in $(cat "$output/sources"); do
        number=$((number + 1))
        [ $((number % workers)) -eq "$worker" ] || continue
        set -- $compilers
        shift $((number / 2 % $#))
        # -Wno-psabi disables a note of both compilers: old versions of gcc passed structs with complex members
        # in another way.
        "$1" -std=gnu11 -O1 -w -Wno-psabi $flags -I"$source/runner" -I"$include" -I"$output" \
            -c "$output/$name.c" -o "$output/$name.o" || echo "$name" >>"$output/failed"
    done
}
if [ "$workers" = 2 ]; then
    compile 1 &
fi
compile 0
wait
if [ -e "$output/failed" ]; then
    echo "signatures: these did not compile: $(tr '\n' ' ' <"$output/failed")"
    exit 1
fi

set -- $compilers
cc=$1
objects=
for name in $(cat "$output/sources"); do
    objects="$objects $output/$name.o"
done
for name in main group call canonical handler expect value class policy report; do
    "$cc" -std=gnu11 -O1 -g -Wall -Wextra $flags -I"$include" -c "$source/runner/$name.c" \
        -o "$output/runner_$name.o" || exit 1
    objects="$objects $output/runner_$name.o"
done
if [ "$mode" = self-check ]; then
    "$cc" -std=gnu11 $flags -c "$source/runner/nothing.c" -o "$output/runner_nothing.o" || exit 1
    "$cc" $flags $objects "$output/runner_nothing.o" -lm -o "$output/signatures" || exit 1
else
    # LD_LIBRARY_PATH replaces this library by another one.
    set -- $libraries
    "$cc" $flags $objects "$1" -Wl,--enable-new-dtags,-rpath,"$(dirname "$1")" -lm -o "$output/signatures" || exit 1
fi

# A compiler reads each declaration as written and as peal prints it. They must declare the same function.
check_printed() {
    for file in "$output"/printed_*.c; do
        [ -e "$file" ] || continue
        "$cc" -std=gnu11 -w -I"$source/runner" -I"$include" -I"$output" -fsyntax-only "$file" || return 1
    done
}

# A wrong expectation must be reported for the one signature that has it, and no other failure.
prove_one() {
    $emulator "$output/signatures" $1 --corrupt $2 >"$output/proof"
    status=$?
    which=$(sed -n 's/^corrupted: signature #//p' "$output/proof")
    found=$(sed -n 's/^FAIL signature #\([0-9]*\).*/\1/p' "$output/proof" | sort -u)
    if [ "$status" -eq 1 ] && [ -n "$which" ] && [ "$which" = "$found" ]; then
        echo "found: a wrong $2, in signature #$which"
    else
        echo "NOT found: a wrong $2, in signature #${which:-none}; status $status, reported: ${found:-none}"
        cat "$output/proof"
        return 1
    fi
}

result=0
case $mode in
self-check)
    $emulator "$output/signatures" --self-check || result=1
    prove_one --self-check "parameter direct" || result=1
    prove_one --self-check "result direct" || result=1
    ;;
prove)
    for way in parameter "parameter ffi" "parameter peal_ask" "parameter PEAL_EACH" result \
        "result ffi" "result peal_ask" "parameter proxy" "result proxy" "parameter bare" \
        "parameter handlers" "result handlers" self path \
        declaration; do
        prove_one "" "$way" || result=1
    done
    # Adds a parameter to a printed function, which is the second line after the written one.
    $emulator "$output/signatures" --printed "$output" >"$output/proof" || result=1
    set -- "$output"/printed_*.c
    sed '3s/(/(struct opaque **extra, /' "$1" >"$output/printed_wrong.c"
    rm -f "$@"
    if check_printed 2>"$output/proof"; then
        echo "NOT found: a wrong printed function"
        result=1
    else
        echo "found: a wrong printed function"
    fi
    ;;
check)
    for library in $libraries; do
        if [ "$library" != "$1" ]; then
            LD_LIBRARY_PATH=$(dirname "$library")
            export LD_LIBRARY_PATH
        fi
        echo "signatures: with $library"
        $emulator "$output/signatures" --printed "$output" && check_printed || result=1
    done
    ;;
esac
if [ -z "$keep" ] && [ "$result" -eq 0 ]; then
    rm -f "$output"/chunk_*.[co] "$output"/types_*.h "$output"/chunks.[co] "$output"/printed_*.c
    rm -f "$output"/runner_*.o "$output"/signatures "$output"/proof "$output"/sources
    [ -z "$made" ] || rmdir "$made"
fi
exit "$result"
