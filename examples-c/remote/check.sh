#!/bin/sh
# Runs two processes of the chat with a nats-server of their own.
#
#     check.sh PROGRAM NATS_SERVER
set -eu
program=$1
server=$2
work=$(mktemp -d)
server_process=
trap '[ -z "$server_process" ] || kill "$server_process"; rm -rf "$work"' EXIT

# The server chooses a free port and writes it into a file.
"$server" -a 127.0.0.1 -p -1 --ports_file_dir "$work" 2>"$work/log" &
server_process=$!
url=
for _ in $(seq 1200); do
    url=$(sed -n 's/.*"nats":\["\([^"]*\)".*/\1/p' "$work"/*.ports 2>/dev/null || true)
    [ -z "$url" ] || break
    sleep 0.05
done

# Each process ends with its input, after the other one has printed both lines.
mkfifo "$work/ann" "$work/bob"
"$program" Ann "$url" <"$work/ann" >"$work/ann.out" &
ann=$!
"$program" Bob "$url" <"$work/bob" >"$work/bob.out" &
bob=$!
exec 8>"$work/ann" 9>"$work/bob"
# Waits until a file has a number of lines.
lines() {
    for _ in $(seq 1200); do
        [ "$(wc -l <"$1")" -lt "$2" ] || return 0
        sleep 0.05
    done
    echo "$1 has not $2 lines:" >&2
    cat "$1" >&2
    exit 1
}
echo "good morning" >&8
lines "$work/bob.out" 1
echo "good morning, Ann" >&9
lines "$work/ann.out" 2
exec 8>&- 9>&-
wait "$ann"
wait "$bob"
printf 'Ann: good morning\nBob: good morning, Ann\n' >"$work/expected"
cmp "$work/expected" "$work/ann.out"
cmp "$work/expected" "$work/bob.out"
