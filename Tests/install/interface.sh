#!/bin/sh
# abi/peal.layout agrees with the headers. When they differ, the check fails and prints the remedy.
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "there is no python3"
[ -x "$PEAL_CLANG" ] || skip "there is no clang"
interface() {
    python3 -B "$PEAL_SOURCE/scripts/interface" --clang "$PEAL_CLANG" "$@" >"$work/printed" 2>&1
}
# check [--write]: compares the headers with the file in $work.
check() { interface --include "$work/include" --layout "$work/layout" "$@"; }
# headers MAJOR MINOR PATCH [sed script on types.h]: copies the headers again, with that version.
headers() {
    rm -rf "$work/include"
    mkdir "$work/include"
    cp -r "$PEAL_SOURCE/include/peal" "$work/include"
    sed -i -e "s/VERSION_MAJOR .*/VERSION_MAJOR $1/" -e "s/VERSION_MINOR .*/VERSION_MINOR $2/" \
        -e "s/VERSION_PATCH .*/VERSION_PATCH $3/" "$work/include/peal/version.h"
    sed -i "s|^} peal_center;|&\n$plain|" "$work/include/peal/types.h"
    sed -i 's/Since [0-9]*\.[0-9]*/Since 5.1/' "$work"/include/peal/*.h
    [ $# -lt 4 ] || sed -i "$4" "$work/include/peal/types.h"
}
passes() { check || { complain "$1: the check fails"; cat "$work/printed"; }; }
fails() {
    check && complain "$1: the check passes"
    has "$work/printed" "$2"
}

must test -e "$PEAL_SOURCE/abi/peal.layout"
interface || { cat "$work/printed"; problems=1; }

# Declarations that are inserted and changed. They do not depend on the declarations of peal.
plain='enum peal_probe { PEAL_PROBE_ONE = 1 };\
struct peal_probed { size_t size; int32_t first; };\
typedef void (*peal_prober)(int);\
#define PEAL_PROBE_LIMIT 7\
PEAL_API peal_status peal_probe_it(struct peal_probed *probed, int32_t depth);\
PEAL_API void peal_probe_gone(void);'

headers 5 1 0
check --write || { complain "a file cannot be written"; cat "$work/printed"; }
passes "unchanged"
has "$work/layout" '^5.1 function peal_probe_it: peal_status (struct peal_probed \*, int32_t)$'
has "$work/layout" '^5.1 member peal_probed.first: at byte 8, 4 bytes, int32_t$'
cp "$work/layout" "$work/released"

# Before its release a version may be changed, together with the file.
headers 5 1 0 's/PEAL_PROBE_ONE = 1/PEAL_PROBE_ONE = 2/'
fails "open" 'PEAL_PROBE_ONE was `1` and is `2`'
has "$work/printed" 'This is allowed. When it is meant, run `scripts/interface --write`'
check --write || complain "an open version cannot be changed"
passes "open, written"

# After the release no change is allowed. Each one is named, and the file is not changed.
cp "$work/released" "$work/layout"
headers 5 2 0 's/PEAL_PROBE_ONE = 1/PEAL_PROBE_ONE = 2/; s/size_t size; int32_t first;/size_t size; int64_t first; int32_t last;/
    s/, int32_t depth)/, uint32_t depth)/; s/(\*peal_prober)(int)/(*peal_prober)(long)/; s/PEAL_PROBE_LIMIT 7/PEAL_PROBE_LIMIT 8/
    /peal_probe_gone/d'
fails "released" 'enumerator PEAL_PROBE_ONE, of peal 5.1, was `1` and is `2`'
has "$work/printed" 'struct peal_probed, of peal 5.1, was `16 bytes, aligned to 8` and is `24 bytes'
has "$work/printed" 'member peal_probed.first, of peal 5.1, was `.*int32_t` and is `.*int64_t`'
has "$work/printed" 'function peal_probe_it, of peal 5.1, was `.*, int32_t)` and is `.*, uint32_t)`'
has "$work/printed" 'function peal_probe_gone, of peal 5.1, is gone'
has "$work/printed" 'type peal_prober, of peal 5.1, was'
has "$work/printed" 'constant PEAL_PROBE_LIMIT, of peal 5.1, was `7` and is `8`'
[ "$(grep -c 'raise PEAL_SOVERSION in include/peal/version.h' "$work/printed")" = 7 ] || complain "a refusal does not say what to do"
check --write && complain "what is released can be changed"
same_file "$work/released" "$work/layout"

# A minor version may add declarations. Their lines have that version.
add='s/PEAL_PROBE_ONE = 1/&, PEAL_PROBE_TWO = 2/'
cp "$work/released" "$work/layout"
headers 5 2 0 "$add"
fails "new" 'enumerator PEAL_PROBE_TWO is new: `2`'
check --write || complain "what is new cannot be written"
passes "new, written"
has "$work/layout" '^5.2 enumerator PEAL_PROBE_TWO: 2$'
has "$work/layout" '^5.1 enumerator PEAL_PROBE_ONE: 1$'
cp "$work/released" "$work/layout"
headers 5 1 1 "$add"
fails "new in a patch" 'PEAL_PROBE_TWO is new, and 5.1.1 is a version that adds nothing: raise PEAL_VERSION_MINOR'

# A "Since" comment with another version is reported.
cp "$work/released" "$work/layout"
headers 5 1 0 's/^PEAL_API void peal_probe_gone/\/* Is gone. Since 4.3. *\/\n&/'
fails "a wrong comment" 'peal_probe_gone came with 5.1, and its comment in types.h says Since 4.3: correct the comment'

# With another SOVERSION every change is allowed.
headers 6 0 0 's/PEAL_PROBE_ONE = 1/PEAL_PROBE_ONE = 2/'
sed -i "s/SOVERSION .*/SOVERSION 77/" "$work/include/peal/version.h"
fails "another SOVERSION" 'PEAL_SOVERSION was .* and is 77'
check --write || complain "another SOVERSION cannot be written"
passes "another SOVERSION, written"
has "$work/layout" '^soversion 77$'
has "$work/layout" '^6.0 enumerator PEAL_PROBE_ONE: 2$'

echo 'nonsense' >>"$work/layout"
fails "a bad file" 'layout:[0-9]*: not a line that this script has written: nonsense'
sed -i '/SOVERSION/d' "$work/include/peal/version.h"
fails "no SOVERSION" 'version.h does not define PEAL_SOVERSION'
exit "$problems"
