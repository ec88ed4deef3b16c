#!/bin/sh
# linkage.sh <library> self-contained, or linkage.sh <library> shared <folder of the Swift runtime>: checks the
# library's entries for the dynamic linker.
library=$1 flavour=$2 runtime=${3-}
problems=0
dynamic=$(readelf -d -W "$library") || exit 1

complain() {
    echo "$*"
    problems=1
}

soname=$(printf '%s\n' "$dynamic" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libpeal.so.0 ] || complain "the SONAME is '$soname', not libpeal.so.0"
printf '%s\n' "$dynamic" | grep -q 'FLAGS_1.*NODELETE' || complain "the flag NODELETE is missing"
printf '%s\n' "$dynamic" | grep -q TEXTREL && complain "there are text relocations"
printf '%s\n' "$dynamic" | grep -q 'FLAGS.*BIND_NOW' || complain "functions are bound late, so their addresses stay writable"
readelf -l -W "$library" | grep -q GNU_RELRO || complain "relocated data stays writable"
readelf -S -W "$library" | grep ' \.rodata ' | grep -qE ' [0-9a-f]+ [0-9a-f]{2} W' && complain ".rodata is writable"
readelf -l -W "$library" | grep GNU_STACK | grep -q E && complain "the stack is executable"

needed=$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
    case $name in
        *Foundation*) complain "needs $name" ;;
        libffi.so.*|libc.so.*) ;;
        libm.so.*|libgcc_s.so.*|ld-linux*|libdispatch.so|libBlocksRuntime.so|libswiftCore.so|libswiftSynchronization.so|libswiftGlibc.so|libswift_Builtin_float.so)
            [ "$flavour" = shared ] || complain "needs $name" ;;
        *) complain "needs $name, which is not expected" ;;
    esac
done
nm -D "$library" | grep -q Foundation && complain "refers to symbols of Foundation"
if [ "$flavour" = self-contained ]; then
    nm -D "$library" | grep -iE 'swift|\$[se][0-9A-Z]' && complain "has symbols of Swift"
    grep -qaF "$(cd "$(dirname "$0")/../../.." && pwd)" "$library" && complain "names the folder where it was built"
fi
expected_path=
[ "$flavour" = shared ] && expected_path="\$ORIGIN${runtime:+:$runtime}"
run_path=$(printf '%s\n' "$dynamic" | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1/p')
[ "$run_path" = "$expected_path" ] || complain "the run path is '$run_path', not '$expected_path'"
[ "$problems" -eq 0 ] && echo "$library: $(echo $needed)"
exit "$problems"
