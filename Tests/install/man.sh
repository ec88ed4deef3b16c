#!/bin/sh
# The installed manual pages: one for each function and each header, with the header's comments. The headers of companion
# libraries have pages too where they are installed.
. "$(dirname -- "$0")/common.sh"
pages=$PEAL_TREE/share/man/man3
[ -d "$pages" ] || skip "no manual pages were made, since there is no Python"

while read -r name; do
    [ -e "$pages/$name.3" ] || { complain "there is no page of $name"; continue; }
    grep -q "^$name\|, $name\| $name" "$pages/$name.3" || complain "the page of $name does not name it"
    grep -q "$name(" "$pages/$name.3" || complain "the page of $name does not declare it"
done <"$PEAL_SOURCE/abi/peal.symbols"
for header in "$PEAL_SOURCE"/include/peal/*.h; do
    name=$(basename "$header" .h)
    case $name in
        peal) page=peal ;;
        peal-dl) page=peal-dl ;;
        *) page=peal_$name ;;
    esac
    [ -e "$pages/$page.3" ] || complain "there is no page of $name.h"
done
for header in "$PEAL_SOURCE"/Sources/*/include/peal/*.h; do
    name=$(basename "$header" .h)
    [ -e "$PEAL_TREE/include/peal/$name.h" ] || continue
    has "$pages/peal_$name.3" "^#include <peal/$name.h>"
    sed -n 's/^PEAL_API[^;]*[ *]\(peal_[a-z_]*\)(.*/\1/p' "$header" >"$work/functions"
    [ -s "$work/functions" ] || complain "$name.h declares no function that this test finds"
    while read -r function; do
        has "$pages/$function.3" "^#include <peal/$name.h>"
        has "$pages/$function.3" "^.SH LIBRARY"
    done <"$work/functions"
done
# Each part of a comment has its usual section.
section() { sed -n "/^.SH $2\$/,/^.SH /p" "$pages/$1.3" >"$work/section"; }
section peal_protocol_define "RETURN VALUE"
has "$work/section" "^Returns PEAL_OK; "
section peal_protocol_define ERRORS
has "$work/section" "PEAL_ERROR_CONFORMANCE"
has "$work/section" "^when table_size is not what the methods need"
has "$work/section" "^a text does not follow the grammar"
section peal_closure_create_for EXAMPLES
has "$work/section" "qsort(rows"
has "$pages/peal_version.3" "the PEAL_VERSION that the loaded library was built from"
has "$pages/peal_observe.3" "PEAL_ERROR_DUPLICATE"
# Each described parameter is one of the function's parameters, and each structure has a page.
python3 - "$pages" "$PEAL_SOURCE" >"$work/problems" <<'END' || complain "the pages cannot be compared with the headers"
import pathlib, re, sys
pages, source = map(pathlib.Path, sys.argv[1:])
for name in (source / "abi/peal.symbols").read_text().split():
    page = (pages / f"{name}.3").read_text()
    synopsis = page.partition(".SH SYNOPSIS")[2].partition(".SH ")[0]
    parameters = re.sub(r"^\.SH ERRORS$.*?(?=^\.SH )", "", page, flags=re.M | re.S)
    for found in re.findall(r"^\.TP\n\\fB(.*?)\\fP", parameters, flags=re.M):
        for parameter in found.split(", "):
            if not re.search(rf"\b{parameter}\b", synopsis):
                print(f"{name}: {parameter} is no parameter")
for header in (source / "include/peal").glob("*.h"):
    for name in re.findall(r"^(?:typedef )?struct (peal_\w*[^_\W]) \{", header.read_text(), flags=re.M):
        if not (pages / f"{name}.3").exists():
            print(f"struct {name} has no page")
END
[ -s "$work/problems" ] && { complain "the pages do not fit the headers:"; cat "$work/problems"; }
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z "$pages"/*.3 >"$work/warned" 2>&1
    [ -s "$work/warned" ] && { complain "groff warns:"; head -n 20 "$work/warned"; }
fi

# An error names the file and line of a header that cannot be read.
cp -r "$PEAL_SOURCE/include" "$work/include"
make_pages() {
    "$PEAL_SOURCE/scripts/make-man-pages" "$work/man" --include "$work/include" --symbols "$work/symbols" >"$work/printed" 2>&1
}
cp "$PEAL_SOURCE/abi/peal.symbols" "$work/symbols"
make_pages || { complain "the pages cannot be made again"; cat "$work/printed"; }
touch "$work/man/peal_gone.3"
make_pages
[ -e "$work/man/peal_gone.3" ] && complain "the page of a removed function stays"
sed -i 's|^PEAL_END_DECLARATIONS|PEAL_API void peal_odd(void);\n&|' "$work/include/peal/version.h"
make_pages && complain "a function that is not listed is taken"
has "$work/printed" "version.h:[0-9]*: peal_odd is declared with PEAL_API, but abi/peal.symbols"
echo peal_odder >>"$work/symbols"
cp "$PEAL_SOURCE/include/peal/version.h" "$work/include/peal/version.h"
make_pages && complain "a function without a declaration is taken"
has "$work/printed" "no header declares peal_odder"
exit "$problems"
