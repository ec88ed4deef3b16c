#!/bin/sh
# Claims: R9
#
# terminal.sh PEAL PROGRAM: what the commands and PEAL_DEBUG print of names and texts that a terminal would obey.
set -u
LC_ALL=C.UTF-8
export LC_ALL
peal=$1 program=$2 here=$(dirname -- "$0")
work=$(mktemp -d) || exit 1
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
failures=0
trap 'exec 9>&-; rm -rf "$work"' EXIT

claim() {
    sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        failures=$((failures + 1))
        echo "NOT OK: $sentence"
        od -c "$work/out" | head -40
    fi
}

# harmless FILE: it has text, and no character that a terminal obeys but the newlines of its lines.
cat >"$work/harmless.py" <<'END'
import sys, unicodedata
text = open(sys.argv[1], "rb").read().decode()
bad = [c for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))]
sys.exit(not text or bool(bad) or any(line.lstrip().startswith("FORGED") for line in text.split("\n")))
END
harmless() { python3 "$work/harmless.py" "$1"; }

mkfifo "$work/input"
python3 "$here/hostile.py" "$work" "$work/ready" <"$work/input" &
exec 9>"$work/input"
tries=0
until [ -s "$work/ready" ] || [ $tries = 600 ]; do sleep 0.1; tries=$((tries + 1)); done
pid=$(cat "$work/ready")

# On standard output and standard error, a line for each command.
while read -r command; do
    # shellcheck disable=SC2086
    set -- $command
    name=$1
    shift
    timeout 60 "$peal" "$name" "$@" >"$work/out" 2>&1
    claim "what peal $command prints has no control character" harmless "$work/out"
done <<END
ps
tree --all $pid
describe $pid
describe $pid error
send $pid Chat.on_message error
graph $pid
graph --json --seconds 0.2 $pid
monitor --count 1 $pid
monitor $pid error
top $pid
record --seconds 0.2 $pid $work/file
replay $pid $work/file
replay --list $pid $work/file
END
timeout 60 "$peal" graph --json "$pid" >"$work/out"
claim "graph writes JSON of any names" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/out"
timeout 60 "$peal" trace -o "$work/out" --seconds 0.2 "$pid" 2>/dev/null
claim "trace writes JSON of any names" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/out"
exec 9>&-
wait

evil=$(printf 'title\033]0;x\007 \302\233 \342\200\256 \377')
mkfifo "$work/program"
PEAL_DEBUG=1 "$program" 100 0 "$evil" <"$work/program" >"$work/ready.out" 2>"$work/debug" &
pid=$!
exec 9>"$work/program"
tries=0
until grep -qs ready "$work/ready.out" || [ $tries = 600 ]; do sleep 0.1; tries=$((tries + 1)); done
tries=0
until grep -q 'title' "$work/debug" || [ $tries = 600 ]; do sleep 0.1; tries=$((tries + 1)); done
exec 9>&-
wait "$pid"
claim "PEAL_DEBUG prints a text that it watches" grep -qF 'title\x1b]0;x\x07 \u009b \u202e \xff' "$work/debug"
claim "what PEAL_DEBUG prints has no control character" harmless "$work/debug"

echo "$failures claims failed"
exit $((failures > 0))
