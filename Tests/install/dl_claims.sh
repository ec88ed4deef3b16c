#!/bin/sh
# Test programs that were written for a linked library, compiled with peal-dl.h as the first header and otherwise
# unchanged.
. "$(dirname -- "$0")/common.sh"
tests=$PEAL_SOURCE/Tests
options="-D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -include $PEAL_TREE/include/peal/peal-dl.h \
    -I$PEAL_TREE/include -I$tests/support -pthread"

cat >"$work/opener.c" <<'END'
__attribute__((constructor)) static void open_library(void)
{
    if (!peal_dl_open(getenv("PEAL_TEST_LIBRARY"))) {
        puts(peal_dl_message());
        exit(3);
    }
}
END
mkdir "$work/objects"
# shellcheck disable=SC2086
(cd "$work/objects" && must "$CC" -std=c99 $options -c ../opener.c "$tests"/support/center.c "$tests"/support/check.c \
    "$tests"/support/claims.c "$tests"/support/journal.c "$tests"/support/lane.c "$tests"/support/latch.c) || exit 1

# claims SOURCE COMPILER...
claims() {
    source=$1
    shift
    # shellcheck disable=SC2086
    must "$@" $options "$tests/c/$source" "$work"/objects/*.o -o "$work/program" -ldl -lm
    readelf -d "$work/program" | grep -q libpeal && complain "$source: the program links peal"
    PEAL_TEST_LIBRARY=$PEAL_TREE/$PEAL_LIBDIR/libpeal.so "$work/program" >"$work/printed" 2>&1 || {
        complain "$source fails with peal-dl.h:"
        cat "$work/printed"
    }
    has "$work/printed" ' passed, 0 failed$'
}
claims broadcast/typed.c "$CC" -std=c99
claims broadcast/calls.c "$CC" -std=c11
claims broadcast/invocations.c "$CC" -std=c99
claims completion/gathering.c "$CC" -std=c17
claims standards/cxx.cpp "$CXX" -std=c++11
exit "$problems"
