#!/bin/sh
# must_not_compile.sh <include>: the compiler must refuse typed calls and tables that do not fit the list.
# Ends with 77 when there is no compiler.
# Claims: B1
. "$(dirname -- "$0")/must_not_compile.common.sh"

# compile <compiler> <line>: compiles the line in a function, after the definition of a protocol.
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
    # A mistake in a broadcast must be an error without warning options, also if the headers are system headers.
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
# One mistake in the list of a protocol must give one error, in every standard.
for language in gcc:c99 gcc:c11 clang:c99 clang:c17 g++:c++11 g++:c++20 clang++:c++20; do
    compiler=${language%%:*} standard=${language##*:}
    is_there "$compiler" || continue
    case $compiler in *++) extension=cpp ;; *) extension=c ;; esac
    cat >"$work/list.$extension" <<'END'
#include <peal/peal.h>
#define CHAT(METHOD) METHOD(void, on_message, (const char *room, int n)) METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL(chat, "Chat", CHAT);
END
    "$compiler" -std="$standard" -Wall -Wextra -I"$include" -fsyntax-only "$work/list.$extension" 2>"$work/said"
    errors=$(grep -c "error:\|warning:" "$work/said")
    if [ "$errors" -ne 1 ] || ! grep -q "METHOD.must.begin.with.required.or.optional" "$work/said"; then
        echo "$compiler -std=$standard: $errors errors for a missing requirement"
        grep "error:\|warning:" "$work/said" | head -n 3
        problems=1
    fi
    # The form of a table that both C and C++20 accept.
    case $standard in c++11) continue ;; esac
    cat >"$work/table.$extension" <<'END'
#include <peal/peal.h>
#define CHAT(METHOD) \
    METHOD(required, void, on_message, (const char *room, int n)) METHOD(optional, void, on_close, (void))
PEAL_PROTOCOL(chat, "Chat", CHAT);
static void on_message(void *self, const char *room, int n) { (void)self; (void)room; (void)n; }
extern const struct chat whole_table;
const struct chat whole_table = { .size = sizeof(struct chat), .on_message = on_message };
END
    if ! "$compiler" -std="$standard" -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Werror \
        -I"$include" -fsyntax-only "$work/table.$extension" 2>"$work/said"; then
        echo "$compiler -std=$standard refuses the table whose members all have names"
        head -n 3 "$work/said"
        problems=1
    fi
done
finish
