#!/bin/sh
# Claims: I4
#
# trace.sh PEAL BURST COUNT: a trace of COUNT calls, made as fast as the program can, has each of them and no open flow. A
# monitor that is interrupted counts the lines that it has not printed.
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

# start COUNT: the program, until its input ends.
start() {
    rm -f "$work/input" "$work/burst"
    mkfifo "$work/input"
    PEAL_INSPECT=control "$burst" "$1" <"$work/input" >"$work/burst" &
    exec 9>"$work/input"
    until_line ready "$work/burst"
}

start "$count"
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
exec 9>&-
wait

# The monitor reads nothing while the calls are made.
few=$((count / 5))
start "$few"
"$peal" monitor burst >"$work/lines" 2>"$work/monitor" 9>&- &
monitor=$!
# Calls with numbers below zero, until it has the lines of the last one: its broadcast, and its call on the queue.
sent=0
until [ "$(grep -cs "number: -$sent)" "$work/lines")" = 2 ]; do
    sent=$((sent + 1))
    [ $sent -lt 900 ] || { echo "NOT OK: monitor prints no lines"; exit 1; }
    "$peal" send burst Work.on_work -$sent >/dev/null
    sleep 0.1
done
kill -STOP "$monitor"
echo >&9
until_line "done" "$work/burst"
kill -INT "$monitor"
kill -CONT "$monitor"
wait "$monitor" || { cat "$work/monitor"; echo "NOT OK: monitor has failed"; exit 1; }
cat "$work/monitor"
printed=$(grep -c 'Work.on_work(number: [0-9]' "$work/lines")
missing=$(sed -n 's/^peal: \([0-9]*\) lines are missing; .*/\1/p' "$work/monitor")
[ $((printed + ${missing:-0})) = $((2 * few)) ] || { echo "NOT OK: of $((2 * few)) lines $printed are printed and ${missing:-0} counted"; exit 1; }
echo "ok: a monitor prints $printed lines and counts $missing others"
