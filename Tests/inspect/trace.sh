#!/bin/sh
# trace.sh PEAL BURST COUNT: a trace of COUNT calls, made as fast as the program can, has each of them and no open flow.
set -u
peal=$1 burst=$2 count=$3
work=$(mktemp -d) || exit 1
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
trap 'exec 9>&-; rm -rf "$work"' EXIT

# until_line TEXT FILE: waits for a line.
until_line() {
    tries=0
    until grep -qs "$1" "$2"; do
        tries=$((tries + 1))
        [ $tries -lt 900 ] || { echo "NOT OK: no line '$1' in $2"; exit 1; }
        sleep 0.1
    done
}

mkfifo "$work/input"
PEAL_INSPECT=1 "$burst" "$count" <"$work/input" >"$work/burst" &
exec 9>"$work/input"
until_line ready "$work/burst"
"$peal" trace -o "$work/trace.json" --buffer 4000000 burst 2>"$work/trace" &
trace=$!
until_line recording "$work/trace"
echo >&9
until_line "done" "$work/burst"
kill -INT "$trace"
wait "$trace" || { cat "$work/trace"; echo "NOT OK: trace has failed"; exit 1; }
cat "$work/trace"
python3 - "$work/trace.json" "$count" <<'END'
import collections, json, sys

# Each event is a line, so a file of any size is parsed in little memory.
count = int(sys.argv[2])
slices, flows, starts = collections.Counter(), collections.Counter(), 0
with open(sys.argv[1]) as file:
    lines = iter(file)
    head = next(lines)
    tail = ""
    for line in lines:
        if not line.startswith("{"):
            tail = line
            break
        event = json.loads(line.rstrip().rstrip(","))
        if event["ph"] == "X":
            slices[event["cat"]] += 1
        elif event["ph"] in "sf":
            starts += event["ph"] == "s"
            flows[event["id"]] += {"s": 1, "f": -1}[event["ph"]]
            if flows[event["id"]] == 0:
                del flows[event["id"]]
    rest = json.loads(head + tail + "".join(lines))
if count <= 100000:
    json.load(open(sys.argv[1]))
assert rest["otherData"]["lost"] == "0", rest
assert slices == {"broadcast": count, "call": count}, slices
assert starts == count and not flows, (starts, len(flows))
print("ok: a trace has", count, "broadcasts and as many calls on a queue, and each flow is closed")
END
