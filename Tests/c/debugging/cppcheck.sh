#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The description of peal's functions for cppcheck finds mistakes in a program, and none in the examples: cppcheck.sh TREE
set -u
tree=$1
"$tree/scripts/make-cppcheck" --check || exit 1
command -v cppcheck >/dev/null || { echo "there is no cppcheck"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cat >"$work/program.c" <<'END'
#include <peal/peal.h>
#include <stdlib.h>

#define CHAT(METHOD) METHOD(optional, void, on_say, (int n))
PEAL_PROTOCOL(chat, "Chat", CHAT);

static void say(void *self, int n) { (void)self, (void)n; }

int main(void)
{
    static const struct chat table = { PEAL_TABLE(chat), .on_say = say };
    struct chat_protocol handles;
    peal_queue queue, unset;
    PEAL_CLEANUP(peal_tap_cleanup) peal_tap tap = { 0 };

    if (chat_define(peal_center_default(), &handles) < 0)
        return 1;
    peal_queue_create(NULL, &queue); /* ignored */
    peal_queue_pump(unset, 0, NULL); /* not initialised */
    peal_queue_pump(queue, 0, NULL);
    /* The observer may keep its target. */
    int *target = malloc(sizeof *target);
    if (peal_observe(handles.protocol, target, &table, NULL, NULL) < 0)
        return 1;
    PEAL_EACH(chat, &handles, on_say, 7) { }
    return peal_tap_create(peal_center_default(), NULL, &tap) < 0;
}
END
failures=0
shown=$(cppcheck -q --enable=warning,portability --template='{line}: {id}' --library="$tree/scripts/cppcheck/peal.cfg" "$work/program.c" 2>&1)
if [ "$shown" = "18: ignoredReturnValue
19: uninitvar" ]; then
    echo "ok: the two mistakes of a program are reported, and nothing else"
else
    echo "NOT OK: these are not the two mistakes of a program:"
    echo "$shown"
    failures=1
fi
if find "$tree/examples-c" "$tree/apps/logcast" -name '*.c' -print0 | xargs -0 cppcheck -q --enable=warning,portability \
    --inline-suppr --error-exitcode=1 --library="$tree/scripts/cppcheck/peal.cfg"; then
    echo "ok: the examples have no findings"
else
    echo "NOT OK: an example has a finding"
    failures=1
fi
exit $failures
