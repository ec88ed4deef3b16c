#!/bin/sh
# The committed peal-dl.h has the current symbols, and the script that checks this can fail.
. "$(dirname -- "$0")/common.sh"
must "$PEAL_SOURCE/scripts/make-dl-header" --check

mkdir -p "$work/tree/include/peal"
cp -r "$PEAL_SOURCE/abi" "$PEAL_SOURCE/scripts" "$work/tree"
header=$work/tree/include/peal/peal-dl.h
make_header() { "$work/tree/scripts/make-dl-header" "$@" >"$work/printed" 2>&1; }

make_header --check && complain "a missing header is current"
make_header || complain "a header cannot be made"
make_header --check || complain "what was made now is not current"
same_file "$PEAL_SOURCE/include/peal/peal-dl.h" "$header"
echo peal_added >>"$work/tree/abi/peal.symbols"
make_header --check && complain "a header that lacks a function is current"
has "$work/printed" "run scripts/make-dl-header"
make_header && make_header --check || complain "a header with a new function cannot be made"
has "$header" '^#define peal_added (\*peal_loaded_added)$'
echo 'not a name' >>"$work/tree/abi/peal.symbols"
make_header && complain "a line that is no name is taken"
has "$work/printed" "not the name of a function of peal: .*not a name"
make_header --nonsense && complain "an unknown option is taken"
exit "$problems"
