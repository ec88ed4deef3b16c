#!/bin/sh
# fortified.sh <compile_commands.json> <Sources>: every C file of the library must be compiled with size checks of the C
# library's functions. The library's symbols do not show this, because no call in it copies an unknown length into a
# buffer of known size. Therefore each file's command compiles a probe that does, which must call the checked function.
commands=$1 sources=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
problems=0

complain() {
    echo "$*"
    problems=1
}

cat >"$work/probe.c" <<'END_OF_PROBE'
#include <string.h>
char buffer[8];
void probe(const char *from, size_t size);
void probe(const char *from, size_t size) { memcpy(buffer, from, size); }
END_OF_PROBE

# Only a few commands remain once their input and output are removed.
for file in "$sources"/*/*.c; do
    command=$(sed -n "s@^ *\"command\": \"\(.*\) -o [^ ]* -c $file\",*\$@\1@p" "$commands" | sed 's/\\"/"/g')
    if [ -n "$command" ]; then
        printf '%s\n' "$command" >>"$work/found"
    else
        complain "$file is not compiled"
    fi
done
sort -u "$work/found" >"$work/different" || exit 1
while read -r command; do
    eval "$command -o '$work/probe.o' -c '$work/probe.c'" || { complain "failed: $command"; continue; }
    nm -u "$work/probe.o" | grep -q '__memcpy_chk' || complain "sizes are not checked: $command"
done <"$work/different"
[ "$problems" -eq 0 ] && echo "$(wc -l <"$work/found") files, checked by $(wc -l <"$work/different") commands"
exit "$problems"
