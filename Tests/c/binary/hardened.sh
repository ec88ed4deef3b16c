#!/bin/sh
# hardened.sh <file>...: the programs and libraries that read bytes of other processes must have stack protectors, bind all
# functions before they begin, and have no memory that is writable and executable.
problems=0

complain() {
    echo "$file: $*"
    problems=1
}

for file; do
    dynamic=$(readelf -d -W "$file") && segments=$(readelf -l -W "$file") || exit 1
    printf '%s\n' "$dynamic" | grep -q 'FLAGS.*BIND_NOW' || complain "functions are bound late, so their addresses stay writable"
    printf '%s\n' "$dynamic" | grep -q TEXTREL && complain "there are text relocations"
    printf '%s\n' "$segments" | grep -q GNU_RELRO || complain "relocated data stays writable"
    printf '%s\n' "$segments" | grep GNU_STACK | grep -q E && complain "the stack is executable"
    printf '%s\n' "$segments" | grep -q 'LOAD.* RWE' && complain "there is memory that is writable and executable"
    readelf -h -W "$file" | grep -q 'Type: *DYN' || complain "it has a fixed address"
    nm -D -u "$file" | grep -q __stack_chk_fail || complain "no function has a stack protector"
done
[ "$problems" -eq 0 ] && echo "$# files"
exit "$problems"
