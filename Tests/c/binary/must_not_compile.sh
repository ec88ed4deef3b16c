#!/bin/sh
# must_not_compile.sh <include>: the compiler refuses typed calls and tables that do not fit the list.
# Ends with 77 when there is no compiler.
include=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
problems=0 compiled=0

# compile <compiler> <line>: the line, in a function with a protocol at hand.
compile() {
    cat >"$work/unit.c" <<END
#include <peal/peal.h>
struct other { int a; };
#define CHAT(METHOD) METHOD(required, void, on_message, (const char *room, int n))
PEAL_PROTOCOL(chat, "Chat", CHAT);
#define DOOR(METHOD) METHOD(required, void, on_open, (void))
PEAL_PROTOCOL(door, "Door", DOOR);
static void good(void *self, const char *room, int n) { (void)self; (void)room; (void)n; }
static void bad(void *self, double d) { (void)self; (void)d; }
void use(struct chat_protocol *chat, struct door_protocol *door, struct other *other);
void use(struct chat_protocol *chat, struct door_protocol *door, struct other *other)
{
    struct chat table = { PEAL_TABLE(chat), good };
    struct door door_table = { PEAL_TABLE(door), 0 };
    (void)bad; (void)door; (void)other; (void)table; (void)door_table;
    $2
}
END
    "$1" -std=c99 -Wall -Wextra -Werror -I"$include" -fsyntax-only "$work/unit.c" 2>"$work/said"
}

fits() {
    compile "$1" "$2" || { echo "$1 refuses what fits: $2"; head -n 5 "$work/said"; problems=1; }
    compiled=$((compiled + 1))
}

refused() {
    if compile "$1" "$2"; then
        echo "$1 takes what does not fit: $2"
        problems=1
    fi
}

for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        echo "skipped: there is no $compiler"
        continue
    fi
    fits "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, "room", 5);'
    fits "$compiler" '(void)chat_observe(chat, other, &table, 0, 0);'
    fits "$compiler" '(void)peal_broadcast(chat->on_message, "room", 5);'
    refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, "room");'
    refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, "room", 5, 6);'
    refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, other, 5);'
    refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, 5, "room");'
    refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_open);'
    refused "$compiler" 'PEAL_BROADCAST(door, chat, on_message, "room", 5);'
    refused "$compiler" 'table.on_message = bad;'
    refused "$compiler" '(void)chat_observe(chat, other, &door_table, 0, 0);'
    refused "$compiler" '(void)chat_observe(door, other, &table, 0, 0);'
    refused "$compiler" '(void)peal_observation_remove(chat->on_message);'
    refused "$compiler" '(void)peal_broadcast(chat->protocol, "room", 5);'
    refused "$compiler" '(void)peal_broadcast(5, "room", 5);'
    refused "$compiler" 'peal_center_create(0);'
done
[ "$compiled" -gt 0 ] || { echo "skipped: there is no compiler"; exit 77; }
exit "$problems"
