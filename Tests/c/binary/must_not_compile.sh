#!/bin/sh
# must_not_compile.sh <include>: the compiler refuses typed calls and tables that do not fit the list.
# Ends with 77 when there is no compiler.
. "$(dirname -- "$0")/must_not_compile.common.sh"

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
    # shellcheck disable=SC2086
    "$1" -std=c99 -Wall -Wextra $warnings $way "$include" -fsyntax-only "$work/unit.c" 2>"$work/said"
}

for compiler in gcc clang; do
    is_there "$compiler" || continue
    # What is wrong in a broadcast is an error by itself, also where the headers are the system's.
    for way in -I -isystem; do
        warnings=-Werror
        fits "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, "room", 5);'
        fits "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, NULL, 5);'
        fits "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, 0, (int)sizeof(other));'
        warnings=
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, "room");'
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, "room", 5, 6);'
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, other, 5);'
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, 42, 5);'
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, 5, "room");'
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_message, *other, 5);'
        refused "$compiler" 'PEAL_BROADCAST(chat, chat, on_open);'
        refused "$compiler" 'PEAL_BROADCAST(door, chat, on_message, "room", 5);'
    done
    way=-I warnings=-Werror
    fits "$compiler" '(void)chat_observe(chat, other, &table, 0, 0);'
    fits "$compiler" '(void)peal_broadcast(chat->on_message, "room", 5);'
    refused "$compiler" 'table.on_message = bad;'
    refused "$compiler" '(void)chat_observe(chat, other, &door_table, 0, 0);'
    refused "$compiler" '(void)chat_observe(door, other, &table, 0, 0);'
    refused "$compiler" '(void)peal_observation_remove(chat->on_message);'
    refused "$compiler" '(void)peal_broadcast(chat->protocol, "room", 5);'
    refused "$compiler" '(void)peal_broadcast(5, "room", 5);'
    refused "$compiler" 'peal_center_create(0);'
done
finish
